// SPDX-License-Identifier: GPL-2.0-only
// The page: what is visible, and window.auxview, the interface for tests and scripts.
//
// The files of this folder become one script, in the order of assets.c: the data (store.js, decode.js,
// index.js, calls.js), queries (model.js, search.js, flame.js), and the user interface (all others).

// The shortest range that the page shows, in ns
const SHORTEST = 20;

class Overview {
	constructor(view) {
		this.view = view;
		this.canvas = document.getElementById("overview");
		this.c = this.canvas.getContext("2d", { alpha: false });
		this.picture = document.createElement("canvas");
		this.calls = new Map();		// lane -> items of the coarsest level, or calls
		this.marks = [];
	}

	async load() {
		const { model } = this.view;
		for (const lane of model.lanes.slice(0, 200)) {
			const track = lane.calls.nr ? lane.calls : lane.samples;
			const chunks = track.levels.length ? track.levels[track.levels.length - 1].chunks : track.chunks;
			this.calls.set(lane, await Promise.all(chunks.map((chunk) => model.store.load(chunk))));
			this.paint();
		}
		this.marks = await model.marksOfAll(["gap", "lost", "error"]);
		this.paint();
	}

	// The range is that of the time line when it shows everything.
	get begin() {
		return -0.01 * Math.max(this.view.model.end, SHORTEST);
	}

	get scale() {
		return 1.02 * Math.max(this.view.model.end, SHORTEST) / (this.width - SIDE);
	}

	x(time) {
		return SIDE + (time - this.begin) / this.scale;
	}

	time(x) {
		return this.begin + (x - SIDE) * this.scale;
	}

	resize() {
		const ratio = window.devicePixelRatio || 1;
		this.width = Math.max(this.canvas.clientWidth, 10);
		this.height = this.canvas.clientHeight;
		for (const canvas of [this.canvas, this.picture]) {
			canvas.width = Math.round(this.width * ratio);
			canvas.height = Math.round(this.height * ratio);
			canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
		}
		this.paint();
	}

	// Paint the parts that do not depend on the visible range: the depth of each lane's calls,
	// gaps, losses, errors and triggers.
	paint() {
		const c = this.picture.getContext("2d"), { view } = this, { colours, layout } = view;
		c.fillStyle = colours.side;
		c.fillRect(0, 0, this.width, this.height);
		const lanes = layout.lanes.filter((lane) => this.calls.has(lane) && (lane.calls.nr || lane.samples.nr));
		const height = Math.max(1, (this.height - 11) / Math.max(1, lanes.length));
		c.fillStyle = colours.counter;
		lanes.forEach((lane, number) => this.paintLane(c, lane, 7 + number * height, height));
		for (const mark of this.marks) {
			const left = this.x(mark.begin), size = Math.max(this.x(mark.end) - left, 2);
			c.fillStyle = colours[mark.kind];
			c.fillRect(left, 0, size, 5);
			c.fillStyle = colours[`${mark.kind}Back`];
			c.fillRect(left, 5, size, this.height - 5);
		}
		c.fillStyle = colours.trigger;
		for (const mark of view.triggers)
			c.fillRect(this.x(mark.begin), 0, 1, this.height);
		this.draw();
	}

	paintLane(c, lane, top, height) {
		const depth = Math.min((lane.calls.nr ? lane.calls : lane.samples).depth, 64);
		const highest = new Float32Array(Math.ceil(this.width) + 1);
		for (const d of this.calls.get(lane))
			for (let i = 0; i < d.n; i++) {
				const last = Math.min(highest.length - 1, Math.floor(this.x(d.end[i])));
				for (let x = Math.max(0, Math.floor(this.x(d.begin[i]))); x <= last; x++)
					if (d.depth[i] + 1 > highest[x])
						highest[x] = d.depth[i] + 1;
			}
		const room = Math.max(1, height - (height > 4 ? 1 : 0));
		for (let x = 0; x < highest.length; x++)
			if (highest[x]) {
				const size = Math.max(1, room * Math.min(1, highest[x] / depth));
				c.fillRect(x, top + room - size, 1, size);
			}
	}

