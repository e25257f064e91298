#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test that the recorder reports everything that does not fit into a main ring.

Usage: losses_test.py [AUXREC]
The test runs as root and needs no module. Programs make a known number of calls of
sched_get_priority_min(). Each call is a sample. The samples in the stream and the samples that
the stream reports as lost must add up to that number. If the output fails, the summary reports
the samples that were not written, and the sum includes them.
Environment: PERFS, the perfs that must read the streams. The test prints TAP.
"""

import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import tap                              # noqa: E402
from tap import result                  # noqa: E402

AUXREC = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                         "build/tool/auxrec")
BUILD = os.path.dirname(os.path.dirname(AUXREC))
CALLS = os.path.join(BUILD, "selftests/tool/record/calls")
PERFS = os.environ.get("PERFS", "").split()
EVENT = "syscalls:sys_enter_sched_get_priority_min"
OTHER = "syscalls:sys_exit_sched_get_priority_min"
PATIENCE = 120
STARTED = []
SAMPLE, LOST, LOST_SAMPLES, ATTR = 9, 2, 13, 64
TRACING_DATA, AUXTRACE = 66, 71


class Stream:
    """The samples and the losses of a stream, by event.

    samples and lost: tracepoint (its number, or None for other events) to the number of samples.
    others: the number of lost records.
    """

    def __init__(self, data):
        self.samples, self.lost, self.others = {}, {}, 0
        self.intervals = []     # (CPU, begin, end, count) of each loss, as in auxrec info
        self.unknown, self.first = 0, 0
        self.loss = {}          # begin and end of each CPU's last loss
        event, last, at, nr = {}, {}, 16, 0
        while at + 8 <= len(data):
            kind, _, size = struct.unpack_from("<IHH", data, at)
            if size < 8 or at + size > len(data):
                break
            rec = data[at:at + size]
            at += size
            if kind == ATTR:
                attr_size = struct.unpack_from("<I", rec, 12)[0]
                tp = struct.unpack_from("<I", rec, 8)[0] == 2
                for (ident,) in struct.iter_unpack("<Q", rec[8 + attr_size:]):
                    event[ident] = nr if tp else None
                nr += 1
            elif kind == AUXTRACE:
                at += struct.unpack_from("<Q", rec, 8)[0]
            elif kind == TRACING_DATA:
                at += struct.unpack_from("<I", rec, 8)[0]
            elif kind == SAMPLE:
                ident, _, _, time, cpu = struct.unpack_from("<QQQQI", rec, 8)
                which = event.get(ident)
                self.samples[which] = self.samples.get(which, 0) + 1
                self.time(time)
                last[cpu] = time
            elif kind < ATTR:
                _, _, time, cpu, _, ident = struct.unpack("<IIQIIQ", rec[-32:])
                self.time(time)
                if kind in (LOST, LOST_SAMPLES):
                    self.note(kind, rec, event.get(ident), cpu,
                              last.get(cpu, self.first), time)
                if time and cpu != 0xffffffff:
                    last[cpu] = time

    def time(self, time):
        if time and (not self.first or time < self.first):
            self.first = time

    def note(self, kind, rec, which, cpu, begin, end):
        nr = struct.unpack_from("<Q", rec, 16 if kind == LOST else 8)[0]
        if nr:
            # Several records of one loss have the same time.
            if self.loss.get(cpu, (0, 0))[1] != end:
                self.loss[cpu] = min(begin, end), end
            self.intervals.append((cpu, *self.loss[cpu], nr))
        if kind == LOST:
            self.others += nr
            if which is not None:
                self.unknown += nr
        else:
            self.lost[which] = self.lost.get(which, 0) + nr

    def of(self, which):
        return self.samples.get(which, 0) + self.lost.get(which, 0)

    def all(self, what):
        return sum(what.values())


class Work:
    """The program that makes the calls. It waits at each step for the test (calls.c)."""

    def __init__(self, processes, calls):
        self.dir = tempfile.mkdtemp(dir=TMP)
        self.args = [CALLS, str(processes), str(calls), self.dir]
        self.fifos = {}
        for name in ("ready", "go", "done", "end"):
            path = os.path.join(self.dir, name)
            os.mkfifo(path)
            self.fifos[name] = os.open(path, os.O_RDWR)

    def wait(self, name):
        signal.alarm(PATIENCE)
        os.read(self.fifos[name], 1)
        signal.alarm(0)

    def tell(self, name):
        os.write(self.fifos[name], b"x")

    def close(self):
        for fd in self.fifos.values():
            os.close(fd)


def report():
    with open(os.path.join(TMP, "json"), encoding="utf-8") as f:
        return json.load(f)


def info(path):
    out = subprocess.run([AUXREC, "info", "--json", path],
                         capture_output=True, check=False)
    return json.loads(out.stdout)


def look(path, calls, events=(EVENT,), lossy=None):
    """Check a stream. Return the errors. @lossy: True: there must be losses; False: none."""
    why = ""
    with open(path, "rb") as f:
        stream = Stream(f.read())
    told = stream.all(stream.lost)
    for which in range(len(events)):
        # The ATTRs of the tracepoints come first, the ATTR of the sideband after them.
        if stream.of(which) != calls:
            why += f"{stream.samples} samples and {stream.lost} lost, not {calls}\n"
    if stream.unknown:
        why += f"{stream.unknown} lost of a tracepoint, as LOST\n"
    if lossy is not None and bool(told) != lossy:
        why += f"{told} lost\n"
    got = info(path)
    losses = got["losses"]
    if (losses["samples"], losses["records"]) != (told, stream.others):
        why += f"info: {losses['samples']}, {losses['records']}, not {told}, {stream.others}\n"
    gaps = [(g["cpu"], g["begin"], g["end"], g["count"]) for g in losses["gaps"]]
    if len(gaps) < 1000 and gaps != stream.intervals:
        why += f"info: gaps {gaps[:4]}, not {stream.intervals[:4]}\n"
    if any(begin > end for _, begin, end, _ in stream.intervals):
        why += "a loss that ends before it begins\n"
    marks = sum(sum(row["gaps"]) for row in got["timeline"]["rows"])
    if bool(marks) != bool(gaps):
        why += f"{marks} gaps in the time line, {len(gaps)} in the list\n"
    run = subprocess.run([AUXREC, "check", path], capture_output=True,
                         text=True, errors="replace", check=False)
    if run.returncode:
        why += run.stdout[:300] + "\n"
    for perf in PERFS:
        run = subprocess.run([perf, "script", "--show-lost-events", "-i", path],
                             capture_output=True, text=True, errors="replace", check=False)
        nr = sum(run.stdout.count(" " + e.split(":")[1] + ":") or
                 run.stdout.count(e + ":") for e in events)
        if run.returncode or nr != sum(stream.samples.get(e, 0) for e in range(len(events))):
            why += f"{perf}: {nr} samples, status {run.returncode}: {run.stderr[:200]}\n"
    return why


def json_fault(calls, path):
    """Check that the summary and the stream agree. Return an error, or ''."""
    r = report()
    with open(path, "rb") as f:
        stream = Stream(f.read())
    got = (r["samples"], r["lost"]["samples"], r["lost"]["records"])
    want = (stream.all(stream.samples), stream.all(stream.lost), stream.others)
    if got != want or r["lost"].get("output_samples", 0):
        return f"summary {got}, {r['lost']['output_samples']} not written; stream {want}\n"
    # A round lasts ROUND_NS, except the first and the last rounds.
    if r["rounds"] > r["duration_ns"] / 50e6 + 3:
        return f"{r['rounds']} rounds in {r['duration_ns'] / 1e9} s\n"
    others = stream.of(None)
    return "" if got[0] + got[1] - others == calls else f"summary {got}, not {calls}\n"


def start(args, **kw):
    process = subprocess.Popen(args, **kw)
    STARTED.append(process)
    return process


def auxrec(args, **kw):
    return start([AUXREC, "-q", "--json=" + os.path.join(TMP, "json")] + args, **kw)


def ended(process):
    """Wait for a process to end, and return its exit status."""
    return process.wait(timeout=PATIENCE)


def plain(name, main, processes=4, calls=6000, event=EVENT, extra=(), lossy=None):
    """The recorder is not stopped: it reads as fast as it can."""
    path = os.path.join(TMP, "f")
    p = auxrec(["-m", main, "-e", event, *extra, "-o", path, "--", CALLS,
                str(processes), str(calls)])
    rc = ended(p)
    why = f"status {rc}\n" if rc else ""
    events = [EVENT] + [e for e in extra if e.startswith("syscalls:")]
    why += look(path, processes * calls, events, lossy)
    if len(events) == 1:
        why += json_fault(processes * calls, path)
    result(name, why)


def stopped(name, main, extra=(), target=False):
    """The recorder is stopped while the program makes its calls, and continues afterwards."""
    path = os.path.join(TMP, "f")
    work = Work(4, 6000)
    other = None
    if target:
        other = start(work.args)
        work.wait("ready")
        extra = [*extra, "-p", str(other.pid)]
    p = auxrec(["-m", main, "-e", EVENT, *extra, "-o", path] +
               ([] if target else ["--", *work.args]))
    if target:
        wait_for(lambda: in_poll(p.pid))
    else:
        work.wait("ready")
    os.kill(p.pid, signal.SIGSTOP)
    work.tell("go")
    work.wait("done")
    work.tell("end")
    os.kill(p.pid, signal.SIGCONT)
    rc = ended(p)
    if other:
        ended(other)
    why = (f"status {rc}\n" if rc else "") + look(path, 24000, lossy=True)
    result(name, why + json_fault(24000, path))
    work.close()


def in_poll(pid):
    """Is the recorder in poll(2)? It does not call poll(2) before all events are enabled."""
    with open(f"/proc/{pid}/syscall", encoding="ascii") as f:
        return f.read().split()[0] == "7"


def wait_for(condition):
    signal.alarm(PATIENCE)
    while not condition():
        pass
    signal.alarm(0)


def slow_pipe(name, main):
    """Nobody reads the stream until all calls are made."""
    path = os.path.join(TMP, "f")
    work = Work(4, 6000)
    p = auxrec(["-m", main, "-e", EVENT, "-o", "-", "--", *work.args],
               stdout=subprocess.PIPE)
    work.wait("ready")
    work.tell("go")
    work.wait("done")
    work.tell("end")
    with open(path, "wb") as f:
        shutil.copyfileobj(p.stdout, f)
    rc = ended(p)
    why = (f"status {rc}\n" if rc else "") + look(path, 24000, lossy=True)
    result(name, why + json_fault(24000, path))
    work.close()


def reader_gone(name, main, take):
    """The reader of the pipe leaves after @take bytes.

    If the main rings lose so much that the stream is shorter, the reader leaves after all calls.
    """
    work = Work(4, 6000)
    p = auxrec(["-m", main, "-e", EVENT, "-o", "-", "--", *work.args],
               stdout=subprocess.PIPE, bufsize=0)
    work.wait("ready")
    work.tell("go")
    data = b""
    until = time.monotonic() + PATIENCE
    while len(data) < take and time.monotonic() < until:
        if select.select([p.stdout, work.fifos["done"]], [], [], 1)[0] == [work.fifos["done"]]:
            break
        if select.select([p.stdout], [], [], 0)[0]:
            part = p.stdout.read(min(4096, take - len(data)))
            if not part:
                break
            data += part
    work.wait("done")
    p.stdout.close()
    work.tell("end")
    rc = ended(p)
    stream = Stream(data)
    r = report()
    have = stream.all(stream.samples)
    lost = r["lost"]
    why = "" if rc == 125 else f"status {rc}\n"
    if r["samples"] != have:
        why += f"{have} samples were read, the summary says {r['samples']}\n"
    if have + lost["samples"] + lost.get("output_samples", 0) != 24000:
        why += f"{have} samples, and {lost}, not 24000\n"
    result(name, why)
    work.close()


def flight(name, main):
    """A snapshot reports what a stopped recorder has lost, and so do two merged snapshots."""
    top = tempfile.mkdtemp(dir=TMP)
    sock, path = os.path.join(top, "s"), os.path.join(top, "f")
    work = Work(4, 6000)
    p = auxrec(["--flight", "-M", "64M", "-m", main, "-e", EVENT,
                "--trigger", "socket=" + sock, "-o", path, "--", *work.args])
    work.wait("ready")
    os.kill(p.pid, signal.SIGSTOP)
    work.tell("go")
    work.wait("done")
    os.kill(p.pid, signal.SIGCONT)
    # Between the two snapshots the program makes no calls.
    said = [snapshot(sock, "one"), snapshot(sock, "two")]
    work.tell("end")
    rc = ended(p)
    files = sorted(os.path.join(top, f) for f in os.listdir(top) if f.startswith("f."))
    why = f"status {rc}\n" if rc else ""
    if len(files) != 2:
        why += f"{files}: {said}"
    else:
        both = os.path.join(top, "both")
        run = subprocess.run([AUXREC, "merge", *files, "-o", both], check=False,
                             capture_output=True, text=True)
        why += f"merge: {run.stderr}" if run.returncode else ""
        for file in (*files, both):
            why += look(file, 24000, lossy=True) + completeness(file)
    r = report()
    if r["samples"] + r["lost"]["samples"] != 24000:
        why += f"summary: {r['samples']} samples, {r['lost']}\n"
    result(name, why)
    work.close()


def snapshot(sock, name):
    run = subprocess.run([AUXREC, "ctl", sock, "snapshot", name],
                         capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def completeness(path):
    """Return an error if the time that a snapshot calls complete contains a loss, else ''."""
    got = info(path)
    mark, gaps = got["snapshots"][0], got["losses"]["gaps"]
    begin, end = mark.get("complete_begin", 0), mark.get("complete_end", 0)
    if not begin < end:
        return f"complete from {begin} to {end}\n"
    for gap in gaps:
        if gap["begin"] < end and gap["end"] > begin:
            return f"complete from {begin} to {end}, but {gap}\n"
    return ""


def main():
    sizes = ["8K", "16K", "64K", "256K", "1M"]
    if os.environ.get("SHORT"):
        sizes = ["8K", "64K"]
    for size in sizes:
        plain(f"main rings of {size}", size)
    plain("nothing is lost", "4M", processes=1, calls=2000, lossy=False)
    plain("two events, each for itself", "8K", extra=["-e", OTHER])
    plain("a group with its values", "8K", processes=1, calls=24000,
          extra=["-e", "{cpu-clock,context-switches}:S"])
    plain("whole CPUs", "8K", extra=["-a"])
    plain("records that are too large for the ring", "8K", processes=2,
          calls=200, event=EVENT + "/call-graph=dwarf,stack-size=16384/", lossy=True)
    for size in sizes[:4]:
        stopped(f"the recorder was stopped, {size}", size)
    stopped("the recorder of another process was stopped", "8K", target=True)
    for size in sizes[:3]:
        slow_pipe(f"a slow pipe, {size}", size)
    for take in (100000, 300001):
        reader_gone(f"the reader of the pipe goes after {take} bytes", "64K", take)
    for size in sizes[:3]:
        flight(f"a flight recorder, {size}", size)
    return tap.end()


TMP = tempfile.mkdtemp(prefix="losses.")
try:
    status = main()
finally:
    # After a failure a recorder can be stopped, and would keep the pipe of the results open.
    for started in STARTED:
        started.kill()
    shutil.rmtree(TMP, ignore_errors=True)
sys.exit(status)
