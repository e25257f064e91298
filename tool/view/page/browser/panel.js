// SPDX-License-Identifier: GPL-2.0-only
// The panel below the lanes: details of what was clicked, the flame graph, and a list of gaps, losses
// and errors. Names come from the recording, so they only become text, never HTML.

const FLAME_HEIGHT = 17;
// The list has at most this many rows.
const MOST_LOSSES = 2000;

function element(tag, attributes = {}, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes)) {
		if (key === "class")
			e.className = value;
		else if (key.startsWith("on"))
			e[key] = value;
		else
			e.setAttribute(key, value);
	}
	e.append(...children);
	return e;
}

class Panel {
	constructor(view) {
		this.view = view;
		this.node = document.getElementById("panel");
		this.note = document.getElementById("note");
		this.canvas = document.getElementById("graph");
		this.graph = new FlameGraph(this.canvas, view);
		this.notes = {};
		this.lost = false;
		for (const button of this.node.querySelectorAll("[data-tab]"))
			button.onclick = () => this.show(button.dataset.tab);
		document.getElementById("fold").onclick = () => this.fold();
		this.makeChoice();
		this.details(null);
		this.show("details");
	}

	get tab() {
		return this.node.classList.contains("folded") ? "" : this.current;
	}

	show(tab) {
		this.current = tab;
		this.node.classList.remove("folded");
		document.getElementById("fold").textContent = "▾";
		this.apply();
	}

	fold() {
		const folded = this.node.classList.toggle("folded");
		document.getElementById("fold").textContent = folded ? "▴" : "▾";
		this.apply();
	}

	apply() {
		const folded = this.node.classList.contains("folded");
		this.node.style.height = folded ? "auto" : this.height ? `${this.height}px` : "";
		for (const button of this.node.querySelectorAll("[data-tab]"))
			button.classList.toggle("on", button.dataset.tab === this.current && !folded);
		for (const tab of this.node.querySelectorAll(".tab"))
			tab.classList.toggle("on", tab.id === this.current && !folded);
		document.getElementById("flame-choice").hidden = this.tab !== "flame";
		this.note.textContent = this.notes[this.tab] || "";
		if (this.tab === "flame")
			this.graph.update();
		if (this.tab === "losses" && !this.lost)
			this.losses();
		this.view.resized();
	}

	setNote(tab, text) {
		this.notes[tab] = text;
		if (this.tab === tab)
			this.note.textContent = text;
	}

	makeChoice() {
		const { model } = this.view, choice = document.getElementById("flame-choice");
		const lane = element("button", { id: "flame-lane", title: "all lanes, or the one that was clicked" });
		const kind = element("button", { id: "flame-kind", title: "time of calls, or weight of samples" });
		lane.onclick = () => {
			this.graph.oneLane = !this.graph.oneLane;
			this.graph.update(true);
		};
		kind.onclick = () => {
			this.graph.samples = !this.graph.samples;
			this.graph.update(true);
		};
		if (model.lanes.length > 1)
			choice.append(lane);
		if (model.total((l) => l.samples.samples) && model.total((l) => l.calls.nr))
			choice.append(kind);
	}

	updateChoice() {
		const lane = document.getElementById("flame-lane"), kind = document.getElementById("flame-kind");
		if (lane)
			lane.textContent = this.graph.lane ? `Only ${this.graph.lane.title}` : "All lanes";
		if (kind)
			kind.textContent = this.graph.samples ? "Samples" : "Calls";
	}

	// Show the details of what was clicked. Only the last call counts if several wait for data.
	async details(thing) {
		const node = document.getElementById("details"), ticket = {};
		this.ticket = ticket;
		if (!thing) {
			node.replaceChildren(element("p", {}, "Click something to see its details. Wheel or w and s: " +
				"zoom. Drag or a and d: move. Shift and drag: choose a range. /: search. ?: all keys."));
			return;
		}
		const made = thing.what === "call" ? await this.callDetails(thing) : this.otherDetails(thing);
		if (this.ticket === ticket)
			node.replaceChildren(...made);
	}

	list(pairs) {
		const list = element("dl");
		for (const [term, text] of pairs)
			if (text !== null && text !== undefined && text !== "")
				list.append(element("dt", {}, term), element("dd", {}, String(text)));
		return list;
	}

	otherDetails(thing) {
		const { model } = this.view;
		if (thing.what === "point")
			return [element("h2", {}, thing.track.what), this.list([
				["value", thing.low === thing.value ? valueText(thing.value) :
					  `${valueText(thing.low)} … ${valueText(thing.value)} (${thing.count} points)`],
				["at", this.when(thing.time)], ["in", thing.lane.title]])];
		const mark = { ...thing };
		return [element("h2", {}, MARK_TITLES[thing.kind]), this.list([
			["", ""],
			["what", thing.count > 1 ? `${countText(thing.count)} marks: zoom in to see each` : markText(mark)],
			["begin", this.when(thing.begin)],
			["duration", thing.end > thing.begin ? timeText(thing.end - thing.begin) : ""],
			["end", thing.end > thing.begin ? this.when(thing.end) : ""],
			["lane", thing.lane.title],
			["clock", clockText(model.base, thing.begin)]])];
	}