	draw() {
		const { c, view } = this, { colours } = view;
		c.drawImage(this.picture, 0, 0, this.width, this.height);
		const left = this.x(view.begin), right = Math.max(this.x(view.end), left + 2);
		if (view.begin > 0 || view.end < view.model.end) {
			c.fillStyle = colours.shade;
			c.fillRect(SIDE, 0, left - SIDE, this.height);
			c.fillRect(right, 0, this.width, this.height);
			c.strokeStyle = colours.trigger;
			c.lineWidth = 1.5;
			c.strokeRect(left, 1, right - left, this.height - 2);
		}
		c.fillStyle = colours.side;
		c.fillRect(0, 0, SIDE - 1, this.height);
		c.fillStyle = colours.strong;
		c.fillRect(SIDE - 1, 0, 1, this.height);
		c.font = FONT_SIDE;
		c.textBaseline = "middle";
		c.fillStyle = colours.dim;
		c.fillText(`${timeText(view.model.end)} recorded`, 10, this.height / 2);
	}
}

class View {
	constructor(model) {
		this.model = model;
		this.colours = new Colours(model.names);
		this.search = new Search(model);
		this.layout = new Layout(model.lanes);
		this.triggers = [];
		this.selected = null;
		this.lane = null;
		this.range = null;
		this.top = 0;
		this.begin = 0;
		this.end = 1;
		this.frames = 0;
		this.waiting = [];		// functions to call when the picture is complete
		this.work = null;		// a promise for which drawn() waits
		this.tipNode = document.getElementById("tip");
		this.painter = new Painter(document.getElementById("lanes"), this);
		this.overview = new Overview(this);
		this.panel = new Panel(this);
		this.input = new Input(this);
		model.store.onload = () => this.redraw();
		this.head();
		this.setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
		this.fit();
		this.loaded = this.load();
	}

	head() {
		const { model } = this, calls = model.total((l) => l.calls.nr), text = [];
		const samples = model.total((l) => l.samples.samples);
		const gaps = model.total((l) => (l.marks.sums.gap ? l.marks.sums.gap.nr : 0));
		document.title = model.title || "auxview";
		document.getElementById("title").textContent = model.title || "recording";
		text.push(timeText(model.end), numberText(model.lanes.length, "lane"));
		if (calls)
			text.push(numberText(calls, "call"));
		if (samples)
			text.push(numberText(samples, "sample"));
		if (gaps)
			text.push(numberText(gaps, "gap"));
		document.getElementById("summary").textContent = text.join(" · ");
	}

	async load() {
		this.triggers = await this.model.marksOfAll(["trigger"]);
		await this.overview.load();
		this.redraw();
	}

	setTheme(theme) {
		this.colours.set(theme);
		document.documentElement.classList.toggle("dark", theme === "dark");
		this.resized();
		this.panel.graph.draw();
	}

	resized() {
		if (!this.overview || !this.input)
			return;
		this.painter.resize();
		this.overview.resize();
		this.setRange(this.begin, this.end);
	}

	redraw() {
		if (this.asked)
			return;
		this.asked = true;
		requestAnimationFrame(() => {
			this.asked = false;
			this.frames++;
			this.painter.draw();
			this.overview.draw();
			if (!this.painter.missing && !this.model.store.loads && !this.asked)
				for (const done of this.waiting.splice(0))
					done();
		});
	}

	// Make drawn() wait for @promise. Return it.
	track(promise) {
		this.work = Promise.all([this.work, promise]);
		return promise;
	}

	// Wait until all work that was asked for so far is done, and its picture is complete.
	async drawn() {
		for (let work = null; work !== this.work;) {
			({ work } = this);
			await work;
		}
		await new Promise((done) => {
			this.waiting.push(done);
			this.redraw();
		});
	}

