// SPDX-License-Identifier: GPL-2.0-only
// The mouse and the keys.

const KEYS = [
	["w s  + −", "zoom in, out"], ["wheel", "zoom at the pointer"],
	["a d  ← →", "move left, right"], ["drag", "move"],
	["↑ ↓  PgUp PgDn", "scroll the lanes"], ["shift + wheel", "scroll the lanes"],
	["0", "show everything"], ["shift + drag", "zoom to a range"],
	["/", "search (a regular expression: /…/)"], ["n N", "next, previous hit"],
	["f", "zoom to what is selected"], ["double click", "zoom to a call"],
	["g", "flame graph of the visible range"], ["l", "gaps and losses"],
	["p", "hide or show the panel"], ["e", "all levels of calls, or fewer"],
	["c", "close or open the lane"], ["C O", "close all, open all"],
	["t", "dark or light"], ["Esc", "end search and selection"], ["?", "this help"],
];

class Input {
	constructor(view) {
		this.view = view;
		this.canvas = view.painter.canvas;
		this.drag = null;
		this.mouse = null;
		this.mouseInput();
		this.overviewInput();
		this.buttons();
		this.divider();
		document.addEventListener("keydown", (e) => this.key(e));
		window.addEventListener("resize", () => view.resized());
		const list = document.getElementById("key-list");
		for (const [keys, text] of KEYS)
			list.append(element("kbd", {}, keys), element("span", {}, text));
	}

	mouseInput() {
		const { canvas, view } = this;
		canvas.addEventListener("wheel", (e) => {
			e.preventDefault();
			const unit = e.deltaMode === 1 ? 16 : 1;
			if (e.shiftKey || e.offsetX < SIDE)
				view.scroll((e.deltaY || e.deltaX) * unit);
			else if (Math.abs(e.deltaX) > Math.abs(e.deltaY))
				view.move(e.deltaX * unit * view.painter.scale);
			else
				view.zoom(1.0015 ** (e.deltaY * unit), view.painter.time(e.offsetX));
		}, { passive: false });
		canvas.addEventListener("mousedown", (e) => {
			if (e.button)
				return;
			this.drag = { x: e.offsetX, y: e.offsetY, begin: view.begin, end: view.end, top: view.top,
				      moved: false, range: e.shiftKey && e.offsetX >= SIDE };
		});
		window.addEventListener("mousemove", (e) => this.moved(e));
		window.addEventListener("mouseup", (e) => this.released(e));
		canvas.addEventListener("mouseleave", () => view.tip(null));
		canvas.addEventListener("dblclick", (e) => {
			const thing = view.painter.hit(e.offsetX, e.offsetY);
			if (thing && thing.what === "call")
				view.zoomTo(thing.begin, thing.end);
			else if (thing && thing.what === "mark" && thing.end > thing.begin)
				view.zoomTo(thing.begin, thing.end);
		});
	}

