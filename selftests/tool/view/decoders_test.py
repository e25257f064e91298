#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test that auxview's decoder with a cache of the code finds the same flow and the same times as
libipt's block decoder, in traces of random paths through a small program; prints TAP.

Usage: decoders_test.py LIST_FLOW
"""

import importlib.machinery
import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
FUZZ = HERE + "/../../fuzz/view"
sys.path[:0] = [HERE + "/../stream", HERE + "/../record"]

import tap              # noqa: E402

LIST_FLOW = os.path.abspath(sys.argv[1])
SEED = int(os.environ.get("SEED", "1"))
TRACES, STEPS, BROKEN = 12, 600, 3
OVF, PAD = b"\x02\xf3", b"\x00"


def load_seeds():
    """Load the script that writes packets and recordings for the program code.S."""
    loader = importlib.machinery.SourceFileLoader("seeds", FUZZ + "/seeds")
    spec = importlib.util.spec_from_loader("seeds", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def program(padding=", 0xcc"):
    """Return the source of the program. Where libipt ends a block without a branch depends on the
    blocks that it knows, and so do the times. With the padding, an instruction that ends a block is
    in each gap between functions.
    """
    with open(FUZZ + "/code.S", encoding="ascii") as f:
        return re.sub(r"(\.org\t0x[0-9]+)", rf"\1{padding}", f.read())


def build(tmp, source, name="true"):
    """Build a program in the directory for --symfs."""
    os.makedirs(tmp + "/bin", exist_ok=True)
    with open(tmp + "/code.S", "w", encoding="ascii") as f:
        f.write(source)
    subprocess.run(["gcc", "-nostdlib", "-static", "-Wl,-z,noseparate-code",
                    "-Wl,-z,max-page-size=4096", "-Wl,--build-id=none", "-Wl,-Ttext=0x400200",
                    "-o", f"{tmp}/bin/{name}", tmp + "/code.S"], check=True)


class Program:
    """A way through code.S, and its trace."""

    def __init__(self, s, rng):
        self.s, self.rng = s, rng
        self.data, self.bits, self.calls, self.clock = b"", [], [], 1000
        self.places = [s.START, s.AFTER, s.ONE, s.TWO, s.FOREVER, s.RECURSE]
        self.ip = s.START
        self.sync()

    def flush(self):
        if self.bits:
            self.data += self.s.tnt(*self.bits)
            self.bits = []

    def put(self, data):
        self.flush()
        self.data += data

    def branch(self, taken):
        self.bits.append(taken)
        if len(self.bits) == 6:
            self.flush()

    def sync(self):
        self.flush()
        self.calls = []
        self.clock += self.rng.randrange(1, 500)
        self.put(self.s.psb(self.clock, self.ip))

    def go_to(self, ip):
        self.put(self.s.packet(self.s.TIP, ip))
        self.ip = ip

    def leave(self, *packets):
        """Tracing ends, and goes on elsewhere."""
        self.put(b"".join(packets) + b"\x01")
        self.clock += self.rng.randrange(500)
        if self.rng.random() < 0.3:
            self.data += self.s.psb(self.clock)
            self.calls = []
        self.data += self.s.tsc(self.clock)

    def enter(self, ip):
        self.put(b"\x99\x01" + self.s.packet(self.s.PGE, ip))
        self.ip = ip

    def call(self, target, back):
        self.calls.append(back)
        self.ip = target

    def ret(self):
        """Return, sometimes to another place than the call's."""
        if self.calls and self.rng.random() < 0.5:
            self.branch(1)
            self.ip = self.calls.pop()
            return
        if self.calls:
            self.calls.pop()
        self.go_to(self.rng.choice(self.places))

    def interrupt(self):
        """Something happens at this instruction."""
        s, what = self.s, self.rng.randrange(5)
        fup = s.packet(s.FUP, self.ip)
        if what == 0:
            self.leave(fup)
            self.enter(self.rng.choice(self.places))
        elif what == 1:
            self.put(fup)
            self.go_to(self.rng.choice(self.places))
        elif what == 2:
            self.ip = self.rng.choice(self.places)
            self.calls = []
            self.put(OVF + s.packet(s.FUP, self.ip))
        elif what == 3:
            self.put(b"\x02\x03" + bytes([self.rng.randrange(8, 40), 0]) + PAD)
        else:
            self.clock += self.rng.randrange(100)
            self.put(s.tsc(self.clock))

    def step(self):
        """Execute the instructions at a place of the program."""
        s, rng = self.s, self.rng
        if self.ip == s.START:
            self.call(s.ONE, s.AFTER)
        elif self.ip == s.AFTER:
            taken = rng.randrange(2)
            self.branch(taken)
            if taken:
                self.ip = s.START
            else:
                self.calls.append(s.AFTER + 4)
                self.go_to(rng.choice(self.places))
        elif self.ip == s.AFTER + 4:
            self.ip = s.AFTER
        elif self.ip == s.ONE:
            taken = rng.randrange(2)
            self.branch(taken)
            if taken:
                self.ip = s.TWO
            else:
                self.ret()
        elif self.ip == s.TWO:
            self.leave()
            taken = rng.randrange(2)
            self.enter(s.TWO + 2)
            self.branch(taken)
            if taken:
                self.ip = s.ONE
            else:
                self.go_to(rng.choice(self.places))
        elif self.ip == s.RECURSE:
            self.interrupt_at(s.RECURSE)
        else:
            self.interrupt_at(s.FOREVER)

    def interrupt_at(self, ip):
        """Leave a loop, or a recursion, that has no branch with packets."""
        self.ip = ip
        self.leave(self.s.packet(self.s.FUP, ip))
        self.enter(self.rng.choice(self.places[:4]))

    def run(self):
        for _ in range(STEPS):
            if self.rng.random() < 0.05:
                self.interrupt()
            if self.rng.random() < 0.02:
                self.sync()
            self.step()
        self.leave(self.s.packet(self.s.FUP, self.ip))
        return self.data


