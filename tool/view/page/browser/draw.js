// SPDX-License-Identifier: GPL-2.0-only
// Draw the time line: the axis, the lanes' titles, calls and counters. marks.js draws the marks.

const FONT = "11px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const FONT_SIDE = "12px system-ui, 'DejaVu Sans', sans-serif";
const AXIS_HEIGHT = 24;

class Painter {
	constructor(canvas, view) {
		this.canvas = canvas;
		this.view = view;
		this.c = canvas.getContext("2d", { alpha: false });
		this.boxes = [];		// of everything but calls, for hit()
		this.parts = [];		// the parts of lanes that have calls, for hit()
		this.resize();
	}

	resize() {
		const ratio = window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
		this.width = Math.max(SIDE + 50, box.width);
		this.height = Math.max(AXIS_HEIGHT, box.height);
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.c.font = FONT;
		this.each = this.c.measureText("0123456789").width / 10;
	}

	get scale() {
		return (this.view.end - this.view.begin) / (this.width - SIDE);
	}

	x(time) {
		return SIDE + (time - this.view.begin) / this.scale;
	}

	time(x) {
		return this.view.begin + (x - SIDE) * this.scale;
	}

	draw() {
		const { c, view } = this, { colours } = view;
		c.textBaseline = "middle";
		c.fillStyle = colours.back;
		c.fillRect(0, 0, this.width, this.height);
		this.boxes = [];
		this.parts = [];
		this.levels = new Map();
		this.missing = 0;
		this.lines(this.ticks());
		for (const row of view.layout.rows) {
			const y = AXIS_HEIGHT + row.y - view.top;
			if (y + row.height < AXIS_HEIGHT || y > this.height)
				continue;
			if (row.group)
				this.drawGroup(row, y);
			else
				this.drawLane(row, y);
		}
		this.drawTriggers();
		this.drawDrag();
		this.drawAxis(this.ticks());
		this.drawScrollbar();
	}

	// Return the times at which the axis has a line. Their distance is 1, 2 or 5 times a power
	// of ten.
	ticks() {
		const least = 110 * this.scale, ticks = [];
		let step = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
		for (const factor of [1, 2, 5, 10]) {
			if (step * factor >= least) {
				step *= factor;
				break;
			}
		}
		for (let time = Math.ceil(this.view.begin / step) * step; time <= this.view.end; time += step)
			ticks.push(time);
		this.step = step;
		return ticks;
	}

	lines(ticks) {
		const { c } = this;
		c.fillStyle = this.view.colours.line;
		for (const time of ticks)
			c.fillRect(Math.round(this.x(time)), AXIS_HEIGHT, 1, this.height);
	}

	drawAxis(ticks) {
		const { c, view } = this, { colours } = view;
		c.fillStyle = colours.side;
		c.fillRect(0, 0, this.width, AXIS_HEIGHT);
		c.fillStyle = colours.strong;
		c.fillRect(0, AXIS_HEIGHT - 1, this.width, 1);
		c.font = FONT;
		c.textAlign = "left";
		for (const time of ticks) {
			const x = Math.round(this.x(time));
			if (x < SIDE)
				continue;
			c.fillStyle = colours.strong;
			c.fillRect(x, AXIS_HEIGHT - 8, 1, 8);
			c.fillStyle = colours.dim;
			c.fillText(axisText(time, this.step), x + 4, AXIS_HEIGHT / 2);
		}
		c.fillStyle = colours.side;
		c.fillRect(0, 0, SIDE, AXIS_HEIGHT - 1);
		c.font = FONT_SIDE;
		c.fillStyle = colours.dim;
		c.fillText(`${timeText(view.end - view.begin)} shown`, 10, AXIS_HEIGHT / 2);
		c.fillStyle = colours.strong;
		c.fillRect(SIDE - 1, 0, 1, this.height);
	}

	drawScrollbar() {
		const { c, view } = this, room = this.height - AXIS_HEIGHT;
		if (view.layout.height <= room)
			return;
		const size = Math.max(24, room * room / view.layout.height);
		const at = (room - size) * view.top / (view.layout.height - room);
		c.fillStyle = view.colours.strong;
		c.fillRect(this.width - 7, AXIS_HEIGHT + at, 5, size);
	}

	drawGroup(row, y) {
		const { c, view } = this, { colours } = view, closed = view.layout.closedGroups.has(row.group);
		c.fillStyle = colours.group;
		c.fillRect(0, y, this.width, row.height);
		c.fillStyle = colours.line;
		c.fillRect(0, y + row.height - 1, this.width, 1);
		c.font = `600 ${FONT_SIDE}`;
		c.textAlign = "left";
		c.fillStyle = colours.text;
		const more = closed && row.threads ? ` (${row.threads} threads)` : "";
		c.fillText(`${closed ? "▸" : "▾"} ${row.title}${more}`, 8, y + row.height / 2);
		this.boxes.push({ x: 0, y, width: this.width, height: row.height, what: "row", row });
	}

