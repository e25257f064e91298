#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test that auxrec export needs no more memory for a longer recording; prints TAP.

Usage: memory_test.py AUXREC
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + "/../stream", HERE + "/../record"]

import peak             # noqa: E402
import streamgen as g   # noqa: E402
import tap              # noqa: E402

AUXREC = os.path.abspath(sys.argv[1])
FEW, MANY = 20_000, 400_000
# The memory that may be needed for 20 times as many records, in KiB
MORE = 2048
TIDS, PLACES, FORKS, SAMPLES = 4, 64, 1000, 5000


def maps(n, now):
    """A process maps files, again and again at the same places."""
    return g.mmap2("m", 100, now, start=0x400000 + n % PLACES * 0x1000).bytes()


def forks(n, now):
    """Many processes begin, execute a program and map it. The kernel uses their pids again."""
    pid = 1000 + n // 4 % FORKS
    return (g.fork("f", pid, 100, now, 0), g.comm("e", pid, "true", now),
            g.mmap2("m", pid, now), g.mmap2("m", pid, now, start=0x600000))[n % 4].bytes()


def pieces(n, now):
    """The data of several threads comes in small pieces. Zeros are padding of Intel PT."""
    tid, size = n % TIDS, 64
    return g.auxtrace("a", now, bytes(size), n // TIDS * size, tid, 100 + tid).bytes()


def write(path, kind, count):
    """Write a recording with @count records of a kind."""
    with open(path, "wb") as f:
        f.write(g.dump(g.setup([g.CLOCK, g.DUMMY, g.PT], g.aux_info())))
        block = bytearray()
        for n in range(count):
            block += kind(n, g.T0 + n)
            if n % 1000 == 999:
                block += g.round_().bytes()
                f.write(block)
                block.clear()
        # Samples make more output than a pipe takes: the export waits while its memory is read.
        for n in range(SAMPLES):
            block += g.clock("c", g.T0 + count + n).bytes()
        f.write(block)


def main():
    with tempfile.TemporaryDirectory(prefix="memory-", dir="/dev/shm") as tmp:
        path = tmp + "/rec"
        for kind in (maps, forks, pieces):
            write(path, kind, FEW)
            few = peak.export(AUXREC, path)
            write(path, kind, MANY)
            many = peak.export(AUXREC, path)
            tap.result(f"{kind.__name__}: memory for {MANY} records instead of {FEW}: at most "
                       f"{MORE} KiB more", "" if many - few <= MORE else f"{few} and {many} KiB")
            print(f"# {few} and {many} KiB")
    return tap.end()


sys.exit(main())
