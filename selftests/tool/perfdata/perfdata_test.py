#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test the conversion of streams to perf.data files; prints TAP.

Usage: perfdata_test.py TO_PERF_DATA [PERF...]
TO_PERF_DATA is the program to_perf_data, PERF is stock perf, which must print the same for a
stream and for the file made from it.
"""

import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, HERE + "/../stream", HERE + "/../record"]

import cases            # noqa: E402
import perf_file        # noqa: E402
import streamgen as g   # noqa: E402
import tap              # noqa: E402

TOOL, PERFS = sys.argv[1], sys.argv[2:]
# The tool waits until each file is on disk, which takes no time there.
TMP = tempfile.mkdtemp(prefix="perfdata-", dir="/dev/shm")
OUT = TMP + "/out"
SEED = int(os.environ.get("SEED", "1"))
ROUNDS = 200 if os.environ.get("SHORT") else 800
PARSER = "/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser"

# Features that are made from the whole stream, and the stream's end mark
OWN = {1, 2, 12, 15, 18, 21, 24, 27, 32}
BPF_OUTPUT = (1, 10)


def convert(data, out=OUT):
    """Convert a stream. Return the exit status and the file, None if there is none."""
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([TOOL, "-", out], input=data, capture_output=True, check=False)
    left = sorted(os.listdir(TMP))
    if done.returncode < 0 or left != (["out"] if done.returncode in (0, 2) else []):
        raise ValueError(f"status {done.returncode}, files {left}, {done.stderr.decode()}")
    if done.returncode == 1:
        if not done.stderr:
            raise ValueError("no message")
        return 1, None
    with open(out, "rb") as f:
        return done.returncode, perf_file.File(f.read())


class Expected:
    """What the file of a stream must have. The stream has no COMPRESSED records."""

    def __init__(self, data):
        self.attrs, self.names, self.records, self.features = [], {}, [], {}
        self.items = {25: [0, b""], 26: [0, b""]}
        self.ids, self.times, self.other_times, self.tracing = [], [], [], None
        self.aux = 0
        for rec in perf_file.records(data, 16):
            self.add(rec)

    def add(self, rec):
        {64: self.attr, 65: lambda rec: None, 66: self.trace, 67: self.build_id,
         78: self.update, 80: self.feature}.get(rec.type, self.other)(rec)

    def attr(self, rec):
        size = struct.unpack_from("<I", rec.body, 4)[0]
        attr = bytearray(rec.body[:size])
        type_, _, config, _, sample = struct.unpack_from("<IIQQQ", attr)
        made = (type_, config) == BPF_OUTPUT and not sample & g.IP
        if made:
            struct.pack_into("<Q", attr, 24, sample | g.IP)
        ids = struct.unpack(f"<{(len(rec.body) - size) // 8}Q", rec.body[size:])
        self.attrs.append((bytes(attr), ids, made, sample))

    def trace(self, rec):
        self.tracing = rec.blob

    def build_id(self, rec):
        pid, id_, size = struct.unpack_from("<i20sB", rec.body)
        size = size if rec.misc & g.BIT15 else 20
        self.found(rec.misc, pid, id_[:size], rec.body[28:])

    def found(self, misc, pid, id_, name):
        entry = (misc & 7 | g.BIT15, pid, id_, name.split(b"\0", 1)[0].decode())
        if entry not in self.ids:
            self.ids.append(entry)

    def update(self, rec):
        what, id_ = struct.unpack_from("<QQ", rec.body)
        if what == 2:
            self.names[id_] = rec.body[16:].split(b"\0", 1)[0].decode()
        else:
            self.other(rec)

    def feature(self, rec):
        id_ = struct.unpack_from("<Q", rec.body)[0]
        data = rec.body[8:]
        if id_ in self.items:
            items, = struct.unpack_from("<I", data)
            at = 4
            for _ in range(items):
                a, b = struct.unpack_from("<II", data, at)
                at += 16 + a + b if id_ == 25 else 8 + b
            self.items[id_][0] += items
            self.items[id_][1] += data[4:at]
        elif id_ not in OWN and data:
            self.features[id_] = data

    def event(self, id_):
        return next((a for a in self.attrs if id_ in a[1]), None)

    def other(self, rec):
        data = rec.bytes
        if rec.type == 9:
            id_ = struct.unpack_from("<Q", rec.body)[0]
            _, _, made, sample = self.event(id_)
            at = 24 if sample & g.IP else 16
            self.times.append(struct.unpack_from("<Q", rec.body, at)[0])
            if made:
                data = struct.pack("<IHH", 9, rec.misc, rec.size + 8) + \
                    rec.body[:8] + bytes(8) + rec.body[8:]
        elif rec.type < 64:
            self.other_times.append(struct.unpack_from("<Q", rec.body, len(rec.body) - 24)[0])
        if rec.type == 10 and rec.misc & g.BIT14 and rec.body[64:71] != b"[vdso]\0":
            size = rec.body[32]
            self.found(rec.misc, -1, rec.body[36:36 + size], rec.body[64:])
        if rec.type == 71:
            self.other_times.append(struct.unpack_from("<Q", rec.body, 16)[0])
        self.aux |= rec.type in (70, 71)
        self.records.append(data)

    def compare(self, file):
        need = perf_file.need
        need([r.bytes for r in file.records] == self.records, "records")
        longest = max(len(a[0].rstrip(b"\0")) for a in self.attrs)
        size = next(s for s in perf_file.ABI_SIZES if s >= longest)
        need(file.attr_size == size, f"attrs of {file.attr_size} bytes, not {size}")
        events = []
        for attr, ids, _, _ in self.attrs:
            attr = attr[:4] + struct.pack("<I", size) + attr[8:size].ljust(size - 8, b"\0")
            events.append((attr, ids))
        need(file.events == events, "events")
        need(file.event_desc() == [(a, i, self.names[i[0]]) for a, i in events], "EVENT_DESC")
        need(file.build_ids() == self.ids, f"build-ids {file.build_ids()}, not {self.ids}")
        need(file.features.get(1) == self.tracing, "tracing data")
        times = [t for t in self.times or self.other_times if t]
        need(file.features.get(21) == (struct.pack("<QQ", min(times), max(times))
                                       if times else None), "times")
        for id_, (nr, data) in self.items.items():
            need(file.features.get(id_) == (struct.pack("<I", nr) + data if nr else None),
                 f"feature {id_}")
        rest = {i: d for i, d in file.features.items() if i not in OWN | set(self.items)}
        need(rest == self.features, f"features {sorted(rest)}, not {sorted(self.features)}")
        need((18 in file.features) == bool(self.aux), "index of AUX data")
        if self.aux:
            need(file.aux_index() == [(r.at, r.size) for r in file.records if r.type == 71],
                 "index of AUX data")


def reason(check, *args):
    """Return why a check fails, or ''."""
    try:
        check(*args)
    except (ValueError, KeyError, struct.error) as e:
        return str(e) or repr(e)
    return ""


def compare(data, same_as=None):
    status, file = convert(data)
    perf_file.need(status == 0, f"status {status}")
    Expected(same_as or data).compare(file)


def many_events(rng):
    """Make a stream with several attrs of different sizes, several ids, and random records."""
    events = rng.sample([g.CLOCK, g.TRACE, g.CHUNK, g.PAYLOAD, g.OUTPUT], rng.randrange(1, 6))
    recs = g.setup(events + [g.DUMMY])
    for i, rec in enumerate(recs):
        if rec.type == 64 and rng.random() < 0.5:
            size = rng.choice(perf_file.ABI_SIZES[1:])
            recs[i] = rec = g.Rec(rec.name, 64, rec.body)
            ids = rec.body[128:]
            attr = bytearray(rec.body[:128].ljust(size, b"\0")[:size])
            struct.pack_into("<I", attr, 4, size)
            if rng.random() < 0.5:
                attr[-1] = 1
            rec.body = bytes(attr) + ids
    time = g.T0
    for n in range(rng.randrange(60)):
        time += rng.randrange(1000)
        kind = rng.choice(events)
        recs.append(rng.choice([
            lambda t: g.comm(f"c{n}", rng.randrange(1, 9), "x" * rng.randrange(15), t),
            lambda t: g.mmap2(f"m{n}", 100, t, bytes(rng.randrange(256) for _ in range(20)),
                              file=rng.choice(["[vdso]", "/f" + "y" * rng.randrange(90)])),
            lambda t: g.mmap2(f"m{n}", 100, t, bytes([rng.randrange(3)] * 20), file="/same"),
            lambda t: {g.CLOCK: lambda: g.clock("s", t), g.TRACE: lambda: g.tracepoint("s", t),
                       g.CHUNK: lambda: g.chunk("s", n + 1, t, bytes(rng.randrange(99))),
                       g.PAYLOAD: lambda: g.payload("s", n + 1, t, bytes(rng.randrange(99))),
                       g.OUTPUT: lambda: g.sample("s", g.OUTPUT, t, struct.pack("<Q", 1) +
                                                  g.raw(bytes(rng.randrange(99))))}[kind](),
            lambda t: g.Rec("round", 68),
        ])(time))
    return g.dump(recs)


def test_cases():
    for name, build in cases.VALID:
        recs = build()
        plain = None
        if name == "compressed":
            plain = g.dump(g.chunks_stream())
        tap.result(f"valid: {name}", reason(compare, g.dump(recs), plain))


def test_random():
    why = ""
    for seed in range(SEED, SEED + ROUNDS // 20):
        why = why or reason(compare, many_events(random.Random(seed)))
        if why:
            why = f"seed {seed}: {why}"
            break
    tap.result(f"{ROUNDS // 20} random streams", why)


def test_cut():
    """Cut a stream everywhere. The file must have what is whole."""
    recs = g.primed_stream()
    data = g.dump(recs)
    whole = g.boundaries(recs)
    first = len(g.MAGIC) + len(recs[0].bytes())

    def check():
        for at in list(range(0, len(data), 40)) + sorted(whole):
            status, file = convert(data[:at])
            want = 1 if at < first else 0 if at in whole else 2
            perf_file.need(status == want, f"cut at {at}: status {status}, not {want}")
            if file:
                last = max(b for b in whole if b <= at)
                expected = Expected(data[:last])
                perf_file.need([r.bytes for r in file.records] == expected.records,
                               f"records, cut at {at}")
                perf_file.need(len(file.aux_index()) == sum(
                    r.type == 71 for r in file.records) if 18 in file.features else True,
                               f"index, cut at {at}")
    tap.result("a stream that is cut", reason(check))


def test_damaged():
    """Convert invalid streams. The result is a message, or a file with a valid structure."""
    def check():
        for rule, what, build in cases.CASES:
            why = reason(convert, build())
            perf_file.need(not why, f"{rule}, {what}: {why}")
    tap.result(f"{len(cases.CASES)} invalid streams", reason(check))

    def flip():
        rng = random.Random(SEED)
        streams = [g.dump(build()) for _, build in cases.VALID]
        for n in range(ROUNDS):
            data = bytearray(rng.choice(streams))
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(16, len(data))] = rng.choice([0, 1, 8, 255, rng.randrange(256)])
            why = reason(convert, bytes(data))
            perf_file.need(not why, f"{n} of seed {SEED}: {why}")
    tap.result(f"{ROUNDS} streams with random bytes, seed {SEED}", reason(flip))


def test_refused():
    def check(data, text):
        done = subprocess.run([TOOL, "-", OUT], input=data, capture_output=True, check=False)
        perf_file.need(done.returncode == 1 and text in done.stderr.decode(),
                       f"{done.returncode}: {done.stderr.decode()}")
        perf_file.need(os.path.exists(OUT) and open(OUT, "rb").read() == b"old",
                       "the old file is not there any more")
        perf_file.need(os.listdir(TMP) == ["out"], f"{os.listdir(TMP)}")

    with open(OUT, "wb") as f:
        f.write(b"old")
    data = g.dump(g.chunks_stream())
    late = g.chunks_stream()
    late.append(g.add_attr(g.OUTPUT))
    odd = g.chunks_stream()
    odd.append(g.Rec("odd", 72, bytes(3)))
    for name, stream, text in [
            ("a perf.data file", b"PERFILE2" + struct.pack("<Q", 104) + bytes(88), "ordinary"),
            ("no stream", b"x" * 99, "does not begin"),
            ("no events", g.MAGIC, "no events"),
            ("a late ATTR", g.dump(late), "ATTR record after"),
            ("an odd size", g.dump(odd), "multiple of 8"),
            ("a record of perf record -z", data + g.Rec("z", 83, bytes(8)).bytes(), "type 83")]:
        tap.result(f"refused: {name}", reason(check, stream, text))
    os.unlink(OUT)

    done = subprocess.run([TOOL, "-", "/dev/null"], input=data, capture_output=True, check=False)
    tap.result("refused: a device as the file",
               "" if done.returncode == 1 and b"ordinary file" in done.stderr else done.stderr)
    with open(OUT, "wb") as f:
        f.write(data)
    done = subprocess.run([TOOL, OUT, OUT], capture_output=True, check=False)
    tap.result("refused: the recording itself",
               "" if done.returncode == 1 and b"recording itself" in done.stderr else done.stderr)
    os.unlink(OUT)


def run_perf(perf, *args, data=b""):
    done = subprocess.run([perf, *args], capture_output=True, input=data,
                          env={**os.environ, "HOME": TMP, "DEBUGINFOD_URLS": ""}, check=False)
    return done.returncode, done.stdout, done.stderr


def test_perf(perf):
    version = run_perf(perf, "version")[1].decode().split()[-1]
    fields = "comm,pid,tid,cpu,time,event,trace"
    script = ("script", "-F", fields, "--show-task-events", "--show-mmap-events",
              "--show-lost-events")
    # The event of Intel PT has no IP here, unlike in a recording, so perf can synthesize no event.
    script_pt = script + ("--itrace=e",)
    report = ("report", "--stdio", "--no-children", "-q")
    report_pt = report + ("--itrace=e",)
    # These commands print other things for streams, or do not read streams.
    alone = [("script",), ("evlist", "-v"), ("buildid-list",), ("report", "--header-only"),
             ("diff", "-q")]

    def check(data, commands):
        out = TMP + "/file"
        subprocess.run([TOOL, "-", out], input=data, capture_output=True, check=True)
        for command in commands:
            if command in alone:
                rc, text, err = run_perf(perf, *command, *(
                    (out, out) if command[0] == "diff" else ("-i", out)))
                perf_file.need(not rc and (text or command[0] == "diff"),
                               f"{command}: {rc} {err[:200].decode()}")
                continue
            a = run_perf(perf, *command, "-i", "-", data=data)
            b = run_perf(perf, *command, "-i", out)
            perf_file.need(a[:2] == b[:2] and not a[0], f"{command}: {a[0]} and {b[0]}, "
                           f"{len(a[1])} and {len(b[1])} bytes, {b[2][:200].decode()}")

    for name, build in cases.VALID:
        pt = any(r.type == 71 for r in build())
        commands = {"chunks": [script, report] + alone,
                    "Intel PT per thread": [script_pt, report_pt] + alone[1:],
                    "raw data beside samples": [script] + alone[:1],
                    "a snapshot": [script, report] + alone[:1]
                    }.get(name, [script_pt if pt else script])
        tap.result(f"perf {version}: {name}", reason(check, g.dump(build()), commands))
    for name in os.listdir(TMP):
        path = f"{TMP}/{name}"
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def parser_messages(data):
    """Return how often each type of message is in the output of hotspot's parser."""
    need = perf_file.need
    need(data[:12] == b"QPERFSTREAM\0", "no output")
    at, counts = 16, {}
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        need(size and at + 4 + size <= len(data), "a message is cut")
        counts[data[at + 4]] = counts.get(data[at + 4], 0) + 1
        at += 4 + size
    return counts


