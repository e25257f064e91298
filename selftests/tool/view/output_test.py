#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test that auxrec view and export do not write over their own recording; prints TAP.

Usage: output_test.py AUXREC
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

AUXREC = os.path.abspath(sys.argv[1])
DATA = g.dump(g.chunks_stream())
COMMANDS = [["view"], ["export", "--json"], ["export", "--folded"], ["export", "--perfetto"],
            ["export", "--perf-data"]]


def refused(args, out, **how):
    """Run a command that must refuse its output. Return what is wrong, or ''."""
    with open("rec", "wb") as f:
        f.write(DATA)
    if os.path.lexists("other"):
        os.unlink("other")
    if out == "hard link":
        os.link("rec", "other")
    elif out == "symbolic link":
        os.symlink("rec", "other")
    before = sorted(os.listdir("."))
    done = subprocess.run([AUXREC, *args], stderr=subprocess.PIPE, text=True, check=False, **how)
    with open("rec", "rb") as f:
        if f.read() != DATA:
            return "the recording is destroyed"
    if done.returncode != 2 or "is the recording itself" not in done.stderr:
        return f"status {done.returncode}: {done.stderr}"
    return "" if sorted(os.listdir(".")) == before else f"files {os.listdir('.')}"


def test_links(command):
    what = " ".join(command)
    for out, name in [("same name", "rec"), ("another path", "../tmp/rec"),
                      ("hard link", "other"), ("symbolic link", "other")]:
        tap.result(f"{what}: {out}", refused([*command, "-o", name, "rec"], out))

    def from_stdin():
        with open("rec", "wb") as f:
            f.write(DATA)
        # A shell opens the file before refused() writes it, so this opens the same inode.
        with open("rec", "rb") as rec:
            return refused([*command, "-o", "rec", "-"], "", stdin=rec)
    tap.result(f"{what}: the recording is standard input", from_stdin())


def test_stdout():
    with open("rec", "ab") as rec:
        tap.result("export: standard output is the recording",
                   refused(["export", "--json", "rec"], "", stdout=rec))


def test_default_name():
    with open("page.html", "wb") as f:
        f.write(DATA)
    done = subprocess.run([AUXREC, "view", "page.html"], stderr=subprocess.PIPE, check=False)
    with open("page.html", "rb") as f:
        tap.result("view: the page's default name is that of the recording",
                   "" if done.returncode == 2 and f.read() == DATA else done.stderr.decode())


def test_others():
    """A link to a copy is another file, and a device is never the recording."""
    with open("rec", "wb") as f:
        f.write(DATA)
    with open("copy", "wb") as f:
        f.write(DATA)
    for out in ("copy", "/dev/null"):
        done = subprocess.run([AUXREC, "export", "--json", "-o", out, "rec"],
                              stderr=subprocess.PIPE, text=True, check=False)
        tap.result(f"export: {out} is another file", done.stderr if done.returncode else "")


with tempfile.TemporaryDirectory(prefix="view-output-") as top:
    os.mkdir(top + "/tmp")
    os.chdir(top + "/tmp")
    for each in COMMANDS:
        test_links(each)
    test_stdout()
    test_default_name()
    test_others()
    os.chdir("/")
sys.exit(tap.end())
