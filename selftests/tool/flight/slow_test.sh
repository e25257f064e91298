#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# slow_test.sh [AUXREC]: test the triggers that come when something is slow: pressure= and hang=.
# The test causes the pressure itself, so it runs as root in a VM. It prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
SAMPLER=(-a -e cpu-clock -F 200)
CG=/sys/fs/cgroup
mountpoint -q $CG || mount -t cgroup2 cgroup $CG

# made NAME KIND: check that trigger NAME has a valid snapshot, which tells this name and KIND
made()
{
	await of "$1" || return
	valid "$(of "$1")"
	[[ $(marks "$(of "$1")") == *"\"name\": \"$1\", \"kind\": \"$2\""* ]] ||
		note "not of $2: $(marks "$(of "$1")")"
	"$AUXREC" info "$(of "$1")" | grep -q "^  [0-9]*: $1 ($2) at " || note "info does not tell of $1"
}

# A program with a name of its own
cp "$(command -v bash)" "$T/flight-spin"

# spin: begin to spin on CPU 0 with two programs, which share it. rest: end them
spin()
{
	local i

	spinners=()
	for i in 1 2; do
		taskset -c 0 "$T/flight-spin" -c 'while :; do :; done' &
		spinners+=($!)
	done
}
rest()
{
	kill "${spinners[@]}"
	wait "${spinners[@]}" 2>/dev/null
}

# shellcheck disable=SC2317 # await calls them
# Conditions to wait for: the newest snapshot of the trigger $1 has samples of the programs that
# spin; the trigger $1 has had $2 snapshots
has_spinners() { "$PERF" script -i "$(of "$1")" -F comm 2>/dev/null | grep -q flight-spin; }
# shellcheck disable=SC2317
taken() { (($(status "trigger $1" | cut -d' ' -f1) >= $2)); }

# --- pressure ---------------------------------------------------------------------

# The recorder's start may cause pressure, too. Nothing here reads so much that all tasks wait for
# memory for a whole second.
launch "${SAMPLER[@]}" --trigger pressure=cpu/100ms/1s,name=cpus,rate=1/2s \
	--trigger pressure=memory:full/1s/1s,name=never
spin
made cpus pressure
await has_spinners cpus
# The kernel reports the pressure once in each window.
await taken cpus 3
rest
is_status 'trigger never' '0 taken, 0 suppressed' || note "$(told)"
land
unlogged LOST
check "pressure of a CPU: a snapshot, again in each window, and none of other pressure"

# The cgroup has too little memory for its program: the kernel gives pages up, and reads them again.
echo +memory >$CG/cgroup.subtree_control
if mkdir $CG/flight-slow && [[ -e $CG/flight-slow/memory.high ]]; then
	echo 8M >$CG/flight-slow/memory.high
	echo 0 2>/dev/null >$CG/flight-slow/memory.swap.max
	launch "${SAMPLER[@]}" --trigger pressure=memory/100ms/1s,name=memory,count=1
	head -c 64M /dev/zero >"$T/pages"
	bash -c "echo \$\$ >$CG/flight-slow/cgroup.procs; while :; do cat '$T/pages' '$T/pages' >/dev/null; a=\$(head -c 30M /dev/zero | tr '\\0' x); done" &
	eater=$!
	made memory pressure
	land
	kill -9 $eater
	wait $eater 2>/dev/null
	rm -f "$T/pages"
	echo 1 2>/dev/null >$CG/flight-slow/cgroup.kill
	await rmdir $CG/flight-slow
	check "pressure of memory, in a cgroup with memory.high"
else
	skip "pressure of memory" "no memory controller"
fi

want 125 setpriv --bounding-set=-sys_resource "$AUXREC" --flight -a -e cpu-clock \
	--trigger pressure=cpu/100ms/1s
said 'without CAP_SYS_RESOURCE, the window must be 2s, 4s, 6s, 8s or 10s'
LAUNCHER="setpriv --bounding-set=-sys_resource" launch "${SAMPLER[@]}" \
	--trigger pressure=cpu/100ms/2s,name=slowly
spin
made slowly pressure
rest
land
check "without CAP_SYS_RESOURCE, windows of 2 s"

# --- a task that hangs --------------------------------------------------------------

# say_to ANSWER: give the task a line of input, and wait until the task has printed ANSWER
say_to()
{
	local said

	echo >&"$orders"
	read -rt 60 said <&"$answers"
	[[ $said == "$1" ]] || note "the task says '$said', not $1"
}

mkfifo "$T/orders" "$T/answers"
exec {orders}<>"$T/orders" {answers}<>"$T/answers"
"$ACTOR" hang <"$T/orders" >"$T/answers" &
hanger=$!
sleep 1000 &
sleeper=$!
launch "${SAMPLER[@]}" --trigger "hang=$hanger/1s,name=hung" --trigger "hang=$sleeper/100ms,name=sleeps"
for i in 1 2; do
	say_to hung
	await taken hung $i
	made hung hang
	say_to on
done
is_status 'trigger sleeps' '0 taken, 0 suppressed' || note "$(told)"
kill $sleeper
check "hang=: a snapshot each time that the task stands still"

kill $hanger
wait $hanger 2>/dev/null
await grep -q "trigger hung: $hanger has ended, and is not watched any more" "$T/log"
land
check "hang=: the end of the task is told"

want 125 "$AUXREC" --flight -a -e cpu-clock --trigger "hang=$hanger/5s"
said "there is no process or thread $hanger"
check "hang=: a task that has ended is refused"

finish
