#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# record_test.sh [AUXREC]: test recordings without AUX data, as root. The test does not need the
# module. auxrec check and each perf of $PERFS (see record.sh) read every stream, and a message of
# perf on stderr is a failure. The test prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"

# lost PERF FILE: some perf tools lose their place in a stream with TRACING_DATA. Print what they
# do: "said" if buildid-list prints a message about the file, "said" again if it prints one about
# stdin, then the exit status of inject.
lost()
{
	local rc

	"$1" buildid-list -i "$2" 2>&1 >/dev/null | grep -q . && printf 'said '
	"$1" buildid-list -i - <"$2" 2>&1 >/dev/null | grep -q . && printf 'said '
	"$1" inject -b <"$2" >/dev/null 2>&1
	rc=$?
	echo $rc
}

# lost_as_own PERF FILE: check that PERF reads FILE with no more losses than a stream of its own
lost_as_own()
{
	local own ours

	"$1" record -q -e sched:sched_switch -o - -- sh -c "$work; sleep 0.01" \
		>own 2>err || note "$1 record -o -: $(head -n 1 err)"
	"$1" script -i own 2>err | grep -q prev_comm= ||
		note "$1 script: nothing in its own stream: $(head -n 1 err)"
	own=$(lost "$1" own)
	ours=$(lost "$1" "$2")
	[[ $ours == "$own" ]] || note "$1: '$ours', its own stream '$own'"
}

# readable FILE [WORD]: all perfs must read FILE, as a file and from a pipe. The file that inject
# writes is not read again. For streams with TRACING_DATA, buildid-list and inject from a pipe must
# do the same as for perf record's streams.
readable()
{
	local p

	valid "$1"
	for p in $PERFS; do
		quiet "$p" script -i "$1"
		[[ -z ${2-} ]] || grep -q -- "$2" "$T/out" ||
			note "$p script: no $2"
		quiet "$p" report --stdio -i "$1"
		quiet "$p" inject -b -i "$1" -o "$T/inj"
		quiet sh -c "$p script -i - <'$1'"
		quiet sh -c "$p report --stdio -i - <'$1'"
		if [[ ${2-} == prev_comm= ]]; then
			lost_as_own "$p" "$1"
			continue
		fi
		quiet "$p" buildid-list -i "$1"
		[[ -s $T/out ]] || note "$p buildid-list: empty"
		quiet sh -c "cat '$1' | $p inject -b | $p report --stdio -i -"
		quiet sh -c "cat '$1' | $p inject -b | $p buildid-list -i -"
		[[ -s $T/out ]] || note "$p inject, buildid-list: empty"
	done
}

want 0 "$AUXREC" -e cpu-clock -o f -- sh -c "$work"
readable f cpu-clock
check "a command, sampled"

want 0 "$AUXREC" -q -e cpu-clock -g -F 500 -o f -- sh -c "$work"
[[ ! -s $T/err ]] || note "not quiet"
readable f
check "call chains, quiet"

want 0 "$AUXREC" -e cpu-clock:u -c 1000000 -o f -- sh -c "$work"
readable f
check "user space only, by count"

# samples EVENT: print the number of EVENT's samples in f
samples() { "$AUXREC" info f | sed -n "s|^  $1: .*; \([0-9]*\) samples$|\1|p"; }

# one_in N TIMES EVENT: EVENT, which occurred TIMES times, must have one sample for every N
# occurrences. Some slack is allowed, because each CPU counts for itself and some events occur
# before or after the counting of TIMES.
one_in()
{
	local nr slack=$(($1 * ($(getconf _NPROCESSORS_ONLN) + 1) + ${2:-0} / 20))

	nr=$(samples "$3")
	((${2:-0} >= $1 * 10)) || note "$2 times $3 is not often"
	((nr * $1 <= $2 + slack && nr * $1 >= $2 - slack)) ||
		note "$nr samples of $3, which was $2 times, not one in $1"
}

