#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test that an idle recorder sleeps, and that it wakes up when it has work.

Usage: idle_test.py [AUXREC]
The test needs the right to record. It prints TAP.
"""

import ctypes
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import tap                              # noqa: E402
from tap import result                  # noqa: E402

AUXREC = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/tool/auxrec")
PATIENCE = 60   # seconds; if something takes longer, that is an error
WINDOW = 2      # seconds in which an idle recorder must not wake up


def wakeups(pid):
    """Return the number of context switches of all threads. A thread that wakes up has slept."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/status", encoding="ascii") as status:
            total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
    return total


def sleeps(pid, nr_most=0):
    """Wait until a process sleeps for a whole WINDOW. Return '', or an error after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while True:
        before = wakeups(pid)
        time.sleep(WINDOW)
        woke = wakeups(pid) - before
        if woke <= nr_most:
            return ""
        if time.monotonic() > deadline:
            return f"woke up {woke} times in {WINDOW} seconds"


def recorder(*args):
    return subprocess.Popen([AUXREC] + list(args), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def end(rec, sig=signal.SIGTERM):
    """End the recorder. Return its messages and its exit status."""
    rec.send_signal(sig)
    return finished(rec)


def finished(rec):
    try:
        said = rec.communicate(timeout=PATIENCE)[1]
    except subprocess.TimeoutExpired:
        rec.kill()
        return rec.communicate()[1] + "did not end", -1
    return said, rec.returncode


def target():
    return subprocess.Popen(["sleep", str(10 * PATIENCE)])


def test_process():
    who = target()
    rec = recorder("-e", "dummy:u", "-p", str(who.pid), "-o", "f")
    why = sleeps(rec.pid)
    if not why:
        # Only the end of the process can wake the recorder.
        who.kill()
        said, status = finished(rec)
        if status or "recorded tasks ended" not in said:
            why = f"{status}: {said}"
    else:
        end(rec)
    who.kill()
    who.wait()
    result("nothing happens: no wakeup until the process ends", why)


def test_command():
    rec = recorder("-e", "dummy:u", "-o", "f", "--", "sleep", str(10 * PATIENCE))
    why = sleeps(rec.pid)
    said, status = end(rec)
    if not why and status != 128 + signal.SIGTERM:
        why = f"{status}: {said}"
    result("a command that sleeps; a signal", why)
    began = time.monotonic()
    rec = recorder("-e", "dummy:u", "-o", "f", "--", "sleep", "3")
    said, status = finished(rec)
    why = "" if not status and "command ended" in said else f"{status}: {said}"
    result("a command that ends", why or ("" if time.monotonic() - began < PATIENCE else "late"))


def test_flight():
    who = target()
    rec = recorder("--flight=1s", "-M", "32M", "-e", "dummy:u", "-p", str(who.pid),
                   "--trigger", "signal=USR1", "-o", "snap", "--keep=3")
    why = sleeps(rec.pid)
    if not why:
        rec.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + PATIENCE
        while not [f for f in os.listdir(".") if f.startswith("snap.")]:
            if time.monotonic() > deadline:
                why = "no snapshot"
                break
            time.sleep(0.01)
    said, status = end(rec)
    who.kill()
    who.wait()
    result("a flight recorder; its trigger", why or (f"{status}: {said}" if status else ""))


def test_flight_all():
    """With -a the recorder also listens for CPUs that come and go."""
    rec = recorder("--flight", "-M", "64M", "-a", "-e", "dummy:u", "-o", "snap")
    # Something else on this machine may wake the recorder once.
    why = sleeps(rec.pid, 1)
    said, status = end(rec)
    result("a flight recorder of all CPUs", why or (f"{status}: {said}" if status else ""))


def rename(nr, pipe):
    """Wait for a byte from the pipe, then make @nr samples of task:task_rename.

    The pauses give the recorder time to read all of them.
    """
    libc = ctypes.CDLL(None)
    os.read(pipe, 1)
    for i in range(nr):
        libc.prctl(15, b"renamed", 0, 0, 0)
        if i % 50 == 49:
            time.sleep(0.005)


def test_other_owner():
    """Each CPU's ring belongs to the first process, which ends before the second one."""
    nr = 20000
    first = target()
    go, told = os.pipe()
    second = os.fork()
    if not second:
        os.close(told)
        rename(nr, go)
        os._exit(0)
    os.close(go)
    rec = recorder("-e", "task:task_rename", "-m", "64K", "-o", "f", "-p",
                   f"{first.pid},{second}")
    why = sleeps(rec.pid)
    first.kill()
    first.wait()
    why = why or sleeps(rec.pid)
    os.write(told, b"g")
    os.waitpid(second, 0)
    said, status = finished(rec)
    if not why and (status or f"{nr} samples" not in said):
        why = f"{status}: {said}"
    result("the ring's owner has ended: it is still read in time", why)


def test_terminal():
    """The recorder writes its status line only when the line changes."""
    pid, fd = pty.fork()
    if not pid:
        os.execv(AUXREC, [AUXREC, "-e", "dummy:u", "-o", "f", "--", "sleep",
                          str(10 * PATIENCE)])
    deadline = time.monotonic() + PATIENCE
    text, quiet = b"", 0
    while quiet < WINDOW and time.monotonic() < deadline:
        if select.select([fd], [], [], WINDOW)[0]:
            text += os.read(fd, 4096)
        else:
            quiet = WINDOW if b"losses" in text else 0
    os.kill(pid, signal.SIGTERM)
    try:
        while os.read(fd, 4096):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    why = ""
    if b"losses" not in text:
        why = f"no line: {text!r}"
    elif quiet < WINDOW:
        why = f"it is written again and again: {text[-200:]!r}"
    result("a terminal: the line is written when it changes", why)


def main():
    where = tempfile.mkdtemp(prefix="idle.")
    os.chdir(where)
    try:
        test_process()
        test_command()
        test_flight()
        if not os.environ.get("SHORT"):
            test_flight_all()
            test_other_owner()
            test_terminal()
    finally:
        os.chdir("/")
        shutil.rmtree(where)
    return tap.end()


sys.exit(main())