	drawLane(row, y) {
		const { c, view } = this, { lane } = row;
		c.save();
		c.beginPath();
		c.rect(SIDE, Math.max(y, AXIS_HEIGHT), this.width - SIDE, row.height);
		c.clip();
		drawBands(this, lane, y, row.height);
		for (const part of row.parts) {
			const top = y + part.y;
			if (top + part.height < AXIS_HEIGHT || top > this.height)
				continue;
			switch (part.kind) {
			case "strip":
				drawStrip(this, lane, top);
				break;
			case "points":
				this.drawPoints(lane, part, top);
				break;
			case "title":
				c.font = FONT;
				c.textAlign = "left";
				c.fillStyle = view.colours.dim;
				c.fillText(part.title, SIDE + 6, top + 7);
				break;
			case "deeper":
				this.drawDeeper(lane, part, top);
				break;
			default:
				this.drawCalls(lane, part, top);
			}
		}
		c.restore();
		c.fillStyle = view.colours.line;
		c.fillRect(0, y + row.height - 1, this.width, 1);
		this.drawTitle(row, y);
	}

	drawTitle(row, y) {
		const { c, view } = this, { colours } = view, { lane } = row;
		const open = view.layout.state.get(lane).open;
		c.save();
		c.beginPath();
		c.rect(0, y, SIDE - 2, row.height - 1);
		c.clip();
		c.fillStyle = view.lane === lane ? colours.group : colours.side;
		c.fillRect(0, y, SIDE, row.height - 1);
		c.font = FONT_SIDE;
		c.textAlign = "left";
		c.fillStyle = colours.text;
		// The title of a lane that is higher than the window stays visible.
		const sticky = Math.max(y, Math.min(AXIS_HEIGHT, y + row.height - STRIP_HEIGHT));
		c.fillText(`${open ? "▾" : "▸"} ${lane.title}`, 8, sticky + STRIP_HEIGHT / 2);
		c.textAlign = "right";
		c.fillStyle = colours.dim;
		c.font = FONT;
		const sums = lane.marks.sums;
		let bad = "";
		if (sums.gap)
			bad = numberText(sums.gap.nr, "gap");
		else if (sums.error)
			bad = numberText(sums.error.nr, "error");
		else if (sums.lost)
			bad = `${countText(sums.lost.value)} lost`;
		if (bad) {
			const width = c.measureText(bad).width + 10;
			c.fillStyle = view.lane === lane ? colours.group : colours.side;
			c.fillRect(SIDE - 12 - width, sticky + 2, width + 10, STRIP_HEIGHT - 4);
			c.fillStyle = sums.gap ? colours.gap : sums.error ? colours.error : colours.lost;
			c.fillText(bad, SIDE - 10, sticky + STRIP_HEIGHT / 2);
		}
		c.textAlign = "left";
		for (const part of row.parts) {
			const top = y + part.y;
			if (top < sticky)
				continue;
			if (part.kind === "points") {
				c.fillStyle = colours.text;
				c.fillText(fitText(part.track.what, SIDE - 40, this.each), 22, top + 11);
				c.fillStyle = colours.dim;
				c.fillText(`${valueText(part.track.low)} … ${valueText(part.track.high)}`, 22, top + 25);
			} else if (part.kind === "calls" || part.kind === "samples") {
				c.fillStyle = colours.dim;
				const nr = part.kind === "calls" ? part.track.nr : part.track.samples;
				c.fillText(numberText(nr, part.kind.slice(0, -1)), 22, top + BOX_HEIGHT / 2);
			}
		}
		c.restore();
		this.boxes.push({ x: 0, y, width: SIDE, height: row.height, what: "row", row });
	}

	drawDeeper(lane, part, y) {
		const { c, view } = this;
		c.fillStyle = view.colours.dim;
		c.font = FONT;
		c.textAlign = "left";
		const text = part.more > 0 ? `▾ ${countText(part.more)} deeper levels of calls: click here, or e`
					   : "▴ fewer levels of calls";
		c.fillText(text, SIDE + 6, y + BOX_HEIGHT / 2);
		this.boxes.push({ x: SIDE, y, width: this.width, height: part.height, what: "deeper", lane });
	}

