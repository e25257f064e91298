#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Convert recordings to perf.data files, and read both with the perfs of all kernels: a file must
# show what its stream shows, and commands that need a file must work. Run it in a VM, as root.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/../../softpt/guest.sh"
CONVERT=$B/selftests/tool/perfdata/to_perf_data
WORK=$B/selftests/demo_work

# Fields that both formats print. A stream prints no objects in stacks unless it is told to.
FIELDS=comm,pid,tid,time,event,ip,sym,dso,period,trace

# convert STREAM: convert STREAM to the file "file"
convert()
{
	rm -f file
	want 0 "$CONVERT" "$1" file >/dev/null
}

# same ARGS...: perf must print the same for file and stream
same()
{
	"$p" "$@" -i stream >of-stream 2>err || note "$p $* of the stream: $(tail -n 1 err)"
	"$p" "$@" -i file >of-file 2>err || note "$p $*: $(tail -n 1 err)"
	cmp -s of-stream of-file || note "$p $*: $(diff of-stream of-file | head -n 4 | tr '\n' '|')"
	[[ -s of-file ]] || note "$p $*: nothing"
}

# works TEXT ARGS...: perf must print TEXT for file
works()
{
	"$p" "${@:2}" >out 2>err </dev/null || note "$p ${*:2}: status $? $(tail -n 1 err)"
	grep -qe "$1" out err || note "$p ${*:2}: no '$1' in $(head -n 2 out | tr '\n' '|')"
}

# read_by_all EVENT: the perfs must read file and stream. EVENT is the first event's name.
read_by_all()
{
	local p name=$1

	valid stream
	convert stream
	for p in $PERFS; do
		same script -F "$FIELDS" --show-task-events --show-mmap-events --show-lost-events
		same report --stdio --no-children -q
		works . script -i file
		works "^$name: type:" evlist -v -i file
		works '^[0-9a-f]\{40\} /.*demo_' buildid-list -i file
		works '^# hostname : ' report --header-only -i file
		works '^# time of first sample : [0-9]*[1-9]' report --header-only -i file
		[[ ! ${SHORT-} ]] || break
	done
}

# converted: perf data convert must write JSON and CTF. The newest perf of Debian has no CTF, and
# 6.12 crashes if a sample has raw data but is no tracepoint's (RAW=1).
converted()
{
	local p

	for p in $PERFS; do
		rm -rf json ctf
		[[ ${RAW-} && $p == *perf-6.12 ]] ||
			works 'Converted and wrote .* MB ([1-9]' data convert --to-json json -i file
		"$p" data convert --to-ctf ctf -i file >out 2>err
		grep -q 'not compiled in' err ||
			grep -q 'Converted and wrote .* MB ([1-9]' err || note "CTF: $(tail -n 2 err)"
	done
}

want 0 "$AUXREC" -q -o stream -e cpu-clock -g -- "$WORK"
read_by_all cpu-clock
converted
cp file before
want 0 "$AUXREC" -q -o stream -e cpu-clock -g -- "$WORK"
convert stream
for p in $PERFS; do
	works '^# Baseline' diff before file
done
check "samples with stacks"

want 0 "$AUXREC" -q -o stream -a -e sched:sched_switch,cpu-clock -- "$WORK"
read_by_all sched:sched_switch
converted
check "tracepoints, whole system"

want 0 "$AUXREC" -q -o stream -e intel_pt//u -- "$B/selftests/demo_calls" >/dev/null
read_by_all intel_pt//u
for p in $PERFS; do
	same script --itrace=bep -F comm,tid,time,ip,sym
	same script --itrace=i0ns -F ip
	same report --itrace=i1i --stdio -q
	want 0 "$p" inject --itrace=i10i -b -i file -o injected
done
check "Intel PT"
enough

want 0 "$AUXREC" -q -o stream -e auxgen// -- "$WORK"
read_by_all auxgen//
check "AUX data in chunks"

want 0 "$AUXREC" -q -o stream --raw-ring -a -e sched:sched_switch,sched:sched_wakeup -- "$WORK"
read_by_all sched:sched_switch
RAW=1 converted
check "raw data by the raw ring"

"$AUXREC" --flight=30s -M 64M -a -e cpu-clock -g -e sched:sched_switch \
	--trigger socket="$T/sock" -o snap 2>err &
until [[ -S sock ]]; do kill -0 $! || break; done
for _ in 1 2; do
	"$WORK" >/dev/null
	want 0 "$AUXREC" ctl sock snapshot >>snapshots
done
want 0 "$AUXREC" ctl sock stop
wait $!
cp "$(tail -n 1 snapshots)" stream
read_by_all cpu-clock
check "a snapshot"
# shellcheck disable=SC2046 # a name a word
want 0 "$AUXREC" merge -q $(cat snapshots) -o stream
read_by_all cpu-clock
RAW=1 converted
check "merged snapshots"

# All perfs know the COMPRESSED records of 6.1. Newer perfs write others.
if command -v perf-6.1 >/dev/null; then
	perf-6.1 record -q -z -o - -e cpu-clock -- "$WORK" >stream 2>err ||
		note "perf-6.1 record -z: $(tail -n 1 err)"
	convert stream
	for p in $PERFS; do
		same script -F comm,pid,tid,time,event,ip,period
	done
	check "a compressed stream of perf record"
else
	skip "a compressed stream of perf record" "there is no perf-6.1"
fi

finish
