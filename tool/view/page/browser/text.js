// SPDX-License-Identifier: GPL-2.0-only
// Times, sizes, numbers and marks as text.

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function timeText(ns, digits = 4) {
	if (!ns)
		return "0 ns";
	const [unit, name] = UNITS.find(([u]) => Math.abs(ns) >= u) || UNITS[3];
	const value = ns / unit;
	return `${Number(value.toPrecision(Math.max(digits, Math.trunc(Math.abs(value)).toString().length)))} ${name}`;
}

// Return an exact time of the recording's clock, as perf prints it.
function clockText(base, ns) {
	const all = base + BigInt(Math.round(ns));
	return `${all / 1000000000n}.${String(all % 1000000000n).padStart(9, "0")}`;
}

function sizeText(bytes) {
	if (bytes < 1024)
		return `${bytes} B`;
	for (const unit of ["KiB", "MiB", "GiB"]) {
		bytes /= 1024;
		if (bytes < 1024 || unit === "GiB")
			return `${Number(bytes.toPrecision(3))} ${unit}`;
	}
	return "";
}

function countText(n) {
	return Number(n).toLocaleString("en").replace(/,/g, " ");
}

// "1 call", "2 calls"
function numberText(n, what) {
	return `${countText(n)} ${what}${n === 1 ? "" : "s"}`;
}

function valueText(n) {
	if (Number.isInteger(n))
		return countText(n);
	return String(Number(n.toPrecision(6)));
}

function percentText(part, whole) {
	if (!whole)
		return "0 %";
	return `${(100 * part / whole).toPrecision(3)} %`;
}

// Return the part of @text that fits into @width pixels. @each: the width of a character
function fitText(text, width, each) {
	const most = Math.floor(width / each);
	if (text.length <= most)
		return text;
	return most > 3 ? `${text.slice(0, most - 1)}…` : "";
}

const MARK_TITLES = {
	gap: "gap in the AUX data", lost: "records lost", error: "AUX data cannot be decoded",
	trigger: "trigger", start: "task begins", comm: "new name", exit: "task ends", runs: "runs",
	sample: "sample", raw: "raw record",
};

// Describe a mark in one line.
function markText(mark) {
	const text = mark.text ? `: ${mark.text}` : "";
	switch (mark.kind) {
	case "gap":
		return `gap, ${sizeText(mark.value)} missing${text}`;
	case "lost":
		return `${countText(mark.value)} records lost${text}`;
	case "error":
		return `decode error${text}${mark.value ? ` (${countText(mark.value)})` : ""}`;
	case "runs":
		return `runs on CPU ${mark.value}${text}`;
	case "raw":
		return `raw record${text}, ${sizeText(mark.value)}`;
	default:
		return `${MARK_TITLES[mark.kind]}${text}`;
	}
}