# Since 6.3, samples of two events of the same kind can have the wrong event's id: data->id is the
# id of the first event.
# shellcheck disable=SC2016 # for the shell that is recorded
want 0 "$AUXREC" -c 10 -e page-faults -e minor-faults/period=1,name=each/ -o f -- \
	sh -c 'x=x; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do x=$x$x; done'
readable f page-faults
one_in 10 "$(samples each)" page-faults
for p in $PERFS; do
	# The samples do not contain the period, so perf must take it from the event.
	$p report --stdio -i f 2>/dev/null | grep -A2 "of event 'page-faults'" >out
	read -r count < <(sed -n 's/^# Event count (approx.): //p' out)
	((${count:-0} == $(samples page-faults) * 10)) ||
		note "$p report counts ${count-}, of $(samples page-faults) samples"
done
check "a software event, one sample for several occurrences"

if [[ -d /sys/kernel/tracing/events || -d /sys/kernel/debug/tracing/events ]]
then
	# shellcheck disable=SC2016 # for the shell that is recorded
	want 0 "$AUXREC" -e task:task_rename -c 8 -o f -- \
		sh -c 'i=0; while [ $i -lt 800 ]; do i=$((i+1)); echo "a $i" >/proc/self/comm; done'
	valid f
	for p in $PERFS; do
		quiet "$p" script -i f
		grep -q 'newcomm=a ' out || note "$p script: no newcomm=a"
	done
	one_in 8 800 task:task_rename
	check "a tracepoint, one sample for several occurrences"

	want 0 "$AUXREC" -e cpu-clock,sched:sched_switch -e sched:sched_wakeup \
		-o f -- sh -c "$work; sleep 0.01"
	readable f prev_comm=
	check "tracepoints"
else
	skip "a tracepoint, one sample for several occurrences" "no tracefs"
	skip "tracepoints" "no tracefs"
fi

"$AUXREC" -q -e cpu-clock -o - -- sh -c "echo noise; $work" >f 2>err ||
	note "failed"
grep -q noise err || note "what the command says is not on stderr"
readable f cpu-clock
for p in $PERFS; do
	"$AUXREC" -q -e cpu-clock -o - -- sh -c "$work" 2>/dev/null |
		$p script -i - >out 2>err || note "$p in a pipe: $(head -n 1 err)"
	grep -q cpu-clock out || note "$p in a pipe: no samples"
done
check "stdout and live pipes"

want 7 "$AUXREC" -q -e cpu-clock -o f -- sh -c 'exit 7'
want 137 "$AUXREC" -q -e cpu-clock -o f -- sh -c 'kill -9 $$'
sum=$(cksum f)
want 127 "$AUXREC" -q -e cpu-clock -o f -- ./no-such-command
said 'cannot run ./no-such-command: No such file'
want 127 "$AUXREC" -q -e cpu-clock -o f -- no-such-command
said 'cannot run no-such-command: .* in PATH'
want 127 env -u PATH "$AUXREC" -q -e cpu-clock -o f -- no-such-command
want 126 "$AUXREC" -q -e cpu-clock -o f -- /etc/passwd
said '/etc/passwd: Permission denied'
want 126 "$AUXREC" -q -e cpu-clock -o f -- /etc
mkdir -p path
: >path/denied
want 126 env PATH="no/such/dir:$T/path:$PATH" "$AUXREC" -q -e cpu-clock -o f -- denied
[[ $(cksum f) == "$sum" ]] || note "f was replaced though nothing ran"
# Like execvp(3), auxrec goes on after a file without permission, takes an empty element of PATH for
# the working directory, and has a default for PATH.
printf '#!/bin/sh\nexit 9\n' >here
chmod +x here
want 9 env PATH="$T/path::/bin" "$AUXREC" -q -e cpu-clock -o f -- here
want 1 env PATH="$T/path:/bin" "$AUXREC" -q -e cpu-clock -o f -- false
want 1 env -u PATH "$AUXREC" -q -e cpu-clock -o f -- false
# Only execve(2) detects this error. The stream has begun by then.
printf '#!/no/such/shell\n' >here
want 127 "$AUXREC" -q -e cpu-clock -o f -- ./here
valid f
want 125 "$AUXREC" -q -e no-such-event -o f -- true
if [[ $("$AUXREC" list hw 2>/dev/null) != *cpu-cycles* ]]; then
	want 125 "$AUXREC" -q -e cycles -o f -- true
	said 'cycles: .*cpu-clock samples by time'