	// Return what to draw of a track. If a chunk of the chosen level is not loaded yet, the next
	// coarser level that is loaded comes first; if none is, the coarsest one.
	data(track) {
		const { view } = this, { begin, end } = view, { store } = view.model;
		const chosen = choose(track, begin, end, this.scale), data = [];
		let missing = 0;
		for (const chunk of chosen.chunks) {
			const d = store.get(chunk);
			if (d)
				data.push({ d, level: chosen.level, chunk });
			else
				missing++;
		}
		if (missing && track.levels.length) {
			const before = "what" in track, last = track.levels.length - 1;
			for (let i = chosen.level + 1; i <= last; i++) {
				const chunks = overlapping(track.levels[i].chunks, begin, end, before);
				if (i < last && !chunks.every((chunk) => chunk.data))
					continue;
				const coarse = [];
				for (const chunk of chunks) {
					const d = store.get(chunk);
					if (d)
						coarse.push({ d, level: i, chunk });
				}
				data.unshift(...coarse);
				break;
			}
		}
		this.missing += missing;
		this.levels.set(track, chosen.level);
		return data;
	}

	// Draw the calls of the rows that are visible: boxes of one colour together, because
	// changing the colour takes time. Calls of less than two pixels become pixels of a picture
	// with one line for each row: drawing this picture is much faster than drawing a hundred
	// thousand boxes.
	drawCalls(lane, part, top) {
		const { c, view } = this, { colours, search } = view, x0 = SIDE, x1 = this.width;
		const first = Math.max(0, Math.floor((AXIS_HEIGHT - top) / BOX_HEIGHT));
		const last = Math.min(part.rows, Math.ceil((this.height - top) / BOX_HEIGHT));
		if (last <= first)
			return;
		const room = Math.ceil(x1 - x0), narrow = new ImageData(room, last - first);
		const pixels = new Uint32Array(narrow.data.buffer), { pixel, dimPixel, hitPixel } = colours;
		const isDim = search.names.size > 0;
		let anyNarrow = false;
		const fills = colours.fill.map(() => []), labels = [], hits = [], ragged = [];
		const { begin: t0, end: t1 } = view, factor = 1 / this.scale;
		let level = null;
		this.parts.push({ lane, part, top });
		for (const { d, level: l, chunk } of this.data(part.track)) {
			// The pixels of a finer level replace those of a coarser one.
			if (level !== null && l !== level)
				pixels.fill(0);
			level = l;
			const goesOn = chunk.end < t1 && goesOnAfter(d, chunk, part.track);
			for (let i = 0; i < d.n; i++) {
				const depth = d.depth[i];
				if (depth < first || depth >= last || d.end[i] < t0 || d.begin[i] > t1)
					continue;
				// The next chunk has this call, too, and its end.
				if (goesOn && goesOn.has(i))
					continue;
				let left = x0 + (d.begin[i] - t0) * factor, right = x0 + (d.end[i] - t0) * factor;
				if (left < x0 - 2)
					left = x0 - 2;
				if (right > x1 + 2)
					right = x1 + 2;
				const y = top + depth * BOX_HEIGHT, name = d.name[i];
				if (right - left < 2) {
					const at = (depth - first) * room + Math.max(0, Math.floor(left - x0));
					if (left >= x1 || right < x0)
						continue;
					const hit = isDim && search.names.has(name);
					// If several calls share a pixel, a hit is the one that shows.
					if (hit)
						pixels[at] = hitPixel;
					else if (!pixels[at])
						pixels[at] = (isDim ? dimPixel : pixel)[colours.number(name)];
					if (right - left > 1 && !pixels[at + 1] && left + 1 < x1)
						pixels[at + 1] = pixels[at];
					anyNarrow = true;
					continue;
				}
				fills[colours.number(name)].push(left, y, right - left);
				if (search.names.size && search.names.has(name))
					hits.push(left, y, right - left);
				if (right - left > 4 * this.each)
					labels.push(left, right - left, y, name);
				if (d.flags[i])
					ragged.push(left, right, y, d.flags[i]);
			}
		}
		if (anyNarrow)
			this.drawNarrow(narrow, top + first * BOX_HEIGHT);
		c.globalAlpha = isDim ? 0.35 : 1;
		for (let i = 0; i < fills.length; i++) {
			const f = fills[i];
			c.fillStyle = colours.fill[i];
			// A line stays free between boxes that are wide enough.
			for (let k = 0; k < f.length; k += 3)
				c.fillRect(f[k], f[k + 1], f[k + 2] > 3 ? f[k + 2] - 0.7 : f[k + 2], BOX_HEIGHT - 1);
		}
		c.globalAlpha = 1;
		c.fillStyle = colours.hit;
		for (let k = 0; k < hits.length; k += 3)
			c.fillRect(hits[k], hits[k + 1], Math.max(hits[k + 2] - 0.7, 1.5), BOX_HEIGHT - 1);
		this.drawRagged(ragged);
		this.drawLabels(labels);
		this.drawSelected(lane, part, top);
	}

