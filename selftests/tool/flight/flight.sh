# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# What the tests of the flight recorder share: sourced by them, first of all. See
# record.sh; a recorder works in $T/d, with a control socket s beside what the test
# asks for.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "${BASH_SOURCE[0]}")/../record/record.sh"
ACTOR=$B/selftests/tool/flight/actor
WORK=$B/selftests/tool/record/aux_work
PERF=${PERFS%% *}
PERF=${PERF:-perf}
G=/sys/kernel/tracing
mountpoint -q $G || mount -t tracefs tracefs $G
pid=
# What still runs goes with the suite: it has the suite's output open.
leave()
{
	cd / || exit
	# shellcheck disable=SC2046 # a process a word
	kill -9 ${pid:+"$pid"} $(jobs -p) 2>/dev/null
	rm -rf "$T"
}
trap leave EXIT
shopt -s nullglob
mkfifo never
exec {never}<>never

nap() { read -rt 0.05 -u "$never" _; }

# Seconds since the machine was started: the clock of $SECONDS may be set.
uptime() { local t && read -r t _ </proc/uptime && echo "${t%.*}"; }

# await CMD...: until it succeeds; not without a recorder
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
	# Not that of the last nap
	return 0
}

ctl() { "$AUXREC" ctl s "$@"; }

# told: all that it says of itself, for a note
told() { ctl status | tr '\n' '|'; }

# status KEY: what the recorder says of it
status() { ctl status | sed -n "s/^$1: //p"; }

# is_status KEY VALUE
is_status() { [[ $(status "$1") == "$2" ]]; }

# launch ARGS...: a recorder, $pid; what it says is in $T/log
launch()
{
	cd "$T" && rm -rf d && mkdir d && cd d || exit 2
	start "$@"
}

# start ARGS...: the same beside what there is; $TERMS are those of the socket's trigger
start()
{
	# shellcheck disable=SC2086 # words
	${LAUNCHER-} "$AUXREC" --flight --trigger "socket=s${TERMS-}" "$@" >"$T/stdout" 2>"$T/log" </dev/null &
	pid=$!
	await ctl status
}

# over STATUS: it ends with that
over()
{
	wait "$pid" 2>/dev/null
	local got=$?

	pid=
	[[ $got == "$1" ]] || note "status $got, not $1: $(tail -n 3 "$T/log")"
}

# It is told to end; to merge its snapshots, and to end.
land() { kill -TERM "$pid" && over 0; }
land_merging() { kill -USR2 "$pid" && over 0; }

logged() { grep -q -- "$1" "$T/log" || note "no '$1' in: $(tail -n 5 "$T/log")"; }
unlogged() { ! grep -- "$1" "$T/log" >"$T/bad" || note "$(head -n 3 "$T/bad")"; }

# files: the snapshots that there are, in the order in which they came, in $files
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

# there N: are there so many of them?
there()
{
	local f=(perf.data.sample.*)

	((${#f[@]} >= $1))
}

# marks FILE: what it says of its snapshots, a line each
marks() { "$AUXREC" info --json "$1" | grep '"recording": [0-9]*, "number"'; }

# mark FILE KEY: of its (last) snapshot
mark() { marks "$1" | tail -n 1 | sed -n "s/.*\"$2\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# of NAME: the newest snapshot with a trigger of that name
of()
{
	local f

	for f in $(printf '%s\n' perf.data.sample.* | sort -r); do
		[[ $(marks "$f") == *"\"name\": \"$1\""* ]] && echo "$f" && return
	done
	return 1
}

# readable FILE: it is valid, and all perfs read it without a word
readable()
{
	local p

	valid "$1"
	for p in $PERFS; do
		quiet "$p" script -i "$1" -F comm,tid,time,event
		quiet "$p" report --stdio -i "$1"
	done
}

# lines FILE...: each sample that they have, as stock perf tells it
lines()
{
	local f

	for f; do
		"$PERF" script -i "$f" --ns -F comm,tid,cpu,time,event,ip,sym,trace 2>/dev/null
	done
}

# catch [BYTES]: stops the process that writes the next snapshot, $writer, as soon as it is
# there, or has written so many. It is called for by SIGUSR1.
catch()
{
	if ! writer=$("$ACTOR" catch "$pid" 10 "${1-0}"); then
		note "no process that writes was caught: $(tail -n 3 "$T/log")"
		return 1
	fi
	await is_still "$writer"
}

# What may be waited for: the process is stopped, or gone; it is gone; it has executed
# that program; nobody uses the module
is_still() { ! grep -q 'State:.*[RSD]' "/proc/$1/status"; }
is_gone() { [[ ! -d /proc/$1 ]]; }
is_program() { [[ /proc/$1/exe -ef $2 ]]; }
is_free() { [[ $(sed -n 's/^perfaux [0-9]* \([0-9]*\).*/\1/p' /proc/modules) == 0 ]]; }

# --- CPU 1, which goes and comes, if $CPU1 can be written to

CPU1=/sys/devices/system/cpu/cpu1/online

# came N: so often was it seen to be back; switch_cpu: once more
came() { (($(grep -c '^auxrec: CPU 1 came online' "$T/log") >= $1)); }
switch_cpu()
{
	local nr

	nr=$(grep -c '^auxrec: CPU 1 came online' "$T/log")
	echo 0 >$CPU1 && echo 1 >$CPU1 && await came $((nr + 1))
}

# is_past FILE: is all that was before that snapshot gone from those that are made now?
is_past()
{
	local f

	f=$(ctl snapshot) && (($(mark "$f" begin) > $(mark "$1" trigger)))
}
