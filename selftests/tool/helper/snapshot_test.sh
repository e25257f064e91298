#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snapshot_test.sh [AUXREC]: a test of what a flight recorder does when a snapshot is on disk: the line
# of --log-snapshots, compared with what auxrec info says, and the command of --on-snapshot. Runs as
# root; prints TAP. The part about the raw ring is skipped without auxgen.

# shellcheck disable=SC2016,SC2317 # code for other shells; functions that await calls
# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/../flight/flight.sh"
BASH_ID=$(readelf -n "$(readlink -f "$(command -v bash)")" | sed -n 's/.*Build ID: //p')

# same FILE N: line N of the log tells the same about FILE as info
same()
{
	"$AUXREC" info --json "$1" >info.json
	sed -n "${2}p" log | python3 -c 'import json, os, sys
line = json.load(sys.stdin)
info = json.load(open("info.json"))
mark, machine = info["snapshots"][0], info["machine"]
path = os.path.realpath(sys.argv[1])
pairs = {
    "path": (line["path"], path),
    "bytes": (line["bytes"], os.stat(path).st_size),
    "host": (line["host"], machine["hostname"]),
    "machine_id": (line["machine_id"], machine["machine_id"]),
    "boot_id": (line["boot_id"], machine["boot_id"]),
    "labels": (line["labels"], machine["labels"]),
    "clock": (line["clock"], info["clock"]["name"]),
    "recorder": ("auxrec " + line["recorder"], machine["version"]),
    "recording": (line["recording"], hex(mark["recording"])),
    "number": (line["number"], mark["number"]),
    "name": (line["trigger"]["name"], mark["name"]),
    "kind": (line["trigger"]["kind"], mark["kind"]),
    "time": (line["trigger"]["time"], mark["trigger"]),
    "begin": (line["complete"]["begin"], mark["complete_begin"]),
    "end": (line["complete"]["end"], mark["complete_end"]),
}
for key, (ours, theirs) in pairs.items():
    if ours != theirs:
        print(f"{key}: {ours} in the line, {theirs} in info")' "$1" >differs 2>&1
	[[ ! -s differs ]] || note "$1: $(head -n 3 differs | tr '\n' '|')"
}

# of_line N EXPRESSION: print the value of a Python expression, in which l is line N of the log
of_line()
{
	sed -n "${1}p" "$T/d/log" | python3 -c 'import json, sys
l = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$2"
}

# crash CMD: let bash run CMD, which ends by a signal, and wait for the snapshot number $2
crash()
{
	{ bash -c "ulimit -c 0; $1"; } 2>/dev/null
	await is_status snapshots "$2"
}

launch -k mono --label env=prod --label 'note=a "b"' --log-snapshots log -a -e cpu-clock -F 250 \
	--trigger crash
f=$(ctl snapshot) || note "$f"
crash 'kill -SEGV $$' 2
g=$(status last)
same "$f" 1
same "$g" 2
[[ $(wc -l <log) == 2 ]] || note "$(wc -l <log) lines"
[[ $(stat -c %a log) == 600 ]] || note "mode $(stat -c %a log)"
day=$(date -d "$(of_line 2 'l["time"]')" +%s) || note "time: $(of_line 2 'l["time"]')"
now=$(date +%s)
((day <= now && day > now - 600)) || note "the time is $day, now it is $now"
check "the log has a line for each snapshot, which says what info says"

[[ $(of_line 1 'l["builds"], "pid" in l["trigger"]') == '([], False)' ]] ||
	note "a request has $(of_line 1 'l["builds"], l["trigger"]')"
wanted="bash ${BASH_ID:-none}"
for i in 2 3; do
	# A process that did not execute a program since its fork has its parent's maps.
	((i == 2)) || crash '(kill -SEGV $BASHPID); true' 3
	got=$(of_line $i 'l["builds"][0]["path"].split("/")[-1] + " " + l["builds"][0]["build_id"]')
	[[ $got == "$wanted" ]] || note "crash $i: '$got', not '$wanted': $(sed -n "${i}p" log)"
	[[ $(of_line $i 'l["trigger"]["task"]') == bash ]] || note "task: $(of_line $i 'l["trigger"]')"
	(($(of_line $i 'len(l["builds"])') > 1)) || note "no libraries"
done
check "the line has the builds of the task that crashed"

# Two processes have the same pid, one after the other. The first one is a child of python3, and the
# second one of bash.
REUSED=30011
for i in {1..50}; do
	python3 -c 'import os, sys
pid = int(sys.argv[1])
with open("/proc/sys/kernel/ns_last_pid", "w") as f:
    f.write(str(pid - 1))
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
sys.exit(child != pid)' $REUSED && break
done
for ((j = 4; j < 54; j++)); do
	crash "echo $((REUSED - 1)) >/proc/sys/kernel/ns_last_pid; (kill -SEGV \$BASHPID); true" $j
	[[ $(of_line $j 'l["trigger"]["pid"]') != "$REUSED" ]] || break
done
((i < 50 && j < 54)) || note "no process got pid $REUSED"
got=$(of_line $j 'l["builds"][0]["path"].split("/")[-1] + " " + l["builds"][0]["build_id"]')
[[ $got == "$wanted" ]] || note "'$got', not '$wanted': $(sed -n "${j}p" log)"
! of_line $j '[b["path"] for b in l["builds"]]' | grep python3 || note "builds of the first process"
land
check "the builds are those of the last process that had the pid"

# --- a command ------------------------------------------------------------------

launch -a -e cpu-clock -F 100 --log-snapshots log \
	--on-snapshot "cat >>'$T/got'; test -s \"\$1\" && echo \"\$1\" >>'$T/ran'; test ! -e '$T/fail' && : >'$T/good'"
