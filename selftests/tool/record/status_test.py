#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test the status line of auxrec, on a terminal and without a terminal.

Usage: status_test.py [AUXREC]
The test needs the right to record. Without auxgen it skips the tests of AUX data.
A recording ends when its status line shows what the test waits for, not after a time.
Environment: SEED (default 1) chooses the moments of the interruptions. The test prints TAP.
"""

import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
import tap                              # noqa: E402
from tap import result, skip            # noqa: E402

AUXREC = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                         "build/tool/auxrec")
PMU = os.environ.get("AUXGEN") or "auxgen"
AUXGEN = os.path.exists("/sys/bus/event_source/devices/" + PMU)
PATIENCE = 60   # seconds; a line that takes longer is an error
LOOP = ["sh", "-c", "while :; do :; done"]
LINE = re.compile(r"(\d+\.\d [KM]iB)  (\d+\.\d [KM]iB)/s(?:  (\d+) instructions)?"
                  r"(?:  raw ring (\d+) of (\d+) free)?  losses (\d+)")
SEED = int(os.environ.get("SEED", 1))


class Screen:
    """A terminal that knows \\r, \\n and "clear to end of line"."""

    def __init__(self):
        self.lines = [""]
        self.column = 0
        self.seen = []          # the text of the last line at each time when it was cleared
        self.raw = ""

    def feed(self, text):
        self.raw += text
        for part in re.findall(r"\x1b\[K|\r|\n|[^\x1b\r\n]+|\x1b", text):
            if part == "\x1b[K":
                self.seen.append(self.lines[-1])
                self.lines[-1] = self.lines[-1][:self.column]
            elif part == "\r":
                self.column = 0
            elif part == "\n":
                self.lines.append("")
                self.column = 0
            else:
                line = self.lines[-1]
                self.lines[-1] = (line[:self.column] + part +
                                  line[self.column + len(part):])
                self.column += len(part)


def record(args, until=None, stop=None, columns=100, early=None):
    """Record in a terminal until @until(screen) is true, then call @stop(fd, pid).

    @early: type Ctrl-C this many seconds after the start.
    """
    pid, fd = pty.fork()
    if not pid:
        # Set the size before auxrec can look at it.
        fcntl.ioctl(0, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 25, columns, 0, 0))
        try:
            os.execv(AUXREC, [AUXREC] + args)
        finally:
            os._exit(99)
    if early is not None:
        # Before exec, the child may still be without the terminal, and Ctrl-C would not reach it.
        while os.readlink(f"/proc/{pid}/exe") != os.path.realpath(AUXREC):
            pass
        time.sleep(early)
        ctrl_c(fd, pid)
    screen = Screen()
    deadline = time.monotonic() + PATIENCE
    while True:
        if not select.select([fd], [], [], 1)[0]:
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGTERM)
                until, deadline = None, deadline + PATIENCE
            continue
        try:
            data = os.read(fd, 4096)
        except OSError:         # EIO: no process has the terminal open any more
            data = b""
        if not data:
            break
        screen.feed(data.decode())
        if until and until(screen):
            stop(fd, pid)
            until = None
    os.close(fd)
    return screen, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def terminate(fd, pid):
    os.kill(pid, signal.SIGTERM)


def ctrl_c(fd, pid):
    os.write(fd, b"\x03")


def size(text):
    """Return the bytes of a size with one decimal. KiB are used only below 1 MiB."""
    number, unit = text.split()
    if unit == "KiB":
        assert float(number) <= 1024, text
    return float(number) * {"KiB": 1 << 10, "MiB": 1 << 20}[unit]


def lines_of(screen):
    return [LINE.fullmatch(line) for line in screen.seen if line]


def fault(screen, rc, want_rc, parsed):
    """Check what every recording on a terminal must do. Return an error, or ''."""
    if rc != want_rc:
        return f"status {rc}, not {want_rc}: {screen.raw!r}"
    if not parsed:
        return f"no status line: {screen.raw!r}"
    if None in parsed:
        return f"not a status line: {screen.seen}"
    for line in screen.lines:
        if line.replace("^C", "") and not line.startswith("auxrec: "):
            return f"left on the screen: {screen.lines}"
    if not any("samples" in line for line in screen.lines):
        return f"no summary: {screen.lines}"
    return ""


def test_terminal():
    screen, rc = record(
        ["-e", "cpu-clock", "-o", "f", "--"] + LOOP,
        lambda s: any(m and size(m[1]) > 0 and size(m[2]) > 0
                      for m in lines_of(s)), terminate)
    parsed = lines_of(screen)
    why = fault(screen, rc, 143, parsed)
    if not why and parsed[-1][4]:
        why = "a raw ring without AUX data"
    if not why and parsed[-1][3]:
        why = "instructions without softpt"
    if not why and size(parsed[-1][1]) == 0:
        why = f"no bytes: {screen.seen}"
    if not why and size(parsed[-1][1]) > os.path.getsize("f") * 1.5:
        why = f"{parsed[-1][0]}, but the file has {os.path.getsize('f')}"
    result("bytes, rate and losses; cleared at the end", why)


def test_ctrl_c():
    screen, rc = record(["-e", "cpu-clock", "-o", "f", "--"] + LOOP,
                        lambda s: s.seen and LINE.search(s.raw), ctrl_c)
    why = ""
    if rc != 130:
        why = f"status {rc}"
    elif not re.search("MiB in f: .*, interrupted", screen.raw):
        why = f"not said: {screen.raw!r}"
    elif LINE.search(" ".join(screen.lines)):
        why = f"left on the screen: {screen.lines}"
    elif subprocess.run([AUXREC, "check", "--quiet", "f"]).returncode:
        why = "the stream is not valid"
    result("Ctrl-C", why)


def test_ctrl_c_early():
    """Ctrl-C ends auxrec and its command at any moment."""
    print(f"# SEED={SEED}", flush=True)
    random.seed(SEED)
    began = time.monotonic()
    bad = []
    for i in range(20):
        # auxrec takes some milliseconds to start. Interrupt it then or soon after.
        moment = random.random() * 0.05
        screen, rc = record(["-q", "-e", "cpu-clock", "-o", "f", "--",
                             "sleep", str(PATIENCE)],
                            None, None, early=moment)
        # Before auxrec handles the signal, the signal kills it.
        if rc not in (130, 125, -signal.SIGINT):
            bad.append(f"after {moment * 1000:.1f} ms: {rc} {screen.raw!r}")
        if time.monotonic() - began > PATIENCE:
            bad.append("too long")
            break
    result("Ctrl-C at any moment", "\n".join(bad))


def test_narrow():
    screen, rc = record(["-e", "cpu-clock", "-o", "f", "--"] + LOOP,
                        lambda s: len(s.seen) > 2, terminate, 20)
    shown = [line for line in screen.seen if line]
    why = ""
    if not shown:
        why = f"no line: {screen.raw!r}"
    elif max(map(len, shown)) >= 20:
        why = f"too long for 20 columns: {shown}"
    result("a narrow terminal", why)


def test_raw_ring():
    name = "free segments and losses of a raw ring"
    if not AUXGEN:
        return skip(name, "no auxgen")
    # Two segments are too few for this much data, so there are losses.
    screen, rc = record(
        ["-e", PMU + "/timer=1,chunks=512/", "-m", ",32Kx2",
         "-o", "f", "--"] + LOOP,
        lambda s: any(m and int(m[6]) > 0 for m in lines_of(s)), terminate)
    parsed = lines_of(screen)
    why = ""
    if not parsed or None in parsed:
        why = f"{screen.raw!r}"
    elif any(m[5] != "2" or not 0 <= int(m[4] or -1) <= 2 for m in parsed):
        why = f"{screen.seen}"
    elif int(parsed[-1][6]) == 0:
        why = f"no losses: {screen.seen}"
    elif not any("LOST AUX data" in line for line in screen.lines):
        why = f"no loss in the summary: {screen.lines}"
    return result(name, why)


def at_least(seconds):
    return ["--", "sh", "-c", f"sleep {seconds}"]


def test_no_line():
    """Record for 2 s, which is long enough for a status line. There is no event to wait for."""
    screen, rc = record(["-q", "-e", "cpu-clock", "-o", "f"] + at_least(2))
    result("--quiet", f"{rc} {screen.raw!r}" if rc or screen.raw else "")

    screen, rc = record(["--json", "-e", "cpu-clock", "-o", "f"] + at_least(2))
    try:
        why = "" if json.loads(screen.raw)["output"] == "f" else screen.raw
    except ValueError:
        why = f"not JSON: {screen.raw!r}"
    result("--json to a terminal", why)

    screen, rc = record(["--json=sum", "-e", "cpu-clock", "-o", "f"] +
                        at_least(2))
    why = "" if LINE.search(screen.raw) else f"no line: {screen.raw!r}"
    if screen.lines != [""]:
        why = f"left on the screen: {screen.lines}"
    result("--json to a file", why)

    done = subprocess.run([AUXREC, "-e", "cpu-clock", "-o", "f"] + at_least(2),
                          stderr=subprocess.PIPE, text=True)
    why = ""
    if done.returncode or re.search("[\r\x1b]|losses", done.stderr):
        why = f"{done.returncode} {done.stderr!r}"
    elif "samples" not in done.stderr:
        why = f"no summary: {done.stderr!r}"
    result("stderr is not a terminal", why)


def main():
    where = tempfile.mkdtemp(prefix="status.")
    os.chdir(where)
    try:
        test_terminal()
        test_ctrl_c()
        test_ctrl_c_early()
        test_narrow()
        test_raw_ring()
        test_no_line()
    finally:
        os.chdir("/")
        shutil.rmtree(where)
    return tap.end()


sys.exit(main())
