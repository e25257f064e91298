// SPDX-License-Identifier: GPL-2.0-only
// Chunks of calls, and of their sums (format.h).

const EVENT_LEAVE = 0, EVENT_ENTER = 1;
const BEGAN_EARLIER = 1, CUT = 2;

// Return the calls of a chunk, in the order of their begins: calls that began in an earlier chunk come
// first. "open" has the numbers of the calls that go on in the next chunk; "end" of such a call is the
// end of this chunk. "parent" is the number of the caller plus one, or 0.
function decodeCalls(chunk, bytes) {
	const [opened, kinds, times, names, weights] = columnsOf(bytes, 5);
	const nrOpened = countVarints(opened) / 3;
	let enters = 0, samples = 0;
	for (let i = 0; i < kinds.length; i++) {
		const kind = kinds[i] & 3;
		enters += kind === EVENT_ENTER;
		samples += kind > EVENT_ENTER;
	}
	const n = nrOpened + enters;
	const calls = {
		n, entries: 6 * n + 3 * samples, opened: nrOpened,
		begin: new Float64Array(n), end: new Float64Array(n), depth: new Uint32Array(n),
		name: new Uint32Array(n), flags: new Uint8Array(n), parent: new Uint32Array(n),
		open: null,
		samples: {
			n: samples, time: new Float64Array(samples), call: new Uint32Array(samples),
			weight: varints(weights, new Float64Array(samples)),
		},
	};
	const stack = [], o = new Reader(opened), t = new Reader(times), nm = new Reader(names);
	let time = chunk.begin, next = 0, sample = 0;
	const push = (name, begin, flags) => {
		calls.name[next] = name;
		calls.begin[next] = begin;
		calls.flags[next] = flags;
		calls.depth[next] = stack.length;
		calls.parent[next] = stack.length ? stack[stack.length - 1] + 1 : 0;
		stack.push(next++);
	};
	for (let i = 0; i < nrOpened; i++) {
		const name = o.varint();
		push(name, chunk.begin - o.varint(), o.varint());
	}
	for (let i = 0; i < kinds.length; i++) {
		const kind = kinds[i] & 3, flags = kinds[i] >> 2;
		time += t.varint();
		if (kind === EVENT_ENTER) {
			push(nm.varint(), time, flags);
		} else if (kind === EVENT_LEAVE) {
			const call = stack.pop();
			calls.end[call] = time;
			calls.flags[call] |= flags;
		} else {
			calls.samples.time[sample] = time;
			calls.samples.call[sample++] = stack.length ? stack[stack.length - 1] + 1 : 0;
		}
	}
	for (const call of stack)
		calls.end[call] = chunk.end;
	calls.open = Uint32Array.from(stack);
	return calls;
}

function countVarints(column) {
	let n = 0;
	for (let i = 0; i < column.length; i++)
		n += column[i] < 0x80;
	return n;
}

// Return the tree of a group, in preorder: depth, name and values of each node. The map "calls" has
// the number of calls of each name.
function decodeSums(chunk, bytes) {
	const c = columnsOf(bytes, 7), n = countVarints(c[1]);
	const sums = {
		n, entries: 5 * n, pruned: c[0][0] === 1, depth: new Uint32Array(n),
		name: varints(c[2], new Float64Array(n)), time: varints(c[3], new Float64Array(n)),
		count: varints(c[4], new Float64Array(n)), weight: varints(c[5], new Float64Array(n)),
		calls: new Map(),
	};
	const ups = varints(c[1], new Float64Array(n)), r = new Reader(c[6]);
	let depth = 0, name = 0;
	for (let i = 0; i < n; i++) {
		depth += 1 - ups[i];
		sums.depth[i] = depth - 1;
	}
	while (r.at < c[6].length) {
		name += r.varint();
		sums.calls.set(name, r.varint());
	}
	return sums;
}
