#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# probe_test.sh [AUXREC]: a test of the triggers that are functions of programs: event=func=. The
# freezing of the raw ring is tested in flight_raw_test.sh. Runs as root in a VM. Prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
SAMPLER=(-a -e cpu-clock -F 200)
PROG=$T/prog
cp "$B/selftests/tool/flight/called" "$PROG"

# do_it LINE: let the program make calls, and wait until they have returned
do_it()
{
	local said

	echo "$1" >&"$orders"
	read -rt 60 said <&"$answers"
	[[ $said == "done" ]] || note "the program says '$said'"
}

mkfifo "$T/orders" "$T/answers"
exec {orders}<>"$T/orders" {answers}<>"$T/answers"
"$PROG" <"$T/orders" >"$T/answers" &
prog=$!

# shellcheck disable=SC2317 # await calls it
# triggered EVENT N: does a snapshot have N samples of the event?
triggered() { (($(grep -c . < <(samples "$1")) == $2)); }

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
await triggered "func=called@$PROG" 101
# The return's event is disabled after its one snapshot.
is_status 'trigger return' '1 taken, 0 suppressed' || note "$(told)"
land
check "and each of a hundred calls is in a snapshot"

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

# --- errors ---------------------------------------------------------------------------

refused() { want 125 "$AUXREC" --flight "${@:2}" -e cpu-clock -o x && said "$1"; }
refused "has no function 'caled'; did you mean called?" -a --trigger "event=func=caled@$PROG"
refused 'is not an ELF file' -a --trigger "event=func=main@$T/log"
refused 'cannot let a probe of a function follow tasks: record whole CPUs' -p $prog \
	--trigger "event=func=called@$PROG"
# Debian's kernels do not let anybody without CAP_SYS_ADMIN record whole CPUs at the level 3.
echo 2 >/proc/sys/kernel/perf_event_paranoid
want 125 setpriv --bounding-set=-sys_admin "$AUXREC" --flight -a -e cpu-clock -o x \
	--trigger "event=func=called@$PROG"
said 'only root may record probes of functions'
check "errors"
finish
