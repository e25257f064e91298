# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Functions that the tests of the flight recorder share. The tests source this file first. See
# record.sh. A recorder works in $T/d and has a control socket s besides what the test asks for.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "${BASH_SOURCE[0]}")/../record/record.sh"
ACTOR=$B/selftests/tool/flight/actor
WORK=$B/selftests/tool/record/aux_work
PERF=${PERFS%% *}
PERF=${PERF:-perf}
G=/sys/kernel/tracing
mountpoint -q $G || mount -t tracefs tracefs $G
pid=
# Kill what still runs when the suite ends, because it has the suite's output open.
leave()
{
	cd / || exit
	# shellcheck disable=SC2046 # each word is a pid
	kill -9 ${pid:+"$pid"} $(jobs -p) 2>/dev/null
	rm -rf "$T"
}
trap leave EXIT
shopt -s nullglob
mkfifo never
exec {never}<>never

nap() { read -rt 0.05 -u "$never" _; }

# uptime: print the seconds since the machine was started. $SECONDS would jump if a test sets the
# clock.
uptime() { local t && read -r t _ </proc/uptime && echo "${t%.*}"; }

# await CMD...: wait until CMD succeeds; fail after 90 s, or when the recorder has ended
await()
{
	local end=$(($(uptime) + 90)) gone=

	until "$@" >/dev/null 2>&1; do
		if [[ $gone ]] || (($(uptime) > end)); then
			note "waited in vain: $*: $(tail -n 3 "$T/log")"
			return 1
		fi
		if [[ $pid ]] && ! kill -0 "$pid" 2>/dev/null; then
			gone=1
		fi
		nap
	done
	# Do not return the status of the last nap.
	return 0
}

ctl() { "$AUXREC" ctl s "$@"; }

# told: print everything that the recorder tells about itself, for a note
told() { ctl status | tr '\n' '|'; }

# status KEY: the value of KEY in the recorder's status
status() { ctl status | sed -n "s/^$1: //p"; }

# is_status KEY VALUE: is VALUE the value of KEY in the status of the recorder?
is_status() { [[ $(status "$1") == "$2" ]]; }

# launch ARGS...: start a recorder, $pid, in a new directory; its messages are in $T/log
launch()
{
	cd "$T" && rm -rf d && mkdir d && cd d || exit 2
	start "$@"
}

# start ARGS...: start a recorder in the current directory; $TERMS are terms of the socket's
# trigger
start()
{
	# shellcheck disable=SC2086 # words
	${LAUNCHER-} "$AUXREC" --flight --trigger "socket=s${TERMS-}" "$@" >"$T/stdout" 2>"$T/log" </dev/null &
	pid=$!
	await ctl status
}

# over STATUS: wait until the recorder ends, with STATUS
over()
{
	wait "$pid" 2>/dev/null
	local got=$?

	pid=
	[[ $got == "$1" ]] || note "status $got, not $1: $(tail -n 3 "$T/log")"
}

# land: end the recorder. land_merging: have it merge its snapshots and end
land() { kill -TERM "$pid" && over 0; }
land_merging() { kill -USR2 "$pid" && over 0; }

logged() { grep -q -- "$1" "$T/log" || note "no '$1' in: $(tail -n 5 "$T/log")"; }
unlogged() { ! grep -- "$1" "$T/log" >"$T/bad" || note "$(head -n 3 "$T/bad")"; }

# files: set $files to the existing snapshots, in the order in which they came
files()
{
	local f

	files=()
	for f in perf.data.sample.*; do
		files+=("$(mark "$f" number) $f")
	done
	mapfile -t files < <(printf '%s\n' "${files[@]}" | sort -n | sed 's/^[0-9]* //')
	[[ ${files[0]-} ]] || files=()
}

# there N: are there N snapshots or more?
there()
{
	local f=(perf.data.sample.*)

	((${#f[@]} >= $1))
}

# marks FILE: print what FILE tells about its snapshots, one line for each
marks() { "$AUXREC" info --json "$1" | grep '"recording": [0-9]*, "number"'; }

# mark FILE KEY: print the value of KEY of FILE's (last) snapshot
mark() { marks "$1" | tail -n 1 | sed -n "s/.*\"$2\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# of NAME: print the newest snapshot with a trigger of that name
of()
{
	local f

	for f in $(printf '%s\n' perf.data.sample.* | sort -r); do
		[[ $(marks "$f") == *"\"name\": \"$1\""* ]] && echo "$f" && return
	done
	return 1
}

# readable FILE: check that FILE is valid, and that all perfs read it without a message
readable()
{
	local p

	valid "$1"
	for p in $PERFS; do
		quiet "$p" script -i "$1" -F comm,tid,time,event
		quiet "$p" report --stdio -i "$1"
	done
}

# lines FILE...: print all samples of the FILEs with stock perf
lines()
{
	local f

	for f; do
		"$PERF" script -i "$f" --ns -F comm,tid,cpu,time,event,ip,sym,trace 2>/dev/null
	done
}

# catch [BYTES]: trigger a snapshot with SIGUSR1, and stop the process that writes it, $writer, as
# soon as that process exists or has written BYTES
catch()
{
	if ! writer=$("$ACTOR" catch "$pid" 10 "${1-0}"); then
		note "no process that writes was caught: $(tail -n 3 "$T/log")"
		return 1
	fi
	await is_still "$writer"
}

# Conditions to wait for. is_still PID: the process is stopped, or gone. is_gone PID: the process is
# gone. is_program PID PROGRAM: the process has executed PROGRAM. is_free: nobody uses the module.
is_still() { ! grep -q 'State:.*[RSD]' "/proc/$1/status"; }
is_gone() { [[ ! -d /proc/$1 ]]; }
is_program() { [[ /proc/$1/exe -ef $2 ]]; }
is_free() { [[ $(sed -n 's/^perfaux [0-9]* \([0-9]*\).*/\1/p' /proc/modules) == 0 ]]; }

# --- CPU 1, which goes offline and comes back, if $CPU1 is writable

CPU1=/sys/devices/system/cpu/cpu1/online

# came N: has the recorder seen CPU 1 come back N times? switch_cpu: switch CPU 1 off and on, and
# wait until the recorder has seen CPU 1 come back
came() { (($(grep -c '^auxrec: CPU 1 came online' "$T/log") >= $1)); }
switch_cpu()
{
	local nr

	nr=$(grep -c '^auxrec: CPU 1 came online' "$T/log")
	echo 0 >$CPU1 && echo 1 >$CPU1 && await came $((nr + 1))
}

# is_past FILE: does a snapshot that is made now begin after FILE's trigger?
is_past()
{
	local f

	f=$(ctl snapshot) && (($(mark "$f" begin) > $(mark "$1" trigger)))
}
