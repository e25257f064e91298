#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test the output of Perfetto's traces; prints TAP.

Usage: perfetto_test.py FEED
FEED is the program feed. Google's protobuf library decodes the traces, and a model of Perfetto's
trace processor makes slices, instants, counters and samples of them. These must be what was fed.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE + "/../record")

import tap              # noqa: E402

FEED = sys.argv[1]
TMP = tempfile.mkdtemp(prefix="perfetto-", dir="/dev/shm")
SEED = int(os.environ.get("SEED", "1"))
ROUNDS = 10 if os.environ.get("SHORT") else 40
subprocess.run(["protoc", f"--proto_path={HERE}", f"--python_out={TMP}", "trace.proto"], check=True)
sys.path.insert(0, TMP)

import trace_pb2        # noqa: E402

THREAD, CPU, RECORDING = range(3)
NOBODY = 0xffffffff
EARLIER, CUT = 1, 2
MARKS = ["gap", "lost", "error", "trigger", "start", "comm", "exit", "runs", "sample", "raw"]
VALUES = {"gap": "bytes", "lost": "records", "error": "value", "trigger": "value", "runs": "cpu",
          "sample": "value", "raw": "bytes"}
RUNS = MARKS.index("runs")


def clean(text):
    """Return bytes as a string. Each byte that is no part of a character is replaced."""
    out = ""
    while text:
        for n in (1, 2, 3, 4):
            try:
                out += text[:n].decode()
                break
            except UnicodeDecodeError:
                continue
        else:
            out += "\ufffd"
            n = 1
        text = text[n:]
    return out


class Fed:
    """A time line, as lines for FEED and as what the trace must show."""

    def __init__(self):
        self.lines, self.lanes, self.names = [], [], []
        self.slices, self.instants, self.samples = [], [], []
        self.counters, self.runs = {}, []
        self.open, self.last = [], []

    def add(self, *words):
        self.lines.append(b"\t".join(w if isinstance(w, bytes) else str(w).encode()
                                     for w in words))

    def lane(self, kind, name=b"", pid=NOBODY, tid=NOBODY, cpu=NOBODY):
        self.add("l", len(self.lanes), kind, pid, tid, cpu, name)
        self.lanes.append((kind, clean(name), pid, tid, cpu))
        self.open.append([])
        self.last.append(0)

    def name(self, function, object_=b"/bin/x", address=0):
        self.add("n", len(self.names), function, object_, address)
        self.names.append((clean(function), clean(object_), address))

    def see(self, lane, time):
        self.last[lane] = max(self.last[lane], time)

    def enter(self, lane, time, name, flags=0):
        self.add("+", lane, time, name, flags)
        self.open[lane].append((time, name, flags))
        self.see(lane, time)

    def leave(self, lane, time, flags=0, told=True):
        if told:
            self.add("-", lane, time, flags)
        depth = len(self.open[lane])
        begin, name, begin_flags = self.open[lane].pop()
        args = {n: True for n, on in (("began earlier", begin_flags & EARLIER),
                                      ("cut", flags & CUT)) if on}
        self.slices.append((lane, depth, begin, time, *self.names[name][:2], args))
        self.see(lane, time)

    def stack(self, lane, time, names, weight):
        self.add("s", lane, time, weight, *names)
        self.see(lane, time)
        if self.lanes[lane][0] == THREAD:
            self.samples.append((time, self.lanes[lane][2:4], weight,
                                 [self.names[n] for n in names]))
        else:
            self.instants.append((lane, time, *self.names[names[-1]][:2], {"weight": weight}))

    def mark(self, lane, kind, begin, end, value, text=b""):
        self.add("m", lane, kind, begin, end, value, text)
        self.see(lane, begin)
        self.see(lane, end)
        name = MARKS[kind]
        if kind == RUNS:
            self.runs.append((lane, begin, end, value))
            return
        named = name in ("sample", "raw") and text
        args = {"until": end} if end > begin else {}
        if value and name in VALUES:
            args[VALUES[name]] = value
        if text and not named:
            args["text"] = clean(text)
        self.instants.append((lane, begin, clean(text) if named else name, name, args))

    def point(self, lane, time, value, what):
        self.add("p", lane, time, repr(value), what)
        self.counters.setdefault((lane, clean(what)), []).append((time, value))
        self.see(lane, time)

    def end(self):
        for lane, calls in enumerate(self.open):
            while calls:
                self.leave(lane, self.last[lane], CUT, told=False)


