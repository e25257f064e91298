#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""stream_ids.py FILE: print the build-ids in a stream, one a line:

map NAME ID|none, kernel NAME ID|none, record NAME ID (a BUILD_ID record)
"""
import struct
import sys

MMAP2, BUILD_ID, AUXTRACE, TRACING_DATA = 10, 67, 71, 66
MISC_CPUMODE, MISC_KERNEL, MISC_MMAP_BUILD_ID = 7, 1, 0x4000


def name(data):
    return data.split(b"\0", 1)[0].decode()


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    at = 16
    while at + 8 <= len(data):
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        rec = data[at:at + size]
        at += size
        if kind == AUXTRACE:
            at += struct.unpack_from("<Q", rec, 8)[0]
        elif kind == TRACING_DATA:
            at += struct.unpack_from("<I", rec, 8)[0]
        elif kind == MMAP2:
            who = "kernel" if misc & MISC_CPUMODE == MISC_KERNEL else "map"
            ident = "none"
            if misc & MISC_MMAP_BUILD_ID:
                ident = rec[44:44 + rec[40]].hex()
            print(who, name(rec[72:]), ident)
        elif kind == BUILD_ID:
            print("record", name(rec[36:]), rec[12:12 + rec[32]].hex())


main()
