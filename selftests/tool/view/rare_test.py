#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test traces that are rare, each with the flow that both decoders of auxview must find; prints TAP.

Usage: rare_test.py LIST_FLOW
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import decoders_test as decoders    # noqa: E402
import tap                          # noqa: E402

seeds = decoders.load_seeds()
g, packet, psb, tnt = seeds.g, seeds.packet, seeds.psb, seeds.tnt
START, AFTER, ONE, TWO, FOREVER = seeds.START, seeds.AFTER, seeds.ONE, seeds.TWO, seeds.FOREVER
TIP, PGD, FUP = seeds.TIP, seeds.PGD, seeds.FUP
OVF, MODE, OFF = b"\x02\xf3", b"\x99\x01", b"\x01"
NOP8 = ".byte\t0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"


def enter(ip):
    return MODE + packet(seeds.PGE, ip)


def leave(ip):
    return packet(FUP, ip) + OFF


def mapped(time, start, length, file):
    """Return the record of a map of a file that is mapped from 0x400000 on."""
    body = (struct.pack("<IIQQQ", 100, 100, start, length, start - 0x400000) +
            struct.pack("<IIQQII", 8, 1, 1234, 1, 5, 2) + g.text(file))
    return g.Rec("map", 10, body + g.sample_id(g.DUMMY, time, 100), g.USER)


def stream(data, *maps):
    """A thread that execs the program and is traced. More files can be mapped later."""
    recs = [rec for rec in g.setup([g.DUMMY, g.PT], seeds.info(False))
            if rec.type != seeds.FEATURE]
    execs = g.comm("exec", 100, "code", g.T0 + 1)
    execs.misc = seeds.EXEC
    recs += [execs, mapped(g.T0 + 2, 0x400000, 0x4000, "/bin/true"), seeds.switch(g.T0 + 3, 100),
             *maps, seeds.aux(data), g.Rec("round", 68),
             seeds.switch(g.T0 + 5000, 100, seeds.OUT),
             g.fork("exit", 100, 1, g.T0 + 6000, misc=0, type_=seeds.EXIT), g.Rec("round", 68)]
    return g.dump(recs)


def show(tmp, recording):
    """Return the flow of both decoders, without the thread."""
    path = tmp + "/rec"
    with open(path, "wb") as f:
        f.write(recording)
    return [[" ".join(line.split()[1:]) for line in decoders.flow(tmp, path, *more)]
            for more in ((), ("libipt",))]


def expect(name, tmp, recording, *want):
    """Compare the flow of both decoders, and compare it with lines if there are any."""
    ours, theirs = show(tmp, recording)
    wrong = ""
    if ours != theirs:
        wrong = f"{ours} instead of libipt's {theirs}"
    elif want and [line.rsplit(" ", 1)[0] for line in ours] != list(want):
        wrong = f"{ours} instead of {list(want)}"
    tap.result(name, wrong)


def test_overflow(tmp):
    """Tracing was off at the overflow. FUP says that it is on after it."""
    expect("an overflow while tracing is off", tmp, stream(
        psb(1000) + OVF + packet(FUP, START) + tnt(0) + packet(TIP, START) +
        psb(2000, TWO) + leave(TWO)),
           "cut 0 0", "sync 0 400200", "call 400200 400220", "return 400222 400200",
           "call 400200 400220", "cut 400220 0", "sync 0 400230", "end 400230 400230")


def test_call_at_end(tmp):
    """The return is compressed, and goes to the call at which tracing ended."""
    expect("an indirect call at which tracing ends", tmp, stream(
        psb(1000) + enter(START) + tnt(0) + packet(TIP, AFTER) + tnt(0) + OFF + seeds.tsc(1100) +
        enter(ONE) + tnt(0, 1) + tnt(1) + leave(START)),
           "begin 0 400200", "call 400200 400220", "return 400222 400205", "end 400207 400209",
           "begin 0 400220", "return 400222 400209", "end 400200 400200")


