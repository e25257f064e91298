# SPDX-License-Identifier: GPL-2.0-only
"""The most memory that auxrec export needs."""

import subprocess


def high_water(pid):
    """Return the most memory that a process has had, in KiB, or 0 if it has ended."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next((int(line.split()[1]) for line in f if line.startswith("VmHWM:")), 0)


def export(auxrec, path):
    """Return the memory that an export needs, in KiB. Output begins when the scan has ended."""
    most = 0
    # With more threads, the memory would depend on how far they decode ahead.
    command = [auxrec, "export", "--json", "--threads", "1", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        while child.stdout.read(1 << 16):
            most = max(most, high_water(child.pid))
    if child.returncode or not most:
        raise ValueError(f"status {child.returncode}")
    return most