def unknown(message):
    """Are there fields that trace.proto does not have?"""
    before = message.ByteSize()
    copy = type(message)()
    copy.CopyFrom(message)
    copy.DiscardUnknownFields()
    return copy.ByteSize() != before


class Trace:
    """What Perfetto's trace processor makes of a trace."""

    def __init__(self, data):
        self.trace = trace_pb2.Trace.FromString(data)
        need(not unknown(self.trace), "unknown fields")
        self.interned = {}
        self.tracks, self.order = {}, []
        self.slices, self.instants, self.counters, self.samples = {}, {}, {}, []
        events = []
        for i, packet in enumerate(self.trace.packet):
            need(packet.trusted_packet_sequence_id == 1, "sequence")
            need(packet.sequence_flags == (2 if i else 3), "flags")
            need(packet.first_packet_on_sequence == (not i), "first packet")
            self.intern(packet.interned_data)
            kind = packet.WhichOneof("data")
            if kind == "track_descriptor":
                self.describe(packet.track_descriptor)
            elif kind == "track_event":
                need(packet.track_event.track_uuid in self.tracks, "a track was not described")
                events.append((packet.timestamp, i, packet.track_event))
            elif kind == "perf_sample":
                self.sample(packet.timestamp, packet.perf_sample)
        stacks = {}
        # The trace processor sorts by time, and packets with the same time stay in order.
        for time, _, event in sorted(events, key=lambda e: e[:2]):
            self.event(time, event, stacks.setdefault(event.track_uuid, []))
        need(not any(stacks.values()), "slices that do not end")

    def intern(self, data):
        for field, entries in data.ListFields():
            for entry in entries:
                key = (field.name, entry.iid)
                need(entry.iid and key not in self.interned, f"{key} twice")
                self.interned[key] = entry

    def get(self, field, iid):
        need((field, iid) in self.interned, f"{field} {iid} is not known")
        return self.interned[field, iid]

    def describe(self, track):
        need(track.uuid and track.uuid not in self.tracks, "a track's number")
        need(not track.parent_uuid or track.parent_uuid in self.tracks, "a track's parent")
        self.tracks[track.uuid] = track
        self.order.append(track)

    def event(self, time, event, stack):
        args = {self.get("debug_annotation_names", a.name_iid).name:
                getattr(a, a.WhichOneof("value")) for a in event.debug_annotations}
        name = self.get("event_names", event.name_iid).name if event.name_iid else event.name
        category = "".join([self.get("event_categories", i).name for i in event.category_iids] +
                           list(event.categories))
        if event.type == event.TYPE_SLICE_BEGIN:
            stack.append((time, name, category, args))
        elif event.type == event.TYPE_SLICE_END:
            need(stack, "the end of no slice")
            begin, name, category, begin_args = stack.pop()
            self.slices.setdefault(event.track_uuid, []).append(
                (len(stack) + 1, begin, time, name, category, begin_args | args))
        elif event.type == event.TYPE_INSTANT:
            self.instants.setdefault(event.track_uuid, []).append((time, name, category, args))
        else:
            need(event.type == event.TYPE_COUNTER, "type")
            need(self.tracks[event.track_uuid].HasField("counter"), "no counter track")
            self.counters.setdefault(event.track_uuid, []).append(
                (time, event.double_counter_value))

    def sample(self, time, sample):
        names = []
        for iid in self.get("callstacks", sample.callstack_iid).frame_ids:
            frame = self.get("frames", iid)
            mapping = self.get("mappings", frame.mapping_id)
            names.append((
                self.get("function_names", frame.function_name_id).str.decode(),
                "/".join(self.get("mapping_paths", i).str.decode()
                         for i in mapping.path_string_ids), frame.rel_pc))
        self.samples.append((time, (sample.pid, sample.tid), sample.timebase_count, names))


def need(condition, text):
    if not condition:
        raise ValueError(text)


def same(got, want, what):
    if got != want:
        at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
        raise ValueError(f"{what}: {len(got)} and {len(want)}, {at}: "
                         f"{got[at:at + 1]}, not {want[at:at + 1]}")


