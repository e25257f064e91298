#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# probe_test.sh [AUXREC]: a test of the triggers that are functions of programs: event=func= and
# latency=. The freezing of the raw ring is tested in flight_raw_test.sh. Runs as root in a VM. Prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
SAMPLER=(-a -e cpu-clock -F 200)
PROG=$T/prog
cp "$B/selftests/tool/flight/called" "$PROG"

# do_it LINE: let the program make calls, and wait until they have returned. Set $ns to the time that
# the program has measured.
do_it()
{
	echo "$1" >&"$orders"
	read -rt 60 ns <&"$answers"
	[[ $ns =~ ^[0-9]+$ ]] || note "the program says '$ns'"
}

mkfifo "$T/orders" "$T/answers"
exec {orders}<>"$T/orders" {answers}<>"$T/answers"
"$PROG" <"$T/orders" >"$T/answers" &
prog=$!

# shellcheck disable=SC2317 # await calls it
# triggered EVENT N: does a snapshot have N samples of the event?
triggered()
{
	local n
	n=$(grep -c . < <(samples "$1"))
	((n == $2)) || { echo "$n samples" >why; false; }
}

# samples EVENT: print the samples of the event in a new snapshot. (In a stream, perf script prints
# no ip for events of PMUs, see process_attr() in builtin-script.c.)
samples() { "$PERF" script -i "$(ctl snapshot)" -F comm,tid,event 2>/dev/null | grep -F " $1:"; }

# --- each call, each return -----------------------------------------------------------

launch "${SAMPLER[@]}" --trigger "event=func=called@$PROG,name=call" \
	--trigger "event=probe:func=called@$PROG%return,name=return,count=1" \
	--trigger "event=func=leaps@$PROG,name=never"
do_it "call 1"
await of call && await of return
[[ $(marks "$(of call)") == *'"name": "call", "kind": "event"'* ]] || note "$(marks "$(of call)")"
readable "$(of call)"
for event in "func=called@$PROG" "probe:func=called@$PROG%return"; do
	samples "$event" >calls
	read -r comm tid _ <calls
	[[ $(wc -l <calls) == 1 && $comm == prog && $tid == "$prog" ]] || note "$event: $(cat calls)"
done
is_status 'trigger never' '0 taken, 0 suppressed' || note "$(told)"
check "a call is a trigger, and a return is one"

do_it "call 100"
await triggered "func=called@$PROG" 101 || note "$(<why): $("$AUXREC" info "$(ctl snapshot)" | sed -n '/^Losses/,/^$/p')"
# The return's event is disabled after its one snapshot.
is_status 'trigger return' '1 taken, 0 suppressed' || note "$(told)"
land
check "and each of a hundred calls is in a snapshot"

launch "${SAMPLER[@]}" --trigger "event=func=waits@$PROG,name=in" \
	--trigger "event=func=waits@$PROG%return,name=out"
do_it "wait 60 1"
await triggered "func=waits@$PROG%return" 1
"$PERF" script -i "$(ctl snapshot)" -F time,event 2>/dev/null | tr -d : | awk '
	$2 ~ /^func=waits@.*%return$/ { end = $1 }
	$2 ~ /^func=waits@.*prog$/ { begin = $1 }
	END { exit !(begin && end - begin > 0.05) }' || note "the return is not 60 ms after the call"
land
check "a return is a trigger when the function has ended"

# --- nothing stays behind -------------------------------------------------------------

launch "${SAMPLER[@]}" --trigger "event=func=called@$PROG,name=call"
kill -9 "$pid"
over 137
do_it "call 10"
[[ ! -s $G/uprobe_events ]] || note "left: $(cat $G/uprobe_events)"
launch "${SAMPLER[@]}" --trigger "event=func=called@$PROG,name=call"
do_it "call 1"
await of call
land
check "a killed recorder leaves nothing, and the next one can have the same probe"

# --- calls that take long ---------------------------------------------------------------