	drawNarrow(picture, top) {
		const { c } = this;
		if (!this.narrow)
			this.narrow = document.createElement("canvas");
		this.narrow.width = picture.width;
		this.narrow.height = picture.height;
		this.narrow.getContext("2d").putImageData(picture, 0, 0);
		c.imageSmoothingEnabled = false;
		for (let row = 0; row < picture.height; row++)
			c.drawImage(this.narrow, 0, row, picture.width, 1, SIDE, top + row * BOX_HEIGHT,
				    picture.width, BOX_HEIGHT - 1);
	}

	// Tear the edge of a call whose begin or end the recording does not have.
	drawRagged(ragged) {
		const { c } = this;
		c.fillStyle = this.view.colours.back;
		for (let k = 0; k < ragged.length; k += 4) {
			const [left, right, y, flags] = ragged.slice(k, k + 4);
			if (right - left < 8)
				continue;
			for (let i = 0; i < 3; i++) {
				const at = y + i * 5;
				c.beginPath();
				if (flags & BEGAN_EARLIER) {
					c.moveTo(left, at);
					c.lineTo(left + 4, at + 2.5);
					c.lineTo(left, at + 5);
				}
				if (flags & CUT) {
					c.moveTo(right, at);
					c.lineTo(right - 4, at + 2.5);
					c.lineTo(right, at + 5);
				}
				c.fill();
			}
		}
	}

	drawLabels(labels) {
		const { c, view } = this, { names } = view.model;
		c.font = FONT;
		c.textAlign = "left";
		for (let k = 0; k < labels.length; k += 4) {
			const left = Math.max(labels[k], SIDE), room = labels[k + 1] - (left - labels[k]) - 7;
			const text = fitText(names.function(labels[k + 3]), Math.min(room, this.width - left), this.each);
			c.fillStyle = view.search.names.has(labels[k + 3]) ? "#15202b" : view.colours.boxText;
			if (text)
				c.fillText(text, left + 4, labels[k + 2] + BOX_HEIGHT / 2);
		}
	}

	drawSelected(lane, part, top) {
		const { c, view } = this, s = view.selected;
		if (!s || s.lane !== lane || s.track !== part.track || s.depth >= part.rows)
			return;
		const left = Math.max(this.x(s.begin), SIDE - 3), right = Math.min(this.x(s.end), this.width + 3);
		c.strokeStyle = view.colours.select;
		c.lineWidth = 2;
		c.strokeRect(left, top + s.depth * BOX_HEIGHT, Math.max(right - left, 2), BOX_HEIGHT - 1);
	}

	// Draw a counter: between two points, the value is that of the first one. If several
	// points are in one pixel, the pixel shows the highest value.
	drawPoints(lane, part, top) {
		const { c, view } = this, { colours } = view, { track } = part;
		const low = Math.min(0, track.low), range = (track.high - low) || 1;
		const bottom = top + part.height - 3, room = part.height - 8;
		const y = (value) => bottom - (value - low) / range * room;
		const line = [];
		let level = null;
		const data = this.data(track).sort((a, b) => a.chunk.begin - b.chunk.begin);
		for (let k = 0; k < data.length; k++) {
			const { d, level: l } = data[k];
			if (level !== null && l > level)
				continue;
			level = l;
			for (let i = 0; i < d.n; i++) {
				if (d.begin[i] > view.end && line.length)
					break;
				const x = Math.max(SIDE - 1, Math.floor(this.x(d.begin[i])));
				const before = line[line.length - 1];
				// Only the last point to the left of the picture counts.
				if (before && before.x === x && x < SIDE)
					line.pop();
				if (before && before.x === x && x >= SIDE) {
					before.value = Math.max(before.value, d.high[i]);
					before.count += d.count ? d.count[i] : 1;
					before.low = Math.min(before.low, d.low[i]);
				} else {
					line.push({ x, value: d.high[i], low: d.low[i], time: d.begin[i],
						    count: d.count ? d.count[i] : 1 });
				}
			}
		}
		if (!line.length)
			return;
		const last = Math.min(this.width + 1, this.x(track.chunks[track.chunks.length - 1].end) + 1);
		c.beginPath();
		c.moveTo(line[0].x, y(low));
		for (let i = 0; i < line.length; i++) {
			const next = i + 1 < line.length ? line[i + 1].x : Math.max(last, line[i].x);
			c.lineTo(line[i].x, y(line[i].value));
			c.lineTo(next, y(line[i].value));
			this.boxes.push({ x: line[i].x, y: top, width: Math.max(next - line[i].x, 1),
					  height: part.height, what: "point", lane, track, ...line[i] });
		}
		c.lineTo(Math.max(last, line[line.length - 1].x), y(low));
		c.fillStyle = colours.counterBack;
		c.fill();
		c.strokeStyle = colours.counter;
		c.lineWidth = 1;
		c.stroke();
	}

