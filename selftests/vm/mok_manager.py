#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# mok_manager.py PASSWORD LOG QEMU ARG...: start a virtual machine in which shim starts MokManager,
# and enrol the key there, as a person does: read the screen, press a key, and read again. The
# program waits for texts, never for a time. LOG gets what the serial console shows. The exit status
# is 0 if MokManager has asked for the reboot that follows an enrolment, and the machine is off.

import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time

# Seconds for one text: on a busy host, the emulated machine can stand still for a while.
LIMIT = 600
# The line of a menu that Enter chooses has a black background.
MARKED = r"\x1b\[40m\x1b\[\d+;\d+H│ *(\S.*?) *│"
KEYS = {"-": "minus"}


class Machine:
    """A virtual machine, with its console and its keyboard."""

    def __init__(self, command, folder, log):
        self.log = log
        self.shown = b""
        path = os.path.join(folder, "monitor")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.qemu = subprocess.Popen([*command, "-serial", "stdio", "-monitor", f"unix:{path}"],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def connect(self):
        """Connect to the keyboard. QEMU connects before the console shows anything, or ends."""
        if self.listener not in select.select([self.listener, self.qemu.stdout], [], [], LIMIT)[0]:
            raise EOFError
        self.monitor, _ = self.listener.accept()

    def read(self, end):
        """Read what the console shows next. Return False if the machine is off."""
        left = max(0, end - time.monotonic())
        if not select.select([self.qemu.stdout], [], [], left)[0]:
            raise TimeoutError
        data = os.read(self.qemu.stdout.fileno(), 65536)
        self.log.write(data)
        self.log.flush()
        self.shown += data
        return bool(data)

    def wait(self, pattern):
        """Wait until the console shows the PATTERN. Forget everything up to there."""
        end = time.monotonic() + LIMIT
        pattern = re.compile(pattern.encode())
        while not (found := pattern.search(self.shown)):
            if not self.read(end):
                raise EOFError
        self.shown = self.shown[found.end():]
        return found

    def press(self, *keys):
        for key in keys:
            self.monitor.sendall(f"sendkey {KEYS.get(key, key)}\n".encode())

    def choose(self, title, item):
        """Wait for the menu TITLE, and choose ITEM."""
        self.wait(re.escape(title))
        while self.wait(MARKED)[1] != item.encode():
            self.press("down")
        print(f"{title}: {item}", flush=True)
        self.press("ret")

    def wait_for_end(self):
        end = time.monotonic() + LIMIT
        while self.read(end):
            pass


def enrol(machine, password):
    machine.connect()
    machine.wait("Press any key to perform MOK management")
    machine.press("ret")
    machine.choose("Perform MOK management", "Enroll MOK")
    machine.choose("[Enroll MOK]", "Continue")
    machine.choose("Enroll the key(s)?", "Yes")
    machine.wait("Password:")
    machine.press(*password, "ret")
    # MokManager offers a reboot only after an enrolment.
    machine.choose("Perform MOK management", "Reboot")
    machine.wait_for_end()


def main():
    password, log, *command = sys.argv[1:]
    with open(log, "wb") as file, tempfile.TemporaryDirectory() as folder:
        machine = Machine(command, folder, file)
        try:
            enrol(machine, password)
        except (TimeoutError, EOFError) as error:
            sys.exit(f"mok_manager.py: {type(error).__name__}: the console shows other texts, see {log}")
        finally:
            machine.qemu.kill()
            machine.qemu.wait()


main()
