#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Use a page of auxview with mouse and keys in headless Chromium, and look at its pixels.

Usage: use_test.py [FEED]
Prints TAP.
"""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "../../..")
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "../record"))

import browser   # noqa: E402
import tap       # noqa: E402

# These functions return where the middle of a call, or a mark, is in the window.
PLACES = """
window.at = (lane, depth, begin, end, samples = false) => {
	const { view } = auxview, box = view.painter.canvas.getBoundingClientRect();
	const row = view.layout.rowOf(auxview.lanes[lane]);
	let y = row.y;
	if (depth !== null) {
		const track = auxview.lanes[lane][samples ? "samples" : "calls"];
		y += row.parts.find((p) => p.track === track).y + (depth + 0.5) * BOX_HEIGHT;
	} else {
		y += STRIP_HEIGHT / 2;
	}
	return { x: box.left + view.painter.x((begin + end) / 2), y: box.top + AXIS_HEIGHT + y - view.top };
};
window.pixel = ({ x, y }) => {
	const { canvas, c } = auxview.view.painter, box = canvas.getBoundingClientRect();
	return Array.from(c.getImageData(Math.round(x - box.left), Math.round(y - box.top), 1, 1).data);
};
window.rgb = (colour) => {
	const c = new OffscreenCanvas(1, 1).getContext("2d");
	c.fillStyle = colour;
	c.fillRect(0, 0, 1, 1);
	return Array.from(c.getImageData(0, 0, 1, 1).data);
};
"""

DRAWN = "auxview.drawn().then(() => 1)"


class Test:
    """A page in the browser, and the checks of it."""

    def __init__(self, b, path):
        self.b = b
        b.open(path)
        b.eval("auxview.ready.then(() => 1)")
        b.eval(PLACES)
        b.eval(DRAWN)

    def check(self, name, script, wanted=True):
        """Report whether the value of a script is @wanted."""
        self.b.eval(DRAWN)
        got = self.b.eval(script)
        tap.result(name, "" if got == wanted else f"{script}: {got!r}, not {wanted!r}")

    def place(self, *args):
        """Return where something is."""
        words = ", ".join("null" if a is None else str(a).lower() for a in args)
        return self.b.eval(f"at({words})")

    def click(self, *args):
        """Click on a call or a mark."""
        place = self.place(*args)
        self.b.click(place["x"], place["y"])
        self.b.eval(DRAWN)

    def keys(self, *keys):
        """Press keys."""
        for key in keys:
            self.b.key(key)
        self.b.eval(DRAWN)


def pixels(t):
    """The picture has each call and each gap, at the place and with the colour of the model."""
    why = t.b.eval("""(async () => {
	let why = "";
	const { view } = auxview, { colours, painter } = view;
	for (const lane of auxview.lanes)
		for (const samples of [false, true])
			for (const call of await auxview.callsOf(lane.number, { samples })) {
				// The pixel is above the text, or the call is too narrow for text.
				const place = at(lane.number, call.depth, call.begin, call.end, samples);
				const box = painter.canvas.getBoundingClientRect();
				const hit = painter.hit(place.x - box.left, place.y - box.top);
				if (!hit || hit.what !== "call" || hit.name !== call.name || hit.begin !== call.begin ||
				    hit.end !== call.end || hit.depth !== call.depth)
					why += `${lane.title}: there is no call ${JSON.stringify(call)}\\n`;
				const right = painter.x(call.end) - painter.x(call.begin);
				const seen = pixel({ x: place.x + (right > 4 ? right / 2 - 6 : 0), y: place.y - 6 });
				const wanted = rgb(colours.fill[colours.number(call.name)]);
				if (seen.some((v, i) => Math.abs(v - wanted[i]) > 3))
					why += `${lane.title}: ${auxview.names.function(call.name)} is ${seen}, not ${wanted}\\n`;
			}
	for (const gap of await auxview.gaps()) {
		const seen = pixel({ x: at(gap.lane, null, gap.begin, gap.end).x,
				     y: at(gap.lane, null, gap.begin, gap.end).y - 8 });
		if (String(seen) !== String(rgb(colours.gap)))
			why += `a gap is ${seen}\\n`;
	}
	return why;
})()""")
    tap.result("each call and each gap is in the picture", why)


def details(t):
    """Clicks and the pointer"""
    t.click(2, 1, 200, 3000)
    t.check("a click selects a call", "document.querySelector('#details h2').textContent", "tree")
    t.check("the details have its duration and its own time",
            "[...document.querySelectorAll('#details dd')].slice(0, 3).map((e) => e.textContent)",
            ["2.8 µs", "300 ns (10.7 %)", "3"])
    t.check("... and its callers",
            "[...document.querySelectorAll('#details li')].map((e) => e.lastChild.data)", ["main"])
    t.click(2, None, 3000, 4000)
    t.check("a click on a gap tells the cause and the bytes",
            "[...document.querySelectorAll('#details dd')].some((e) => "
            "e.textContent === 'gap, 64 KiB missing: the ring is full')")
    place = t.place(3, 2, 3000, 4000, True)
    t.b.mouse("mouseMoved", place["x"], place["y"])
    t.check("the pointer shows a call of a sample",
            "document.querySelector('#tip b').textContent", "do_syscall_64")
    place = t.place(2, None, 3000, 4000)
    t.b.mouse("mouseMoved", place["x"], place["y"])
    t.check("the pointer shows a gap", "document.getElementById('tip').textContent.includes("
            "'64 KiB missing: the ring is full')")


def moving(t):
    """Zoom and move."""
    t.keys("0")
    t.check("0 shows everything", "auxview.range.begin < 0 && auxview.range.end > auxview.end")
    width = "auxview.range.end - auxview.range.begin"
    t.b.eval(f"window.before = {width}")
    t.keys("w")
    t.check("w zooms in", f"Math.round(100 * ({width}) / before)", 70)
    t.keys("s")
    t.check("s zooms out", f"Math.abs({width} - before) < 1")
    place = t.place(2, 1, 200, 3000)
    t.b.eval(f"window.time = auxview.view.painter.time({place['x']})")
    t.b.mouse("mouseWheel", place["x"], place["y"], deltaX=0, deltaY=-300)
    t.b.eval(DRAWN)
    t.check("the wheel zooms in", f"{width} < before * 0.8")
    t.check("... at the pointer",
            f"Math.abs(auxview.view.painter.time({place['x']}) - time) < before / 1000")
    t.b.eval("window.before = auxview.range.begin")
    t.keys("d")
    t.check("d moves to the right", "auxview.range.begin > before")
    t.keys("a")
    t.check("a moves to the left", "Math.abs(auxview.range.begin - before) < 1")
    t.b.mouse("mousePressed", 600, 300, button="left", clickCount=1)
    t.b.mouse("mouseMoved", 500, 300, button="left", buttons=1)
    t.b.mouse("mouseReleased", 500, 300, button="left", clickCount=1)
    t.check("the picture follows the mouse",
            "Math.round((auxview.range.begin - before) / auxview.view.painter.scale)", 100)
    t.b.mouse("mousePressed", 600, 300, button="left", clickCount=1, modifiers=8)
    t.b.mouse("mouseMoved", 800, 300, button="left", buttons=1, modifiers=8)
    t.b.eval("window.range = auxview.view.range")
    t.b.mouse("mouseReleased", 800, 300, button="left", clickCount=1, modifiers=8)
    t.check("shift and drag zoom to a range",
            "Math.abs(auxview.range.begin - range[0]) + Math.abs(auxview.range.end - range[1]) < 1")
    t.keys("0")


def search(t):
    """Search by keys."""
    t.keys("/", *"leaf")
    t.check("/ and a word search", "document.getElementById('hits').textContent", "4 hits")
    t.b.key("Enter", "\r")
    t.check("Enter selects the first hit", "auxview.view.selected.begin", 300)
    t.keys("n")
    t.check("n selects the next one", "auxview.view.selected.end", 1000)
    t.keys("N")
    t.check("N selects the one before", "auxview.view.selected.end", 900)
    t.keys("Escape")
    t.check("Esc ends the search",
            "auxview.view.search.hits + document.getElementById('hits').textContent", "0")
    t.keys("/", *"(")
    t.check("what is not found is told", "document.getElementById('hits').className", "bad")
    t.keys("Escape")
    t.keys("Escape")


def panels(t):
    """Panels, lanes and themes"""
    t.keys("0", "g")
    t.b.eval("auxview.view.panel.graph.update(true).then(() => 1)")
    t.check("g shows the flame graph, and says that it is exact",
            "document.getElementById('note').textContent.endsWith('exact')")
    t.check("... with all calls", "auxview.view.panel.graph.boxes.length > 5")
    t.keys("l")
    t.b.eval("auxview.view.panel.losses().then(() => 1)")
    t.check("l lists gaps, losses and errors",
            "[...document.querySelectorAll('#losses td:first-child')].map((e) => e.textContent)",
            ["gap", "lost", "gap", "error"])
    t.b.eval("document.querySelectorAll('#losses tr')[3].click()")
    t.check("a click there shows the gap",
            "auxview.range.begin < 3000 && auxview.range.end > 4000 && auxview.range.end < 8000")
    t.keys("0", "C")
    t.check("C closes all lanes", "auxview.view.layout.rows.every((r) => !r.parts || r.parts.length === 1)")
    t.keys("O")
    t.check("O opens all lanes", "auxview.view.layout.rows.some((r) => r.parts && r.parts.length > 1)")
    t.b.eval("window.before = auxview.view.layout.height")
    t.b.click(40, t.place(2, None, 0, 0)["y"])
    t.check("a click on its title closes a lane", "auxview.view.layout.height < before")
    t.keys("c")
    t.check("c opens it again", "auxview.view.layout.height === before")
    t.keys("p")
    t.check("p hides the panel", "auxview.view.panel.tab", "")
    t.keys("p", "t")
    t.check("t makes the page dark", "getComputedStyle(document.body).backgroundColor", "rgb(20, 24, 29)")
    pixels(t)
    t.keys("t", "?")
    t.check("? shows the keys", "document.getElementById('keys').open")
    t.b.eval("document.getElementById('keys').close()")


def counters(t):
    """The value of a counter between two points that are in different chunks"""
    for number in (0, 4095, 4096, 50000, 99998):
        t.b.eval(f"auxview.setRange({number * 1000 + 300}, {number * 1000 + 700}).then(() => 1)")
        t.check(f"between two points, the value of a counter is that of point {number}",
                "auxview.view.painter.boxes.filter((b) => b.what === 'point')"
                ".map((b) => [b.value, b.time])", [[number, number * 1000]])


def levels(t):
    """The picture while a chunk is not loaded"""
    t.b.eval("auxview.setRange(2e7, 3e7).then(() => 1)")
    t.check("until points are loaded, the finest level that is loaded is drawn", """(async () => {
	const { painter, model: { store } } = auxview.view, track = auxview.lanes[0].points[0];
	for (const level of track.levels)
		await Promise.all(level.chunks.map((chunk) => store.load(chunk)));
	for (const chunk of track.chunks) {
		store.kept.delete(chunk);
		chunk.data = null;
	}
	return [track.levels.length, ...new Set(painter.data(track).map((d) => d.level))];
    })()""", [2, 0])
    t.check("... and the points themselves at last",
            "auxview.view.painter.data(auxview.lanes[0].points[0]).every((d) => d.level < 0)")


def sizes(t):
    """All sizes of windows"""
    for width, height, ratio in ((400, 300, 1), (900, 600, 2), (2560, 1440, 1)):
        t.b.size(width, height, ratio)
        t.b.eval("new Promise((done) => setTimeout(done, 0))")
        t.check(f"nothing is outside of a window of {width} x {height}",
                "document.documentElement.scrollWidth <= innerWidth && "
                "document.documentElement.scrollHeight <= innerHeight")
        t.check("... and the lanes have room", "document.getElementById('lanes').clientHeight >= 60")
    t.b.size(1400, 900)


def main():
    """Run the tests."""
    feed = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build/selftests/tool/page/feed")
    print("TAP version 13", flush=True)
    if not browser.find():
        tap.skip("the page in use", f"there is no Chromium: install the package {browser.PACKAGE}")
        sys.exit(tap.end())
    with tempfile.TemporaryDirectory(prefix="page-use.") as folder:
        path = os.path.join(folder, "small.html")
        subprocess.run([feed, "small", path, os.path.join(folder, "log")], check=True)
        with browser.Browser(1400, 900) as b:
            t = Test(b, path)
            for part in (pixels, details, moving, search, panels, sizes):
                part(t)
            tap.result("the page has no errors, and loads nothing", "\n".join(b.problems()))
            path = os.path.join(folder, "counter.html")
            subprocess.run([feed, "counter", path, os.path.join(folder, "log")], check=True)
            counters(Test(b, path))
            levels(Test(b, path))
    sys.exit(tap.end())


if __name__ == "__main__":
    main()
