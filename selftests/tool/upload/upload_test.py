#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""upload_test.py: test packaging/examples/auxrec-upload. With rclone, and with a store that rclone
serves on loopback (WebDAV), the network is cut at random. With a stand-in for rclone, which is
quick, the script is killed before, within and after each call of rclone. A file that has the name of a
snapshot in the store must be whole, and in the end everything is there. Random numbers come from
SEED. Prints TAP.
"""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SCRIPT = os.path.join(TOP, "packaging/examples/auxrec-upload")
SEED = int(os.environ.get("SEED", "1"))
SHORT = bool(os.environ.get("SHORT"))
RCLONE = shutil.which("rclone")
results = []

# The test puts this in rclone's place. It notes its arguments.
WRAPPER = """#!/bin/sh
echo "$*" >>"$CALLS"
exec %s "$@"
"""

# A stand-in for rclone, whose remote is the directory STORE. It can kill the script that calls it.
STUB = """#!/bin/sh
echo "$*" >>"$CALLS"
n=$(wc -l <"$CALLS")
[ "$n" != "${KILL_BEFORE-}" ] || { kill -9 "$SCRIPT_PID"; exit 1; }
[ -z "${DOWN-}" ] || exit 1
for word; do
	case $word in
	copyto | moveto | lsjson) op=$word ;;
	esac
	from=$last
	last=$word
done
to=$STORE/${last#store:}
case $op in
lsjson)
	[ -f "$to" ] && echo "{\\"Size\\":$(stat -c %s "$to"),}"
	;;
copyto)
	mkdir -p "${to%/*}"
	head -c $(($(stat -c %s "$from") / 2)) "$from" >"$to"
	[ "$n" != "${KILL_WITHIN-}" ] || { kill -9 "$SCRIPT_PID"; exit 1; }
	cat "$from" >"$to"
	;;
moveto)
	mkdir -p "${to%/*}"
	mv "$STORE/${from#store:}" "$to"
	;;
