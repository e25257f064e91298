#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# trigger_test.sh [AUXREC]: a test of each kind of trigger of a flight recorder, and of each
# trigger option. Runs as root; prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
WRITE=$B/selftests/tool/record/bpf_write
PIN=/sys/fs/bpf/flight_test
SAMPLER=(-a -e cpu-clock -F 200)

# made NAME KIND: check that there is a valid snapshot of the trigger NAME, which tells NAME and
# KIND
made()
{
	local f

	await of "$1" || return
	f=$(of "$1")
	valid "$f"
	[[ $(marks "$f") == *"\"name\": \"$1\", \"kind\": \"$2\""* ]] || note "not of $2: $(marks "$f")"
	"$AUXREC" info "$f" | grep -q "^  [0-9]*: $1 ($2) at " || note "info does not tell of $1"
}

# --- the socket -------------------------------------------------------------------

launch "${SAMPLER[@]}"
for name in one 'two-words'; do
	f=$(ctl snapshot "$name") || note "ctl failed: $f"
	# Check the snapshot immediately: it is complete when ctl has its answer.
	valid "$f"
	[[ $(mark "$f" name) == "$name" && $(mark "$f" kind) == socket ]] || note "$(marks "$f")"
done
f=$(ctl snapshot)
[[ $(mark "$f" name) == socket-s ]] || note "without a name: $(marks "$f")"
is_status snapshots 3 || note "$(told)"
is_status 'trigger socket-s' '3 taken, 0 suppressed' || note "$(told)"
want 125 ctl snapshot 'two words'
want 125 ctl snapshot "$(printf 'a%.0s' {1..100})"
want 125 "$AUXREC" ctl nowhere status
check "the socket: snapshots with names, and status"

want 0 ctl stop
over 0
logged '3 snapshots'
[[ ! -e s ]] || note "the socket is left"
check "and it ends the recorder"

# --- all other triggers, at the same time -------------------------------------------

touch_address()
{
	mkfifo "$T/go"
	"$ACTOR" touch <"$T/go" >"$T/address" &
	toucher=$!
	exec {go}>"$T/go"
	await test -s "$T/address"
	cat "$T/address"
}
touch_address >/dev/null
at=$(cat "$T/address")
main=$(nm "$ACTOR" | awk '$3 == "main" { print $1 }')
read -r offset address < <(readelf -Wl "$ACTOR" | awk '$1 == "LOAD" && $0 ~ / E / { print $2, $3 }')
echo "p:flight_test/main $ACTOR:$(printf %#x $((0x$main - address + offset)))" >$G/uprobe_events
# shellcheck disable=SC2016 # $comm is the kernel's
echo 'p:flight_test/exec begin_new_exec comm=$comm' >$G/kprobe_events
cp "$WORK" "$T/flight-exec"

# shellcheck disable=SC2054 # the commas are part of the triggers
triggers=(signal=USR1 signal=RTMIN,name=real-time
	'event=sched:sched_process_fork/parent_comm == "fork-parent"/,name=fork'
	event=flight_test:main,name=uprobe,count=1
	'event=flight_test:exec/comm == "exec-parent"/,name=kprobe'
	'exec=flight-ex*,name=execs' exit=flight-exit crash=SEGV,ABRT,name=crashed)
launch "${SAMPLER[@]}" "${triggers[@]/#/--trigger=}"
# No such event has happened yet.
"$WORK" 20
is_status snapshots 0 || note "$(told)"
check "triggers that do not come make no snapshots"

kill -USR1 $pid
made signal-USR1 signal
kill -RTMIN $pid
made real-time signal
check "signals"

"$ACTOR" fork 1
made uprobe event
! of fork >/dev/null || note "fork, in spite of its filter"
check "a uprobe"

(printf fork-parent >/proc/$BASHPID/comm; true | true)
made fork event
check "a tracepoint with a filter"

(printf exec-parent >/proc/$BASHPID/comm; exec /bin/true)
made kprobe event
check "a kprobe with a filter"
enough

! of execs >/dev/null || note "there is one before"
"$T/flight-exec" 1
made execs exec
check "exec="

! of exit-flight-exit >/dev/null || note "there is one before"
"$ACTOR" fork 1 flight-exit
made exit-flight-exit exit
check "exit="

{ "$ACTOR" crash 15; } 2>/dev/null
is_status 'trigger crashed' '0 taken, 0 suppressed' || note "SIGTERM is a crash"
bash -c 'trap : ABRT; kill -ABRT $$'
is_status 'trigger crashed' '0 taken, 0 suppressed' || note "a handler is a crash"
{ "$ACTOR" crash 11; } 2>/dev/null
made crashed crash
"$PERF" script -i "$(of crashed)" -F comm,event,trace 2>/dev/null |
	grep -q "actor .*signal_deliver:.*sig=11" || note "no sample of it"