fi
want 125 "$AUXREC" -q -e cpu-clock -o no/such/dir -- true
said 'no/such/dir'
check "exit status"

rm -f f f.old
want 0 "$AUXREC" -q -e cpu-clock -o f -- true
sum=$(cksum <f)
want 0 "$AUXREC" -q -e cpu-clock -o f -- true
[[ $(cksum <f.old) == "$sum" ]] || note "f.old is not the former f"
want 125 "$AUXREC" -q -e cpu-clock -p 4194304 -o f
[[ $(cksum <f.old) == "$sum" ]] || note "a failed start replaced f.old"
check "an existing file is kept as .old"
enough

# stop SIGNAL STATUS ARGS...: send SIGNAL to auxrec alone when the recording runs. A command shows
# this by making the file "ready". Without a command, f grows again after the first records, which
# auxrec writes all at the same time.
stop()
{
	local sig=$1 want=$2 pid rc size
	shift 2
	rm -f f ready
	# Background jobs of a script ignore SIGINT, so restore the default.
	env --default-signal=INT "$AUXREC" "$@" 2>stop.err &
	pid=$!
	if [[ $* == *ready* ]]; then
		until [[ -e ready || ! -e /proc/$pid/status ]]; do sleep 0.01; done
	else
		until [[ -s f || ! -e /proc/$pid/status ]]; do sleep 0.01; done
		size=$(stat -c %s f)
		until [[ $(stat -c %s f) != "$size" || ! -e /proc/$pid/status ]]; do
			sleep 0.01
		done
	fi
	kill "-$sig" $pid
	wait $pid
	rc=$?
	[[ $rc == "$want" ]] || note "$sig: status $rc, not $want: $(cat stop.err)"
	valid f
}
stop INT 130 -e cpu-clock -o f -- sh -c ': >ready; exec sleep 100'
stop TERM 143 -e cpu-clock -o f -- sh -c ': >ready; exec sleep 100'
grep -q terminated stop.err || note "no reason in: $(cat stop.err)"
stop HUP 129 -e cpu-clock -o f -- sh -c ': >ready; exec sleep 100'
grep -q 'terminal closed' stop.err || note "no reason in: $(cat stop.err)"
stop INT 0 -e cpu-clock -F 50 -a -o f
readable f
stop TERM 0 -e cpu-clock -o f -p $$
# The command can handle the signal and exit later. auxrec's status is that of the command.
stop INT 5 -e cpu-clock -o f -- \
	sh -c 'trap "exit 5" INT; : >ready; while :; do :; done'
check "SIGINT, SIGTERM and SIGHUP"

# After nohup, auxrec and its command ignore SIGHUP and go on. The command sends SIGHUP to itself
# too.
rm -f f ready
nohup "$AUXREC" -e cpu-clock -o f -- sh -c \
	': >ready; until [ -e hung ]; do sleep 0.05; done; kill -HUP $$; exit 6' \
	2>err &
pid=$!
until [[ -e ready ]]; do sleep 0.01; done
kill -HUP $pid
: >hung
wait $pid
rc=$?
[[ $rc == 6 ]] || note "status $rc: $(cat err)"
grep -q 'command ended' err || note "$(cat err)"
valid f
check "SIGHUP after nohup"

# The process does its work only after the recording has begun, however long that takes.
rm -f f
sh -c "until [ -s f ]; do sleep 0.05; done; $work; $work" &
want 0 "$AUXREC" -e cpu-clock -p $! -o f
said "recorded tasks ended"
wait
readable f
sleep 2 &
want 0 "$AUXREC" -q -e cpu-clock -t $! -o f -- sleep 0.2
kill %% && wait 2>/dev/null
valid f
check "processes that run already"

