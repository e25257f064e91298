#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test the pages of auxview in headless Chromium.

Usage: page_test.py [-k DIR] [FEED [CASE...]]
FEED (default: build/selftests/tool/page/feed) makes a page for each CASE (default: all of them) and
writes down what it told the page. The test reads the page's own model back and compares the two.
With -k, the pages and a picture of each are kept in DIR.

Environment:
  SHORT=1   1 million calls in the case "many", and not 10
  SEED=N    for the cases "random" and "many"
Prints TAP.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from base64 import b64decode

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "../../..")
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "../record"))

import browser   # noqa: E402
import told      # noqa: E402
import tap       # noqa: E402

SEED = os.environ.get("SEED") or str(random.randrange(1, 1 << 31))
# Times in a page are doubles, which are exact for 2^53 ns.
EXACT = 1 << 53


def differ(what, got, wanted):
    """Return a message if two values differ."""
    if got == wanted:
        return ""
    if isinstance(got, list) and isinstance(wanted, list):
        for i, (a, b) in enumerate(zip(got, wanted)):
            if a != b:
                return f"{what}: number {i} of {len(wanted)} is {a!r}, not {b!r}\n"
        return f"{what}: {len(got)}, not {len(wanted)}\n"
    return f"{what}: {str(got)[:300]!r}, not {str(wanted)[:300]!r}\n"


