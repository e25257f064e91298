#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flight_test.sh [AUXREC]: a test that merges the snapshots of real flight recordings. The merged
# stream must have everything that any of them has, once. Runs as root. Prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/../record/record.sh"
LOOK=$HERE/../merge/flight_merged.py
softpt=
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
trap 'cd /; rm -rf "$T"; [[ ! $softpt ]] || rmmod softpt' EXIT

# churn N: run N short processes
churn()
{
	local i

	for ((i = 0; i < $1; i++)); do
		/bin/true
	done
}

# flight NAME ARGS...: run a recorder that writes a few snapshots; each second one has less
# history
flight()
{
	local name=$1 i pid
	shift
	mkdir "$name"
	(cd "$name" && exec "$AUXREC" --flight -M 24M -q --trigger socket=all \
		--trigger signal=USR1,pre=20ms "$@") 2>err &
	pid=$!
	until "$AUXREC" ctl "$name/all" status >/dev/null 2>&1; do
		kill -0 $pid 2>/dev/null || { note "$(cat err)"; return; }
	done
	for i in 1 2; do
		churn $((RANDOM % 40 + 10))
		"$AUXREC" ctl "$name/all" snapshot >ctl.out 2>&1 ||
			note "ctl: $(cat ctl.out)"
		churn $((RANDOM % 40 + 10))
		kill -USR1 $pid
		until [[ $(find "$name" -name 'perf.data.*' | wc -l) -ge $((i * 2)) ]]; do
			kill -0 $pid 2>/dev/null || { note "$(cat err)"; return; }
		done
	done
	# A later snapshot with all of the history follows each one that has less.
	"$AUXREC" ctl "$name/all" snapshot >ctl.out 2>&1 || note "ctl: $(cat ctl.out)"
	# The recorder waits for its command, if it has one.
	touch "$name/stop"
	"$AUXREC" ctl "$name/all" stop >/dev/null 2>&1
	wait $pid
}

# merged NAME: check what must be true of NAME's merged snapshots
merged()
{
	local name=$1 p

	"$AUXREC" merge "$name"/perf.data.* -o "$name/merged" 2>said ||
		note "$(cat said)"
	valid "$name/merged"
	for p in $PERFS; do
		"$p" script -F comm,tid,time,event -i "$name/merged" >out 2>perr ||
			note "$p script failed: $(tail -n 1 perr)"
	done
	"$LOOK" "$AUXREC" "$name/merged" "$name"/perf.data.* >out 2>&1 ||
		note "$(tail -n 3 out)"
	grep '^#' out
	grep -v '^#' out >wrong && note "$(head -n 5 wrong)"
	"$AUXREC" merge -q "$name/merged" "$name"/perf.data.* -o "$name/again"
	cmp "$name/merged" "$name/again" >out 2>&1 || note "again: $(cat out)"
}

# shellcheck disable=SC2016 # the shell that is recorded expands them
busy='until [ -e stop ]; do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; ls / >/dev/null; done'

flight samples -a -e cpu-clock -F 100
merged samples
check "samples and sideband"

if [[ ! -e /sys/bus/event_source/devices/intel_pt && -e $MODULES/softpt.ko ]]; then
	insmod "$MODULES/softpt.ko" && softpt=1
fi
for pmu in auxgen intel_pt; do
	if [[ -e /sys/bus/event_source/devices/$pmu ]]; then
		flight $pmu -e $pmu//u -e cpu-clock -F 100 -- sh -c "$busy"
		merged $pmu
		check "AUX data of tasks: $pmu"
	else
		skip "AUX data of tasks: $pmu" "no $pmu"
	fi
done
finish
