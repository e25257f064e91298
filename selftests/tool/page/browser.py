# SPDX-License-Identifier: GPL-2.0-only
"""Run headless Chromium and talk to it by its DevTools pipe. No package but Chromium is needed."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile

# Debian's package
PACKAGE = "chromium"


def find():
    """Return the path of Chromium, or None."""
    return shutil.which("chromium")


class BrowserError(Exception):
    """Chromium, or a script in the page, has failed."""


class Browser:
    """A browser with one page. Use it in a with statement."""

    def __init__(self, width=1400, height=900, dark=False):
        # Chromium syncs its profile to the disk often, which takes minutes on a disk that is busy.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="page-browser.", dir=memory)
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        shell = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        self.log = open(os.path.join(self.folder, "log"), "w+b")   # pylint: disable=consider-using-with
        self.process = subprocess.Popen(   # pylint: disable=consider-using-with
            ["bash", "-c", shell, "browser", find(), "--headless", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-extensions", "--in-process-gpu", "--disable-sync", "--hide-scrollbars", "--mute-audio",
             f"--user-data-dir={self.folder}/profile", "--remote-debugging-pipe",
             # Without these, Chromium gives the page a low priority.
             "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
             "--disable-background-timer-throttling", "--js-flags=--max-old-space-size=4096", "about:blank"],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, env={**os.environ, "HOME": self.folder})
        os.close(to_browser)
        os.close(from_browser)
        self.id = 0
        self.rest = b""
        self.events = []
        self.session = None
        target = self.first_page()
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.size(width, height)
        self.dark(dark)

    def first_page(self):
        """Return the id of the page that the browser opens at its start."""
        self.call("Target.setDiscoverTargets", discover=True)
        while True:
            for event in self.events:
                info = event.get("params", {}).get("targetInfo", {})
                if info.get("type") == "page" and info["url"] == "about:blank":
                    return info["targetId"]
            self.events.append(self.read())

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        """End the browser."""
        if self.process.poll() is None:
            try:
                self.session = None
                self.call("Browser.close")
            except (BrowserError, OSError):
                pass
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self.inp)
        os.close(self.out)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        """Return the next message."""
        while b"\0" not in self.rest:
            select.select([self.inp], [], [])
            more = os.read(self.inp, 1 << 20)
            if not more:
                self.log.seek(0)
                raise BrowserError("Chromium has ended: " +
                                   self.log.read().decode(errors="replace")[-2000:])
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        """Call a method of DevTools. Return its result."""
        self.id += 1
        message = {"id": self.id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.id:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            self.events.append(answer)

    def size(self, width, height, ratio=1):
        """Set the size of the page in pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=ratio, mobile=False)

    def dark(self, dark):
        """Prefer a dark or a light page."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        """Open a file, and wait until the page is loaded."""
        self.events = []
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while True:
            if any(e.get("method") == "Page.loadEventFired" for e in self.events):
                break
            self.events.append(self.read())

    def eval(self, script):
        """Return the value of an expression in the page; a promise's value if it is one."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def problems(self):
        """Return what went wrong in the page since it was opened, and what it loaded."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:", "about:", "blob:")):
                    found.append(f"the page loads {url}")
        return found

    def screenshot(self, path):
        """Write a picture of the page as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def key(self, key, text=None):
        """Press and release a key."""
        text = key if text is None and len(key) == 1 else text
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def mouse(self, kind, x, y, **more):
        """A mouse event: mousePressed, mouseReleased, mouseMoved, mouseWheel."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, **more):
        """Click with the left button."""
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1, **more)
