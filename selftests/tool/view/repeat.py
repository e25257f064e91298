#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# repeat.py IN OUT TIMES: make a large recording of a small one, by repeating the Intel PT of each
# queue. Each copy is later than the one before, because perf leaves out data that begins again at
# an earlier time. The process executes the program again before each copy, so its stack begins
# anew.

import struct
import sys

COMM, EXIT, MMAP2, TRACING_DATA, ROUND, AUXTRACE_INFO, AUXTRACE = 3, 4, 10, 66, 68, 70, 71
EXEC = 1 << 13
PRIMER = 16
# A record ends with a sample_id: pid and tid, time, cpu, and identifier.
TIME_FROM_END = 24


def records(data):
    """Yield the offset, the type, the size and the size with what follows of each record."""
    at = 16
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        blob = struct.unpack_from("<Q", data, at + 8)[0] if kind == AUXTRACE else \
            struct.unpack_from("<I", data, at + 8)[0] if kind == TRACING_DATA else 0
        yield at, kind, size, size + blob
        at += size + blob


def packet_size(data, at):
    """Return the size of a packet of Intel PT. SDM volume 3, chapter "Intel Processor Trace"."""
    first = data[at]
    if first == 0x02:
        return {0x82: 16, 0x23: 2, 0xf3: 2, 0x03: 4, 0xa3: 8, 0x43: 8, 0x83: 2, 0xc8: 7}[data[at + 1]]
    if first in (0x00, 0x99, 0x59, 0x19):
        return {0x00: 1, 0x99: 2, 0x59: 2, 0x19: 8}[first]
    if not first & 1:
        return 1
    return 1 + {0: 0, 1: 2, 2: 4, 3: 6, 4: 6, 6: 8}[first >> 5]


def clocks(data):
    """Return the offsets of the clock in the TSC packets."""
    found, at = [], data.find(b"\x02\x82" * 8)
    while 0 <= at < len(data):
        if data[at] == 0x19:
            found.append(at + 1)
        at += packet_size(data, at)
    return found


def clock(data, at):
    return int.from_bytes(data[at:at + 7], "little")


def starts(data, pid):
    """Return the records of the last exec of a process and of the maps after it."""
    found = []
    for at, kind, size, _ in records(data):
        misc = struct.unpack_from("<H", data, at + 4)[0]
        if kind not in (COMM, MMAP2) or struct.unpack_from("<I", data, at + 8)[0] != pid:
            continue
        if kind == COMM and misc & EXEC:
            found = []
        if found or (kind == COMM and misc & EXEC):
            found.append(bytearray(data[at:at + size]))
    return found


def converter(data):
    """Return a function that turns the clock of TSC packets into times of records."""
    at = next(at for at, kind, _, _ in records(data) if kind == AUXTRACE_INFO)
    shift, mult, zero = struct.unpack_from("<3Q", data, at + 24)
    return lambda tsc: (zero + (tsc * mult >> shift)) % 2**64


def write_copies(f, head, body, begin, to_ns, times):
    """Write @times copies of a queue's data, each with the records of the process's begin."""
    offset = sum(struct.unpack_from("<QQ", head, 8))
    places = clocks(body)
    length = clock(body, places[-1]) - clock(body, places[0]) + 1000
    struct.pack_into("<Q", head, 8, len(body))
    for _ in range(times):
        for place in places:
            body[place:place + 7] = (clock(body, place) + length).to_bytes(7, "little")
        now = to_ns(clock(body, places[0]) - 100)
        for record in begin:
            struct.pack_into("<Q", record, len(record) - TIME_FROM_END, now)
            f.write(record)
        struct.pack_into("<QQ", head, 16, offset, now)
        f.write(head)
        f.write(body)
        f.write(struct.pack("<IHH", ROUND, 0, 8))
        offset += len(body)


def main():
    """Write the stream again, and repeat the data after the last record of each queue."""
    source, target, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(source, "rb") as f:
        data = f.read()
    to_ns = converter(data)
    last, bodies = {}, {}
    for at, kind, size, whole in records(data):
        if kind == AUXTRACE:
            queue = struct.unpack_from("<I", data, at + 32)[0]
            last[queue] = at
            body = bodies.setdefault(queue, bytearray())
            # The primer, which is the first data of a stream, is no trace.
            if body or whole - size > PRIMER:
                body.extend(data[at + size:at + whole])
    with open(target, "wb") as f:
        f.write(data[:16])
        for at, kind, size, whole in records(data):
            # perf has no code for data that is later than its thread's exit.
            if kind == EXIT:
                continue
            f.write(data[at:at + whole])
            if kind != AUXTRACE:
                continue
            queue, tid = struct.unpack_from("<II", data, at + 32)
            if last[queue] == at:
                write_copies(f, bytearray(data[at:at + size]), bodies[queue], starts(data, tid),
                             to_ns, times - 1)


main()