want 0 "$AUXREC" -q -e cpu-clock -D 300 -o f -- sh -c "$work; sleep 0.5"
valid f
want 0 "$AUXREC" --json=sum -e cpu-clock -o f -- sh -c "$work"
grep -q '^{"output":"f","bytes":'"$(stat -c %s f)," sum ||
	note "sum: $(cat sum)"
want 0 "$AUXREC" --json -e cpu-clock -o f -- true
grep -q '"end":"command ended","problem":null' "$T/err" ||
	note "$(cat "$T/err")"
sum=$(cksum <f)
echo before >sum
want 125 "$AUXREC" --json=no/such/dir -e cpu-clock -o f -- touch started
said 'cannot create no/such/dir'
[[ ! -e started ]] || note "the command was started without a place for the JSON"
want 125 "$AUXREC" --json=sum -e cpu-clock -o no/such/dir -- true
[[ $(cksum <f) == "$sum" && $(<sum) == before ]] || note "a failed start changed files"
want 0 "$AUXREC" --json=sum -e cpu-clock -o f -- true
grep -q before sum && note "sum: $(cat sum)"
for quiet in -e -qe; do
	want 125 "$AUXREC" --json=/dev/full $quiet cpu-clock -o f -- true
	said 'writing /dev/full: No space left'
	said 'MiB in f: .* command ended'
done
check "delay, JSON"

mkdir small
# /dev/full accepts no data at all, so the command must not even start.
for cmd in 'exit 3' ': >started'; do
	want 125 timeout 60 "$AUXREC" -e cpu-clock -o /dev/full -- sh -c "$cmd"
	said "/dev/full: no space left"
	said "LOST .* bytes that could not be written"
