#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of `auxrec check`, `auxrec info` and `auxrec extract`; prints TAP.

Usage: test_stream.py AUXREC [PERF [SUMS]]
AUXREC is the tool (or stream_tool). PERF is stock perf (default: perf, if installed). SUMS is the
program auxstream_sums, which reads streams with libauxstream.
"""

import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases            # noqa: E402
import streamgen as g   # noqa: E402

TOOL = sys.argv[1] if len(sys.argv) > 1 else "auxrec"
PERF = sys.argv[2] if len(sys.argv) > 2 else shutil.which("perf")
SUMS = sys.argv[3] if len(sys.argv) > 3 else None
TMP = tempfile.mkdtemp(prefix="stream-")
SHORT = bool(os.environ.get("SHORT"))
results = []


def rounds(n):
    """Return the number of rounds, as selftests/rounds.h does."""
    return n // 4 if SHORT else n


def ok(good, name, why=""):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}", flush=True)
    if not good:
        for line in str(why).splitlines()[:20]:
            print(f"# {line}")


def skip(name, why):
    results.append(True)
    print(f"ok {len(results)} - {name} # SKIP {why}", flush=True)


def run(*args, data=None, nofile=None):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, nofile)

    return subprocess.run(args, input=data, capture_output=True, timeout=60,
                          preexec_fn=limit if nofile else None)


def check(data, *options):
    done = run(TOOL, "check", "--json", *options, "-", data=data)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, {"by_rule": {}, "bad": done.stdout[-200:],
                                 "err": done.stderr[-800:].decode()}


def all_rules():
    out = run(TOOL, "check", "--rules").stdout.decode()
    return [line.split()[0] for line in out.splitlines()]


def test_valid():
    for name, build in cases.VALID:
        data = g.dump(build())
        rc, report = check(data)
        ok(rc == 0 and report["result"] == "valid" and
           report["bytes"] == len(data), f"valid: {name}", report)


def test_rules():
    for rule, what, build in cases.CASES:
        rc, report = check(build())
        ok(rc == 1 and list(report["by_rule"]) == [rule],
           f"{rule}: {what}", report)
    unseen = set(all_rules()) - {c[0] for c in cases.CASES}
    ok(not unseen, "every rule was seen to fire", unseen)


def test_end_mark():
    """The end mark can have a body, as perf 7.2 needs it."""
    recs = g.chunks_stream()
    at = g.find(recs, "features-end")
    rules = run(TOOL, "check", "--rules").stdout.decode().splitlines()
    rule = next(line for line in rules if line.split()[0] == "feature-end")
    for body in 0, 8, 64:
        recs[at] = g.feature(32, bytes(body))
        rc, report = check(g.dump(recs))
        ok(rc == 0, f"an end mark of {16 + body} bytes is valid", report)
    recs[at] = g.feature(32, bytes(4))
    found = check(g.dump(recs))[1]["violations"][0]
    want = "16 bytes or more, a multiple of 8"
    ok(found["expected"] == want and want in rule,
       "the rule and the message say which sizes are valid", (found, rule))


def test_offsets():
    recs = g.chunks_stream()
    at = len(g.dump(recs[:g.find(recs, "round-2")]))
    recs[g.find(recs, "round-2")] = g.Rec("bad", 68, bytes(4))
    report = check(g.dump(recs))[1]
    first = report["violations"][0]
    ok(first["offset"] == at and first["type"] == "FINISHED_ROUND" and
       first["record"] == g.find(recs, "bad") + 1,
       "a violation has its offset, type and number", report)

    recs = [g.add_attr(g.DUMMY)] + [g.Rec("bad", 99)] * 50
    rc, report = check(g.dump(recs), "--max", "3")
    ok(rc == 1 and len(report["violations"]) == 3 and
       report["nr_violations"] == 50, "--max lists few and counts all", report)


def test_cut():
    """Every prefix of a stream is valid or cut.

    With FULL the test tries all prefixes; otherwise some, and those that end near a record's end.
    """
    step = 1 if os.environ.get("FULL") else 101 if SHORT else 7
    random.seed(3)
    for name, build in cases.VALID[1:]:
        recs = build()
        data = g.dump(recs)
        ends = g.boundaries(recs)
        inner = name == "compressed"
        bad = []
        starts = sorted(ends)
        near = {e + d for e in ends for d in (-1, 0, 1)}
        if SHORT:
            near = set(random.sample(sorted(near), len(near) // 4))
        places = sorted(n for n in near | set(range(0, len(data), step))
                        if 0 <= n < len(data))
        for n in places:
            done = run(TOOL, "check", "--quiet", "-", data=data[:n])
            want = 0 if n in ends else 3
            # A record continues in the next COMPRESSED record.
            if inner and n == starts[starts_of(recs, "z-2")]:
                want = 3
            if done.returncode != want:
                bad.append((n, done.returncode, done.stderr[-300:]))
        ok(not bad, f"{len(places)} prefixes of: {name}", bad[:5])
    report = check(g.dump(recs)[:-3])[1]
    ok(report["result"] == "cut" and report["cut_offset"] == starts[-2],
       "a cut names the offset of its record", report)


def starts_of(recs, name):
    return g.find(recs, name)


def test_damage():
    """Randomly damaged streams have some result: no crash, no error of a sanitizer."""
    random.seed(1)
    bad = []
    times = rounds(300)
    for i in range(times):
        data = bytearray(g.dump(cases.VALID[i % len(cases.VALID)][1]()))
        for _ in range(random.randint(1, 8)):
            data[random.randrange(16, len(data))] = random.choice(
                (0, 255, random.randrange(256)))
        for command in (["check"], ["check", "--perf"], ["info"],
                        ["info", "--records"], ["info", "--json"]):
            done = run(TOOL, *command, "-", data=bytes(data))
            if done.returncode not in (0, 1, 3) or b"ERROR:" in done.stderr \
               or b"runtime error" in done.stderr:
                bad.append((i, command, done.returncode, done.stderr[-500:]))
    ok(not bad, f"{times} damaged streams end in a result", bad[:3])


def test_usage():
    ok(run(TOOL, "check").returncode == 2, "check without a file: 2")
    ok(run(TOOL, "info").returncode == 2, "info without a file: 2")
    ok(run(TOOL, "check", "/nonexistent").returncode == 2, "no such file: 2")
    ok(run(TOOL, "check", "--max", "x", "-").returncode == 2, "--max x: 2")
    ok(run(TOOL, "info", "--width", "5", "-").returncode == 2, "--width 5: 2")
    for command in "check", "info", "extract":
        done = run(TOOL, command, "--help")
        ok(done.returncode == 0 and done.stdout.startswith(b"Usage:") and
           not done.stderr, f"{command} --help")
    done = run(TOOL, "check", "--quiet", "-", data=b"nonsense")
    ok(done.returncode == 1 and not done.stdout and not done.stderr,
       "--quiet prints nothing")


def info(data, *options):
    done = run(TOOL, "info", "--json", *options, "-", data=data)
    return json.loads(done.stdout)


def test_info():
    report = info(g.dump(g.chunks_stream()))
    threads = {t["tid"]: t for t in report["threads"]}
    ok(threads[100]["comm"] == "true" and threads[101]["exited"] and
       threads[101]["comm"] == "true", "threads and comms", threads)
    ok(threads[100]["aux_bytes"] == 200 and threads[101]["aux_bytes"] == 100,
       "bytes of chunks per thread", threads)
    ok(report["machine"]["hostname"] == "host" and
       report["machine"]["cmdline"] == "auxrec -e auxgen// -- true",
       "features", report["machine"])
    ok(report["machine"]["bpf_programs"] == 3 and
       report["machine"]["bpf_btfs"] == 1, "BPF programs", report["machine"])
    out = run(TOOL, "info", "--records", "-",
              data=g.dump(g.chunks_stream())).stdout.decode()
    ok("id 25 7 first 8 second\n" in out and "id 25 9 live\n" in out and
       "id 26 3 of 25 bytes\n" in out, "BPF programs by name", out)
    ok(report["losses"]["samples"] == 5, "lost samples", report["losses"])
    lacking = [f["name"] for f in report["files"]
               if f["maps_without"] and not f["build_id_record"]]
    ok(lacking == ["[kernel.kallsyms]_text", "/usr/lib/libc.so.6"],
       "files without a build-id", report["files"])
    total = sum(sum(r["bytes"]) for r in report["timeline"]["rows"])
    ok(abs(total - 300) < 60, "the time line has all bytes", total)

    report = info(g.dump(g.gaps_stream()))
    causes = {c["cause"]: c for c in report["losses"]["causes"]}
    ok(causes[1]["gaps"] == 1 and causes[1]["duration"] == 30 and
       causes[2]["duration"] == 1000 and causes[2]["attempts"] == 3 and
       causes[2]["bytes"] == 128 and
       report["losses"]["records"] == 9, "gaps by cause", report["losses"])
    queues = {q["tid"]: q["bytes"] for q in report["queues"]}
    ok(queues == {100: 200, 101: 32}, "bytes per queue", queues)
    out = run(TOOL, "info", "-", data=g.dump(g.gaps_stream())).stdout.decode()
    ok("!" in out and "raw ring full: 1 gap" in out, "gaps in the text", out)
    lines = run(TOOL, "info", "--records", "-",
                data=g.dump(g.gaps_stream())).stdout.decode().splitlines()
    ok(len(lines) == len(g.gaps_stream()), "--records: a line for each", lines)
    report = info(g.dump(g.payload_stream()))
    losses = report["losses"]
    ok([(e["payloads"], e["payload_bytes"]) for e in report["events"]
        if e["payloads"]] == [(3, 140)], "payloads", report["events"])
    ok(losses["payloads"] == [{"cause": 1, "name": "raw ring full", "count": 4,
                               "bytes": 5999}] and
       losses["payloads_without_sample"] == 1, "payloads that are lost", losses)
    out = run(TOOL, "info", "-", data=g.dump(g.payload_stream())).stdout.decode()
    ok("; 3 payloads, 140 B" in out and
       "  raw data of 4 samples, 5.9 KiB: raw ring full\n" in out and
       "  the samples of 1 payloads whose data is here\n" in out,
       "payloads in the text", out)
    cpus = info(g.dump(g.pt_stream(1)), "--by", "cpu")["timeline"]["rows"]
    ok(sorted(r["cpu"] for r in cpus) == [0, 1], "--by cpu", cpus)


def extract(data, file="-", what="--aux", nofile=None):
    """Run auxrec extract. Return its status, stderr, {file: bytes}, and the lines of the index.

    The latter two are None if there is no directory. @nofile: limits on open files.
    """
    path = os.path.join(TMP, "extracted")
    shutil.rmtree(path, ignore_errors=True)
    done = run(TOOL, "extract", what, file, path, nofile=nofile,
               data=data if file == "-" else None)
    if not os.path.isdir(path):
        return done.returncode, done.stderr.decode(), None, None
    files = {}
    for name in os.listdir(path):
        with open(os.path.join(path, name), "rb") as f:
            files[name] = f.read()
    index = files.pop("index", b"").decode().splitlines()
    return done.returncode, done.stderr.decode(), files, index


def packets(n, size):
    """Return @size bytes that differ for each @n."""
    return bytes((n * 37 + i * 11) % 255 + 1 for i in range(size))


def full_pt_stream(per_cpu=0, primer=True):
    """Make a stream of Intel PT as auxrec writes it, with a primer, data and a gap."""
    def data(name, n, time, size, offset, of):
        who = {"idx": of, "tid": g.NOBODY, "cpu": of} if per_cpu else \
            {"idx": of, "tid": 100 + of, "cpu": g.NOBODY}
        return g.auxtrace(name, time, packets(n, size), offset, **who)

    recs = g.pt_stream(per_cpu)
    recs = recs[:g.find(recs, "aux-1")]
    if primer:
        # The thread whose only data is the primer has no output.
        who = {"tid": g.NOBODY, "cpu": 0} if per_cpu else {"tid": 100}
        recs.append(g.auxtrace("prime", g.T0 + 50,
                               g.Rec("none", 65).bytes() * 2, 0, **who))
    recs += [data("aux-1", 1, g.T0 + 500, 64, 16, 0),
             data("aux-2", 2, g.T0 + 600, 200000, 0, 1),
             g.Rec("round", 68)]
    recs += g.gap("gap", g.T0 + 950, g.T0 + 980, cpu=0)
    recs += [data("aux-3", 3, g.T0 + 1000, 128, 4096, 0),
             g.Rec("round-2", 68)]
    return recs


def auxgen_stream(per_task=1):
    recs = g.chunks_stream()
    recs[g.find(recs, f"attr-{g.CHUNK}")] = g.add_attr(
        g.CHUNK, flags=g.SAMPLE_ID_ALL | per_task << 1)
    recs[g.find(recs, "chunk-1")] = g.chunk("chunk-1", 1, g.T0 + 500,
                                            packets(1, 61))
    recs += g.gap("gap", g.T0 + 2600, g.T0 + 3600, cause=2, tid=101)
    return recs


CHUNK = bytes(range(1, 101))


def test_extract():
    data = g.dump(full_pt_stream())
    rc, err, files, index = extract(data)
    ok(rc == 0 and not err, "extract: Intel PT", (rc, err))
    ok(files == {"100-100.pt": packets(1, 64) + packets(3, 128),
                 "101-101.pt": packets(2, 200000)},
       "the bytes of each thread, without those for perf 6.1",
       {k: len(v) for k, v in files.items()})
    ok(index == [
        "queue 100-100.pt pid=100 tid=100 bytes=192 spans=2 gaps=1 "
        "first=1000.000000500 last=1000.000001000 event=intel_pt",
        "queue 101-101.pt pid=101 tid=101 bytes=200000 spans=1 gaps=0 "
        "first=1000.000000600 last=1000.000000600 event=intel_pt",
        "gap 100-100.pt offset=64 begin=1000.000000950 end=1000.000000980 "
        "times=3 bytes=128 cause=raw ring full"],
       "the index", "\n".join(index))
    path = os.path.join(TMP, "stream")
    with open(path, "wb") as f:
        f.write(data)
    ok(extract(None, path) == (rc, err, files, index), "from a file the same")
    rc, err, files, index = extract(g.dump(full_pt_stream(primer=False)))
    ok(rc == 0 and files["100-100.pt"] == packets(1, 64) + packets(3, 128),
       "a stream of others, which has all its bytes", (rc, err))
    rc, err, files, index = extract(g.dump(full_pt_stream(per_cpu=1)))
    ok(rc == 0 and files == {"cpu0.pt": packets(1, 64) + packets(3, 128),
                             "cpu1.pt": packets(2, 200000)} and
       index[0].startswith("queue cpu0.pt cpu=0 bytes=192 ") and
       index[2].startswith("gap cpu0.pt offset=64 "), "per CPU",
       (rc, err, index))

    rc, err, files, index = extract(g.dump(auxgen_stream()))
    ok(rc == 0 and files == {"100-100.aux": packets(1, 61) + CHUNK,
                             "101-101.aux": CHUNK}, "chunks, per thread",
       (rc, err, files))
    ok(index == [
        "queue 100-100.aux pid=100 tid=100 bytes=161 spans=2 gaps=0 "
        "first=1000.000000500 last=1000.000001100 event=auxgen//",
        "queue 101-101.aux pid=101 tid=101 bytes=100 spans=1 gaps=1 "
        "first=1000.000001500 last=1000.000003600 event=auxgen//",
        "gap 101-101.aux offset=100 begin=1000.000002600 "
        "end=1000.000003600 times=3 bytes=128 cause=lost by the PMU"],
       "their index", "\n".join(index))
    rc, err, files, index = extract(g.dump(auxgen_stream(per_task=0)))
    ok(rc == 0 and files == {"cpu0.aux": packets(1, 61) + CHUNK,
                             "cpu1.aux": CHUNK}, "chunks, per CPU",
       (rc, err, files))

    # The stream has an AUXTRACE of a PMU that is not Intel PT, and chunks.
    recs = auxgen_stream()
    recs.insert(g.find(recs, "chunk-1"),
                g.auxtrace("other", g.T0 + 450, packets(5, 64), 0, tid=100))
    rc, err, files, index = extract(g.dump(recs))
    ok(rc == 0 and files == {"100-100.aux": packets(5, 64),
                             "100-100.event1.aux": packets(1, 61) + CHUNK,
                             "101-101.event1.aux": CHUNK},
       "AUXTRACE and chunks of one thread are two files", (rc, err, index))

    recs = full_pt_stream()[:-1]
    at = g.find(recs, "aux-3")
    recs[at:] = g.gap("only", g.T0 + 990, g.T0 + 995, tid=777)
    rc, err, files, index = extract(g.dump(recs))
    ok(rc == 0 and files.get("777-777.pt", files.get("100-777.pt")) == b"",
       "a thread of which all was lost", (rc, index))


def test_extract_raw():
    data = g.dump(g.payload_stream())
    at = "time=1000.0000"
    who = "cpu=0 pid=100 tid=100"
    rc, err, files, index = extract(data, what="--raw")
    # The kernel pads RAW to a multiple of 8 bytes.
    tp = struct.pack("<HBBii", 316, 0, 0, 100, 101)
    tp += bytes(-(len(tp) + 4) % 8)
    ok(rc == 0 and not err and files == {
        "event2.raw": tp + CHUNK[:33], "event3.raw": CHUNK,
        "event4.raw": CHUNK[:7]},
       "extract --raw: in samples, in parts, without a sample", (rc, err, files))
    n = len(tp)
    ok(index == [
        f"data event2.raw offset=0 bytes={n} {at}00450 {who} event=sched:sched_switch",
        f"data event3.raw offset=0 bytes=100 {at}00500 {who} event=bpf-output",
        f"data event4.raw offset=0 bytes=7 {at}00500 {who} cookie=0x4d "
        "event=raw-ring",
        f"lost event2.raw offset={n} bytes=0 {at}00500 {who} lost=5000 "
        "cause=raw ring full event=sched:sched_switch",
        f"lost event4.raw offset=7 bytes=0 {at}00500 {who} lost=999 "
        "cause=raw ring full payloads=3 cookie=0x4d event=raw-ring",
        f"data event2.raw offset={n} bytes=33 {at}00500 {who} sample=lost "
        "event=sched:sched_switch"],
       "its index", "\n".join(index))

    recs = g.payload_stream()
    del recs[g.find(recs, "payload-1b")]
    rc, err, files, index = extract(g.dump(recs), what="--raw")
    ok(rc == 0 and index[1].startswith("lost event3.raw offset=0 bytes=60 ") and
       " lost=40 cause=not in the stream " in index[1],
       "parts that are missing are told", "\n".join(index))
    at = data.index(CHUNK[60:])
    rc, err, files, index = extract(data[:at], what="--raw")
    ok(rc == 3 and files["event3.raw"] == CHUNK[:60] and
       " lost=40 " in index[1], "cut in a part", (rc, err, index))

    # The true length comes after the sample. A number with another magic is not a length.
    for magic, want in (0x4c585541, 11), (0x4c585542, 12):
        recs = g.payload_stream()
        recs[g.find(recs, "tp-1")] = g.tracepoint(
            "tp-1", g.T0 + 450, g.raw(CHUNK[:11]) + struct.pack("<II", magic, 11))
        rc, err, files, index = extract(g.dump(recs), what="--raw")
        ok(rc == 0 and f" bytes={want} " in index[0], f"a length of {want}", index)

    # With more events than files that can be open, files are closed and opened again.
    events = range(101, 501, 10)
    for i in events:
        g.EVENTS[i] = g.EVENTS[g.OUTPUT]
    recs = [g.add_attr(i) for i in events]
    want = {}
    for n in range(3):
        for i in events:
            data = struct.pack("<IQ", i, n)
            recs.append(g.sample(f"s-{i}-{n}", i, g.T0 + n,
                                 struct.pack("<Q", 1) + g.raw(data)))
            name = f"event{events.index(i) + 1}.raw"
            want[name] = want.get(name, b"") + data
    for nofile in (10, 10), (10, 4096):
        rc, err, files, index = extract(g.dump(recs), what="--raw", nofile=nofile)
        ok(rc == 0 and files == want and len(index) == 3 * len(events) and
           index[-1].startswith("data event40.raw offset=24 bytes=12 "),
           f"40 events, with {nofile} files", (rc, err, index))
    rc, err, files, index = extract(g.dump(recs), what="--raw", nofile=(4, 4))
    ok(rc == 2 and "Too many open files" in err, "without any file it ends",
       (rc, err, index))
    for i in events:
        del g.EVENTS[i]

    rc, err, files, index = extract(g.dump(full_pt_stream()), what="--raw")
    ok(rc == 1 and "no raw data" in err and files is None, "no raw data", (rc, err))
    rc, err, files, index = extract(g.dump(auxgen_stream()), what="--raw")
    ok(rc == 0 and list(files) == ["event2.raw"], "only raw data, no AUX data", (rc, files))


def test_extract_errors():
    recs = full_pt_stream()
    data = g.dump(recs)
    cut = len(data) - 60
    rc, err, files, index = extract(data[:cut])
    ok(rc == 3 and f"cut in the middle of a record at offset {len(data) - 184}"
       in err and files["100-100.pt"] == packets(1, 64) and len(index) == 3,
       "a stream that is cut: 3, and what comes before", (rc, err))
    at = len(g.dump(recs[:g.find(recs, "aux-2")])) + 48
    rc, err, files, index = extract(data[:at + 150000])
    ok(rc == 3 and packets(2, 200000).startswith(files["101-101.pt"]) and
       len(files["101-101.pt"]) > 100000 and
       " spans=1 gaps=0 first=1000.000000600 " in index[1],
       "one that is cut in a large span: the index knows of it", (rc, index))
    bad = bytearray(data)
    at = len(g.dump(recs[:g.find(recs, "aux-3")]))
    bad[at + 6:at + 8] = b"\0\0"
    rc, err, files, index = extract(bytes(bad))
    ok(rc == 1 and f"broken at offset {at}" in err and
       files["101-101.pt"] == packets(2, 200000), "one that is broken: 1",
       (rc, err))
    rc, err, files, _ = extract(b"PERFILE2" + bytes([104]) + bytes(200))
    ok(rc == 1 and "perf.data" in err and files is None,
       "a perf.data file: 1, and no directory", (rc, err))
    rc, err, files, _ = extract(b"")
    ok(rc == 3 and "empty" in err and files is None, "an empty file: 3",
       (rc, err))
    recs = g.setup([g.CLOCK, g.DUMMY]) + [g.clock("clock-1", g.T0 + 400)]
    rc, err, files, _ = extract(g.dump(recs))
    ok(rc == 1 and "no AUX data" in err and files is None,
       "no AUX data: 1, and no directory", (rc, err))
    rc, err, files, _ = extract(None, "/nonexistent")
    ok(rc == 2 and "No such file" in err and files is None, "no such file: 2",
       (rc, err))

    path = os.path.join(TMP, "full")
    os.mkdir(path)
    with open(os.path.join(path, "mine"), "wb"):
        pass
    done = run(TOOL, "extract", "--aux", "-", path, data=data)
    ok(done.returncode == 2 and b"not empty" in done.stderr and
       os.listdir(path) == ["mine"], "DIR is not empty: 2", done)
    os.remove(os.path.join(path, "mine"))
    done = run(TOOL, "extract", "--aux", "-", path, data=data)
    ok(done.returncode == 0 and len(os.listdir(path)) == 3,
       "one that is empty will do", done)
    done = run(TOOL, "extract", "--aux", "-", os.path.join(path, "index", "x"),
               data=data)
    ok(done.returncode == 2 and b"Not a directory" in done.stderr,
       "DIR cannot be made: 2", done)
    done = run("sh", "-c", "ulimit -f 100; trap '' XFSZ; "
               f"{TOOL} extract --aux - {TMP}/limit", data=data)
    ok(done.returncode == 2 and b"/limit/part-1: File too large" in done.stderr,
       "DIR cannot be written: 2", done)
    for args in ([], ["-", "x"], ["--aux", "-"], ["--aux", "-", "x", "y"],
                 ["--unknown", "-", "x"]):
        done = run(TOOL, "extract", *args)
        ok(done.returncode == 2 and b"Usage:" in done.stderr and
           not done.stdout, f"usage: {args}: 2", done)


def test_extract_memory():
    """extract keeps all gaps, of which a stream can have any number, with little memory."""
    one = b"".join(r.bytes() for r in g.gap("gap", g.T0, g.T0 + 9))
    data = g.dump(full_pt_stream()) + one * 400000
    done = run("sh", "-c", "ulimit -v 28000; "
               f"{TOOL} extract --aux - {TMP}/many", data=data)
    with open(f"{TMP}/many/index", "rb") as f:
        nr = sum(line.startswith(b"gap ") for line in f)
    ok(done.returncode == 0 and nr >= 400000, "extract: gaps without end",
       (done.stderr, nr))
    shutil.rmtree(f"{TMP}/many")


def test_memory():
    """Memory grows with the number of tasks, to a multiple of their records, not with gaps."""
    tasks = b"".join(g.comm(None, tid, "many", g.T0 + 500 + tid).bytes()
                     for tid in range(1000, 151000))
    gaps = b"".join(r.bytes() for r in g.gap("gap", g.T0, g.T0 + 9)) * 200000
    begin = g.dump(full_pt_stream())
    for what, more, times in (("tasks", tasks, 4), ("gaps", gaps, 0)):
        for command in ("info", "info --json", "info --records", "check"):
            done = run("sh", "-c", f"ulimit -v {20000 + times * len(more) // 1024}; "
                       f"{TOOL} {command} -", data=begin + more)
            ok(done.returncode in (0, 1) and b"memory" not in done.stderr,
               f"{command}: {what} without end",
               (done.returncode, done.stderr[-500:]))


def test_extract_damage():
    """Randomly damaged streams have some result, and no files with unexpected names."""
    random.seed(2)
    bad = []
    times = rounds(200)
    for i in range(times):
        data = bytearray(g.dump((full_pt_stream(), auxgen_stream())[i % 2]))
        for _ in range(random.randint(1, 8)):
            data[random.randrange(16, min(len(data), 6000))] = random.choice(
                (0, 255, random.randrange(256)))
        rc, err, files, _ = extract(bytes(data))
        odd = [f for f in files or {} if not f.endswith((".pt", ".aux"))]
        if rc not in (0, 1, 3) or "ERROR:" in err or odd or \
           "runtime error" in err:
            bad.append((i, rc, err[-500:], odd))
    ok(not bad, f"{times} damaged streams are extracted, or not", bad[:3])


def test_long():
    """A recording of 3 hours, in steps that grow: the time line doubles its buckets."""
    recs = g.setup([g.CLOCK, g.DUMMY])
    t, n = g.T0, 0
    while t < g.T0 + 3 * 3600 * 10**9:
        recs.append(g.clock(f"c{n}", t))
        t += 1000 + (t - g.T0) // 50
        n += 1
    report = info(g.dump(recs))
    got = sum(sum(r["samples"]) for r in report["timeline"]["rows"])
    ok(got >= n and report["timeline"]["end"] - report["timeline"]["begin"] >
       10**13, "a time line of 3 hours", (got, n))


def test_escape():
    recs = g.chunks_stream()
    recs[g.find(recs, "comm-live")] = g.comm(
        "comm-live", 100, "\x1b[2Jx\"\\", g.T0 + 100)
    data = g.dump(recs)
    text = run(TOOL, "info", "-", data=data).stdout
    ok(b"\x1b" not in text, "control characters do not reach the terminal")
    ok(info(data)["threads"][1]["comm"] == "\x1b[2Jx\"\\",
       "JSON keeps them", info(data)["threads"])


def test_perf_reads():
    """Stock perf reads valid streams without a warning about the stream."""
    # These warnings concern the reader's kernel, and pipes in general, not the stream.
    known = ("namespaces than the kernel", "Try updating the kernel",
             "Intel PT with pipe mode", "The output cannot relied upon",
             "timestamps and the order of events", "build id", "debug")
    for name, build in cases.VALID:
        if name == "chunks" or "gap" in name or name == "compressed":
            continue        # perf warns of losses
        path = os.path.join(TMP, "valid")
        with open(path, "wb") as f:
            f.write(g.dump(build()))
        for command in "script", "report --stdio":
            title = f"perf {command}: {name}"
            if not PERF:
                skip(title, "no perf")
                continue
            # perf 6.1 loses its place at an AUXTRACE in a file, so use a pipe.
            done = run("sh", "-c", f"cat {path} | {PERF} {command} -i -")
            err = [x for x in done.stderr.decode(errors="replace").splitlines()
                   if x.strip() and not any(k in x for k in known)]
            ok(done.returncode == 0 and not err and b"cpu-clock" in done.stdout,
               title, err or done)
            if "PT per" not in name:
                done = run(PERF, *command.split(), "-i", path)
                ok(done.returncode == 0 and b"cpu-clock" in done.stdout,
                   title + ", from a file", done)


def test_perf_writes():
    """Streams of stock perf are valid with --perf."""
    for name, command in (
            ("cpu-clock", "-e cpu-clock"),
            ("callchains", "-e cpu-clock -g"),
            ("two events", "-e cpu-clock,task-clock"),
            ("group", "-e {cpu-clock,task-clock}:S"),
            ("registers and stack", "-e cpu-clock --call-graph dwarf"),
            ("all CPUs", "-e cpu-clock -a"),
            ("data", "-e cpu-clock -d --phys-data"),
            ("compressed", "-e cpu-clock -z"),
            ("tracepoint", "-e sched:sched_switch"),
            ("switches", "-e cpu-clock --switch-events"),
            ("build-ids", "-e cpu-clock --buildid-mmap")):
        title = f"stock perf record: {name}"
        if not PERF:
            skip(title, "no perf")
            continue
        done = run("sh", "-c", f"{PERF} record -o - {command} true | cat")
        if done.returncode or len(done.stdout) < 1000:
            skip(title, "not possible here")
            continue
        rc, report = check(done.stdout, "--perf")
        ok(rc == 0 and report["records"] > 5, title, report)
        kept = check(done.stdout)[1]
        print(f"#   by our own rules: {kept['by_rule'] or 'valid'}")
        ok(run(TOOL, "info", "-", data=done.stdout).returncode == 0,
           f"info of {name}")


def library_differs(data, valid):
    """Compare libauxstream and `auxrec info`. Return the difference, or None."""
    report = json.loads(run(TOOL, "info", "--json", "-", data=data).stdout)
    done = run(SUMS, data=data)
    if done.returncode:
        return f"status {done.returncode}"
    sums = json.loads(done.stdout, strict=False)
    queues = {}
    for queue in report["queues"]:
        key = (-1 if queue["cpu"] != -1 else queue["tid"], queue["cpu"])
        queues[key] = queues.get(key, 0) + queue["bytes"]
    ours = {}
    for tid, cpu, size, read in sums["queues"]:
        if size != read and sums["status"] == 0:
            return f"queue {tid} {cpu}: {read} of {size} bytes were read"
        ours[tid, cpu] = ours.get((tid, cpu), 0) + size
    losses = [[c["cause"], c["gaps"], c["attempts"], c["bytes"], c["first"], c["last"],
               c["name"]] for c in report["losses"]["causes"]]
    if losses != sums["causes"]:
        return f"losses {losses} {sums['causes']}"
    if sum(queues.values()) != sum(ours.values()):
        return f"AUX data {queues} {ours}"
    if len(report["snapshots"]) != sums["snapshots"]:
        return f"snapshots {len(report['snapshots'])} {sums['snapshots']}"
    # In a damaged stream, info counts only payloads with the key of the payload event.
    events = sum(e.get("payloads", 0) for e in report["events"])
    if valid and events != sums["payloads"]:
        return f"payloads {events} {sums['payloads']}"
    return None


def test_library():
    if not SUMS:
        skip("libauxstream reads what info reads", "no program given")
        return
    for name, build in cases.VALID:
        why = library_differs(g.dump(build()), True)
        ok(not why, f"libauxstream: {name}", why)
    here = os.path.dirname(os.path.abspath(__file__))
    corpus = os.path.join(here, "../../fuzz/stream/corpus")
    bad = []
    for name in sorted(os.listdir(corpus))[::8 if SHORT else 1]:
        with open(os.path.join(corpus, name), "rb") as f:
            why = library_differs(f.read(), False)
        if why:
            bad.append(f"{name}: {why}")
    ok(not bad, "libauxstream: damaged streams", "\n".join(bad))


def main():
    print("TAP version 13")
    for test in (test_valid, test_rules, test_end_mark, test_offsets, test_usage, test_info,
                 test_library, test_extract, test_extract_raw, test_extract_errors, test_extract_memory,
                 test_memory, test_extract_damage, test_long, test_escape, test_damage, test_perf_reads,
                 test_perf_writes, test_cut):
        test()
    print(f"1..{len(results)}")
    shutil.rmtree(TMP)
    failed = results.count(False)
    print(f"# {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