	moved(e) {
		const { canvas, drag, view } = this, box = canvas.getBoundingClientRect();
		const x = e.clientX - box.left, y = e.clientY - box.top;
		this.mouse = { x, y };
		if (!drag) {
			if (e.target === canvas)
				view.hover(x, y, e);
			return;
		}
		if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3)
			drag.moved = true;
		if (!drag.moved)
			return;
		view.tip(null);
		if (drag.range) {
			view.range = [view.painter.time(drag.x), view.painter.time(Math.max(x, SIDE))].sort((a, b) => a - b);
			view.redraw();
			return;
		}
		canvas.classList.add("moving");
		const scale = (drag.end - drag.begin) / (view.painter.width - SIDE);
		view.top = drag.top - (y - drag.y);
		view.setRange(drag.begin - (x - drag.x) * scale, drag.end - (x - drag.x) * scale);
	}

	released() {
		const { canvas, drag, view } = this;
		if (!drag)
			return;
		this.drag = null;
		canvas.classList.remove("moving");
		if (drag.range && view.range) {
			const [begin, end] = view.range;
			view.range = null;
			view.setRange(begin, end);
		} else if (!drag.moved) {
			view.click(drag.x, drag.y);
		}
	}

	overviewInput() {
		const canvas = document.getElementById("overview"), { view } = this;
		let dragging = false;
		const go = (e) => {
			const middle = view.overview.time(e.clientX - canvas.getBoundingClientRect().left);
			const half = (view.end - view.begin) / 2;
			view.setRange(middle - half, middle + half);
		};
		canvas.addEventListener("mousedown", (e) => {
			dragging = true;
			go(e);
		});
		window.addEventListener("mousemove", (e) => dragging && go(e));
		window.addEventListener("mouseup", () => {
			dragging = false;
		});
	}

	divider() {
		const node = document.getElementById("divider"), { view } = this;
		let from = null;
		node.addEventListener("mousedown", (e) => {
			from = { y: e.clientY, height: view.panel.node.offsetHeight };
			e.preventDefault();
		});
		window.addEventListener("mousemove", (e) => {
			if (!from)
				return;
			view.panel.height = Math.min(Math.max(from.height - (e.clientY - from.y), 60), window.innerHeight - 200);
			if (!view.panel.tab)
				view.panel.fold();
			view.panel.apply();
		});
		window.addEventListener("mouseup", () => {
			from = null;
		});
	}

	buttons() {
		const { view } = this, on = (id, action) => {
			document.getElementById(id).onclick = () => {
				action();
				this.canvas.focus();
			};
		};
		on("in", () => view.zoom(0.5));
		on("out", () => view.zoom(2));
		on("fit", () => view.fit());
		on("theme", () => view.setTheme(view.colours.theme === "dark" ? "light" : "dark"));
		on("next", () => view.nextHit(false));
		on("previous", () => view.nextHit(true));
		document.getElementById("help").onclick = () => document.getElementById("keys").showModal();
		const search = document.getElementById("search");
		search.oninput = () => view.find(search.value);
		search.onkeydown = (e) => {
			if (e.key === "Enter") {
				view.nextHit(e.shiftKey);
				this.canvas.focus();
			} else if (e.key === "Escape") {
				search.value = "";
				view.find("");
				this.canvas.focus();
			}
			e.stopPropagation();
		};
	}

	key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey || document.getElementById("keys").open)
			return;
		const { view } = this, width = view.end - view.begin;
		const at = this.mouse && this.mouse.x > SIDE ? view.painter.time(this.mouse.x) : undefined;
		const actions = {
			w: () => view.zoom(0.7, at), s: () => view.zoom(1 / 0.7, at),
			"+": () => view.zoom(0.7), "=": () => view.zoom(0.7), "-": () => view.zoom(1 / 0.7),
			a: () => view.move(-width / 8), d: () => view.move(width / 8),
			ArrowLeft: () => view.move(-width / 8), ArrowRight: () => view.move(width / 8),
			ArrowUp: () => view.scroll(-48), ArrowDown: () => view.scroll(48),
			PageUp: () => view.scroll(48 - view.painter.height), PageDown: () => view.scroll(view.painter.height - 48),
			Home: () => view.move(-view.model.end), End: () => view.move(view.model.end),
			0: () => view.fit(), n: () => view.nextHit(false), N: () => view.nextHit(true),
			f: () => view.zoomToSelected(),
			g: () => view.panel.show("flame"), l: () => view.panel.show("losses"), p: () => view.panel.fold(),
			e: () => view.toggleDeep(), c: () => view.toggleLane(),
			C: () => view.setAll(false), O: () => view.setAll(true),
			t: () => view.setTheme(view.colours.theme === "dark" ? "light" : "dark"),
			"/": () => document.getElementById("search").select(),
			"?": () => document.getElementById("keys").showModal(),
			Escape: () => view.clear(),
		};
		const action = actions[e.key];
		if (!action)
			return;
		e.preventDefault();
		action();
	}
}
