#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# by_cpu.py IN OUT: turn a recording of one thread into a recording of CPU 0. OUT says that the AUX
# data is the CPU's, and that the CPU switched to the thread at the thread's exec, and away at the
# exit. This is needed because softpt records threads only.

import struct
import sys

COMM, EXIT, SWITCH_CPU_WIDE, TRACING_DATA, AUXTRACE_INFO, AUXTRACE = 3, 4, 15, 66, 70, 71
EXEC, OUT = 1 << 13, 1 << 13
PER_CPU = 16 + 9 * 8
NOBODY = 0xffffffff


def switch(record, misc):
    """Make a switch from or to the idle task, at the time of another record of the thread."""
    trailer = bytearray(record[-32:])
    struct.pack_into("<I", trailer, 16, 0)
    return struct.pack("<IHHII", SWITCH_CPU_WIDE, misc, 48, 0, 0) + trailer


def main():
    """Copy the stream, and change the records that say whose the data is."""
    with open(sys.argv[1], "rb") as f:
        data = bytearray(f.read())
    at = 16
    out = bytearray(data[:at])
    while at < len(data):
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        blob = struct.unpack_from("<Q", data, at + 8)[0] if kind == AUXTRACE else \
            struct.unpack_from("<I", data, at + 8)[0] if kind == TRACING_DATA else 0
        if kind == AUXTRACE_INFO:
            struct.pack_into("<Q", data, at + PER_CPU, 1)
        elif kind == AUXTRACE:
            struct.pack_into("<III", data, at + 32, 0, NOBODY, 0)
        out += data[at:at + size + blob]
        if kind == COMM and misc & EXEC or kind == EXIT:
            out += switch(data[at:at + size], OUT if kind == EXIT else 0)
        at += size + blob
    with open(sys.argv[2], "wb") as f:
        f.write(out)


main()
