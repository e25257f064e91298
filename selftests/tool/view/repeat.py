#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# repeat.py IN OUT TIMES: make a large recording of a small one, by repeating the AUX data of each
# queue. The times in the data are repeated, too.

import struct
import sys

AUXTRACE, TRACING_DATA = 71, 66


def records(data):
    """Yield the offset, the type, the size and the size with what follows of each record."""
    at = 16
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        blob = struct.unpack_from("<Q", data, at + 8)[0] if kind == AUXTRACE else \
            struct.unpack_from("<I", data, at + 8)[0] if kind == TRACING_DATA else 0
        yield at, kind, size, size + blob
        at += size + blob


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
            bodies.setdefault(queue, bytearray()).extend(data[at + size:at + whole])
    with open(target, "wb") as f:
        f.write(data[:16])
        for at, kind, size, whole in records(data):
            f.write(data[at:at + whole])
            if kind != AUXTRACE:
                continue
            queue = struct.unpack_from("<I", data, at + 32)[0]
            if last[queue] != at:
                continue
            head = bytearray(data[at:at + size])
            offset = sum(struct.unpack_from("<QQ", head, 8))
            for _ in range(times - 1):
                struct.pack_into("<QQ", head, 8, len(bodies[queue]), offset)
                f.write(head)
                f.write(bodies[queue])
                offset += len(bodies[queue])


main()