# took EVENT: print the raw data of the event's samples in a new snapshot, as numbers of ns
took()
{
	local b line

	while read -r line; do
		read -ra b <<<"${line##*0000: }"
		echo $((16#${b[7]}${b[6]}${b[5]}${b[4]}${b[3]}${b[2]}${b[1]}${b[0]}))
	done < <("$PERF" script -i "$(ctl snapshot)" -F comm,event,bpf-output 2>/dev/null |
		grep -aFA 1 " $1:" | grep -a ' 0000: ')
}

launch "${SAMPLER[@]}" --trigger "latency=waits@$PROG/50ms/,name=long" \
	--trigger "latency=waits@$PROG/1h/,name=never" --trigger "latency=called@$PROG/1ns/,name=any"
do_it "wait 60"
await of long
[[ $(marks "$(of long)") == *'"name": "long", "kind": "latency"'* ]] || note "$(marks "$(of long)")"
readable "$(of long)"
"$AUXREC" info "$(of long)" | grep -q "^  [0-9]*: long (latency) at " || note "info does not tell of it"
do_it "wait 10"
do_it "call 1"
await of any
is_status 'trigger never' '0 taken, 0 suppressed' || note "$(told)"
samples "latency=waits@$PROG" >calls
read -r comm tid _ <calls
[[ $comm == prog && $tid == "$prog" ]] || note "long: $(cat calls)"
took "latency=waits@$PROG" >took_ns
(($(head -n 1 took_ns) >= 60000000)) || note "took $(tr '\n' ' ' <took_ns)"
land
check "latency=: a call that takes long, with its time"

launch "${SAMPLER[@]}" --trigger "latency=recurses@$PROG/1ns/,name=both"
do_it "recurse 100"
await triggered "latency=recurses@$PROG" 2
took "latency=recurses@$PROG" >took_ns
{ read -r inner && read -r outer; } <took_ns
((inner < outer && outer >= 100000000 && outer <= ns)) || note "inner $inner ns, outer $outer, both $ns"
land
check "a function that calls itself: each call has its own time"

# The kernel forgets the starts of the outermost calls, and only these have a probe at their return.
launch "${SAMPLER[@]}" --trigger "latency=recurses@$PROG/1ns/,name=deep"
do_it "recurse 0 40000"
untimed=$(status 'untimed calls')
((untimed > 0)) || note "$(told)"
land
logged "trigger deep: the time of $untimed calls is not known, because their start was forgotten"
check "calls whose start was forgotten are counted"

launch "${SAMPLER[@]}" --trigger "latency=leaps@$PROG/1ns/,name=left"
do_it "jump 500"
await triggered "latency=leaps@$PROG" 1
took "latency=leaps@$PROG" >took_ns
(($(<took_ns) <= ns)) || note "took $(<took_ns) ns, but the program has measured $ns"
land
check "a call that longjmp() left is not the start of the next one"

# Calls that return after the snapshot of count=1 have no sample, so the threads have a trigger of
# their own.
launch "${SAMPLER[@]}" --trigger "latency=waits@$PROG/50ms/,name=long" \
	--trigger "latency=called@$PROG/1ns/,name=once,count=1"
do_it "wait 60 20"
await triggered "latency=waits@$PROG" 20
do_it "call 1"
await of once
do_it "call 1"
is_status 'trigger once' '1 taken, 0 suppressed' || note "$(told)"
land
check "calls of several threads at the same time; count= ends the timing"

# --- errors ---------------------------------------------------------------------------

refused() { want 125 "$AUXREC" --flight "${@:2}" -e cpu-clock -o x && said "$1"; }
refused "has no function 'caled'; did you mean called?" -a --trigger "event=func=caled@$PROG"
refused 'is not an ELF file' -a --trigger "event=func=main@$T/log"
refused 'cannot let a probe of a function follow tasks: record whole CPUs' -p $prog \
	--trigger "event=func=called@$PROG"
refused "has no function 'wait'; did you mean waits?" -a --trigger "latency=wait@$PROG/1s/"
refused 'cannot let a probe of a function follow tasks: record whole CPUs' -p $prog \
	--trigger "latency=waits@$PROG/1s/"
refused 'is a Go program, which would crash' -a \
	--trigger "latency=called@$B/selftests/tool/flight/called_go/1s/"
refused 'is a Go program, which would crash' -a \
	--trigger "event=func=called@$B/selftests/tool/flight/called_go%return"
# Debian's kernels do not let anybody without CAP_SYS_ADMIN record whole CPUs at the level 3.
echo 2 >/proc/sys/kernel/perf_event_paranoid
want 125 setpriv --bounding-set=-sys_admin "$AUXREC" --flight -a -e cpu-clock -o x \
	--trigger "event=func=called@$PROG"
said 'only root may record probes of functions'
check "errors"
finish
