// SPDX-License-Identifier: GPL-2.0-only
// The search for functions, and for the next call of one of them.

class Search {
	constructor(model) {
		this.model = model;
		this.clear();
	}

	clear() {
		this.text = "";
		this.names = new Set();
		this.hits = 0;
		this.error = "";
	}

	// Look for @text in all names; if it begins and ends with "/", for the regular expression
	// between them. Return the number of calls (and boxes of samples) of the functions that
	// match.
	find(text) {
		this.clear();
		this.text = text;
		if (!text)
			return 0;
		const regular = text.length > 2 && text.startsWith("/") && text.endsWith("/");
		const lower = text.toLowerCase();
		let matches = (name) => name.toLowerCase().includes(lower);
		if (regular) {
			try {
				const expression = new RegExp(text.slice(1, -1));
				matches = (name) => expression.test(name);
			} catch (e) {
				this.error = e.message;
				return 0;
			}
		}
		const { names } = this.model;
		for (let i = 0; i < names.length; i++) {
			if (matches(names.function(i))) {
				this.names.add(i);
				this.hits += names.counts[i];
			}
		}
		return this.hits;
	}

	// Return the first call after @from of one of the functions, or the last one before it if
	// @back. @from is what next() has returned before; null: return the first (last) one of
	// all. The order is that of the begins; at one time, of the lanes; in a lane, calls come
	// before samples.
	async next(from, back) {
		let best = null;
		const sign = back ? -1 : 1;
		const order = (a, b) => sign * (a.begin - b.begin || a.lane - b.lane ||
						a.samples - b.samples || a.chunk - b.chunk ||
						a.number - b.number);
		for (const lane of this.model.lanes)
			for (const samples of [0, 1]) {
				const track = samples ? lane.samples : lane.calls;
				const groups = back ? track.groups.slice().reverse() : track.groups;
				for (const group of groups) {
					if (from && (back ? group.begin > from.begin : group.end < from.begin))
						continue;
					if (best && (back ? group.end < best.begin : group.begin > best.begin))
						break;
					const hit = await this.inGroup(lane.number, samples, track, group, from, order);
					if (!hit)
						continue;
					if (!best || order(hit, best) < 0)
						best = hit;
					break;
				}
			}
		return best;
	}

	async inGroup(lane, samples, track, group, from, order) {
		const sums = await this.model.store.load(group);
		let best = null, any = false;
		for (const name of this.names)
			any = any || sums.calls.has(name);
		if (!any)
			return null;
		for (const chunk of overlapping(track.chunks, group.begin, group.end)) {
			const c = await this.model.store.load(chunk);
			for (let i = c.opened; i < c.n; i++) {
				if (!this.names.has(c.name[i]))
					continue;
				const hit = { lane, samples, begin: c.begin[i], end: c.end[i], depth: c.depth[i],
					      name: c.name[i], flags: c.flags[i], chunk: chunk.number, number: i };
				if ((!from || order(hit, from) > 0) && (!best || order(hit, best) < 0))
					best = hit;
			}
		}
		return best;
	}
}