def test_hotspot():
    """hotspot's parser must find all samples. It knows no AUXTRACE, so there is no Intel PT."""
    if not os.path.exists(PARSER):
        tap.skip("hotspot's parser", "needs Debian's package hotspot")
        return

    def check(data, samples):
        convert(data)
        done = subprocess.run([PARSER, "--input", OUT], capture_output=True, check=False,
                              env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        os.unlink(OUT)
        perf_file.need(not done.returncode, f"status {done.returncode}: {done.stderr[-200:]}")
        counts = parser_messages(done.stdout)
        perf_file.need(sum(counts.get(t, 0) for t in (SAMPLE, TRACE_SAMPLE)) == samples,
                       f"{counts}, not {samples} samples")

    for name, build in cases.VALID:
        recs = build()
        if any(r.type == 71 for r in recs):
            continue
        if name == "compressed":
            recs = g.chunks_stream()
        tap.result(f"hotspot's parser: {name}",
                   reason(check, g.dump(build()), sum(r.type == 9 for r in recs)))


# Types of messages of hotspot's parser: samples, and samples of tracepoints
SAMPLE, TRACE_SAMPLE = 13, 14

test_cases()
test_random()
test_cut()
test_damaged()
test_refused()
test_hotspot()
for path_ in PERFS:
    test_perf(path_)
shutil.rmtree(TMP)
sys.exit(tap.end())
