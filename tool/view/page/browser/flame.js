// SPDX-License-Identifier: GPL-2.0-only
// The flame graph of a range: a tree of functions, with the time of their calls (or the weight of the
// samples in them).

// If a lane has at most this many events in the range, look at each of them. Otherwise use the sums of
// groups, and look at events only in groups that are partly in the range.
const FLAME_EVENTS = 400000;
const SMALLER = -1;

class FlameNode {
	constructor(name) {
		this.name = name;	// SMALLER: stands for many small parts of the tree
		this.value = 0;		// time or weight, with those of its children
		this.count = 0;		// calls that begin in the range
		this.children = new Map();
	}

	child(name) {
		let child = this.children.get(name);
		if (!child) {
			child = new FlameNode(name);
			this.children.set(name, child);
		}
		return child;
	}
}

class Flame {
	constructor(model) {
		this.model = model;
		this.few = FLAME_EVENTS;
	}

	// @lanes: their numbers; null: all lanes
	// @samples: add up the weights of samples, not the times of calls
	// @stale: is called from time to time. If it returns true, make() stops and returns null
	//
	// "exact" in the result is false if some functions are only in nodes "smaller": those with
	// less than 1/4096 of the time (or weight) of a group.
	async make({ begin = 0, end = this.model.end, lanes = null, samples = false, stale = () => false } = {}) {
		const root = new FlameNode(SMALLER), result = { root, exact: true, fromSums: false };
		for (const lane of this.model.lanes) {
			if (lanes && !lanes.includes(lane.number))
				continue;
			const track = samples ? lane.samples : lane.calls;
			const chunks = overlapping(track.chunks, begin, end);
			if (count(chunks) <= this.few) {
				await this.addChunks(root, chunks, begin, end, samples, stale);
			} else {
				for (const group of overlapping(track.groups, begin, end)) {
					if (stale())
						return null;
					if (group.begin >= begin && group.end <= end)
						this.addSums(result, await this.model.store.load(group), samples);
					else
						await this.addChunks(root, this.chunksOf(track, group), begin, end, samples, stale);
				}
			}
			if (stale())
				return null;
		}
		for (const child of root.children.values()) {
			root.value += child.value;
			root.count += child.count;
		}
		return result;
	}

	// Return the chunks of a group. A comparison of times would not do: the chunk before the
	// group can end at the time when the group begins.
	chunksOf(track, group) {
		let first = 0;
		for (let i = 0; i < group.number; i++)
			first += track.groups[i].nr;
		return track.chunks.slice(first, first + group.nr);
	}

	async addChunks(root, chunks, begin, end, samples, stale) {
		for (const chunk of chunks) {
			const c = await this.model.store.load(chunk);
			if (stale())
				return;
			const nodes = new Array(c.n);
			const from = Math.max(begin, chunk.begin), to = Math.min(end, chunk.end);
			for (let i = 0; i < c.n; i++) {
				// Calls are in the order of their begins.
				if (c.begin[i] > end)
					break;
				const parent = c.parent[i] ? nodes[c.parent[i] - 1] : root;
				if (!parent || c.end[i] < from)
					continue;
				const node = parent.child(c.name[i]);
				nodes[i] = node;
				if (!samples)
					node.value += Math.max(0, Math.min(c.end[i], to) - Math.max(c.begin[i], from));
				if (i >= c.opened && c.begin[i] >= begin)
					node.count++;
			}
			if (samples)
				this.addSamples(c, nodes, begin, end);
		}
	}

	addSamples(c, nodes, begin, end) {
		const s = c.samples;
		for (let i = 0; i < s.n; i++) {
			if (s.time[i] < begin || s.time[i] > end)
				continue;
			for (let call = s.call[i]; call; call = c.parent[call - 1])
				if (nodes[call - 1])
					nodes[call - 1].value += s.weight[i];
		}
	}

	addSums(result, sums, samples) {
		const stack = [result.root];
		result.fromSums = true;
		if (sums.pruned)
			result.exact = false;
		for (let i = 0; i < sums.n; i++) {
			const depth = sums.depth[i];
			const node = stack[depth].child(sums.name[i] - 1);
			stack[depth + 1] = node;
			node.count += sums.count[i];
			if (!samples) {
				node.value += sums.time[i];
			} else if (sums.weight[i]) {
				for (let d = 1; d <= depth + 1; d++)
					stack[d].value += sums.weight[i];
			}
		}
	}
}