	when(time) {
		return `${timeText(time, 9)}   (clock ${clockText(this.view.model.base, time)})`;
	}

	async callDetails(call) {
		const { model } = this.view, { names } = model, { track } = call;
		const stack = await model.stackAt(track, call.begin, call.depth);
		const inside = call.count > 1 ? null : await this.inside(track, call);
		const address = names.address(call.name);
		const edges = [call.flags & BEGAN_EARLIER ? "began before the recording" : "",
			       call.flags & CUT ? "goes on, but what follows is missing" : ""].filter(Boolean);
		const first = element("div", {}, this.list([
			["duration", timeText(call.end - call.begin, 6)],
			["itself", inside ? `${timeText(inside.self, 6)} (${percentText(inside.self, call.end - call.begin)})` : ""],
			["calls", inside ? countText(inside.calls) : ""],
			["begin", this.when(call.begin)],
			["end", this.when(call.end)],
			["object", names.object(call.name)],
			["address", address ? `0x${address.toString(16)}` : ""],
			["lane", call.lane.title],
			["all calls", `${countText(names.counts[call.name])} of this function`],
			["note", [...edges, call.count > 1 ? `stands for ${countText(call.count)} calls: zoom in to see each` : ""]
				.filter(Boolean).join("; ")]]));
		const callers = element("ul", { class: "stack" });
		for (const caller of stack.filter(Boolean).reverse().slice(0, 200)) {
			callers.append(element("li", { onclick: () => this.view.select({
				...caller, what: "call", lane: call.lane, track, samples: call.samples, count: 1 }, true) },
				element("span", { class: "time" }, timeText(caller.end - caller.begin)),
				names.function(caller.name)));
		}
		const second = element("div", {}, element("p", {}, stack.length ? "called by" : ""), callers);
		return [element("h2", {}, names.function(call.name)), element("div", { class: "columns" }, first, second)];
	}

	// Return the time of a call outside of its callees, and the number of all calls in it;
	// null: the call has too many events.
	async inside(track, call) {
		const chunks = overlapping(track.chunks, call.begin, call.end);
		if (count(chunks) > FLAME_EVENTS)
			return null;
		let callees = 0, calls = 0;
		for (const chunk of chunks) {
			const c = await this.view.model.store.load(chunk);
			const from = Math.max(call.begin, chunk.begin), to = Math.min(call.end, chunk.end);
			for (let i = 0; i < c.n; i++) {
				if (c.begin[i] < call.begin || c.end[i] > call.end || c.depth[i] <= call.depth)
					continue;
				if (i >= c.opened)
					calls++;
				if (c.depth[i] === call.depth + 1)
					callees += Math.max(0, Math.min(c.end[i], to) - Math.max(c.begin[i], from));
			}
		}
		return { self: call.end - call.begin - callees, calls };
	}

	async losses() {
		this.lost = true;
		const { view } = this, node = document.getElementById("losses");
		const all = await view.model.marksOfAll(["gap", "lost", "error"]);
		if (!all.length) {
			node.replaceChildren(element("p", { style: "padding:0 14px" }, "Nothing is missing in this recording."));
			return;
		}
		const table = element("table", { class: "list" });
		table.append(element("tr", {}, ...["", "begin", "duration", "lane", "what"].map((t) => element("th", {}, t))));
		for (const mark of all.slice(0, MOST_LOSSES)) {
			const go = () => view.showMark(mark);
			table.append(element("tr", { tabindex: 0, onclick: go, onkeydown: (e) => e.key === "Enter" && go() },
				element("td", { class: mark.kind }, mark.kind),
				element("td", { class: "number" }, timeText(mark.begin, 9)),
				element("td", { class: "number" }, mark.end > mark.begin ? timeText(mark.end - mark.begin) : "–"),
				element("td", {}, view.model.lanes[mark.lane].title),
				element("td", {}, markText(mark))));
		}
		node.replaceChildren(table);
		this.setNote("losses", all.length > MOST_LOSSES ? `the first ${MOST_LOSSES} of ${countText(all.length)}` : `${countText(all.length)}`);
	}
}

class FlameGraph {
	constructor(canvas, view) {
		this.canvas = canvas;
		this.view = view;
		this.c = canvas.getContext("2d", { alpha: false });
		this.flame = new Flame(view.model);
		this.oneLane = false;
		this.samples = !view.model.total((l) => l.calls.nr);
		this.top = null;	// the node that was clicked
		this.boxes = [];
		this.key = "";
		canvas.onmousemove = (e) => this.hover(e);
		canvas.onmouseleave = () => view.tip(null);
		canvas.onclick = (e) => this.click(e);
	}

