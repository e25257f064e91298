#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# repeat.py IN OUT TIMES: make a large recording of a small one, by repeating the Intel PT of each
# queue. Each copy is later than the one before, because perf leaves out data that begins again at
# an earlier time.

import struct
import sys

EXIT, AUXTRACE, TRACING_DATA = 4, 71, 66
PRIMER = 16


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


def main():
    """Write the stream again, and repeat the data after the last record of each queue."""
    source, target, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(source, "rb") as f:
        data = f.read()
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
            queue = struct.unpack_from("<I", data, at + 32)[0]
            if last[queue] != at:
                continue
            head = bytearray(data[at:at + size])
            offset = sum(struct.unpack_from("<QQ", head, 8))
            body = bodies[queue]
            places = clocks(body)
            length = clock(body, places[-1]) - clock(body, places[0]) + 1000
            for _ in range(times - 1):
                for place in places:
                    body[place:place + 7] = (clock(body, place) + length).to_bytes(7, "little")
                struct.pack_into("<QQ", head, 8, len(body), offset)
                f.write(head)
                f.write(body)
                offset += len(body)


main()