esac
status=$?
[ "$n" != "${KILL_AFTER-}" ] || kill -9 "$SCRIPT_PID"
exit $status
"""


def ok(problems, name):
    results.append(not problems)
    print(f"{'not ok' if problems else 'ok'} {len(results)} - {name}", flush=True)
    for line in problems[:10]:
        print(f"# {line}", flush=True)


class Cutter:
    """Forward TCP connections to a port. While there are cuts left, end each connection after some
    bytes."""

    def __init__(self, port, cuts):
        self.target, self.cuts = port, list(cuts)
        self.done = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        limit = self.cuts.pop(0) if self.cuts else None
        server = socket.create_connection(("127.0.0.1", self.target))
        back = threading.Thread(target=self.pump, args=(server, client, None), daemon=True)
        back.start()
        self.pump(client, server, limit)

    def pump(self, source, sink, limit):
        try:
            while limit is None or limit > 0:
                data = source.recv(min(limit or 65536, 65536))
                if not data:
                    break
                sink.sendall(data)
                if limit is not None:
                    limit -= len(data)
        except OSError:
            pass
        if limit == 0:
            self.done += 1
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()


class Store:
    """A directory, which rclone serves if it is not for the stand-in."""

    def __init__(self, directory, served):
        self.directory = directory
        self.process = self.port = None
        os.makedirs(directory)
        if served:
            self.serve(directory)

    def serve(self, directory):
        self.process = subprocess.Popen(
            [RCLONE, "serve", "webdav", "--addr", "127.0.0.1:0", directory],
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def files(self):
        """Return the contents of all files with the name of a snapshot or a line."""
        found = {}
        for directory, _, names in os.walk(self.directory):
            if os.path.basename(directory) == ".partial":
                continue
            for name in names:
                with open(os.path.join(directory, name), "rb") as f:
                    found[name] = f.read()
        return found

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()


class Case:
    """A directory of snapshots, a store, and what the script needs."""

    def __init__(self, sizes, rng, real=False):
        self.dir = tempfile.mkdtemp(prefix="upload-")
        self.snapshots = os.path.join(self.dir, "snapshots")
        os.makedirs(self.snapshots)
        os.makedirs(os.path.join(self.dir, "bin"))
        self.wanted = {}
        self.store = Store(os.path.join(self.dir, "store"), real)
        self.env = dict(
            os.environ, PATH=f"{self.dir}/bin:{os.environ['PATH']}", HOME=self.dir,
            CALLS=f"{self.dir}/calls", STORE=self.store.directory, UPLOAD_TO="store:top", UPLOAD_FROM=self.snapshots,
            UPLOAD_STATE=f"{self.dir}/state", UPLOAD_RETRY="0", UPLOAD_RETRY_MAX="0",
            RCLONE_CONFIG=f"{self.dir}/rclone.conf", RCLONE_CONFIG_STORE_TYPE="webdav",
            RCLONE_CONFIG_STORE_VENDOR="other")
        self.use_port(self.store.port)
        with open(self.env["RCLONE_CONFIG"], "w", encoding="utf-8"):
            pass
        wrapper = os.path.join(self.dir, "bin/rclone")
        with open(wrapper, "w", encoding="utf-8") as f:
            f.write(WRAPPER % RCLONE if real else STUB)
        os.chmod(wrapper, 0o755)
        for i, size in enumerate(sizes):
            self.add(f"perf.data.sample.{i}", rng.randbytes(size), 1000 + i)

    def use_port(self, port):
        self.env["RCLONE_CONFIG_STORE_URL"] = f"http://127.0.0.1:{port}"

    def add(self, name, data, time):
        path = os.path.join(self.snapshots, name)
        line = f'{{"version":1,"path":"{os.path.realpath(path)}","bytes":{len(data)}}}\n'
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (time, time))
        with open(os.path.join(self.snapshots, "snapshots.jsonl"), "a", encoding="utf-8") as f:
            f.write(line)
        self.wanted[name] = data
        self.wanted[f"{name}.json"] = line.encode()

    def start(self, stderr=subprocess.PIPE, **env):
        # The shell tells the wrapper its number, and becomes the script.
        return subprocess.Popen(["sh", "-c", 'SCRIPT_PID=$$ exec "$0"', SCRIPT],
                                env=dict(self.env, **env), stderr=stderr, text=True)

    def run(self, **env):
        """Run the script to its end. Return its status and its messages. If the script is killed,
        processes that it has started may still run, so the messages go to a file."""
        with tempfile.TemporaryFile("w+") as messages:
            status = self.start(messages, **env).wait()
            messages.seek(0)
            return status, messages.read()

    def torn(self):
        """Return what is wrong with files in the store that have the name of a snapshot."""
        return [f"{name}: {len(data)} bytes, not those of the snapshot"
                for name, data in self.store.files().items() if self.wanted.get(name) != data]

    def missing(self):
        there = self.store.files()
        return self.torn() + [f"{name} is not in the store" for name in self.wanted
                              if name not in there]

    def calls(self):
        try:
            with open(self.env["CALLS"], encoding="utf-8") as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def left(self):
        return sorted(n for n in os.listdir(self.snapshots) if ".sample." in n)

    def close(self):
        self.store.close()
        shutil.rmtree(self.dir)


def test_rclone(rng):
    case = Case([70000], rng, real=True)
    status, messages = case.run()
    problems = case.missing()
    if status or messages:
        problems.append(f"status {status}: {messages}")
    ok(problems, "rclone uploads a snapshot to a server of WebDAV")
    case.close()


def test_upload(rng):
    case = Case([0, 70000, 1], rng)
    status, messages = case.run(UPLOAD_BANDWIDTH="9M")
    problems = case.missing()
    if status or messages:
        problems.append(f"status {status}: {messages}")
    if case.left() != ["perf.data.sample.0", "perf.data.sample.1", "perf.data.sample.2"]:
        problems.append(f"left: {case.left()}")
    problems += [f"no --bwlimit: {c}" for c in case.calls() if "--bwlimit 9M" not in c]
    ok(problems, "snapshots and their lines are in the store")

    before = len(case.calls())
    status, messages = case.run()
    problems = [f"calls rclone: {c}" for c in case.calls()[before:]]
    case.add("perf.data.sample.1", rng.randbytes(500), 5000)
    case.wanted["perf.data.sample.1-5000"] = case.wanted["perf.data.sample.1"]
    case.wanted["perf.data.sample.1-5000.json"] = case.wanted["perf.data.sample.1.json"]
    there = case.store.files()
    case.wanted["perf.data.sample.1"] = there["perf.data.sample.1"]
    case.wanted["perf.data.sample.1.json"] = there["perf.data.sample.1.json"]
    status, messages = case.run()
    ok(problems + case.missing(), "a snapshot is uploaded once, and another one of its name, too")
    case.close()


def test_cuts(rng):
    case = Case([150000, 90000, 3000][:1 if SHORT else 3], rng, real=True)
    cutter = Cutter(case.store.port,
                    [rng.choice((rng.randrange(600), rng.randrange(160000)))
                     for _ in range(4 if SHORT else 40)])
    case.use_port(cutter.port)
    process = case.start()
    problems = []
    for line in process.stderr:
        problems += case.torn()
    if process.wait():
        problems.append(f"status {process.returncode}")
    if not cutter.done:
        problems.append("no connection was cut")
    ok(problems + case.missing(), f"{cutter.done} connections are cut")
    cutter.close()
    case.close()


def test_kills(rng):
    """Kill the script before, within and after each call of rclone. Then run it again."""
    case = Case([4000] if SHORT else [40000, 2000], rng)
    problems = []
    for when in "KILL_BEFORE", "KILL_WITHIN", "KILL_AFTER":
        for number in range(1, len(case.wanted) // 2 * 5 + 1):
            shutil.rmtree(case.store.directory)
            shutil.rmtree(f"{case.dir}/state", ignore_errors=True)
            os.makedirs(case.store.directory)
            open(case.env["CALLS"], "w", encoding="utf-8").close()
            status, _ = case.run(**{when: str(number)})
            problems += [f"{when} {number}: {p}" for p in case.torn()]
            # The stand-in can be killed within a copy only.
            if status != -signal.SIGKILL and when != "KILL_WITHIN":
                problems.append(f"{when} {number}: status {status}")
            status, messages = case.run()
            problems += case.missing()
            if status:
                problems.append(f"{when} {number}: status {status}: {messages}")
    ok(problems, "the script is killed at each of its steps")
    case.close()


def test_disk(rng):
    case = Case([100 << 10] * 3, rng)
    case.run(UPLOAD_DISK="1G")
    problems = case.missing()
    case.add("perf.data.sample.3", rng.randbytes(100 << 10), 1003)
    status, messages = case.run(UPLOAD_DISK="210K")
    problems += case.missing()
    if status or "LOST" in messages or case.left() != ["perf.data.sample.2", "perf.data.sample.3"]:
        problems.append(f"status {status}, {messages}, left {case.left()}")
    ok(problems, "uploaded snapshots make room, the oldest first")

    for i in range(4, 7):
        case.add(f"perf.data.sample.{i}", rng.randbytes(100 << 10), 1000 + i)
    process = case.start(DOWN="1", UPLOAD_DISK="210K", UPLOAD_RETRY="1000",
                         UPLOAD_RETRY_MAX="1000")
    problems = []
    lost = ""
    for line in process.stderr:
        if "LOST" in line:
            lost = line
        if "tried again" in line:
            break
    process.send_signal(signal.SIGTERM)
    if process.wait() != 143:
        problems.append(f"status {process.returncode}")
    process.stderr.close()
    if "perf.data.sample.4 was removed before it was uploaded" not in lost:
        problems.append(f"told: '{lost}'")
    if case.left() != ["perf.data.sample.5", "perf.data.sample.6"]:
        problems.append(f"left: {case.left()}")
    case.run(UPLOAD_DISK="1G")
    for name in "perf.data.sample.4", "perf.data.sample.4.json":
        del case.wanted[name]
    ok(problems + case.missing(), "what is lost because the disk's bound is reached is told")
    case.close()


def test_settings(rng):
    case = Case([], rng)
    problems = []
    for env, told in (({"UPLOAD_TO": ""}, "UPLOAD_TO is not set"),
                      ({"UPLOAD_DISK": "2X"}, "is not a size"),
                      ({"UPLOAD_DISK": "G"}, "is not a size"),
                      ({"UPLOAD_DISK": "1G2"}, "is not a size"),
                      ({"UPLOAD_FROM": "/nosuch"}, "/nosuch")):
        status, messages = case.run(**env)
        if status != 1 or told not in messages:
            problems.append(f"{env}: status {status}, '{messages}'")
    ok(problems, "settings that are wrong")
    case.close()


def main():
    print(f"# SEED={SEED}")
    if not RCLONE:
        print("1..0 # SKIP no rclone: selftests/setup/host upload")
        sys.exit(4)
    for test in test_settings, test_upload, test_disk, test_kills, test_rclone, test_cuts:
        test(random.Random(SEED))
    print(f"1..{len(results)}")
    sys.exit(not all(results))


main()