	drawTriggers() {
		const { c, view } = this;
		const visible = view.triggers.filter((m) => m.begin >= view.begin && m.begin <= view.end);
		let before = -Infinity;
		c.strokeStyle = view.colours.trigger;
		c.lineWidth = 1;
		c.setLineDash([4, 3]);
		c.globalAlpha = visible.length > 30 ? 0.3 : 1;
		for (const mark of visible) {
			const x = Math.round(this.x(mark.begin)) + 0.5;
			if (x < SIDE || x < before + 3)
				continue;
			before = x;
			c.beginPath();
			c.moveTo(x, AXIS_HEIGHT);
			c.lineTo(x, this.height);
			c.stroke();
		}
		c.setLineDash([]);
		c.globalAlpha = 1;
	}

	// Draw the range that is being chosen with the mouse and shift.
	drawDrag() {
		const { c, view } = this;
		if (!view.range)
			return;
		const left = this.x(view.range[0]), right = this.x(view.range[1]);
		c.fillStyle = view.colours.window;
		c.fillRect(left, AXIS_HEIGHT, right - left, this.height);
		c.fillStyle = view.colours.trigger;
		c.fillRect(left, AXIS_HEIGHT, 1, this.height);
		c.fillRect(right, AXIS_HEIGHT, 1, this.height);
		c.font = FONT;
		c.textAlign = "center";
		c.fillText(timeText(Math.abs(view.range[1] - view.range[0])), (left + right) / 2, AXIS_HEIGHT + 10);
	}

	// Return what is at a place: a box, a call, or null.
	hit(x, y) {
		for (let i = this.boxes.length - 1; i >= 0; i--) {
			const b = this.boxes[i];
			if (x >= b.x - 1 && x < b.x + b.width + 1 && y >= b.y && y < b.y + b.height &&
			    (x >= SIDE || b.x < SIDE))
				return b;
		}
		if (x < SIDE)
			return null;
		for (const p of this.parts)
			if (y >= p.top && y < p.top + p.part.height)
				return this.hitCall(p, x, Math.floor((y - p.top) / BOX_HEIGHT));
		return null;
	}

	// Return the call at a place. If there is none, an edge can be up to 1.5 pixels away.
	hitCall({ lane, part }, x, depth) {
		let best = null, distance = Infinity;
		const begin = this.time(x - 1.5), end = this.time(x + 1.5), middle = this.time(x);
		for (const { d, chunk, level } of this.data(part.track)) {
			const goesOn = goesOnAfter(d, chunk, part.track);
			for (let i = 0; i < d.n; i++) {
				if (d.depth[i] !== depth || d.end[i] < begin || d.begin[i] > end)
					continue;
				const is = middle >= d.begin[i] && middle <= d.end[i] ? 0 :
					   Math.min(Math.abs(d.begin[i] - middle), Math.abs(d.end[i] - middle));
				// If two calls are equally near, take that of the finer level,
				// which comes later.
				if (is > distance || (is === distance && best.level === level && !best.open))
					continue;
				distance = is;
				best = { what: "call", lane, part, level, begin: d.begin[i], end: d.end[i],
					 depth, name: d.name[i], flags: d.flags[i],
					 count: d.count ? d.count[i] : 1, open: Boolean(goesOn && goesOn.has(i)) };
			}
		}
		return best;
	}
}

// Return the numbers of the calls that go on in the next chunk, or null.
function goesOnAfter(d, chunk, track) {
	if (!d.open || chunk.number + 1 >= track.chunks.length)
		return null;
	if (!d.goesOn)
		d.goesOn = new Set(d.open);
	return d.goesOn;
}

// Return the text of a time on the axis, with as many digits as the distance of the lines needs.
function axisText(time, step) {
	const [unit, name] = UNITS.find(([u]) => Math.abs(time) >= u && step >= u / 1e4) ||
			     UNITS.find(([u]) => step >= u) || UNITS[3];
	const digits = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9));
	return time === 0 ? "0" : `${(time / unit).toFixed(digits)} ${name}`;
}
