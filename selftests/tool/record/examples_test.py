#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the examples of the manual pages.

Usage: examples_test.py [PAGE...]
The default is all pages of Documentation/man. The test needs root, the modules, the user "tester"
and perf: it is meant for a VM. It prints TAP, one test for each page.

An example is a block from .EX to .EE in the section EXAMPLES. A line that begins with "$ " is a
command of an ordinary user, a line that begins with "# " is a command of root, and a "\\" at the end
of a command continues it. Each command must have the exit status 0. Other lines are output of the
command above: the first word of such a line must be the first word of a line that the command
prints, in this order. "..." stands for any lines.

The examples of a page run in their order, in one directory, with one shell for each of the two
users. The directory has a program, prog, that examples can record.
"""

import glob
import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap                              # noqa: E402
from tap import result                  # noqa: E402

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
BUILD = os.environ.get("BUILD") or os.path.join(TOP, "build")
MAN = os.path.join(TOP, "Documentation/man")
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
INTEL_PT = "/sys/bus/event_source/devices/intel_pt"
ESCAPES = {"-": "-", "e": "\\", "(aq": "'", "(dq": '"', "(ha": "^", "(ti": "~", "&": ""}


class Example:
    """A command of the manual, and the output that the manual shows."""

    def __init__(self, prompt, command):
        self.is_root = prompt == "#"
        self.command = command
        self.output = []


def plain(line):
    """Return a line of a page without roff's escapes."""
    return re.sub(r"\\(\(..|.)", lambda found: ESCAPES[found.group(1)], line)


def examples(page):
    """Return the examples of a page, and what is wrong with them."""
    flat = subprocess.run([os.path.join(MAN, "flatten"), page], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    found, wrong = [], ""
    inside = False
    section = ""
    for line in flat.splitlines():
        if line.startswith(".SH "):
            section = line[4:]
            inside = False
        elif section == "EXAMPLES" and line in (".EX", ".EE"):
            inside = line == ".EX"
            is_new = inside
        elif inside:
            line = plain(line)
            if line[:2] in ("$ ", "# "):
                found.append(Example(line[0], line[2:]))
                is_new = False
            elif is_new:
                wrong += f"a block begins without a command: {line}\n"
            elif found[-1].command.endswith("\\") and not found[-1].output:
                found[-1].command += "\n" + line
            else:
                found[-1].output.append(line)
    return found, wrong + ("" if found else "no examples\n")


class Shell:
    """A shell of a user, which runs one command after another."""

    def __init__(self, user, cwd, bin_dir):
        self.log = tempfile.NamedTemporaryFile(prefix="examples.")
        os.chmod(self.log.name, 0o600)
        os.chown(self.log.name, user.pw_uid, user.pw_gid)
        status, self.fd = os.pipe()
        self.status = os.fdopen(status)
        environ = dict(os.environ, HOME=user.pw_dir, USER=user.pw_name,
                       PATH=f"{bin_dir}:{os.environ['PATH']}")
        self.process = subprocess.Popen(
            ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups",
             "bash", "--norc"],
            stdin=subprocess.PIPE, text=True, cwd=cwd, env=environ, pass_fds=[self.fd])
        os.close(self.fd)

    def run(self, command):
        """Run a command. Return its exit status and its output."""
        os.truncate(self.log.name, 0)
        self.process.stdin.write(
            f"eval {shlex.quote(command)} </dev/null >>{self.log.name} 2>&1 {self.fd}>&-\n"
            f"echo $? >&{self.fd}\n")
        self.process.stdin.flush()
        status = self.status.readline().strip() or "none, the shell has ended"
        with open(self.log.name, errors="replace") as log:
            return status, log.read().splitlines()

    def end(self):
        """End the shell, and the commands in its background."""
        self.process.stdin.write("for job in $(jobs -p); do kill $job; done; wait\n")
        self.process.stdin.close()
        self.process.wait()


def first(line):
    """Return the first word of a line."""
    return (line.split() or [""])[0]


def misses(example, lines):
    """Return the first line of the example's output that the command did not print, or None."""
    rest = iter(lines)
    for line in example.output:
        if line.strip() != "..." and first(line) not in map(first, rest):
            return line
    return None


def run(page, directory, bin_dir):
    """Run the examples of a page. Return what is wrong."""
    tester = pwd.getpwnam("tester")
    os.chown(directory, tester.pw_uid, tester.pw_gid)
    shutil.copy(os.path.join(BUILD, "selftests/demo_calls"), os.path.join(directory, "prog"))
    found, wrong = examples(page)
    shells = {True: Shell(pwd.getpwuid(0), directory, bin_dir),
              False: Shell(tester, directory, bin_dir)}
    for example in found:
        print(f"# {'#' if example.is_root else '$'} {example.command}".replace("\n", "\n#  "),
              flush=True)
        status, lines = shells[example.is_root].run(example.command)
        missing = misses(example, lines)
        if status != "0":
            wrong += f"status {status}: {example.command}\n"
        elif missing is not None:
            wrong += f"no line begins like '{missing}': {example.command}\n"
        else:
            continue
        wrong += "".join(f"  {line}\n" for line in lines[-10:])
    for shell in shells.values():
        shell.end()
    return wrong


def main():
    pages = sys.argv[1:] or sorted(glob.glob(os.path.join(MAN, "*.[1-8]")))
    module = f"{BUILD}/modules/{os.environ.get('PERFAUX_KERNEL')}/softpt.ko"
    inserted = not os.path.exists(INTEL_PT)
    if inserted:
        subprocess.run(["insmod", module], check=True)
    with open(PARANOID) as paranoid:
        before = paranoid.read()
    with open(PARANOID, "w") as paranoid:
        paranoid.write("2")
    with tempfile.TemporaryDirectory(prefix="examples.bin.") as bin_dir:
        # The build may have been made by a root whose files nobody else can read.
        os.chmod(bin_dir, 0o755)
        for program in ("auxrec", "auxview"):
            shutil.copy(os.path.join(BUILD, "tool", program), bin_dir)
            os.chmod(os.path.join(bin_dir, program), 0o755)
        for page in pages:
            with tempfile.TemporaryDirectory(prefix="examples.") as directory:
                result(f"the examples of {os.path.basename(page)}", run(page, directory, bin_dir))
    with open(PARANOID, "w") as paranoid:
        paranoid.write(before)
    if inserted:
        subprocess.run(["rmmod", "softpt"], check=True)
    for path in glob.glob("/sys/fs/bpf/*"):
        os.unlink(path)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