	// Show the time from @begin to @end. The middle of the picture stays within the recording.
	setRange(begin, end) {
		const all = Math.max(this.model.end, SHORTEST), most = all * 1.04;
		let width = Math.min(Math.max(end - begin, SHORTEST), most);
		const middle = (begin + end) / 2;
		if (!(width > 0))
			width = most;
		begin = middle - width / 2;
		const least = -0.5 * width, last = all - 0.5 * width;
		begin = Math.min(Math.max(begin, least), last);
		this.begin = begin;
		this.end = begin + width;
		const room = this.layout.height - (this.painter.height - AXIS_HEIGHT);
		this.top = Math.max(0, Math.min(this.top, room + 20));
		if (room <= 0)
			this.top = 0;
		this.redraw();
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.panel.tab === "flame" && this.panel.graph.update(), 150);
	}

	fit() {
		const all = Math.max(this.model.end, SHORTEST);
		this.setRange(-0.01 * all, 1.01 * all);
	}

	zoom(factor, at = (this.begin + this.end) / 2) {
		const width = Math.max((this.end - this.begin) * factor, SHORTEST);
		const part = (at - this.begin) / (this.end - this.begin);
		this.setRange(at - part * width, at + (1 - part) * width);
	}

	zoomTo(begin, end) {
		const space = Math.max((end - begin) * 0.05, SHORTEST / 2);
		this.setRange(begin - space, end + space);
	}

	zoomToSelected() {
		if (this.selected)
			this.zoomTo(this.selected.begin, this.selected.end);
	}

	move(time) {
		this.setRange(this.begin + time, this.end + time);
	}

	scroll(pixels) {
		this.top += pixels;
		this.setRange(this.begin, this.end);
	}

	// --- the thing under the pointer, and the selected one

	tip(title, lines, e) {
		const node = this.tipNode;
		node.hidden = !title;
		if (!title)
			return;
		node.replaceChildren(element("b", {}, title), ...lines.filter(Boolean).map((l) => element("span", {}, l)));
		const box = node.getBoundingClientRect();
		let x = e.clientX + 14, y = e.clientY + 16;
		if (x + box.width > window.innerWidth - 6)
			x = Math.max(4, e.clientX - box.width - 10);
		if (y + box.height > window.innerHeight - 6)
			y = Math.max(4, e.clientY - box.height - 10);
		node.style.left = `${x}px`;
		node.style.top = `${y}px`;
	}

	hover(x, y, e) {
		const thing = this.painter.hit(x, y), { names } = this.model;
		this.painter.canvas.style.cursor = thing && ["row", "deeper"].includes(thing.what) ? "pointer" : "";
		if (!thing || thing.what === "row" || thing.what === "deeper") {
			this.tip(null);
		} else if (thing.what === "call") {
			this.tip(names.function(thing.name), [
				thing.count > 1 ? `${countText(thing.count)} calls in ${timeText(thing.end - thing.begin)}; this is the longest one`
						: `${thing.open ? "at least " : ""}${timeText(thing.end - thing.begin)}`,
				`at ${timeText(thing.begin, 7)}`,
				thing.flags & BEGAN_EARLIER ? "began before the recording" : "",
				thing.flags & CUT ? "goes on, but what follows is missing" : "",
				names.object(thing.name)], e);
		} else if (thing.what === "point") {
			this.tip(thing.track.what, [
				thing.count > 1 ? `${valueText(thing.low)} … ${valueText(thing.value)} (${thing.count} points)` : valueText(thing.value),
				`at ${timeText(thing.time, 7)}`], e);
		} else {
			this.tip(thing.count > 1 ? `${countText(thing.count)} × ${MARK_TITLES[thing.kind]}` : markText(thing), [
				thing.end > thing.begin ? timeText(thing.end - thing.begin) : "",
				`at ${timeText(thing.begin, 7)}`], e);
		}
	}

	click(x, y) {
		const thing = this.painter.hit(x, y);
		if (thing && thing.what === "row") {
			if (thing.row.lane)
				this.lane = thing.row.lane;
			this.layout.toggle(thing.row);
			this.setRange(this.begin, this.end);
			return;
		}
		if (thing && thing.what === "deeper") {
			this.layout.toggleDeep(thing.lane);
			this.setRange(this.begin, this.end);
			return;
		}
		if (thing && thing.what === "call")
			this.select({ ...thing, track: thing.part.track });
		else
			this.select(thing);
	}

	// Select a call, a mark or a point (null: nothing). With @move, make it visible.
	select(thing, move = false) {
		return this.track(this.selectNow(thing, move));
	}

	async selectNow(thing, move) {
		this.selected = thing && thing.what === "call" ? thing : null;
		if (thing)
			this.lane = thing.lane;
		if (move)
			this.reveal(thing);
		if (thing && this.panel.tab !== "details")
			this.panel.show("details");
		this.redraw();
		if (thing && thing.what === "call" && thing.open) {
			Object.assign(thing, await this.model.endOf(thing.track, thing));
			this.redraw();
		}
		await this.panel.details(thing);
	}

	// Move to a call, in time and in its lane.
	reveal(thing) {
		const width = this.end - this.begin, length = thing.end - thing.begin;
		this.layout.show(thing.lane, thing.depth || 0);
		if (thing.begin > this.end || thing.end < this.begin || length > width || length < width / 2000) {
			const wide = Math.max(length * 20, SHORTEST * 4);
			const half = length > width ? length * 0.55 : Math.min(width, wide) / 2;
			const middle = (thing.begin + thing.end) / 2;
			this.setRange(middle - half, middle + half);
		}
		const row = this.layout.rowOf(thing.lane);
		if (!row)
			return;
		let y = row.y;
		for (const part of row.parts)
			if (part.track && part.track === thing.track)
				y += part.y + thing.depth * BOX_HEIGHT;
		const room = this.painter.height - AXIS_HEIGHT;
		if (y < this.top || y + 2 * BOX_HEIGHT > this.top + room)
			this.top = y - room / 3;
		this.setRange(this.begin, this.end);
	}

	showMark(mark) {
		const length = Math.max(mark.end - mark.begin, SHORTEST);
		const lane = this.model.lanes[mark.lane];
		this.zoomTo(mark.begin - 2 * length, mark.end + 2 * length);
		this.layout.show(lane, 0);
		const row = this.layout.rowOf(lane);
		if (row)
			this.top = row.y - 40;
		this.setRange(this.begin, this.end);
	}

	// --- search

	find(text) {
		this.hit = null;
		const hits = this.search.find(text), node = document.getElementById("hits");
		node.textContent = text ? this.search.error || numberText(hits, "hit") : "";
		node.classList.toggle("bad", Boolean(text) && !hits);
		this.redraw();
		this.panel.graph.draw();
		return hits;
	}

	nextHit(back) {
		return this.track(this.nextHitNow(back));
	}

	async nextHitNow(back) {
		if (!this.search.hits)
			return null;
		const hit = await this.search.next(this.hit, back) || await this.search.next(null, back);
		this.hit = hit;
		if (hit) {
			const lane = this.model.lanes[hit.lane];
			const track = hit.samples ? lane.samples : lane.calls;
			const { end, flags } = await this.model.endOf(track, hit);
			await this.selectNow({ ...hit, end, flags, what: "call", lane, track, count: 1 }, true);
		}
		return hit;
	}

	clear() {
		document.getElementById("search").value = "";
		this.find("");
		this.range = null;
		this.select(null);
	}

	// --- lanes

	toggleDeep() {
		if (!this.lane)
			this.lane = this.layout.lanes.find((lane) => Math.max(lane.calls.depth, lane.samples.depth) > DEEP);
		if (this.lane)
			this.layout.toggleDeep(this.lane);
		this.setRange(this.begin, this.end);
	}

	toggleLane() {
		const row = this.lane && this.layout.rowOf(this.lane);
		if (row)
			this.layout.toggle(row);
		this.setRange(this.begin, this.end);
	}

	setAll(open) {
		this.layout.setAll(open);
		this.setRange(this.begin, this.end);
	}
}

