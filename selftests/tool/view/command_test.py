#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test what auxrec view leaves behind and says, for recordings that are whole, cut, and none.

Usage: command_test.py AUXVIEW
Prints TAP.
"""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + "/../stream", HERE + "/../record"]

import streamgen as g   # noqa: E402
import tap              # noqa: E402


def view(data):
    """Make a page of a stream. Return the exit status, the messages, and the files it leaves."""
    with tempfile.TemporaryDirectory(prefix="view-command.") as folder:
        with open(f"{folder}/made.auxrec", "wb") as f:
            f.write(data)
        done = subprocess.run([os.path.abspath(sys.argv[1]), "view", "made.auxrec"], cwd=folder,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr, sorted(set(os.listdir(folder)) - {"made.auxrec"})


def check(name, data, status, page, *words):
    """Report whether a stream has this exit status, a page or none, and words in the messages."""
    got, text, files = view(data)
    why = "" if got == status else f"exit status {got}, not {status}\n"
    if files != (["made.html"] if page else []):
        why += f"files: {files}\n"
    if ("open made.html in a browser" in text) != page:
        why += "the message about the page is wrong\n"
    why += "".join(f"no '{word}' in the messages\n" for word in words if word not in text)
    tap.result(name, why and why + text)


def main():
    """Run the tests."""
    stream = g.MAGIC + b"".join(rec.bytes() for rec in g.chunks_stream())
    print("TAP version 13", flush=True)
    check("a recording becomes a page", stream, 0, True)
    check("a recording that is cut becomes a page", stream[:-4], 1, True, "made.auxrec",
          "what comes before is in the output")
    check("a file that is no recording does not", b"junk\n", 1, False, "not a stream")
    check("an empty file becomes an empty page", b"", 1, True, "made.auxrec")
    sys.exit(tap.end())


main()