class Page:
    """A page in the browser, and what it was told."""

    def __init__(self, b, path, log):
        self.b = b
        self.told = told.Told(log)
        b.open(path)
        b.eval("auxview.ready.then(() => 1)")

    def json(self, script):
        """Return the value of an expression, or of its promise, by way of JSON."""
        return json.loads(self.b.eval(
            f"(async () => JSON.stringify(await ({script}), (k, v) => "
            "typeof v === 'bigint' ? String(v) : v))()"))

    def compare_lanes(self):
        """Compare lanes and names."""
        got = self.json("auxview.lanes.map((l) => [l.kind, l.pid, l.tid, l.cpu, l.name])")
        why = differ("lanes", got, self.told.lanes)
        got = self.json("Array.from({ length: auxview.names.length }, (x, i) => "
                        "[auxview.names.function(i), auxview.names.object(i), "
                        "String(auxview.names.address(i))])")
        why += differ("names", got, self.told.names)
        got = self.json("[auxview.title, auxview.slices, auxview.samples]")
        title = self.told.title if self.told.title is not None else got[0]
        why += differ("title, numbers", got, [
            title, sum(map(len, self.told.calls)), sum(map(len, self.told.samples))])
        if self.told.end is not None:
            got = self.json("[String(auxview.base), auxview.end]")
            length = self.told.end - self.told.base
            if length > EXACT:
                got[1], length = float(got[1]), float(length)
            why += differ("times", got, [str(self.told.base), length])
        return why

    def compare_contents(self):
        """Compare what is in each lane."""
        got = self.json("""Promise.all(auxview.lanes.map(async (l, i) => [
            (await auxview.callsOf(i)).map((c) => [c.begin, c.end, c.depth, c.name, c.flags]),
            (await auxview.samplesOf(i)).map((s) => [s.time, s.weight, s.names]),
            (await auxview.marksOf(i)).map((m) => [m.kind, m.begin, m.end, m.value, m.text]),
            (await Promise.all(l.points.map(async (t) => (await auxview.pointsOf(i, t.what))
                .map((p) => [t.what, p.time, p.value])))).flat()]))""")
        why = ""
        for lane, (calls, samples, marks, points) in enumerate(got):
            why += differ(f"calls of {lane}", calls, self.told.calls[lane])
            why += differ(f"samples of {lane}", samples, self.told.samples[lane])
            why += differ(f"marks of {lane}", marks, self.told.marks[lane])
            # A sort by "what" keeps the order of points with the same "what".
            why += differ(f"points of {lane}", sorted(points, key=lambda p: p[0]),
                          sorted(self.told.points[lane], key=lambda p: p[0]))
        return why

    def compare_parts(self, ranges):
        """Compare the calls of parts of the time: they have their whole lengths, too."""
        # Calls that go on in the next chunk
        ranges = ranges + self.json("auxview.lanes.flatMap((l) => l.calls.chunks.slice(0, 20)"
                                    ".map((c) => [c.end - 1, c.end - 1]))")
        got = self.json(f"""(async () => {{
            const all = [];
            for (const [begin, end] of {json.dumps(ranges)})
                for (const lane of auxview.lanes)
                    all.push((await auxview.callsOf(lane.number, {{ begin, end }}))
                        .map((c) => [c.begin, c.end, c.depth, c.name, c.flags]));
            return all;
        }})()""")
        wanted = [[c for c in calls if c[0] <= end and c[1] >= begin]
                  for begin, end in ranges for calls in self.told.calls]
        return "".join(differ(f"calls of part {i}", *pair)
                       for i, pair in enumerate(zip(got, wanted)))

    def compare_gaps(self):
        """Compare the gaps of all lanes, and the sums in the index."""
        got = self.json("auxview.gaps().then((l) => "
                        "l.map((m) => [m.lane, m.begin, m.end, m.value]))")
        wanted = [[lane, m[1], m[2], m[3]] for lane, marks in enumerate(self.told.marks)
                  for m in marks if m[0] == "gap"]
        why = differ("gaps", sorted(got), sorted(wanted))
        got = self.json("auxview.lanes.map((l) => l.marks.sums.gap ? "
                        "[l.marks.sums.gap.nr, l.marks.sums.gap.value] : [0, 0])")
        wanted = [[len(g), sum(m[3] for m in g)] for g in
                  ([m for m in marks if m[0] == "gap"] for marks in self.told.marks)]
        return why + differ("sums of gaps", got, wanted)

    def compare_flames(self, ranges):
        """Compare flame graphs of @ranges, those of calls and those of samples.

        The page adds up the events of a range that has few of them, and is exact then. For other
        ranges it uses the sums in the file. Each range is tried in both ways.
        """
        asked = [[begin, end, few, samples] for begin, end in ranges for few in (400000, 0)
                 for samples in (False, True)]
        got = self.json(f"""(async () => {{
            const all = [], {{ flame }} = auxview.view.panel.graph, usual = flame.few;
            for (const [begin, end, few, samples] of {json.dumps(asked)}) {{
                flame.few = few;
                const f = await auxview.flame({{ begin, end, samples }});
                all.push([f.exact, flat(f.root)]);
            }}
            flame.few = usual;
            return all;
        }})()""")
        why = ""
        for (begin, end, few, samples), (exact, nodes) in zip(asked, got):
            wanted = self.told.flame(begin, end, samples)
            if exact:
                why += differ(f"flame graph {begin} {end} {samples}", nodes, wanted)
            elif few:
                why += f"flame graph {begin} {end}: is not exact\n"
            else:
                why += self.about(nodes, wanted)
        return why

    @staticmethod
    def about(got, wanted):
        """Compare a flame graph without its small parts: a value may be too small, not too large."""
        exact = {path: value for path, value, _ in wanted}
        whole = sum(value for path, value in exact.items() if path.startswith("0 "))
        why = ""
        for path, value, _ in got:
            if "smaller" not in path and not whole / 100 >= exact.get(path, 0) - value >= 0:
                why += f"flame graph: {path} has {value}, not {exact.get(path)}\n"
        return why + differ("flame graph, all",
                            sum(v for p, v, _ in got if p.startswith("0 ")), whole)

    def compare_search(self, text, names, steps):
        """Compare the number of hits of a search, and the next hits in both directions."""
        names = set(names)
        wanted = self.told.hits(names)
        hits = self.b.eval(f"auxview.find({json.dumps(text)})")
        why = differ(f"hits of {text!r}", hits, len(wanted))
        steps = min(steps, len(wanted))
        got = self.json(f"""(async () => {{
            const all = [], hit = (h) => h && [h.begin, h.lane, h.samples, h.depth, h.name];
            for (let i = 0; i < {2 * steps}; i++)
                all.push(hit(await (i < {steps} ? auxview.next() : auxview.previous())));
            return all;
        }})()""")
        back = [wanted[(steps - 2 - i) % len(wanted)] for i in range(steps)]
        return why + differ(f"next hits of {text!r}, and back", got, wanted[:steps] + back)