def compare(fed):
    path = TMP + "/trace"
    done = subprocess.run([FEED, path], input=b"".join(line + b"\n" for line in fed.lines),
                          check=False, capture_output=True)
    need(not done.returncode, done.stderr.decode())
    fed.end()
    with open(path, "rb") as f:
        trace = Trace(f.read())
    lanes = [t for t in trace.order if not t.parent_uuid and not t.HasField("process")]
    want = [(n, p, t) if k == THREAD else n or (f"CPU {c}" if k == CPU else "a recording")
            for k, n, p, t, c in fed.lanes]
    same([(t.thread.thread_name, t.thread.pid, t.thread.tid) if t.HasField("thread") else t.name
          for t in lanes], want, "tracks")
    same([(t.process.process_name, t.process.pid) for t in trace.order if t.HasField("process")],
         [(n, p) for k, n, p, t, _ in fed.lanes if k == THREAD and p == t], "processes")
    runs = {t.parent_uuid: t.uuid for t in trace.order
            if t.parent_uuid and not t.HasField("counter")}
    for lane, track in enumerate(lanes):
        same(sorted(trace.slices.get(track.uuid, []), key=str),
             sorted([s[1:] for s in fed.slices if s[0] == lane], key=str), f"slices of {lane}")
        same(trace.instants.get(track.uuid, []), [i[1:] for i in fed.instants if i[0] == lane],
             f"instants of {lane}")
        same(trace.slices.get(runs.get(track.uuid), []),
             [(1, b, e, f"CPU {v}", "", {"cpu": v}) for n, b, e, v in fed.runs if n == lane],
             f"runs of {lane}")
    counters = {(lanes.index(trace.tracks[t.parent_uuid]), t.name): trace.counters[t.uuid]
                for t in trace.order if t.HasField("counter")}
    same(sorted(counters.items()), sorted(fed.counters.items()), "counters")
    same(trace.samples, fed.samples, "samples")


def some():
    """Make a small time line with everything."""
    fed = Fed()
    fed.lane(RECORDING)
    fed.lane(THREAD, b"main", 10, 10)
    fed.lane(THREAD, b"worker", 10, 11)
    fed.lane(CPU, cpu=3)
    fed.lane(CPU, b"a CPU", cpu=4)
    fed.name(b"main", b"/bin/x", 0x1000)
    fed.name(b"leaf", b"/bin/x", 0x2000)
    fed.name(b"do_syscall_64", b"[kernel]", 2**64 - 4096)
    fed.name(b"[unknown]", b"")
    fed.enter(1, 100, 0, EARLIER)
    fed.enter(1, 110, 1)
    fed.leave(1, 110)
    fed.enter(2, 90, 0)
    fed.enter(1, 110, 1)
    fed.enter(1, 120, 2)
    fed.leave(1, 130)
    fed.mark(1, MARKS.index("gap"), 140, 150, 4096, b"full")
    fed.leave(1, 140, CUT)
    fed.leave(1, 140, CUT)
    fed.mark(0, MARKS.index("lost"), 141, 141, 7)
    fed.mark(0, MARKS.index("trigger"), 142, 142, 0, b"signal=USR1")
    fed.mark(1, MARKS.index("raw"), 150, 150, 99, b"sched:sched_switch")
    fed.mark(3, MARKS.index("sample"), 151, 151, 1, b"cpu-clock")
    fed.mark(2, RUNS, 90, 120, 0)
    fed.mark(2, RUNS, 120, 130, 3)
    fed.point(0, 100, 0.5, b"AUX bytes")
    fed.point(3, 100, -1.0, b"AUX bytes")
    fed.point(0, 200, 1e300, b"AUX bytes")
    for _ in range(2):
        fed.stack(1, 160, [0, 1], 250000)
    fed.stack(3, 160, [0, 2], 1)
    fed.enter(2, 170, 3)
    return fed