check "crash, and nothing that is none"

land
logged "snapshots, .* of [0-9]* triggers"
unlogged LOST
check "all triggers come in one run, and nothing is lost"
echo >$G/uprobe_events
echo >$G/kprobe_events

rm -f $PIN
if "$WRITE" --ringbuf $PIN 24 rm $PIN; then
	# bpf_write runs its command while the BPF program is loaded.
	"$WRITE" --ringbuf $PIN 24 bash -c "
		. '$HERE/../flight/flight.sh' '$AUXREC' >/dev/null
		launch ${SAMPLER[*]} --trigger=bpf=$PIN,name=bytes,count=1
		printf flight-name >/proc/\$\$/comm
		await of bytes
		await is_status waiting 0
		valid \"\$(of bytes)\"
		marks \"\$(of bytes)\" >$T/bytes
		ctl stop
		over 0
		printf %s \"\$why\"" >"$T/bpf.out"
	[[ ! -s $T/bpf.out ]] || note "$(cat "$T/bpf.out")"
	data=$(sed -n 's/.*"data": \[{"size": [0-9]*, "bytes": "\([0-9a-f]*\)".*/\1/p' "$T/bytes" | tail -n 1)
	printf '%s' "$data" | sed 's/../\\x&/g' | xargs -0 printf >"$T/data"
	[[ $(cat "$T/bytes") == *'"kind": "bpf"'* && -n $data ]] || note "marks: $(cat "$T/bytes")"
	want 0 "$WRITE" --check 24 "$T/data" >/dev/null
	check "a BPF program's ring buffer: its bytes are in the snapshot"
	rm -f $PIN
else
	skip "a BPF program's ring buffer" "no BPF here"
fi

# --- triggers of one process, and of a command --------------------------------------

# A shell that executes the orders that it reads
# shellcheck disable=SC2016 # the shell that runs obey expands them
echo 'while read -r order; do eval "$order"; done <"$1"' >"$T/obey"
mkfifo "$T/orders"
exec {orders}<>"$T/orders"
order() { echo "$*" >&"$orders"; }

# shellcheck disable=SC2054 # the commas are part of the triggers
triggers=('exec=flight-ex*,name=execs' exit=flight-exit crash=SEGV,ABRT,name=crashed
	'event=sched:sched_process_fork/parent_comm == "fork-parent"/,name=fork')

# only_its_own: check that no trigger comes when a process that is not recorded does what the
# trigger waits for, and that each trigger comes when a child of the recorded process does it
only_its_own()
{
	local name

	"$T/flight-exec" 1
	"$ACTOR" fork 1 flight-exit
	{ "$ACTOR" crash 11; } 2>/dev/null
	(printf fork-parent >/proc/$BASHPID/comm; true | true)
	# For this snapshot the recorder has read everything that has come.
	ctl snapshot others >/dev/null || note "no snapshot: $(told)"
	for name in execs exit-flight-exit crashed fork; do
		is_status "trigger $name" '0 taken, 0 suppressed' ||
			note "$name, of somebody else: $(status "trigger $name")"
	done

	order "'$T/flight-exec' 1"
	made execs exec
	order "'$ACTOR' fork 1 flight-exit"
	made exit-flight-exit exit
	order "{ '$ACTOR' crash 6; } 2>/dev/null"
	made crashed crash
	# shellcheck disable=SC2016 # the shell that runs obey expands it
	order '(printf fork-parent >/proc/$BASHPID/comm; true | true)'
	made fork event
	for name in execs exit-flight-exit crashed; do
		is_status "trigger $name" '1 taken, 0 suppressed' ||
			note "$name: $(status "trigger $name"), not one"
	done
	"$PERF" script -i "$(of crashed)" -F comm,event,trace 2>/dev/null |
		grep -q "actor .*signal_deliver:.*sig=6" || note "no sample of the crash"
}

bash "$T/obey" "$T/orders" &
obeys=$!
launch -p $obeys -e cpu-clock -F 100 "${triggers[@]/#/--trigger=}"
only_its_own
land
check "exec=, exit=, crash and an event of a process (-p), and of no other"
order exit
wait $obeys

launch -e cpu-clock -F 100 "${triggers[@]/#/--trigger=}" -- bash "$T/obey" "$T/orders"
only_its_own
# The recorder waits for the command, and ends with its status.
order exit 3
over 3
logged 'snapshots, .* of [0-9]* triggers'
check "exec=, exit=, crash and an event of a command, and of nobody else"

# --- thresholds ------------------------------------------------------------------------