	get lane() {
		return this.oneLane ? this.view.lane || this.view.layout.lanes[0] : null;
	}

	// Make the graph of the visible range anew, if the range, the lanes or the kind have changed.
	async update(again) {
		const { view } = this, { begin, end } = view, { lane } = this;
		const key = [begin, end, lane ? lane.number : "all", this.samples].join(" ");
		view.panel.updateChoice();
		if (this.key === key && !again) {
			this.draw();
			return;
		}
		this.key = key;
		view.panel.setNote("flame", "…");
		const made = await this.flame.make({ begin, end, lanes: lane ? [lane.number] : null,
						     samples: this.samples, stale: () => this.key !== key });
		if (!made || this.key !== key)
			return;
		this.made = made;
		this.top = null;
		const what = this.samples ? `weight ${countText(made.root.value)} of samples`
					  : `${timeText(made.root.value)} of calls`;
		view.panel.setNote("flame", `${what} in the visible ${timeText(end - begin)}, ` +
			(made.exact ? "exact" : "without parts below 1/4096 of their time, which are in “smaller”"));
		this.draw();
	}

	name(node) {
		return node.name === SMALLER ? (node === this.made.root ? "all" : "smaller") :
			this.view.model.names.function(node.name);
	}

	valueText(value) {
		return this.samples ? countText(value) : timeText(value);
	}

	draw() {
		if (!this.made || this.view.panel.tab !== "flame")
			return;
		const { c, view } = this, { colours } = view, ratio = window.devicePixelRatio || 1;
		const width = this.canvas.parentElement.clientWidth;
		this.lay(width);
		const height = Math.max(this.canvas.parentElement.clientHeight, (this.depth + 1) * FLAME_HEIGHT);
		this.canvas.style.height = `${height}px`;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(Math.min(height, 16000) * ratio);
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.fillStyle = colours.back;
		c.fillRect(0, 0, width, height);
		c.font = FONT;
		c.textBaseline = "middle";
		const each = view.painter.each;
		for (const b of this.boxes) {
			c.fillStyle = b.node === this.made.root || b.above ? colours.group :
				colours.fill[colours.number(b.node.name)];
			if (view.search.names.size && view.search.names.has(b.node.name))
				c.fillStyle = colours.hit;
			c.fillRect(b.x, b.y, Math.max(b.width - 0.7, 0.7), FLAME_HEIGHT - 1);
			const text = fitText(this.name(b.node), b.width - 8, each);
			if (text) {
				c.fillStyle = view.search.names.has(b.node.name) ? "#15202b" : colours.boxText;
				c.fillText(text, b.x + 4, b.y + FLAME_HEIGHT / 2);
			}
		}
	}

	// Lay out the boxes: the path to the node that was clicked, and below it the node's tree.
	lay(width) {
		const path = this.top ? this.top.path : [this.made.root];
		const root = path[path.length - 1];
		this.boxes = path.map((node, i) => ({ node, path: path.slice(0, i + 1), x: 0, width,
						      y: i * FLAME_HEIGHT, above: i < path.length - 1 }));
		this.depth = path.length;
		const scale = root.value ? width / root.value : 0, todo = [{ node: root, path, x: 0 }];
		while (todo.length) {
			const { node, path: above, x } = todo.pop();
			const children = [...node.children.values()].sort((a, b) => b.value - a.value);
			let at = x;
			for (const child of children) {
				const size = child.value * scale;
				if (size < 0.5)
					break;
				const mine = [...above, child];
				this.boxes.push({ node: child, path: mine, x: at, y: above.length * FLAME_HEIGHT, width: size });
				if (mine.length < 900)
					todo.push({ node: child, path: mine, x: at });
				this.depth = Math.max(this.depth, mine.length);
				at += size;
			}
		}
	}

	at(e) {
		const x = e.offsetX, y = e.offsetY;
		return this.boxes.find((b) => y >= b.y && y < b.y + FLAME_HEIGHT && x >= b.x && x < b.x + b.width);
	}

	hover(e) {
		const box = this.at(e);
		if (!box) {
			this.view.tip(null);
			return;
		}
		const { node } = box, all = this.made.root.value;
		let self = node.value;
		for (const child of node.children.values())
			self -= child.value;
		const lines = [`${this.valueText(node.value)}, ${percentText(node.value, all)} of all`,
			       `${this.valueText(self)} itself`, `${countText(node.count)} ${this.samples ? "boxes" : "calls"}`];
		if (node.name >= 0)
			lines.push(this.view.model.names.object(node.name));
		this.view.tip(this.name(node), lines, e);
	}

	click(e) {
		const box = this.at(e);
		this.top = box && box.node !== this.made.root ? box : null;
		this.draw();
	}
}
