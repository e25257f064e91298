// SPDX-License-Identifier: GPL-2.0-only
// Draw marks: when a thread ran and instants in a lane's strip, and gaps over the whole lane.

const BANDS = ["gap", "error", "lost"];
// In the order in which they are drawn. The most important ones come last, on top of the others.
const GLYPHS = ["sample", "raw", "comm", "exit", "start", "trigger"];

// Call @each(items, index, kind) for each mark of these kinds in the visible range.
function eachMark(painter, lane, kinds, each) {
	const { view } = painter;
	if (!kinds.some((kind) => lane.marks.sums[kind]))
		return;
	const data = painter.data(lane.marks);
	for (const kind of kinds) {
		const number = MARK_KINDS.indexOf(kind);
		if (!lane.marks.sums[kind])
			continue;
		for (const { d } of data)
			for (let i = 0; i < d.n; i++)
				if (d.kind[i] === number && d.end[i] >= view.begin && d.begin[i] <= view.end)
					each(d, i, kind);
	}
}

function markBox(d, i, kind, lane) {
	return {
		what: "mark", lane, kind, begin: d.begin[i], end: d.end[i], value: d.value[i],
		count: d.count ? d.count[i] : 1,
		text: d.strings && d.text[i] ? d.strings[d.text[i] - 1] : null,
	};
}

// Draw gaps, errors and losses over the whole height of the lane. Calls are drawn over them.
function drawBands(painter, lane, y, height) {
	const { c, view } = painter, { colours } = view;
	for (const kind of BANDS) {
		let filled = -1;
		eachMark(painter, lane, [kind], (d, i) => {
			const left = Math.max(painter.x(d.begin[i]), SIDE - 5);
			const right = Math.min(Math.max(painter.x(d.end[i]), left + 1.5), painter.width + 5);
			if (right <= filled)
				return;
			filled = right;
			c.fillStyle = colours[`${kind}Back`];
			c.fillRect(left, y, right - left, height - 1);
			if (right - left > 12)
				drawHatch(painter, left, right, y + STRIP_HEIGHT, height - STRIP_HEIGHT - 1, kind);
		});
	}
}

function drawHatch(painter, left, right, y, height, kind) {
	const { c } = painter;
	if (height <= 4)
		return;
	c.save();
	c.beginPath();
	c.rect(left, y, right - left, height);
	c.clip();
	c.strokeStyle = painter.view.colours[`${kind}Back`];
	c.lineWidth = 2;
	c.beginPath();
	for (let x = left - height - (left - height) % 9; x < right; x += 9) {
		c.moveTo(x, y + height);
		c.lineTo(x + height, y);
	}
	c.stroke();
	c.restore();
}

function drawStrip(painter, lane, y) {
	const { c, view } = painter, { colours } = view;
	let filled = -1;
	eachMark(painter, lane, ["runs"], (d, i, kind) => {
		const left = Math.max(painter.x(d.begin[i]), SIDE - 1);
		const right = Math.min(Math.max(painter.x(d.end[i]), left + 1), painter.width + 1);
		if (right <= filled)
			return;
		filled = right;
		c.fillStyle = d.count && d.count[i] > 1 ? colours.strong : colours.cpu(d.value[i]);
		c.fillRect(left, y + STRIP_HEIGHT - 8, right - left, 5);
		painter.boxes.push({ x: left, y: y + STRIP_HEIGHT - 9, width: right - left, height: 8,
				     ...markBox(d, i, kind, lane) });
	});
	for (const kind of BANDS)
		drawStripBands(painter, lane, y, kind);
	let label = SIDE, before = -1, beforeKind = "";
	eachMark(painter, lane, GLYPHS, (d, i, kind) => {
		const x = painter.x(d.begin[i]);
		if (x < SIDE - 8 || x > painter.width + 8)
			return;
		if (kind === beforeKind && x >= before && x < before + 1)
			return;
		before = x;
		beforeKind = kind;
		drawGlyph(c, kind, x, y + 8, colours);
		const box = markBox(d, i, kind, lane);
		painter.boxes.push({ x: x - 4, y, width: 9, height: STRIP_HEIGHT - 8, ...box });
		const text = kind === "comm" || kind === "trigger" ? box.text : null;
		if (text && x + 8 > label) {
			c.font = FONT;
			c.textAlign = "left";
			c.fillStyle = colours[kind];
			c.fillText(text.slice(0, 60), x + 7, y + 8);
			label = x + 12 + text.length * painter.each;
		}
	});
}

function drawStripBands(painter, lane, y, kind) {
	const { c, view } = painter, { colours } = view;
	let filled = -1;
	eachMark(painter, lane, [kind], (d, i) => {
		let left = Math.max(painter.x(d.begin[i]), SIDE - 5);
		const right = Math.min(Math.max(painter.x(d.end[i]), left + 3), painter.width + 5);
		if (right <= filled)
			return;
		left = Math.max(left, filled);
		filled = right;
		c.fillStyle = colours[kind];
		c.fillRect(left, y + 1, right - left, STRIP_HEIGHT - 3);
		const box = markBox(d, i, kind, lane);
		painter.boxes.push({ x: left, y, width: right - left, height: STRIP_HEIGHT, ...box });
		const from = Math.max(left, SIDE);
		const text = fitText(box.count > 1 ? `${countText(box.count)} × ${kind}` : markText(box),
				     right - from - 8, painter.each);
		if (text) {
			c.font = FONT;
			c.textAlign = "left";
			c.fillStyle = "#ffffff";
			c.fillText(text, from + 4, y + STRIP_HEIGHT / 2);
		}
	});
}

function drawGlyph(c, kind, x, y, colours) {
	c.fillStyle = colours[kind];
	c.beginPath();
	switch (kind) {
	case "start":
		c.moveTo(x, y - 5);
		c.lineTo(x + 7, y);
		c.lineTo(x, y + 5);
		break;
	case "exit":
		c.rect(x - 4, y - 4, 8, 8);
		break;
	case "comm":
		c.arc(x, y, 3.5, 0, 7);
		break;
	case "trigger":
		c.moveTo(x - 5, y - 6);
		c.lineTo(x + 5, y - 6);
		c.lineTo(x, y + 5);
		break;
	case "raw":
		c.moveTo(x, y - 4);
		c.lineTo(x + 3, y);
		c.lineTo(x, y + 4);
		c.lineTo(x - 3, y);
		break;
	default:
		c.rect(x - 0.5, y - 5, 1, 9);
	}
	c.fill();
}