# A path in a flame graph is its depth and two hashes, here and in told.py: a deep one is long.
HELPERS = """
window.flat = (root) => {
	const all = [], todo = [[root, 1, 1, 0]];
	while (todo.length) {
		const [node, one, two, depth] = todo.pop();
		for (const child of node.children.values()) {
			const a = (one * 65599 + child.name + 1) % 2 ** 36;
			const b = (two * 31337 + child.name + 1) % (2 ** 36 - 5);
			if (child.value || child.count)
				all.push([`${depth} ${child.name < 0 ? "smaller" : a} ${b}`, child.value, child.count]);
			todo.push([child, a, b, depth + 1]);
		}
	}
	return all.sort((a, b) => a[0] < b[0] ? -1 : 1);
};
"""


def compare_many(page, log):
    """Compare sums of millions of calls."""
    with open(log, encoding="ascii") as f:
        wanted = {line.split()[0]: list(map(int, line.split()[1:])) for line in f}
    sums = page.json("""(async () => {
	const calls = [], hash = [], names = new Array(auxview.names.length).fill(0);
	const mix = (h, v) => { h = Math.imul(h ^ v, 16777619); return h ^ h >>> 15; };
	for (const lane of auxview.lanes) {
		let n = 0, sum = 0;
		await auxview.model.eachChunk(lane.calls, 0, auxview.end, (c) => {
			const open = new Set(c.open);
			for (let i = 0; i < c.n; i++) {
				if (i >= c.opened)
					names[c.name[i]]++;
				if (open.has(i))
					continue;
				let h = mix(2166136261 | 0, c.begin[i] % 2 ** 32);
				h = mix(h, Math.floor(c.begin[i] / 2 ** 32));
				h = mix(h, c.end[i] % 2 ** 32);
				h = mix(h, Math.floor(c.end[i] / 2 ** 32));
				sum = sum + mix(mix(h, c.depth[i]), c.name[i]) | 0;
				n++;
			}
		});
		calls.push(n);
		hash.push(sum >>> 0);
	}
	return { calls, hash, names };
})()""")
    why = "".join(differ(what, sums[what], wanted[what]) for what in sums)
    got = page.json("[auxview.slices, Array.from(auxview.names.counts)]")
    why += differ("numbers in the index", got, [sum(wanted["calls"]), wanted["names"]])
    got = page.json("auxview.gaps().then((l) => [l.length, l.reduce((s, g) => s + g.value, 0)])")
    why += differ("gaps", got, wanted["gaps"])
    # The sums of groups and the events make the same flame graph, but for small parts.
    events, sums = page.json("""(async () => {
	const { flame } = auxview.view.panel.graph, made = [];
	for (const few of [Infinity, 0]) {
		flame.few = few;
		const f = await auxview.flame();
		made.push([f.exact, f.root.value, flat(f.root)]);
	}
	return made;
})()""")
    why += differ("flame graphs, exact", [events[0], sums[0]], [True, False])
    why += differ("flame graphs, all", sums[1], events[1])
    return why + page.about(sums[2], events[2]) + compare_levels(page)


def compare_levels(page):
    """Each level stands for all calls, marks and points, and has everything that is long."""
    return page.json("""(async () => {
	let why = "";
	for (const lane of auxview.lanes)
		for (const track of [lane.calls, lane.samples, lane.marks, ...lane.points])
			for (const level of track.levels) {
				let all = 0;
				for (const chunk of level.chunks) {
					const d = await auxview.model.store.load(chunk);
					for (let i = 0; i < d.n; i++) {
						all += d.count[i];
						if (d.count[i] > 1 && d.end[i] - d.begin[i] > level.resolution)
							why += `a cell of ${d.end[i] - d.begin[i]} ns in a level of ${level.resolution}\\n`;
						if (d.begin[i] < chunk.begin || d.end[i] > chunk.end)
							why += "a chunk is longer than the index says\\n";
					}
				}
				if (all !== track.nr)
					why += `lane ${lane.number}: level ${level.resolution} has ${all} of ${track.nr}\\n`;
			}
	return why;
})()""")