// The interface for tests and scripts. All times are ns since "base", which is a BigInt.
class AuxView {
	constructor(view) {
		const { model } = view;
		this.view = view;
		this.model = model;
		this.title = model.title;
		this.base = model.base;
		this.end = model.end;
		this.lanes = model.lanes;
		this.names = model.names;
		this.slices = model.total((l) => l.calls.nr);
		this.samples = model.total((l) => l.samples.samples);
	}

	get range() {
		return { begin: this.view.begin, end: this.view.end };
	}

	setRange(begin, end) {
		this.view.setRange(begin, end);
		return this.view.drawn();
	}

	callsOf(lane, options) {
		return this.model.calls(this.lanes[lane], options);
	}

	samplesOf(lane, options) {
		return this.model.samples(this.lanes[lane], options);
	}

	marksOf(lane, options) {
		return this.model.marks(this.lanes[lane], options);
	}

	pointsOf(lane, what, options) {
		return this.model.points(this.lanes[lane], what, options);
	}

	gaps() {
		return this.model.marksOfAll(["gap"]);
	}

	find(text) {
		return this.view.find(text);
	}

	next() {
		return this.view.nextHit(false);
	}

	previous() {
		return this.view.nextHit(true);
	}

	flame(options) {
		return this.view.panel.graph.flame.make(options);
	}

	drawn() {
		return this.view.drawn();
	}
}

async function start() {
	const store = new Store();
	const view = new View(new Model(store, await readIndex(store)));
	await view.loaded;
	return new AuxView(view);
}

window.auxview = { ready: start().then((auxview) => {
	window.auxview = auxview;
	auxview.ready = Promise.resolve(auxview);
	return auxview;
}, (error) => {
	document.body.replaceChildren(element("p", { class: "failure" }, `This page cannot be shown: ${error.message}`));
	throw error;
}) };
