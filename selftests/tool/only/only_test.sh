#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# only_test.sh [AUXREC]: a test of --only-trigger-task: what a snapshot has of the process that
# triggered, and that it has nothing of others. Runs as root in a VM. Prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/../flight/flight.sh"

# Programs that run all the time, with names of their own
for name in only-other only-prog; do
	cp "$WORK" "$T/$name"
done
cp "$ACTOR" "$T/only-parent"
others()
{
	"$T/only-other" 600000 2 &
	other=$!
	await is_program $other "$T/only-other"
}

# tasks FILE: print all records of tasks, and all samples
tasks()
{
	"$PERF" script --show-task-events --show-mmap-events -i "$1" 2>/dev/null
}

# only FILE: FILE must be valid and readable, and say that it is of one process. Set $one to that
# process: all samples must be of it. Nothing must be of the program that ran beside it.
only()
{
	readable "$1"
	"$AUXREC" info "$1" | grep -q '^    has only the process that triggered' || note "info does not tell"
	[[ $(mark "$1" only_trigger_task) == true ]] || note "$(marks "$1")"
	"$PERF" script -i "$1" -F pid,event 2>/dev/null | awk '!/ snapshot:/ { print $1 }' | sort -u >pids
	[[ $(wc -l <pids) == 1 ]] || note "samples of $(tr '\n' ' ' <pids)"
	read -r one <pids
	tasks "$1" | grep only-other >found && note "$(head -n 2 found)"
}

# shellcheck disable=SC2317 # called by await
# Conditions to wait for. ran: the program has used a CPU for half a second. wrote N: auxgen has
# written N chunks since $begun
ran() { (($(cut -d' ' -f14 "/proc/$prog/stat") >= 50)); }
# shellcheck disable=SC2317
wrote() { (($(written) - begun >= $1)); }
written() { awk '{ n += $3 - $4 } END { print n + 0 }' "$STATS"; }

# --- samples ------------------------------------------------------------------------

others
launch -a -e cpu-clock -F 500 --only-trigger-task --trigger exit=only-prog,name=ends \
	--trigger exit=only-kid,name=kid
"$T/only-prog" 600000 &
prog=$!
await ran
kill $prog
await of ends
only "$(of ends)"
[[ $one == "$prog" ]] || note "of $one, not $prog"
"$PERF" report --stdio -i "$(of ends)" 2>/dev/null | grep -q ' only-prog  *only-prog  *\[\.\] work' ||
	note "no symbols: $("$PERF" report --stdio -i "$(of ends)" 2>/dev/null | grep only-prog | head -n 3)"
check "a snapshot has only the process that triggered, with its symbols"

# A process that was forked has the maps of its parent, which has triggered nothing.
"$T/only-parent" fork 1 only-kid
await of kid
f=$(of kid)
only "$f"
tasks "$f" >all
grep -q 'PERF_RECORD_FORK' all || note "no fork"
grep -q 'PERF_RECORD_COMM exec: only-parent:' all || note "no name of the parent: $(grep COMM all | head -n 5)"
grep -q 'PERF_RECORD_MMAP2 .*/only-parent$' all || note "no maps of the parent"
land
check "and the names and maps that it has from its parent"

# --- AUX data -----------------------------------------------------------------------

"$T/only-prog" 600000 &
prog=$!
begun=$(written)
launch -p $prog,$other -e "$AUXGEN"/timer=1,config1=4000,chunks=8/ --only-trigger-task \
	--trigger exit=only-prog,name=aux
await wrote 200
kill $prog
await of aux
f=$(of aux)
readable "$f"
"$AUXREC" info "$f" >about
grep -aq only-other "$f" && note "the name of the other process is in the file"
grep -q "^  thread $prog only-prog: .* chunks$" about || note "$(grep '^  thread' about || cat about)"
grep '^  thread' about | grep -v "^  thread $prog " >found && note "$(<found)"
land
check "AUX data of the process, and of no other"

# --- what it cannot do ----------------------------------------------------------------

refused() { want 125 "$AUXREC" --flight --only-trigger-task "${@:2}" -o x && said "$1"; }
refused 'has AUX data of whole CPUs, in which the data of all processes is mixed' -a -e "$AUXGEN//" \
	--trigger crash
refused 'the raw ring has raw data of all processes' -a --raw-ring -e sched:sched_switch --trigger crash
want 1 "$AUXREC" merge "$f" "$f" -o merged
said 'has only the process that triggered (--only-trigger-task): it cannot be merged'
launch -a -e cpu-clock -F 100 --only-trigger-task --trigger crash
ctl snapshot >answer 2>&1 && note "a snapshot without a process"
grep -q 'a snapshot needs a process that triggers' answer || note "$(<answer)"
land_merging
logged 'snapshots are not merged'
check "what has no process, or data of all, is refused"
kill $other
wait $other 2>/dev/null
finish