def flow(tmp, path, *more):
    """Return the lines of list_flow."""
    done = subprocess.run([LIST_FLOW, path, "1", tmp, *more], capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def compare(tmp, data, seeds, fields=5):
    """Return the first difference, and our lines. Compare the first @fields fields of a line: with 4,
    times can differ.
    """
    path = tmp + "/rec"
    with open(path, "wb") as f:
        f.write(seeds.trace(data))
    ours, theirs = flow(tmp, path), flow(tmp, path, "libipt")
    for n, (a, b) in enumerate(zip(ours, theirs)):
        if a.split()[:fields] != b.split()[:fields]:
            return f"line {n}: '{a}' instead of '{b}'", ours
    if len(ours) != len(theirs):
        return f"{len(ours)} lines instead of {len(theirs)}", ours
    return "", ours


def broken(data, rng):
    """Change some bits, but not the mode of code. libipt's cache keeps the mode with each block, and
    pt_blk_proceed_no_event_cached() in pt_block_decoder.c uses a block without comparing its mode
    with the mode of the trace. So libipt decodes a block in the mode of the first run that reached
    the block, and which run is the first depends on the runs that the fast decoder takes.
    """
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return re.sub(rb"\x99[\x00\x02\x03]", b"\x99\x01", bytes(data))


def main():
    print(f"# seed {SEED}")
    rng, seeds = random.Random(SEED), load_seeds()
    with tempfile.TemporaryDirectory(prefix="decoders-", dir="/dev/shm") as tmp:
        build(tmp, program())
        traces = [Program(seeds, rng).run() for _ in range(TRACES)]
        wrong, total, errors = [], 0, 0
        for data in traces:
            difference, lines = compare(tmp, data, seeds)
            total += len(lines)
            errors += sum(" error " in line or " no-code " in line for line in lines)
            if difference:
                wrong.append(difference)
        tap.result(f"{TRACES} traces", "; ".join(wrong[:3]) or
                   ("" if total > 10000 and errors * 1000 < total else
                    f"{errors} errors in {total} lines"))
        print(f"# {total} lines, {errors} errors")
        wrong = [d for d in (compare(tmp, broken(data, rng), seeds)[0]
                             for data in traces for _ in range(BROKEN)) if d]
        tap.result(f"{TRACES * BROKEN} traces with wrong bits", "; ".join(wrong[:3]))
        build(tmp, program(""))
        wrong = [d for d in (compare(tmp, data, seeds, 4)[0]
                             for data in traces + [broken(data, rng) for data in traces]) if d]
        tap.result(f"{2 * TRACES} traces without padding, without times", "; ".join(wrong[:3]))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
