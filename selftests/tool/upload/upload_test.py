#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""upload_test.py: test packaging/examples/auxrec-upload. With rclone, and with a store that rclone
serves on loopback (WebDAV), the network is cut at random. With a stand-in for rclone, which is
quick, the script is killed before, within and after each call of rclone. A file that has the name of a
snapshot in the store must be whole, and in the end everything is there. Random numbers come from
SEED. Prints TAP.
"""

import json
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
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SCRIPT = os.path.join(TOP, "packaging/examples/auxrec-upload")
SEED = int(os.environ.get("SEED", "1"))
START = time.time()
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
ulimit -S -f unlimited
echo "$*" >>"$CALLS"
n=$(wc -l <"$CALLS")
[ "$n" != "${KILL_BEFORE-}" ] || { kill -9 "$SCRIPT_PID"; exit 1; }
[ -z "${DOWN-}" ] || exit 1
case $* in
*"${REFUSE-none}"*) exit 1 ;;
esac
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
	if [ -n "${SLOW-}" ]; then
		: >"$SLOW"
		until grep -q LOST "$SLOW"; do sleep 0.1; done
	fi
	[ -e "$to" ] && echo "{\\"Size\\":$(stat -c %s "$to"),}" || (exit 3)
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

    def add(self, name, data, mtime, line=True):
        path = os.path.join(self.snapshots, name)
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (mtime, mtime))
        self.wanted[f"{name}-{mtime}"] = data
        if line:
            self.add_line(name, data, mtime)

    def add_line(self, name, data, mtime):
        path = json.dumps(os.path.realpath(os.path.join(self.snapshots, name)))
        path = path.replace("\x7f", "\\u007f").replace("\\t", "\\u0009")
        line = f'{{"version":1,"path":{path},"bytes":{len(data)}}}\n'
        self.log(line)
        self.wanted[f"{name}-{mtime}.json"] = line.encode()

    def log(self, text):
        with open(os.path.join(self.snapshots, "snapshots.jsonl"), "a", encoding="utf-8") as f:
            f.write(text)

    def start(self, stderr=subprocess.PIPE, full=False, **env):
        # The shell tells the wrapper its number, and becomes the script. The limit takes the place
        # of a full disk: files can be made there, but not written.
        limit = "trap '' XFSZ; ulimit -S -f 0; " if full else ""
        return subprocess.Popen(["sh", "-c", limit + 'SCRIPT_PID=$$ exec "$0"', SCRIPT],
                                env=dict(self.env, **env), stderr=stderr, text=True)

    def run(self, **env):
        """Run the script to its end. Return its status and its messages. If the script is killed,
        processes that it has started may still run, so the messages go to a file."""
        with tempfile.TemporaryFile("w+") as messages:
            process = self.start(messages, **env)
            try:
                status = process.wait(120)
            except subprocess.TimeoutExpired:
                process.kill()
                status = "none: it runs for 120 s"
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


def cat_command():
    """Return the command of Documentation/flight.rst, without its redirection."""
    with open(os.path.join(TOP, "Documentation/flight.rst"), encoding="utf-8") as f:
        text = f.read()
    command = re.search(r"^ +(rclone .*cat store:snapshots(?:.*\\\n)*.*) >lines.jsonl", text, re.M)[1]
    return command.replace("store:snapshots", "store:top").replace(
        "--config /var/lib/auxrec-upload/rclone.conf ", "")


def test_rclone(rng):
    case = Case([70000], rng, real=True)
    status, messages = case.run()
    problems = case.missing()
    if status or messages:
        problems.append(f"status {status}: {messages}")
    ok(problems, "rclone uploads a snapshot to a server of WebDAV")

    # An upload of a line was cut.
    for directory, _, _ in list(os.walk(case.store.directory)):
        if os.path.basename(directory) == ".partial":
            with open(f"{directory}/a.json", "w", encoding="utf-8") as f:
                f.write("{")
    lines = subprocess.run(cat_command(), env=case.env, shell=True, capture_output=True,
                           check=False)
    wanted = [data for name, data in case.wanted.items() if name.endswith(".json")]
    ok([] if [lines.stdout] == wanted else [f"{lines.stdout}, {lines.stderr}, not {wanted}"],
       "the documented command prints the lines of all snapshots")
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
    for size in 70000, 500:
        # The recorder was started again, and counts from 1 again.
        case.add("perf.data.sample.1", rng.randbytes(size), 5000 + size)
        status, messages = case.run()
        problems += case.missing()
    ok(problems, "a snapshot is uploaded once, and another one of its name and size, too")
    case.close()


def test_names(rng):
    """Only regular files are snapshots. Names and directories can have any characters but line
    breaks."""
    case = Case([300], rng)
    os.mkdir(f"{case.snapshots}/d.sample.1")
    os.symlink("/etc/passwd", f"{case.snapshots}/l.sample.1")
    os.symlink("nothing", f"{case.snapshots}/n.sample.1")
    os.mkfifo(f"{case.snapshots}/p.sample.1")
    status, messages = case.run()
    problems = case.missing()
    status, messages = case.run(UPLOAD_DISK="0")
    if status or messages or case.left() != ["d.sample.1", "l.sample.1", "n.sample.1", "p.sample.1"]:
        problems.append(f"status {status}: {messages}, left {case.left()}")
    ok(problems, "directories, links and pipes are no snapshots")
    case.close()

    case = Case([], rng)
    case.snapshots = case.env["UPLOAD_FROM"] = f'{case.dir}/a "b\\c\td\x7f'
    os.mkdir(case.snapshots)
    for i, name in enumerate((' x.sample.y"z\\ ', "-x.sample.*?[a]$(a)`b`'%s", "x.sample.\\n")):
        case.add(name, rng.randbytes(100 + i), 1000 + i)
    status, messages = case.run()
    problems = case.missing()
    if status or messages:
        problems.append(f"status {status}: {messages}")
    ok(problems, "names and a directory with unusual characters")
    case.close()


def test_lines(rng):
    case = Case([300], rng)
    case.add("perf.data.sample.1", rng.randbytes(400), 1001, line=False)
    # The first line was cut, and the second one is not complete yet.
    path = os.path.realpath(f"{case.snapshots}/perf.data.sample.0")
    case.log(f'{{"version":1,"path":"{path}","byt\n{{"version":1,"path":"{path}","bytes":3')
    status, messages = case.run()
    problems = case.missing()
    if status or messages != "auxrec-upload: perf.data.sample.1 has no line in snapshots.jsonl\n":
        problems.append(f"status {status}: {messages}")
    ok(problems, "a snapshot without a line; lines that are not complete")

    case.log("\n")
    data = rng.randbytes(500)
    now = int(time.time())
    case.add("perf.data.sample.2", data, now, line=False)
    case.add("perf.data.sample.3", rng.randbytes(600), now)
    os.utime(f"{case.snapshots}/perf.data.sample.3", (now + 1, now + 1))
    for suffix in "", ".json":
        case.wanted[f"perf.data.sample.3-{now + 1}{suffix}"] = case.wanted.pop(
            f"perf.data.sample.3-{now}{suffix}")
    process = case.start(UPLOAD_RETRY="1", UPLOAD_RETRY_MAX="1")
    problems = []
    first = process.stderr.readline()
    if f"perf.data.sample.2-{now}" in case.store.files() or "tried again" not in first:
        problems.append(f"told '{first}', in the store: {list(case.store.files())}")
    case.add_line("perf.data.sample.2", data, now)
    rest = process.stderr.read()
    if process.wait() or "no line" in rest:
        problems.append(f"status {process.returncode}: {rest}")
    ok(problems + case.missing(), "a new snapshot waits for its line")
    case.close()


def test_refused(rng):
    """The store does not take one snapshot. The others are uploaded."""
    case = Case([10, 20, 30], rng)
    process = case.start(REFUSE=".partial/perf.data.sample.1-", UPLOAD_RETRY="1000",
                         UPLOAD_RETRY_MAX="1000")
    told = [process.stderr.readline()]
    while "perf.data.sample.2-1002.json" not in case.store.files() and process.poll() is None:
        if time.time() > START + 300:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.wait()
    problems = [p for p in case.missing() if "sample.1-" not in p]
    if "perf.data.sample.1 was not uploaded" not in told[0]:
        problems.append(f"told: {told}")
    process.stderr.close()
    ok(problems, "a snapshot that the store refuses does not keep others back")
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
    if "perf.data.sample.4 is removed before it was uploaded" not in lost:
        problems.append(f"told: '{lost}'")
    if case.left() != ["perf.data.sample.5", "perf.data.sample.6"]:
        problems.append(f"left: {case.left()}")
    case.run(UPLOAD_DISK="1G")
    for name in "perf.data.sample.4-1004", "perf.data.sample.4-1004.json":
        del case.wanted[name]
    ok(problems + case.missing(), "what is lost because the disk's bound is reached is told")
    case.close()


def test_full(rng):
    """Nothing can be written to the disk with the state. There is a limit, and the store is down."""
    case = Case([100 << 10] * 3, rng)
    process = case.start(full=True, DOWN="1", UPLOAD_DISK="210K", UPLOAD_RETRY="1000",
                         UPLOAD_RETRY_MAX="1000")
    told = []
    for line in process.stderr:
        told.append(line)
        if "tried again" in line:
            break
    process.send_signal(signal.SIGTERM)
    process.wait()
    process.stderr.close()
    problems = []
    if not any("LOST: perf.data.sample.0 " in line for line in told):
        problems.append(f"told: {told}")
    if case.left() != ["perf.data.sample.1", "perf.data.sample.2"]:
        problems.append(f"left: {case.left()}")
    ok(problems, "the disk's bound is kept when the disk is full")
    case.close()


def test_slow(rng):
    """The store does not answer to the first question, until a snapshot was removed meanwhile."""
    case = Case([100 << 10] * 2, rng)
    told = f"{case.dir}/told"
    process = case.start(SLOW=told, UPLOAD_DISK="210K", UPLOAD_LOOK="1")
    while not os.path.exists(told):
        if process.poll() is not None or time.time() > START + 300:
            break
        time.sleep(0.05)
    case.add("perf.data.sample.2", rng.randbytes(100 << 10), 1002)
    lost = process.stderr.readline()
    with open(told, "w", encoding="utf-8") as f:
        f.write("LOST")
    problems = []
    if "LOST: perf.data.sample.1 " not in lost:
        problems.append(f"told: '{lost}'")
    process.send_signal(signal.SIGTERM)
    process.wait()
    process.stderr.close()
    ok(problems, "the disk's bound is kept while the store does not answer")
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
        if status != 78 or told not in messages:
            problems.append(f"{env}: status {status}, '{messages}'")
    ok(problems, "settings that are wrong")
    case.close()


def main():
    print(f"# SEED={SEED}")
    if not RCLONE:
        print("1..0 # SKIP no rclone: selftests/setup/host upload")
        sys.exit(4)
    for test in (test_settings, test_upload, test_names, test_lines, test_refused, test_disk,
                 test_full, test_slow, test_kills, test_rclone, test_cuts):
        test(random.Random(SEED))
    print(f"1..{len(results)}")
    sys.exit(not all(results))


main()
