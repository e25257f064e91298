#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test how much memory `auxrec merge` takes for a large snapshot and for many snapshots.

Usage: memory_test.py [AUXREC]
Prints TAP.
"""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../stream"))

import streamgen as g   # noqa: E402

TOP = os.path.join(HERE, "../../..")
TOOL = sys.argv[1] if len(sys.argv) > 1 else f"{TOP}/build/tool/auxrec"
BASE = 12 << 20         # bytes for the program and its libraries
TIMES = 8               # a record that is identified by its contents takes two to four entries
                        # of 64 bytes, and half as much again while the table grows
BEGIN = g.T0 + 10**6
STEP = 50000            # ns from one record to the next
NR = 20000              # records in each of many snapshots: one second, as long as MERGE_LATE

# A snapshot can have any number of these records. A function makes the Nth record, at the time t.
KINDS = {
    "names": lambda n, t: g.comm(None, 1000 + n, "many", t).bytes(),
    "tasks": lambda n, t: g.fork(None, 1000 + n, 1, t, misc=0).bytes(),
    "samples": lambda n, t: g.clock(None, t).bytes(),
    "gaps": lambda n, t: b"".join(r.bytes() for r in g.gap("gap", t, t + 9)),
    "AUX data": lambda n, t: g.auxtrace(None, t, bytes(16), 16 * n).bytes(),
    "queues": lambda n, t: g.auxtrace(None, t, bytes(16), 0, idx=n, tid=1000 + n).bytes(),
}
results = []


def ok(good, name, why):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}", flush=True)
    if not good:
        print(f"# {why}")


def snapshot(path, number, begin, nr, kind):
    """Write a snapshot with @nr records from @begin on. Return its size."""
    recs = g.snapshot_stream(g.aux_info())
    end = begin + nr * STEP
    mark = g.snapshot(None, end - 1, number, begin=BEGIN, settled=end, raw=(0, 0, 0, 0))
    data = g.dump(recs[:g.find(recs, "snapshot")]) + mark.bytes()
    data += b"".join(kind(i, begin + i * STEP) for i in range(nr)) + g.round_().bytes()
    with open(path, "wb") as f:
        f.write(data)
    return len(data)


def merge(paths, size, out):
    """Merge with a limit on memory for @size bytes of snapshots. Return an error, or ''."""
    limit = (BASE + TIMES * size) >> 10
    done = subprocess.run(["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", TOOL, "merge",
                           *paths, "-o", out], capture_output=True, check=False, timeout=300)
    said = done.stderr.decode()
    if done.returncode:
        return f"with {limit} KiB: {said}"
    if f": {len(paths)} snapshot" not in said:
        return said
    # The output is not shorter: nothing was left out.
    return "" if os.path.getsize(out) > sum(map(os.path.getsize, paths)) * 9 // 10 else said


def main():
    with tempfile.TemporaryDirectory(prefix="merge-") as tmp:
        for name, kind in KINDS.items():
            size = snapshot(f"{tmp}/one", 1, BEGIN, 100000, kind)
            wrong = merge([f"{tmp}/one"], size, f"{tmp}/out")
            ok(not wrong, f"one snapshot with many {name}", wrong)
            paths = [f"{tmp}/{n}" for n in range(1, 25)]
            sizes = [snapshot(path, n, BEGIN + n * NR * STEP, NR, kind)
                     for n, path in enumerate(paths, 1)]
            # Merge needs memory for the largest snapshot, and for the records of the second
            # before it, because some of that time can come late.
            wrong = merge(paths, 2 * max(sizes), f"{tmp}/out")
            ok(not wrong, f"many snapshots with {name} take what two take", wrong)
    print(f"1..{len(results)}")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