# faults N: let the recorded process have N page faults
faults()
{
	local said

	order "$1"
	read -rt 60 said <&"$answers"
	[[ $said == "done" ]] || note "the faults are not done"
	# For this snapshot the recorder has read everything that has come.
	ctl snapshot faults >/dev/null || note "no snapshot: $(told)"
}

# Each CPU counts faults by itself, so the process stays on one CPU.
mkfifo "$T/answers"
exec {answers}<>"$T/answers"
taskset -c 0 "$ACTOR" fault <"$T/orders" >"$T/answers" &
faulter=$!
launch -p $faulter -e cpu-clock -F 100 --trigger event=page-faults/period=1000/,name=many
faults 10
for i in 1 2 3; do
	faults 600
	is_status 'trigger many' "$((i - 1)) taken, 0 suppressed" ||
		note "$((i * 1000 - 400)) faults: $(status 'trigger many')"
	faults 400
	await is_status 'trigger many' "$i taken, 0 suppressed"
	made many event
done
land
kill $faulter
wait $faulter 2>/dev/null
check "page-faults/period=1000/: a snapshot each thousand"

launch -a -e page-faults -F 1 --trigger event=cpu-clock/period=200000000/,name=now-and-then
"$WORK" 1000
made now-and-then event
land
check "a clock: a snapshot each 0.2 s"

for event in cpu-clock task-clock r3c cycles L1-dcache-loads; do
	want 125 "$AUXREC" --flight -a -e page-faults --trigger "event=$event"
	said "$event occurs too often for a trigger: give it a period, as in event="
done
want 125 "$AUXREC" --flight -a -e page-faults --trigger event=page-faults/period=0/
said 'page-faults/period=0/ with period 0 never triggers'
check "what comes too often needs a threshold"

# --- breakpoints -----------------------------------------------------------------------

# QEMU emulates breakpoints. The recorder is started after the task that it records.
"$AUXREC" --flight --trigger socket="$T/s" --trigger "event=mem:$at/4:w,name=touched" \
	-p $toucher -e cpu-clock -F 100 -o "$T/bp" >/dev/null 2>"$T/log" &
pid=$!
cd "$T" || exit 2
await ctl status
echo >&"$go"
wait $toucher
over 0
f=$(echo bp.sample.*)
if [[ -e $f ]]; then
	valid "$f"
	[[ $(mark "$f" name) == touched ]] || note "$(marks "$f")"
else
	note "no snapshot: $(cat log)"
fi
check "a breakpoint, of a task that runs"

# --- options of triggers ------------------------------------------------------------

# times FILE: print the times of the samples of cpu-clock in FILE, in ns
times()
{
	"$PERF" script -i "$1" --ns -F time,event 2>/dev/null | awk '/cpu-clock/ { gsub(/[.:]/, "", $1); sub(/^0*/, "", $1); print $1 }' |
		sort -n
}

launch "${SAMPLER[@]}" --trigger signal=USR1,count=2,name=twice
for i in 1 2; do
	kill -USR1 $pid
	await is_status snapshots $i
done
for i in 1 2 3; do
	kill -USR1 $pid
	await is_status suppressed $i