def hostile():
    """Make a time line with strange names and times."""
    fed = Fed()
    names = [b"", b"\xff\xfe", "\u00e4\u20ac\U0001f600".encode(), b"\xc3", b"\xed\xa0\x80", b"a\x01b",
             b"</script>", b"x" * 5000, b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xc0\x80"]
    fed.lane(THREAD, b"\xff", 2**31 - 1, 2**31 - 1)
    fed.lane(RECORDING, b"\xe2\x82")
    for name in names:
        fed.name(name, name)
        fed.mark(1, MARKS.index("error"), 5, 2**63, 2**64 - 1, name)
    for i in range(len(names)):
        fed.enter(0, 0, i)
    fed.leave(0, 2**63 - 1)
    fed.stack(0, 2**63 - 1, list(range(len(names))) * 20, 2**64 - 1)
    return fed


def random_line(rng):
    fed = Fed()
    fed.lane(RECORDING, b"recording")
    for i in range(rng.randrange(1, 9)):
        fed.lane(rng.choice([THREAD, CPU]), b"lane%d" % i, 50, 50 + i, i)
    for i in range(rng.randrange(1, 200)):
        fed.name(b"f%d" % rng.randrange(99), b"/lib/%d" % rng.randrange(9), rng.randrange(2**64))
    times = [rng.randrange(2**40)] * len(fed.lanes)
    runs = [0] * len(fed.lanes)
    for _ in range(rng.randrange(3000)):
        lane = rng.randrange(len(fed.lanes))
        times[lane] += rng.choice([0, 0, 1, rng.randrange(10**6)])
        time, what = times[lane], rng.random()
        if what < 0.45:
            fed.enter(lane, time, rng.randrange(len(fed.names)), rng.choice([0, 0, EARLIER]))
        elif what < 0.8:
            if fed.open[lane]:
                fed.leave(lane, time, rng.choice([0, 0, CUT]))
        elif what < 0.9:
            fed.stack(lane, time, [rng.randrange(min(4, len(fed.names)))
                                   for _ in range(rng.randrange(1, 6))], rng.randrange(1, 10**9))
        elif what < 0.95:
            fed.point(lane, time, rng.random() * 1e6, rng.choice([b"a", b"b", b"AUX bytes"]))
        else:
            kind = rng.randrange(len(MARKS))
            end = time + rng.choice([0, rng.randrange(10**6)])
            if kind == RUNS:
                if time < runs[lane]:
                    continue
                runs[lane] = end
            fed.mark(lane, kind, time, end, rng.randrange(100), rng.choice([b"", b"text"]))
    return fed


def reason(check, *args):
    try:
        check(*args)
    except (ValueError, KeyError) as e:
        return str(e) or repr(e)
    return ""


def test_random():
    why = ""
    for seed in range(SEED, SEED + ROUNDS):
        why = reason(compare, random_line(random.Random(seed)))
        if why:
            why = f"seed {seed}: {why}"
            break
    tap.result(f"{ROUNDS} random time lines from seed {SEED} on", why)


def test_overlap():
    """If a thread runs on two CPUs at the same time, one track cannot have both as slices."""
    fed = Fed()
    fed.lane(THREAD, b"t", 1, 2)
    fed.mark(0, RUNS, 10, 20, 0)
    fed.add("m", 0, RUNS, 15, 30, 1, "")
    fed.add("m", 0, RUNS, 40, 35, 1, "")
    fed.mark(0, RUNS, 50, 60, 1)
    tap.result("a damaged recording: a thread on two CPUs", reason(compare, fed))


def test_refused():
    def check(lines, status=1):
        with open(TMP + "/trace", "wb") as f:
            f.write(b"old")
        done = subprocess.run([FEED, TMP + "/trace"], input=lines, capture_output=True, check=False)
        need(done.returncode == status, f"status {done.returncode}")
        with open(TMP + "/trace", "rb") as f:
            need(f.read() == b"old", "the old file is not there any more")
        need(not [n for n in os.listdir(TMP) if n.startswith("trace.") and n != "trace.proto"],
             "a file is left")

    lane = b"l\t0\t0\t1\t1\t0\tx\n"
    name = b"n\t0\tf\to\t0\n"
    for what, lines in [("a lane that was not told", b"+\t0\t1\t0\t0\n"),
                        ("a name that was not told", lane + b"+\t0\t1\t0\t0\n"),
                        ("a stack with such a name", lane + b"s\t0\t1\t1\t0\n"),
                        ("a leave without an enter", lane + name + b"-\t0\t1\t0\n")]:
        tap.result(f"refused: {what}", reason(check, lines))
    done = subprocess.run([FEED, "/dev/full"], input=lane + name, capture_output=True, check=False)
    tap.result("a full disk", "" if done.returncode == 1 and b"space" in done.stderr else
               f"{done.returncode} {done.stderr}")
    done = subprocess.run([FEED, "-"], input=lane + name, capture_output=True, check=False)
    tap.result("stdout", reason(Trace, done.stdout) or
               ("" if len(done.stdout) > 50 else "nothing"))


def test_memory():
    """Memory does not follow the number of slices."""
    sizes = [int(subprocess.run([FEED, "/dev/null", str(n), str(SEED)], check=True,
                                capture_output=True).stdout) for n in (10000, 1000000)]
    tap.result("memory for 10,000 and 1,000,000 slices",
               f"{sizes} KiB" if sizes[1] > sizes[0] + 512 else "")


tap.result("everything once", reason(compare, some()))
tap.result("strange names and times", reason(compare, hostile()))
tap.result("nothing", reason(compare, Fed()))
test_random()
test_overlap()
test_refused()
test_memory()
shutil.rmtree(TMP)
sys.exit(tap.end())