f=$(ctl snapshot) || note "$f"
await test -e "$T/good"
cmp -s log "$T/got" || note "the command got $(<"$T/got")"
[[ $(<"$T/ran") == "$f" ]] || note "ran for '$(<"$T/ran")', not $f"
touch "$T/fail"
g=$(ctl snapshot) || note "$g"
await grep -q "on-snapshot: $g: the command failed, exit status 1" "$T/log"
rm "$T/fail"
h=$(ctl snapshot) || note "$h"
land
[[ $(<"$T/ran") == "$f"$'\n'"$g"$'\n'"$h" ]] || note "ran for $(tr '\n' ' ' <"$T/ran")"
[[ $(grep -c 'on-snapshot' "$T/log") == 1 ]] || note "$(grep on-snapshot "$T/log" | tr '\n' '|')"
check "a command for each snapshot, with its line; a failure is told"

# The commands stand still until the test writes to the pipe. The recorder goes on.
rm -f "$T/ran"
mkfifo "$T/gate"
exec {gate}<>"$T/gate"
launch -a -e cpu-clock -F 100 \
	--on-snapshot "echo begun >>'$T/ran'; read -r _ <'$T/gate'; echo ended >>'$T/ran'"
for _ in {1..6}; do
	f=$(ctl snapshot) || note "$f"
done
begun() { [[ $(grep -c begun "$T/ran") == "$1" ]]; }
await begun 4
await is_status snapshots 6 || note "$(status snapshots) snapshots"
kill -TERM "$pid"
nap
kill -0 "$pid" || note "the recorder has ended before its commands"
# Each command reads its line alone: read(1) takes a pipe byte by byte.
printf '\n\n\n\n\n\n' >&$gate
over 0
[[ $(grep -c ended "$T/ran") == 6 ]] || note "$(grep -c ended "$T/ran") of 6 commands have ended"
check "commands that stand still delay only the end"

rm -f "$T/ran"
launch -a -e cpu-clock -F 100 \
	--on-snapshot "echo begun >>'$T/ran'; read -r _ <'$T/gate'; echo ended >>'$T/ran'"
f=$(ctl snapshot) || note "$f"
await begun 1
# A signal has no effect if it comes before the recorder has handled the previous one.
while kill -TERM "$pid" 2>/dev/null; do nap; done
over 0
logged 'commands still run, and go on without the recorder'
printf '\n' >&$gate
pid=
await grep -q ended "$T/ran"
check "a second signal ends the recorder, and a command goes on"

launch -a -e cpu-clock -F 100 --on-snapshot "echo begun >>'$T/ran'; read -r _ <'$T/gate'"
rm -f "$T/ran"
f=$(ctl snapshot) || note "$f"
await begun 1
kill -TERM "$pid"
over 0
logged 'commands still run, and go on without the recorder'
printf '\n' >&$gate
pid=
check "a command that hangs delays the end for 10 s only"

# --- a snapshot of two triggers ------------------------------------------------------

# The lock stops the writer of the first snapshot, and SIGSTOP makes it wait for longer. Meanwhile a
# request and a crash come, and share the next snapshot.
launch -a -e cpu-clock -F 100 --log-snapshots log --trigger crash
exec {lock}>>log
flock $lock
ctl snapshot >first &
written() { compgen -G '*.sample.*'; }
await written
writer=$(pgrep -P "$pid")
kill -STOP "$writer" || note "the writer has ended"
flock -u $lock
ctl snapshot >second &
await is_status waiting 2
{ bash -c 'ulimit -c 0; kill -SEGV $$'; } 2>/dev/null
await is_status waiting 3
kill -CONT "$writer"
await is_status snapshots 2
land
[[ $(of_line 2 '[t["kind"] for t in l["triggers"]]') == "['socket', 'crash']" ]] ||
	note "$(of_line 2 'l["triggers"]')"
[[ $(of_line 2 'l["triggers"][1]["task"], "pid" in l["trigger"]') == "('bash', False)" ]] ||
	note "$(of_line 2 'l["triggers"]')"
[[ $(of_line 2 'l["builds"][0]["build_id"]') == "$BASH_ID" ]] || note "$(of_line 2 'l["builds"][:1]')"
check "a crash that shares a snapshot with a request is in the line, with its builds"

# --- what is missing ---------------------------------------------------------------

[[ -e /sys/bus/event_source/devices/$AUXGEN ]] || {
	skip "the line has the losses" "no auxgen"
	finish
}
# The crash freezes the ring, and what is traced until the snapshot begins is a gap.
launch -a --log-snapshots log -e "$AUXGEN//" -m ,64Kx4 --trigger crash
"$WORK" 500 &
worker=$!
crash 'kill -SEGV $$' 1
wait $worker
f=$(status last)
g=$(ctl snapshot) || note "$g"
land
for i in 1 2; do
	"$AUXREC" info --json "$(of_line $i 'l["path"]')" >info.json
	of_line $i 'l["gaps"], l["gap_bytes"], l["lost_records"]' >ours
	python3 -c 'import json
losses = json.load(open("info.json"))["losses"]
print((sum(c["gaps"] for c in losses["causes"]), sum(c["bytes"] for c in losses["causes"]),
       losses["records"]))' >theirs 2>&1
	cmp -s ours theirs || note "$(<ours), info: $(<theirs)"
	[[ $(of_line $i 'all(x["begin"] <= x["end"] for x in l["losses"]), len(l["losses"]) > 0') == \
		"(True, $(of_line $i 'l["gaps"] > 0'))" ]] || note "losses: $(of_line $i 'l["losses"][:3]')"
done
check "the line has the losses"

finish