done
f=$(ctl snapshot)
[[ $(mark "$f" suppressed) == 3 ]] || note "in the next one: $(marks "$f")"
files
[[ ${#files[@]} == 3 ]] || note "files: ${files[*]}"
is_status 'trigger twice' '2 taken, 3 suppressed' || note "$(told)"
land
logged '3 triggers have no snapshot because of count= or rate='
check "count=2: two snapshots, and the others are told"

# When a trigger's count= is used up, its event is disabled and interrupts no CPU.
launch "${SAMPLER[@]}" --trigger event=sched:sched_process_fork,count=1,name=once
"$ACTOR" fork 1
await of once
"$ACTOR" fork 50
f=$(ctl snapshot)
(($(mark "$f" suppressed) < 50)) || note "$(mark "$f" suppressed) suppressed"
files
[[ ${#files[@]} == 2 ]] || note "files: ${files[*]}"
land
check "count=1 of an event"

launch "${SAMPLER[@]}" --trigger signal=USR1,rate=2/h
for i in 1 2; do
	kill -USR1 $pid
	await is_status snapshots $i
done
for i in 1 2; do
	kill -USR1 $pid
	await is_status suppressed $i
done
is_status snapshots 2 || note "$(told)"
land
logged '2 triggers have no snapshot'
check "rate=2/h: two snapshots, and the others are told"

launch "${SAMPLER[@]}" --trigger signal=USR1,pre=300ms
"$WORK" 1000
kill -USR1 $pid
await of signal-USR1
f=$(of signal-USR1)
valid "$f"
t=$(mark "$f" trigger)
first=$(times "$f" | head -n 1)
((first >= t - 300000000 && first < t)) || note "the first sample is $((t - first)) ns before the trigger"
g=$(ctl snapshot)
(($(times "$g" | head -n 1) < t - 500000000)) || note "the other trigger has no more"
land
check "pre=300ms: nothing older, while others have all"

launch "${SAMPLER[@]}" --trigger signal=USR1,post=500ms
"$WORK" 2000 &
kill -USR1 $pid
await of signal-USR1
f=$(of signal-USR1)
valid "$f"
t=$(mark "$f" trigger)
last=$(times "$f" | tail -n 1)
((last > t + 400000000)) || note "the last sample is $((last - t)) ns behind the trigger"
wait $!
land
check "post=500ms: what comes behind it is there"

# --- options of the other kinds of triggers -----------------------------------------

# brings NAME: do what the trigger of that name waits for, once
brings()
{
	case $1 in
	execs) "$T/flight-exec" 1 ;;
	exits) "$ACTOR" fork 1 flight-exit ;;
	crashed) { "$ACTOR" crash 11; } 2>/dev/null ;;
	sought) ctl snapshot >"$T/sought" & ;;
	once | rated) echo >&"${begin[$1]}" ;;
	esac
}

# within FILE: check that FILE begins at most PRE_MS before the first of its triggers, and has
# nearly all of the POST_MS after the last one
PRE_MS=300 POST_MS=1000
within()
{
	local begin end t

	t=$(marks "$1" | sed 's/.*"trigger": \([0-9]*\).*/\1/' | sort -n)
	begin=$(times "$1" | head -n 1)
	end=$(times "$1" | tail -n 1)
	valid "$1"
	((begin >= ${t%%$'\n'*} - PRE_MS * 1000000 && begin < ${t%%$'\n'*})) ||
		note "begins $((${t%%$'\n'*} - begin)) ns before its trigger: $(marks "$1")"
	((end > ${t##*$'\n'} + (POST_MS - 100) * 1000000)) ||
		note "ends $((end - ${t##*$'\n'})) ns behind its trigger: $(marks "$1")"
}

# program NAME: load a BPF program that fills a ring buffer. It starts when it gets a byte of input,
# and stops when the input ends. It runs whenever a task is renamed, also for the recorder's own
# renames.
declare -A begin=()
program()
{
	local fd

	"$WRITE" --ringbuf "${PIN}_$1" 24 rm "${PIN}_$1" || return
	mkfifo "$T/$1"
	"$WRITE" --later "${PIN}_$1" 24 cat <"$T/$1" &
	exec {fd}>"$T/$1"
	begin[$1]=$fd
	await test -e "${PIN}_$1"
}

terms=,pre=${PRE_MS}ms,post=${POST_MS}ms
# shellcheck disable=SC2054 # the commas are part of the triggers
triggers=("exec=flight-ex*,name=execs,count=1$terms" "exit=flight-exit,name=exits,count=1$terms"
	"crash=SEGV,name=crashed,count=1$terms")
names=(execs exits crashed sought)
rm -f ${PIN}_*
if program once && program rated; then
	triggers+=("bpf=${PIN}_once,name=once,count=1$terms" "bpf=${PIN}_rated,name=rated,rate=2/h$terms")
	names=(once rated "${names[@]}")
fi
TERMS=,name=sought,rate=2/h$terms launch "${SAMPLER[@]}" "${triggers[@]/#/--trigger=}"
"$WORK" 1000
for name in "${names[@]}"; do
	brings "$name"
done
"$WORK" 1500
for name in "${names[@]}"; do
	await of "$name"
done
await is_status waiting 0
files
for f in "${files[@]}"; do
	within "$f"
done
check "pre= and post= of the socket, exec=, exit=, crash and bpf="

for name in execs exits crashed sought; do
	brings $name
done
await is_status 'trigger sought' '2 taken, 0 suppressed'
await is_status waiting 0
want 1 ctl snapshot
said "the trigger's count= or rate= is used up"
is_status 'trigger sought' '2 taken, 1 suppressed' || note "$(told)"
for name in execs exits crashed; do
	[[ $(status "trigger $name") == '1 taken, '* ]] || note "$name: $(status "trigger $name")"
done
check "count= of exec=, exit= and crash, and rate= of the socket"

if [[ ${begin[rated]-} ]]; then
	[[ $(status 'trigger once') == '1 taken, '[1-9]*' suppressed' ]] || note "$(told)"
	[[ $(status 'trigger rated') == '2 taken, '[1-9]*' suppressed' ]] || note "$(told)"
	land
	check "count= and rate= of bpf="
else
	land
	skip "count= and rate= of bpf=" "no BPF here"
fi
for name in "${!begin[@]}"; do
	fd=${begin[$name]}
	exec {fd}>&-
done
rm -f ${PIN}_*

finish