def check_blobs(page, path):
    """Inflate all blobs by a program that is not the browser, and less tolerant."""
    with open(path, encoding="utf-8") as f:
        found = re.findall(r'<script type="text/plain" id="([^"]*)">([^<]*)</script>', f.read())
    elements = dict(found)
    zlib.decompress(b64decode(elements.pop("index"), validate=True))
    data = "".join(elements[f"data-{i}"] for i in range(len(elements)))
    at = 0
    for begin, length in page.json("""(() => {
	const all = [], add = (chunks) => chunks.forEach((c) => all.push([c.at, c.len]));
	const track = (t) => { add(t.chunks); t.levels.forEach((l) => add(l.chunks)); };
	for (const l of auxview.lanes) {
		for (const t of [l.calls, l.samples]) {
			add(t.groups);
			track(t);
		}
		[l.marks, ...l.points].forEach(track);
	}
	return all.sort((a, b) => a[0] - b[0]);
})()"""):
        if at and begin != at:
            return f"a blob begins at {begin}, not {at}\n"
        at = begin + -(-length // 3) * 4
        raw = b64decode(data[begin:at], validate=True)
        if len(raw) != length:
            return f"a blob has {len(raw)} bytes, not {length}\n"
        zlib.decompress(raw)
    return differ("length of all blobs", at, len(data)) if at else ""


def compare_case(page, case, log, path, picture):
    """Compare one case. Return what differs."""
    page.b.eval(HELPERS)
    why = check_blobs(page, path)
    if case == "many":
        return why + compare_many(page, log)
    why += page.compare_lanes()
    if case == "range":
        return why
    why += page.compare_contents() + page.compare_gaps() + compare_levels(page)
    end = page.told.end - page.told.base if page.told.end is not None else 0
    rng = random.Random(int(SEED))
    ranges = [(0, end)] + [sorted((rng.randint(0, end), rng.randint(0, end))) for _ in range(4)]
    why += page.compare_flames(ranges) + page.compare_parts(
        ranges + [(at, at) for at in (rng.randint(0, end) for _ in range(10))])
    texts = ["leaf", "a", "function_01", "no such function", "/^(main|now|late)$/"]
    for text in texts:
        why += page.compare_search(text, page.told.matching(text), 12)
    page.b.eval("auxview.view.clear()")
    if picture:
        page.b.eval("auxview.view.fit() || auxview.drawn().then(() => 1)")
        page.b.screenshot(picture)
    return why


def main():
    """Run the tests that the command line asks for."""
    args = sys.argv[1:]
    keep = None
    if args[:1] == ["-k"]:
        keep, args = args[1], args[2:]
        os.makedirs(keep, exist_ok=True)
    feed = args[0] if args else os.path.join(TOP, "build/selftests/tool/page/feed")
    cases = args[1:] or subprocess.run([feed, "list"], capture_output=True, text=True,
                                       check=True).stdout.split()
    print(f"TAP version 13\n# SEED={SEED}", flush=True)
    if not browser.find():
        tap.skip("pages", f"there is no Chromium: install the package {browser.PACKAGE}")
        sys.exit(tap.end())
    folder = keep or tempfile.mkdtemp(prefix="page-test.")
    number = "1000000" if os.environ.get("SHORT") else "10000000"
    try:
        with browser.Browser() as b:
            for case in cases:
                path, log = (os.path.join(folder, f"{case}.{end}") for end in ("html", "log"))
                subprocess.run([feed, case, path, log, number if case == "many" else "0", SEED],
                               check=True)
                if case == "unfinished":
                    left = [name for name in os.listdir(folder) if name.startswith("unfinished.h")]
                    tap.result("an output that ends early leaves no file", " ".join(left))
                    continue
                picture = keep and os.path.join(folder, f"{case}.png")
                try:
                    why = compare_case(Page(b, path, log), case, log, path, picture)
                except (browser.BrowserError, zlib.error, ValueError) as e:
                    why = f"{type(e).__name__}: {e}\n"
                tap.result(case, why + "".join(f"{p}\n" for p in b.problems()))
                if not keep:
                    os.remove(path)
    finally:
        if not keep:
            shutil.rmtree(folder)
    sys.exit(tap.end())


if __name__ == "__main__":
    main()