done
[[ ! -e started ]] || note "the command was started without a recording"
if mount -t tmpfs -o size=4k none small 2>/dev/null; then
	for size in 4k 8k 12k 24k; do
		mount -o remount,size=$size none small
		rm -f small/*
		want 125 timeout 60 "$AUXREC" -e cpu-clock -F max -o small/f -- \
			sh -c "$work;$work;$work;$work"
		said "no space left"
		said "LOST .* bytes that could not be written"
		valid small/f
	done
	umount small
	check "disk full"
else
	skip "disk full" "cannot mount a tmpfs"
fi

# shellcheck disable=SC2317 # called by want
limited() { (ulimit -f 8; exec "$@"); }
want 125 limited "$AUXREC" -e cpu-clock -F max -o f -- sh -c "$work;$work;$work;$work"
said "f: the file cannot grow further"
said "LOST .* bytes that could not be written"
valid f
(($(stat -c %s f) > 4096)) || note "$(stat -c %s f) bytes of 8K"
# 153 is 128 + 25 (SIGXFSZ): the command itself exceeds the limit.
want 153 limited "$AUXREC" -q -e dummy -o f -- dd if=/dev/zero of=g bs=64k count=1
check "file size limit"

"$AUXREC" -e cpu-clock -F max -o - -- sh -c "$work;$work;$work;$work;exit 3" 2>err |
	head -c 20000 >f
[[ ${PIPESTATUS[0]} == 125 ]] || note "status ${PIPESTATUS[0]}"
grep -q "reader of the stream has gone" err || note "$(cat err)"
# The reader closes the pipe before the first byte. Without -a, auxrec records the command; with -a,
# the command only sets how long the recording takes.
mkfifo closed
for args in '' -a; do
	exec {hold}<>closed
	exec {out}>closed {hold}>&-
	# shellcheck disable=SC2086 # none or one
	timeout 60 "$AUXREC" -e cpu-clock $args -o - -- sleep 0.1 2>err 1>&"$out"
	rc=$?
	exec {out}>&-
	[[ $rc == 125 ]] || note "${args:-command}, gone before: status $rc"
	grep -q "reader of the stream has gone" err || note "$(cat err)"
done
check "reader gone"

# A process has the pipe open and does not read. The first signal ends the recording, and the second
# one ends the wait for the reader.
mkfifo stuck
exec {hold}<>stuck
"$AUXREC" -e cpu-clock -F max -o - -- sh -c 'while :; do :; done' >stuck 2>err &
pid=$!
until grep -qs pipe_write /proc/$pid/wchan || [[ ! -e /proc/$pid/status ]]; do
	sleep 0.01
done
kids=$(cat /proc/$pid/task/$pid/children)
kill -TERM $pid
until ! grep -qs 'SigPnd.*[1-9]' /proc/$pid/status &&
	grep -qs pipe_write /proc/$pid/wchan; do sleep 0.01; done
kill -TERM $pid
wait $pid
rc=$?
[[ $rc == 125 ]] || note "status $rc"
grep -q "gave up waiting for the reader" err || note "$(cat err)"
for kid in $kids; do
	[[ ! -e /proc/$kid ]] || note "the command goes on"
done
exec {hold}>&-
check "reader stuck"

# The first signal ends the recording. While auxrec waits for a command that ignores signals, the
# next one is passed on, and a later one kills the command.
rm -f ready
"$AUXREC" -q -e cpu-clock -o f -- sh -c 'trap "" TERM INT; : >ready; exec sleep 100000' &
pid=$!
until [[ -e ready ]]; do sleep 0.01; done
while kill -TERM $pid 2>/dev/null; do
	sleep 0.05
done
wait $pid
rc=$?
[[ $rc == 137 ]] || note "status $rc"
readable f
check "a command that ignores signals"

want 137 "$AUXREC" -q -e cpu-clock -o f -- sh -c "$work; kill -9 \$\$"
readable f
check "command killed"

cp f before
want 125 env "LD_PRELOAD=$B/selftests/tool/record/fork_killed.so" \
	"$AUXREC" -q -e cpu-clock -o f -- true
said 'true: killed by signal 9 (Killed) before it began'
cmp -s f before || note "the old file is gone"
check "command killed before its recording began"

# shellcheck disable=SC2317 # called by kills
read_killed() { for p in $PERFS; do quiet "$p" script -i f; done; }
KILLED=read_killed kills 10 60 -e cpu-clock -F max -- sh -c "while :; do :; done"
check "kill -9 at any moment"

# Options with the same names as in perf record
rm -f f
want 0 "$AUXREC" --switch-events -e cpu-clock -o f -- sh -c "sleep 0.01; sleep 0.01"
readable f
for p in $PERFS; do
	switches=$($p script -i f --show-switch-events 2>/dev/null | grep -c PERF_RECORD_SWITCH)
	((switches >= 4)) || note "$p: $switches switches of two commands that sleep"
done
rm -f f
want 0 "$AUXREC" --max-size 100K -F max -e cpu-clock -o f -- sh -c "$work; $work"
said '--max-size reached'
readable f
size=$(stat -c %s f)
((size >= 100 * 1024 && size < 1024 * 1024)) || note "$size bytes"
rm -f f
want 0 "$AUXREC" --dry-run -e cpu-clock -o f -- true
want 127 "$AUXREC" --dry-run -e cpu-clock -o f -- no-such-command
[[ ! -e f ]] || note "--dry-run makes a file"
want 125 "$AUXREC" --strict-freq -F 100000000 -e cpu-clock -o f -- true
said 'perf_event_max_sample_rate allows .*--strict-freq'
if [[ -d /sys/kernel/tracing/events || -d /sys/kernel/debug/tracing/events ]]; then
	for option in '' --exclude-perf; do
		rm -f f
		# shellcheck disable=SC2086 # no option, or one
		want 0 "$AUXREC" -q -a -e syscalls:sys_enter_write $option -o f -- sh -c "$work"
		valid f
		${PERFS##* } script -i f -F comm 2>/dev/null | grep -c auxrec >"own$option"
	done
	[[ $(<own) != 0 && $(<own--exclude-perf) == 0 ]] ||
		note "writes of auxrec: $(<own), with --exclude-perf $(<own--exclude-perf)"
fi
check "options of perf record"

want 125 "$AUXREC" -e cpu-clock -C 0 -p 1 -o f
want 0 "$AUXREC" --help >out
grep -q "^Exit status" out || note "no help"
want 0 "$AUXREC" --version >out
for command in list info check; do
	want 2 "$AUXREC" $command --no-such-option
	grep -q "^auxrec $command: .*--no-such-option" err || note "$(cat err)"
done
want 3 "$AUXREC" check /dev/null >out
grep -q '^/dev/null: empty' out || note "$(cat out)"
want 3 "$AUXREC" info /dev/null >out
said '/dev/null: empty'
check "help, contradictions"

# marks EVENT COLUMN PATTERN [SHOWN]: auxrec must print a message that matches PATTERN, then EVENT
# (or SHOWN), and a mark under the character at COLUMN
marks()
{
	want 125 "$AUXREC" --dry-run -e "$1" -- true
	sed -n 1p err | grep -q "^auxrec: $3" || note "$1: $(sed -n 1p err)"
	[[ $(sed -n 2p err) == "  ${4-$1}" ]] || note "$1: $(sed -n 2p err)"
	[[ $(sed -n 3p err) == "$(printf '%*s^' $(($2 + 1)) '')" ]] || note "$1: $(sed -n 3p err)"
	[[ $(wc -l <err) == 3 ]] || note "$1: $(cat err)"
}
marks nosuch 1 "no event 'nosuch'"
marks cpu-clock,nosuch:u 11 "no event 'nosuch'"
marks cpu-clock/freq=x/ 16 "'x' is not a number"
marks '{cpu-clock,page-faults' 1 'this { has no }'
marks $'cpu-clock,\x1b[31m' 11 "no event '?.31m'" 'cpu-clock,?[31m'
long=$(printf 'cpu-clock,%.0s' {1..30})
want 125 "$AUXREC" --dry-run -e "${long}nosuch,${long}page-faults" -- true
sed -n 2p err | grep -q '^  \.\.\..*nosuch.*\.\.\.$' || note "a long one: $(sed -n 2p err)"
at=$(sed -n 3p err)
[[ $(sed -n 2p err) == *nosuch* && $(sed -n 2p err | cut -c "${#at}-" | cut -c -6) == nosuch ]] ||
	note "a long one is marked at ${#at}: $(cat err)"
if [[ ! -e /sys/bus/event_source/devices/intel_pt ]]; then
	marks cpu-clock,intel_pt//u 11 'this machine has no Intel PT.*: as root, modprobe softpt (or insmod softpt.ko)'
	marks intel_pt 1 'this machine has no Intel PT.*: as root, modprobe softpt (or insmod softpt.ko)'
fi
want 125 "$AUXREC" -e cpu-clock -o /dev/full -- true
said '/dev/full: no space left, recording ended; nothing was written'
if [[ -d /sys/kernel/tracing/events || -d /sys/kernel/debug/tracing/events ]]; then
	want 125 "$AUXREC" -e sched:sched_switch --filter 'prev_pid >' --filter 'next_pid>1' -o f true
	said "filter 'prev_pid >' and 'next_pid>1'"
fi
if [[ -e /sys/bus/event_source/devices/$AUXGEN ]]; then
	want 125 "$AUXREC" -e "$AUXGEN"/config=0x10000000/ -o f true
	said 'its PMU refuses the term config=0x10000000: leave it out'
fi
check "what is wrong is shown where it was typed"

# For a file that is not a stream, auxrec prints one line that tells what it is and what to do.
for p in $PERFS; do
	rm -f ordinary
	$p record -q -B -e cpu-clock -o ordinary -- true 2>perr || note "$p record: $(head -n 1 perr)"
	for command in '' --records '--by cpu'; do
		# shellcheck disable=SC2086 # an option, or none
		want 1 "$AUXREC" info $command ordinary >out
		said 'ordinary: an ordinary perf.data file, not a stream: read it with perf report'
		[[ $(cat out err | wc -l) == 1 ]] || note "info $command: $(cat out err | head -n 3)"
	done
	want 1 "$AUXREC" check ordinary >out
	grep -q 'read it with perf report' out || note "check: $(head -n 1 out)"
done
echo "some text, of more than a header" >text
want 1 "$AUXREC" info text >out
said 'text: not a stream: it does not begin with PERFILE2'
[[ ! -s out ]] || note "$(head -n 3 out)"
check "files that are no streams"

finish