def test_no_mode(tmp):
    """PSB+ has no MODE.Exec, and there is none before TIP.PGE. libipt's versions differ in the mode
    that they assume.
    """
    begin = psb(1000).replace(MODE, b"")
    expect("a trace that does not tell the mode", tmp, stream(
        begin + packet(seeds.PGE, START) + tnt(0) + packet(TIP, AFTER) + tnt(1) + leave(START)))


def test_mov_to_cr3(tmp):
    decoders.build(tmp, ".text\n.globl _start\n.type _start, @function\n_start:\tnop\n"
                   "mov %rax, %cr3\nnop\n.type b, @function\nb:\tcall c\nnop\n"
                   ".type c, @function\nc:\tjmp *%rax\n")
    expect("tracing ends at a MOV to CR3", tmp, stream(
        psb(1000) + enter(START) + OFF + enter(START + 4) + leave(START + 4)),
           "begin 0 400200", "end 400201 400203", "begin 0 400204", "end 400204 400204")


def test_times(tmp):
    """libipt 2.1 reports a disabled event for each PSB+ without an address."""
    decoders.build(tmp, decoders.program())
    expect("synchronization points while tracing is off", tmp, stream(
        psb(1000, START) + seeds.tsc(1200) + tnt(0) + packet(TIP, AFTER) + OFF +
        psb(2600) + psb(2700) + enter(START) + tnt(0) + packet(TIP, AFTER) + leave(AFTER)),
           "sync 0 400200", "call 400200 400220", "return 400222 400205", "end 400205 400207",
           "begin 0 400200", "call 400200 400220", "return 400222 400205", "end 400205 400205")


def test_known_blocks(tmp):
    """Code runs from one function into another without a branch. libipt's cache has the return when
    libipt first decodes the code before it, so libipt ends a block there.
    """
    decoders.build(tmp, decoders.program(""))
    between = START + 0xd
    expect("a block that ends where the cache has another", tmp, stream(
        psb(1000, ONE) + tnt(0) + packet(TIP, TWO + 4) + packet(TIP, between) +
        packet(TIP, FOREVER) + leave(FOREVER)),
           "sync 0 400220", "return 400222 400234", "jump 400234 40020d",
           "return 400222 400240", "end 400240 400240")


def straight(middle):
    """Return a program of 11 KiB of straight code, whose second page begins with @middle."""
    return (f".text\n.globl _start\n.type _start, @function\n_start:\n.rept 448\n{NOP8}.endr\n"
            f"{middle}.rept 1000\n{NOP8}.endr\n.type e, @function\ne:\tjmp *%rax\n"
            ".type f, @function\nf:\tnop\njmp *%rdx\n")


def address(tmp, symbol):
    done = subprocess.run(["nm", tmp + "/bin/true"], capture_output=True, check=True)
    return int(re.search(rf"^(\w+) . {symbol}$", done.stdout.decode(), re.M)[1], 16)


def test_map(tmp):
    """First the whole block is executed, then its begin and the jump in the new page."""
    decoders.build(tmp, straight(NOP8))
    decoders.build(tmp, straight(".byte 0xe9\n.long f - . - 4\n.byte 0x0f, 0x1f, 0\n"), "other")
    f = address(tmp, "f")
    expect("code mapped into the middle of a block", tmp, stream(
        psb(1000, START) + packet(TIP, f) + leave(f) +
        psb(2000, START) + packet(TIP, START) + leave(START),
        mapped(g.T0 + 500, 0x401000, 0x1000, "/bin/other")),
           "sync 0 400200", "jump 402f48 402f4a", "end 402f4a 402f4a", "sync 0 400200",
           "jump 400ff8 401000", "jump 401000 402f4a", "jump 402f4b 400200", "end 400200 400200")


def main():
    with tempfile.TemporaryDirectory(prefix="rare-", dir="/dev/shm") as tmp:
        decoders.build(tmp, decoders.program())
        test_overflow(tmp)
        test_call_at_end(tmp)
        test_no_mode(tmp)
        test_mov_to_cr3(tmp)
        test_times(tmp)
        test_known_blocks(tmp)
        test_map(tmp)
    return tap.end()


sys.exit(main())
