#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of `auxrec check` and `auxrec info`; prints TAP.

Usage: test_stream.py AUXREC [PERF]
AUXREC is the tool (or stream_tool), PERF stock perf (default: perf, if any).
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases            # noqa: E402
import streamgen as g   # noqa: E402

TOOL = sys.argv[1] if len(sys.argv) > 1 else "auxrec"
PERF = sys.argv[2] if len(sys.argv) > 2 else shutil.which("perf")
TMP = tempfile.mkdtemp(prefix="stream-")
results = []


def ok(good, name, why=""):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}", flush=True)
    if not good:
        for line in str(why).splitlines()[:20]:
            print(f"# {line}")


def skip(name, why):
    results.append(True)
    print(f"ok {len(results)} - {name} # SKIP {why}", flush=True)


def run(*args, data=None):
    return subprocess.run(args, input=data, capture_output=True, timeout=60)


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
    """Every prefix is valid or cut, at every byte."""
    for name, build in cases.VALID[1:]:
        recs = build()
        data = g.dump(recs)
        ends = g.boundaries(recs)
        inner = name == "compressed"
        bad = []
        starts = sorted(ends)
        for n in range(len(data)):
            done = run(TOOL, "check", "--quiet", "-", data=data[:n])
            want = 0 if n in ends else 3
            # A record inside goes on in the next COMPRESSED record.
            if inner and n == starts[starts_of(recs, "z-2")]:
                want = 3
            if done.returncode != want:
                bad.append((n, done.returncode, done.stderr[-300:]))
        ok(not bad, f"{len(data)} prefixes of: {name}", bad[:5])
    report = check(g.dump(recs)[:-3])[1]
    ok(report["result"] == "cut" and report["cut_offset"] == starts[-2],
       "a cut names the offset of its record", report)


def starts_of(recs, name):
    return g.find(recs, name)


def test_damage():
    """Random damage: any result, but a result."""
    random.seed(1)
    bad = []
    for i in range(300):
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
    ok(not bad, "300 damaged streams end in a result", bad[:3])


def test_usage():
    ok(run(TOOL, "check").returncode == 2, "check without a file: 2")
    ok(run(TOOL, "info").returncode == 2, "info without a file: 2")
    ok(run(TOOL, "check", "/nonexistent").returncode == 2, "no such file: 2")
    ok(run(TOOL, "check", "--max", "x", "-").returncode == 2, "--max x: 2")
    ok(run(TOOL, "info", "--width", "5", "-").returncode == 2, "--width 5: 2")
    for command in "check", "info":
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
    ok("!" in out and "no free segment: 1 gap" in out, "gaps in the text", out)
    lines = run(TOOL, "info", "--records", "-",
                data=g.dump(g.gaps_stream())).stdout.decode().splitlines()
    ok(len(lines) == len(g.gaps_stream()), "--records: a line for each", lines)
    cpus = info(g.dump(g.pt_stream(1)), "--by", "cpu")["timeline"]["rows"]
    ok(sorted(r["cpu"] for r in cpus) == [0, 1], "--by cpu", cpus)


def test_long():
    """Doubling buckets: 3 hours in steps that grow."""
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
    """Stock perf reads what we call valid, without a warning of its own."""
    # Of the reader's kernel and of its opinion on pipes, not of the stream.
    known = ("namespaces than the kernel", "Try updating the kernel",
             "Intel PT with pipe mode", "The output cannot relied upon",
             "timestamps and the order of events", "build id", "debug")
    for name, build in cases.VALID:
        if name == "chunks" or "gap" in name or name == "compressed":
            continue        # losses are something to warn of
        path = os.path.join(TMP, "valid")
        with open(path, "wb") as f:
            f.write(g.dump(build()))
        for command in "script", "report --stdio":
            title = f"perf {command}: {name}"
            if not PERF:
                skip(title, "no perf")
                continue
            # Perf 6.1 loses its place at an AUXTRACE in a file: by a pipe.
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
    """Streams of stock perf: valid with --perf."""
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


def main():
    print("TAP version 13")
    for test in (test_valid, test_rules, test_offsets, test_usage, test_info,
                 test_long, test_escape, test_damage, test_perf_reads,
                 test_perf_writes, test_cut):
        test()
    print(f"1..{len(results)}")
    shutil.rmtree(TMP)
    failed = results.count(False)
    print(f"# {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
