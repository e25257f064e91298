// SPDX-License-Identifier: GPL-2.0-only
// Read the index of the page (format.h): names, lanes, and the places of their chunks.

const PAGE_VERSION = 1;
const NOBODY = 0xffffffff;
const LANE_KINDS = ["thread", "cpu", "recording"];
const MARK_KINDS = ["gap", "lost", "error", "trigger", "start", "comm", "exit", "runs", "sample",
		    "raw"];

class IndexReader extends Reader {
	constructor(bytes) {
		super(bytes);
		this.blob = 0;		// where the next blob begins: characters before it in all elements
	}

	chunks(decode) {
		const chunks = [];
		let begin = 0;
		for (let n = this.varint(); n > 0; n--) {
			begin += this.signed();
			const end = begin + this.varint(), nr = this.varint(), low = this.varint();
			const len = this.varint();
			chunks.push({ number: chunks.length, begin, end, nr, low, len, at: this.blob, decode,
				      data: null, promise: null });
			this.blob += Store.chars(len);
		}
		return chunks;
	}

	levels() {
		const levels = [];
		for (let n = this.varint(); n > 0; n--)
			levels.push({ resolution: 2 ** this.varint(), chunks: this.chunks(decodeItems) });
		return levels;
	}

	calls() {
		return {
			nr: this.varint(), samples: this.varint(), weight: this.varint(),
			depth: this.varint(), chunks: this.chunks(decodeCalls),
			groups: this.chunks(decodeSums), levels: this.levels(),
		};
	}

	marks() {
		const sums = {};
		let nr = 0;
		for (const kind of MARK_KINDS) {
			const sum = { nr: this.varint(), value: this.varint(), length: this.varint() };
			nr += sum.nr;
			if (sum.nr)
				sums[kind] = sum;
		}
		return { sums, nr, chunks: this.chunks(decodeMarks), levels: this.levels() };
	}

	points() {
		return {
			what: this.string(), nr: this.varint(), low: this.double(), high: this.double(),
			chunks: this.chunks(decodePoints), levels: this.levels(),
		};
	}

	id() {
		const id = this.varint();
		return id ? id - 1 : NOBODY;
	}

	lane(number) {
		const lane = {
			number, kind: LANE_KINDS[this.varint()], pid: this.id(), tid: this.id(),
			cpu: this.id(), name: this.string(), calls: this.calls(),
			samples: this.calls(), marks: this.marks(), points: [],
		};
		for (let n = this.varint(); n > 0; n--)
			lane.points.push(this.points());
		lane.title = laneTitle(lane);
		return lane;
	}
}

function laneTitle(lane) {
	if (lane.kind === "cpu")
		return `CPU ${lane.cpu}${lane.name ? ` ${lane.name}` : ""}`;
	if (lane.kind === "recording")
		return lane.name || "recording";
	return `${lane.name || "thread"} ${lane.tid === NOBODY ? "" : lane.tid}`.trim();
}

// Return the recording: the contents of the index, and the names of functions.
async function readIndex(store) {
	const r = new IndexReader(await Store.inflate(store.take("index")));
	const version = r.varint();
	if (version !== PAGE_VERSION)
		throw new Error(`the data has version ${version}, not ${PAGE_VERSION}`);
	const recording = {
		title: r.string(), base: BigInt(r.string()), end: r.varint(), objects: [], lanes: [],
	};
	for (let n = r.varint(); n > 0; n--)
		recording.objects.push(r.string());
	const nr = r.varint();
	const names = r.chunks(decodeNames), counts = r.chunks(decodeCounts);
	for (let i = r.varint(); i > 0; i--)
		recording.lanes.push(r.lane(recording.lanes.length));
	recording.names = new Names(recording.objects, nr, await Promise.all(names.map((c) => store.load(c))),
				    counts.length ? (await store.load(counts[0])).counts : []);
	return recording;
}

class Names {
	constructor(objects, nr, chunks, counts) {
		this.length = nr;
		this.counts = counts;
		this.objects = objects;
		this.chunks = chunks;
		this.size = chunks.length ? chunks[0].n : 1;
	}

	function(name) {
		return this.chunks[Math.floor(name / this.size)].functions[name % this.size];
	}

	object(name) {
		return this.objects[this.chunks[Math.floor(name / this.size)].objects[name % this.size]];
	}

	address(name) {
		return this.chunks[Math.floor(name / this.size)].addresses
			.getBigUint64(8 * (name % this.size), true);
	}
}
