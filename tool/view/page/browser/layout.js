// SPDX-License-Identifier: GPL-2.0-only
// Where the lanes are: rows, in pixels from the top of the first row, and the parts of each row, in
// pixels from the top of the row.

const SIDE = 210;		// the width of the titles
const GROUP_HEIGHT = 22, STRIP_HEIGHT = 22, COUNTER_HEIGHT = 36, BOX_HEIGHT = 16, SPACE = 7;
const DEEP = 40;		// levels of calls that a lane shows before the user asks for all

function lanesInOrder(lanes) {
	const rank = { recording: 0, cpu: 1, thread: 2 };
	return lanes.slice().sort((a, b) => rank[a.kind] - rank[b.kind] || a.cpu - b.cpu ||
				  a.pid - b.pid || (a.tid === a.pid ? -1 : b.tid === b.pid ? 1 : 0) ||
				  a.tid - b.tid || a.number - b.number);
}

class Layout {
	constructor(lanes) {
		this.rows = [];
		this.height = 0;
		this.closedGroups = new Set();
		this.lanes = lanesInOrder(lanes);
		this.state = new Map();		// lane -> { open, deep }
		for (const lane of lanes)
			this.state.set(lane, { open: true, deep: false });
		this.update();
	}

	update() {
		const processes = new Map();
		this.rows = [];
		this.height = 0;
		for (const lane of this.lanes)
			if (lane.kind === "thread")
				processes.set(lane.pid, (processes.get(lane.pid) || 0) + 1);
		let group = null;
		for (const lane of this.lanes) {
			const id = lane.kind === "thread" ? `process ${lane.pid}` : lane.kind;
			if (lane.kind === "thread" && lane.pid !== NOBODY && id !== group &&
			    processes.get(lane.pid) > 1)
				this.add({ group: id, title: `${lane.name || "process"} — process ${lane.pid}`,
					   threads: processes.get(lane.pid) }, GROUP_HEIGHT);
			else if (lane.kind === "cpu" && id !== group && this.lanes.length > 2)
				this.add({ group: id, title: "CPUs", threads: 0 }, GROUP_HEIGHT);
			group = id;
			if (!this.closedGroups.has(id))
				this.addLane(lane);
		}
	}

	add(row, height) {
		row.y = this.height;
		row.height = height;
		this.rows.push(row);
		this.height += height;
	}

	addLane(lane) {
		const state = this.state.get(lane), row = { lane, parts: [] };
		let y = 0;
		const part = (kind, height, more) => {
			row.parts.push({ kind, y, height, ...more });
			y += height;
		};
		part("strip", STRIP_HEIGHT, {});
		if (state.open) {
			for (const points of lane.points)
				part("points", COUNTER_HEIGHT, { track: points });
			for (const [kind, track] of [["calls", lane.calls], ["samples", lane.samples]]) {
				if (!track.nr && !track.samples)
					continue;
				if (kind === "samples" && lane.calls.nr)
					part("title", 14, { title: "samples" });
				const rows = Math.max(1, state.deep ? track.depth : Math.min(track.depth, DEEP));
				part(kind, rows * BOX_HEIGHT, { track, rows });
				if (track.depth > rows || (state.deep && track.depth > DEEP))
					part("deeper", BOX_HEIGHT, { more: track.depth - rows });
			}
			y += SPACE;
		}
		this.add(row, y);
	}

	// The row at @y, or undefined
	rowAt(y) {
		return this.rows.find((row) => y >= row.y && y < row.y + row.height);
	}

	rowOf(lane) {
		return this.rows.find((row) => row.lane === lane);
	}

	toggle(row) {
		if (row.group) {
			if (!this.closedGroups.delete(row.group))
				this.closedGroups.add(row.group);
		} else {
			const state = this.state.get(row.lane);
			state.open = !state.open;
		}
		this.update();
	}

	toggleDeep(lane) {
		const state = this.state.get(lane);
		state.deep = !state.deep;
		state.open = true;
		this.update();
	}

	setAll(open) {
		for (const state of this.state.values())
			state.open = open;
		this.closedGroups.clear();
		this.update();
	}

	// Open a lane, and show its calls down to @depth.
	show(lane, depth) {
		const state = this.state.get(lane);
		this.closedGroups.delete(lane.kind === "thread" ? `process ${lane.pid}` : lane.kind);
		state.open = true;
		if (depth >= DEEP)
			state.deep = true;
		this.update();
	}
}
