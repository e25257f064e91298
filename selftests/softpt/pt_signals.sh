#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Signals, system calls that wait, timers, children and threads, recorded with
# softpt. Run it in a VM, as root.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/guest.sh"

counted signals
stepped signals
perf_is_content
check "handlers: nested, on another stack, left by a jump, that repair or move on"

clean "$P/vsyscall" "$T/vdso" >/dev/null 2>&1
for kind in dynamic pie; do
	record "$P/signals-$kind"
	images "$T/vdso" >code
	decode
	perf_is_content
	rm -rf steps
	clean "$SPT/stepper" steps "$P/signals-$kind" </dev/null >steps.out 2>err
	od -An -v -t x8 -w8 steps/0.ips | sed 's/^ *0*//' | uniq >truth
	uniq flow >found
	cmp -s truth found || note "$(wc -l <truth) and $(wc -l <found) instructions, first" \
		"difference $(paste truth found | awk '$1 != $2 { print NR ": " $1, $2; exit }')"
	check "the same program, $kind"
done

counted waits
perf_is_content
check "system calls that are restarted, given up, and gone on with after a stop"

counted procs
perf_is_content
check "fork, vfork, posix_spawn, exec"

counted migrate 50
perf_is_content
check "threads that go from one CPU to another"

for which in real posix prof; do
	counted timers $which 3000
	perf_is_content
	check "a timer that is faster than steps, $which"
done
counted timers long 3000
perf_is_content
check "a timer that is faster than its handler"
counted timers nested 3000
perf_is_content
check "a timer that is faster than its handler, which it may interrupt"
counted timers left 3000
perf_is_content
check "a timer that is faster than its handler, which is left by a jump"

# After a tracestop nothing is stepped any more, so signals must not wait for steps.
rm -f f
clean timeout 400 "$AUXREC" -o f -e intel_pt//u --filter "tracestop mark_stop @ $P/timers" -- \
	"$P/timers" long 3000 wait </dev/null >stdout 2>err || note "status $?: $(tail -n 2 err)"
grep -qx 'mark_stop 1' stdout || note "it has not ended"
check "signals go on behind a tracestop"

"$P/restarted" >/dev/null 2>&1
if [[ $? == 4 ]]; then
	skip "a system call that is restarted without a signal" "this kernel has no io_uring"
else
	# The tracepoint tells how often the system call was entered.
	EVENTS=(-e syscalls:sys_enter_read)
	counted restarted
	EVENTS=()
	at=$(nm "$P/restarted" | awk '$3 == "restarted_read" { sub(/^0*/, "", $1); print $1 }')
	told=$(grep -cx "$at" flow)
	entered=$("$PERF" script -i f --itrace=i0ns -F event,trace 2>/dev/null | grep -c 'sys_enter_read.*count: 0x0*1$')
	[[ $told == "$entered" && $entered -gt 10 ]] ||
		note "$entered times it was entered, $told times it was told"
	check "a system call that is restarted without a signal"
fi

ulimit -c unlimited
rm -f /tmp/core*
rm -f f
clean "$AUXREC" -o f -e intel_pt//u -- "$SPT/work-static" crash </dev/null >stdout 2>err
[[ $? == 139 ]] || note "not killed: $(cat err)"
valid f
image "$SPT/work-static" >code
decode
at=$(tail -n 1 flow)
core=$(compgen -G '/tmp/core*' | head -n 1)
# shellcheck disable=SC2016 # for gdb
if [[ -z $core ]]; then
	note "no core"
elif command -v gdb >/dev/null; then
	gdb -batch -ex 'p/x $eflags & 0x100' -ex 'p/x $pc' "$SPT/work-static" "$core" >got 2>&1
	grep -q '^\$1 = 0x0$' got || note "TF in the core: $(tail -n 2 got)"
	grep -q '^\$2 = 0x' got || note "no registers in the core"
	# The instruction that was not executed comes after the last one.
	[[ $(sed -n 's/^\$2 = 0x//p' got) != "$at" ]] || note "the fault is in the flow: $at"
fi
perf_is_content
rm -f /tmp/core*
check "a fatal signal, with a core"

finish
