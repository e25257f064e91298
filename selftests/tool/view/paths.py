#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# paths.py PROGRAM TRUTH JSON: compare the call stacks in the output of `auxrec export --json` with
# those that a program has printed (programs/path.h). Functions that the program does not have in
# its list are left out of the stacks. Prints the first difference.

import json
import struct
import subprocess
import sys


def main():
    """Compare."""
    program, truth, lines = sys.argv[1:]
    names = {}
    for line in subprocess.run(["nm", program], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        word = line.split()
        if len(word) == 3 and word[1] in "tTwW":
            names.setdefault(int(word[0], 16), word[2])
    wanted, path = [], []
    with open(truth, "rb") as f:
        for (address,) in struct.iter_unpack("<Q", f.read()):
            if address:
                path.append(address)
            else:
                wanted.append(path)
                path = []
    known = {address for path in wanted for address in path}
    functions, stacks, found = {}, {}, []
    for line in open(lines, encoding="utf-8"):
        item = json.loads(line)
        kind = item["type"]
        if kind == "name":
            functions[item["name"]] = item.get("address", 0) \
                if item["object"].endswith(program.rsplit("/", 1)[-1]) else 0
        elif kind == "enter":
            stack = stacks.setdefault(item["lane"], [])
            stack.append(functions[item["name"]])
            if stack[-1] in known and not item.get("began_earlier"):
                found.append([a for a in stack if a in known])
        elif kind == "leave":
            stacks[item["lane"]].pop()
    if not wanted:
        print("the program has printed nothing")
    for number, (want, got) in enumerate(zip(wanted, found)):
        if want != got:
            print(f"call {number}: the stack is {[names.get(a) for a in got]},"
                  f" not {[names.get(a) for a in want]}")
            return
    if len(wanted) != len(found):
        print(f"{len(found)} calls, not {len(wanted)}")


main()
