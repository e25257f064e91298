#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test that auxrec export needs no more memory for more switches, and tells all of them; prints
TAP.

Usage: switches_test.py AUXREC
"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + "/../stream", HERE + "/../record"]

import peak             # noqa: E402
import streamgen as g   # noqa: E402
import tap              # noqa: E402

AUXREC = os.path.abspath(sys.argv[1])
SEED = int(os.environ.get("SEED", "1"))
FEW, MANY = 100_000, 2_000_000
# The memory that may be needed for 20 times as many switches, in KiB
MORE = 3072
CPUS, THREADS = 4, 100
SWITCH, OUT = 14, 1 << 13


def write(path, count, runs=None):
    """Write a recording of CPUs with @count records of switches. Collect what runs when."""
    rng = random.Random(SEED)
    now, running = g.T0, [None] * CPUS
    idle = [100 + n for n in range(THREADS)]
    with open(path, "wb") as f:
        f.write(g.dump(g.setup([g.DUMMY, g.PT], g.aux_info(per_cpu=1))))
        block = bytearray()
        for n in range(count):
            now += 1 + (n & 7)
            cpu = n % CPUS
            if running[cpu] is None:
                tid = idle.pop(rng.randrange(len(idle)))
                running[cpu] = (tid, now)
                misc = 0
            else:
                # The first thread of CPU 0 runs to the end.
                if cpu == 0:
                    continue
                tid, begin = running[cpu]
                running[cpu] = None
                idle.append(tid)
                misc = OUT
                if runs is not None:
                    runs.append((tid, begin, now, cpu))
            block += g.Rec("s", SWITCH, g.sample_id(g.DUMMY, now, tid, cpu), misc).bytes()
            if n % 10000 == 9999:
                block += g.Rec("round", 68).bytes()
                f.write(block)
                block.clear()
        f.write(block)
    if runs is not None:
        runs += [(r[0], r[1], now, cpu) for cpu, r in enumerate(running) if r]
    return now


def told(path):
    """Return what runs when, as the export tells it."""
    done = subprocess.run([AUXREC, "export", "--json", path], capture_output=True, check=True)
    tids, runs = {}, []
    for line in done.stdout.splitlines():
        item = json.loads(line)
        if item["type"] == "lane":
            tids[item["lane"]] = item.get("tid")
        elif item["type"] == "mark" and item["kind"] == "runs":
            runs.append((tids[item["lane"]], item["begin"], item["end"], item["value"]))
    return runs


def main():
    print(f"# seed {SEED}")
    with tempfile.TemporaryDirectory(prefix="switches-", dir="/dev/shm") as tmp:
        path, runs = tmp + "/rec", []
        write(path, FEW, runs)
        found = told(path)
        missing = set(runs) ^ set(found)
        tap.result(f"{len(runs)} times on a CPU",
                   "" if len(found) == len(runs) and not missing else
                   f"{len(found)} are told, {len(missing)} differ: {sorted(missing)[:3]}")
        few = peak.export(AUXREC, path)
        write(path, MANY)
        many = peak.export(AUXREC, path)
        tap.result(f"memory for {MANY} switches instead of {FEW}: at most {MORE} KiB more",
                   "" if many - few <= MORE else f"{few} and {many} KiB")
        print(f"# {few} and {many} KiB")
    return tap.end()


sys.exit(main())
