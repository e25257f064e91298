// SPDX-License-Identifier: GPL-2.0-only
// The recording: its calls, samples, marks and points in a range of time. Times are ns since
// the base. All functions that look at chunks return promises.

// If a range has at most this many events, they are drawn themselves, and not a level.
const FEW_EVENTS = 60000;
// If a range has more items of a level, the next level is drawn.
const MANY_ITEMS = 250000;

// Return the chunks that overlap the time from @begin to @end. With @before, the last chunk before
// this time is the first one: the value of a point lasts until the next point.
function overlapping(chunks, begin, end, before = false) {
	const found = [];
	let last = null;
	for (const chunk of chunks) {
		if (chunk.begin <= end && chunk.end >= begin)
			found.push(chunk);
		else if (before && chunk.end < begin && (!last || chunk.end >= last.end))
			last = chunk;
	}
	if (last)
		found.unshift(last);
	return found;
}

function count(chunks) {
	let n = 0;
	for (const chunk of chunks)
		n += chunk.nr;
	return n;
}

// Choose what to draw of a track (calls, samples, marks or points) at @scale ns for each pixel: chunks
// of the events themselves (level -1), or those of a level.
function choose(track, begin, end, scale) {
	const before = "what" in track;		// a track of points
	let chunks = overlapping(track.chunks, begin, end, before), level = -1;
	if (!track.levels.length || count(chunks) <= FEW_EVENTS)
		return { level, chunks };
	for (let i = 0; i < track.levels.length; i++) {
		if (track.levels[i].resolution > scale && count(chunks) <= MANY_ITEMS)
			break;
		level = i;
		chunks = overlapping(track.levels[i].chunks, begin, end, before);
	}
	return { level, chunks };
}

class Model {
	constructor(store, recording) {
		this.store = store;
		Object.assign(this, recording);
	}

	// Call @each with the decoded data of each chunk of @track that overlaps the range.
	async eachChunk(track, begin, end, each) {
		for (const chunk of overlapping(track.chunks, begin, end))
			each(await this.store.load(chunk));
	}

	// Return the calls that overlap the range, in the order of their begins, each with its
	// whole length.
	async calls(lane, { begin = 0, end = this.end, samples = false } = {}) {
		const found = [], track = samples ? lane.samples : lane.calls;
		let open = [];		// calls that go on in the next chunk, by depth
		await this.eachChunk(track, begin, end, (c) => {
			const numbers = [];
			for (let i = 0; i < c.n; i++) {
				if (i < c.opened && open.length) {
					numbers.push(open[i]);
					open[i].end = c.end[i];
					open[i].flags = c.flags[i];
					continue;
				}
				const call = { begin: c.begin[i], end: c.end[i], depth: c.depth[i],
					       name: c.name[i], flags: c.flags[i] };
				numbers.push(call);
				found.push(call);
			}
			open = Array.from(c.open, (i) => numbers[i]);
		});
		for (const call of open)
			Object.assign(call, await this.endOf(track, call));
		return found.filter((call) => call.begin <= end && call.end >= begin);
	}

	// Return the end and the flags of a call, which can be in a later chunk than its begin.
	async endOf(track, call) {
		for (const chunk of track.chunks) {
			if (chunk.end < call.begin || chunk.low > call.depth)
				continue;
			const c = await this.store.load(chunk);
			for (let i = 0; i < c.n; i++)
				if (c.begin[i] === call.begin && c.depth[i] === call.depth &&
				    c.name[i] === call.name && !c.open.includes(i))
					return { end: c.end[i], flags: c.flags[i] };
		}
		return { end: call.end, flags: call.flags };
	}

	// Return the calls with a depth less than @depth that are open at @time, the outermost one
	// first.
	async stackAt(track, time, depth) {
		let stack = [];
		await this.eachChunk(track, time, time, (c) => {
			const now = [];
			for (let i = 0; i < c.n && c.begin[i] <= time; i++)
				if (c.end[i] >= time && c.depth[i] < depth)
					now[c.depth[i]] = { begin: c.begin[i], end: c.end[i],
							    depth: c.depth[i], name: c.name[i],
							    flags: c.flags[i] };
			if (now.length)
				stack = now;
		});
		return stack;
	}

	async samples(lane, { begin = 0, end = this.end } = {}) {
		const found = [];
		await this.eachChunk(lane.samples, begin, end, (c) => {
			const s = c.samples;
			for (let i = 0; i < s.n; i++) {
				if (s.time[i] < begin || s.time[i] > end)
					continue;
				const names = [];
				for (let call = s.call[i]; call; call = c.parent[call - 1])
					names.push(c.name[call - 1]);
				found.push({ time: s.time[i], weight: s.weight[i], names: names.reverse() });
			}
		});
		return found;
	}

	async marks(lane, { begin = 0, end = this.end, kinds = MARK_KINDS } = {}) {
		const found = [];
		await this.eachChunk(lane.marks, begin, end, (m) => {
			for (let i = 0; i < m.n; i++) {
				const kind = MARK_KINDS[m.kind[i]];
				if (m.begin[i] <= end && m.end[i] >= begin && kinds.includes(kind))
					found.push({ kind, begin: m.begin[i], end: m.end[i], value: m.value[i],
						     text: m.text[i] ? m.strings[m.text[i] - 1] : null });
			}
		});
		return found;
	}

	async points(lane, what, { begin = 0, end = this.end } = {}) {
		const found = [];
		for (const track of lane.points) {
			if (track.what !== what)
				continue;
			await this.eachChunk(track, begin, end, (p) => {
				for (let i = 0; i < p.n; i++)
					if (p.begin[i] >= begin && p.begin[i] <= end)
						found.push({ time: p.begin[i], value: p.low[i] });
			});
		}
		return found;
	}

	// Return the marks of these kinds in all lanes, in the order of their begins.
	async marksOfAll(kinds, range = {}) {
		const found = [];
		for (const lane of this.lanes)
			if (kinds.some((kind) => lane.marks.sums[kind]))
				for (const mark of await this.marks(lane, { kinds, ...range }))
					found.push({ lane: lane.number, ...mark });
		return found.sort((a, b) => a.begin - b.begin);
	}

	total(value) {
		return this.lanes.reduce((sum, lane) => sum + value(lane), 0);
	}
}
