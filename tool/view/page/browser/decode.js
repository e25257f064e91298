// SPDX-License-Identifier: GPL-2.0-only
// Decode the numbers, strings and columns of chunks (format.h).

const utf8 = new TextDecoder();

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	// The value becomes a double, which is exact up to 2^53: 104 days in ns.
	varint() {
		let value = 0, scale = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 0x7f) * scale;
			scale *= 128;
		} while (byte & 0x80);
		return value;
	}

	signed() {
		const value = this.varint();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	double() {
		const value = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8)
			.getFloat64(0, true);
		this.at += 8;
		return value;
	}

	string() {
		const end = this.bytes.indexOf(0, this.at);
		const text = utf8.decode(this.bytes.subarray(this.at, end));
		this.at = end + 1;
		return text;
	}
}

function columnsOf(bytes, nr) {
	const reader = new Reader(bytes), lengths = [], columns = [];
	for (let i = 0; i < nr; i++)
		lengths.push(reader.varint());
	for (const length of lengths) {
		columns.push(bytes.subarray(reader.at, reader.at + length));
		reader.at += length;
	}
	return columns;
}

function stringsOf(column) {
	const strings = utf8.decode(column).split("\0");
	strings.pop();
	return strings;
}

// Fill @out with the varints of a column.
function varints(column, out) {
	const n = out.length;
	let at = 0;
	for (let i = 0; i < n; i++) {
		let byte = column[at++], value = byte & 0x7f, scale = 128;
		while (byte & 0x80) {
			byte = column[at++];
			value += (byte & 0x7f) * scale;
			scale *= 128;
		}
		out[i] = value;
	}
	return out;
}

// Fill @out with running sums: @start and the first signed varint, this and the second one, and so on.
function sumsOfSigned(column, out, start) {
	varints(column, out);
	let sum = start;
	for (let i = 0; i < out.length; i++) {
		const value = out[i];
		sum += value % 2 ? -(value + 1) / 2 : value / 2;
		out[i] = sum;
	}
	return out;
}

function doubles(column, out) {
	const view = new DataView(column.buffer, column.byteOffset, column.byteLength);
	for (let i = 0; i < out.length; i++)
		out[i] = view.getFloat64(8 * i, true);
	return out;
}

function decodeItems(chunk, bytes) {
	const c = columnsOf(bytes, 8), n = chunk.nr;
	const items = {
		n, entries: 8 * n,
		begin: sumsOfSigned(c[0], new Float64Array(n), chunk.begin),
		end: varints(c[1], new Float64Array(n)),
		count: varints(c[4], new Float64Array(n)),
	};
	for (let i = 0; i < n; i++)
		items.end[i] += items.begin[i];
	if (c[3].length) {
		items.name = varints(c[3], new Uint32Array(n));
		items.depth = new Uint32Array(n);
		items.flags = new Uint8Array(n);
		varints(c[2], items.depth);
		for (let i = 0; i < n; i++) {
			items.flags[i] = items.depth[i] & 3;
			items.depth[i] >>>= 2;
		}
	} else if (c[2].length) {
		items.kind = varints(c[2], new Uint8Array(n));
		items.value = varints(c[5], new Float64Array(n));
	} else {
		items.low = doubles(c[6], new Float64Array(n));
		items.high = doubles(c[7], new Float64Array(n));
	}
	return items;
}

function decodeMarks(chunk, bytes) {
	const c = columnsOf(bytes, 6), n = chunk.nr;
	const marks = {
		n, entries: 6 * n, kind: c[0],
		begin: sumsOfSigned(c[1], new Float64Array(n), chunk.begin),
		end: varints(c[2], new Float64Array(n)),
		value: varints(c[3], new Float64Array(n)),
		text: varints(c[4], new Uint32Array(n)),
		strings: stringsOf(c[5]),
	};
	for (let i = 0; i < n; i++)
		marks.end[i] += marks.begin[i];
	return marks;
}

function decodePoints(chunk, bytes) {
	const c = columnsOf(bytes, 2), n = chunk.nr;
	const begin = sumsOfSigned(c[0], new Float64Array(n), chunk.begin);
	const value = doubles(c[1], new Float64Array(n));
	return { n, entries: 2 * n, begin, end: begin, low: value, high: value };
}

function decodeNames(chunk, bytes) {
	const c = columnsOf(bytes, 3), n = chunk.nr;
	return {
		n, entries: 0, functions: stringsOf(c[0]), objects: varints(c[1], new Uint32Array(n)),
		addresses: new DataView(c[2].buffer, c[2].byteOffset, c[2].byteLength),
	};
}

function decodeCounts(chunk, bytes) {
	return { entries: 0, counts: varints(columnsOf(bytes, 1)[0], new Float64Array(chunk.nr)) };
}
