#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# clock_test.sh [AUXREC]: a test of -k. All times of a recording are those of the clock, each perf of
# $PERFS prints the time of day, and what cannot have the clock is refused. Parts that need the module
# or its test modules are skipped without them. Runs as root; prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/../flight/flight.sh"
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
CLOCKS=(mono raw boot real tai)

# now CLOCK: print the time of a clock, in ns
now()
{
	python3 -c 'import sys, time
ids = {"mono": time.CLOCK_MONOTONIC, "raw": time.CLOCK_MONOTONIC_RAW, "boot": time.CLOCK_BOOTTIME,
       "real": time.CLOCK_REALTIME, "tai": time.CLOCK_TAI}
print(time.clock_gettime_ns(ids[sys.argv[1]]))' "$1"
}

# begin CLOCK, end: note the time before and after a recording
begin() { clock=$1 day_before=$(now real) before=$(now "$1"); }
end() { after=$(now "$clock") day_after=$(now real); }

# times FILE: all records of FILE that have a time were taken between begin() and end(). Records that
# auxrec makes about the time before the recording have the time 0 or none.
times()
{
	"$AUXREC" info --records "$1" | awk -v before="$before" -v after="$after" '
		{
			for (i = 1; i < NF; i++)
				if ($i == "time" && $(i + 1) > 0) {
					nr++
					if ($(i + 1) < before || $(i + 1) > after)
						wrong = wrong "\n" $0
				}
		}
		END {
			if (!nr)
				print "no record has a time"
			if (wrong != "")
				print "not " before " to " after ":" wrong
		}' >wrong
	[[ ! -s wrong ]] || note "$clock: $(head -n 3 wrong | tr '\n' '|')"
}

# days FILE: each perf prints times of day between begin() and end(). perf prints microseconds.
days()
{
	local p day ns

	for p in $PERFS; do
		"$p" script -F comm,tod -i "$1" >days 2>perr
		unsaid perr '' "$p script -F tod"
		day=$(sed -n '$s/.* \(....-..-.. ..:..:..\.[0-9]*\).*/\1/p' days)
		ns=$(date -d "$day" +%s%N) || ns=0
		((ns >= day_before - 1000 && ns <= day_after)) ||
			note "$p, $clock: '$day' is not $day_before to $day_after"
	done
}

for clock in "${CLOCKS[@]}"; do
	begin "$clock"
	want 0 "$AUXREC" -q -k "$clock" -e cpu-clock -F 500 -o f -- "$WORK" 20
	end
	valid f
	times f
	days f
	"$AUXREC" info f >out
	grep -q '^  clock  *[a-z_]*; [0-9.]* is [-0-9]* [0-9:.]* UTC$' out || note "info: no $clock"
done
check "the times of a recording, and the time of day"

"$AUXREC" info --json f >out
grep -q '"clock": {"name": "tai", "time": [0-9]*, "wall": [0-9]*}' out || note "$(grep clock out)"
want 0 "$AUXREC" -q -e cpu-clock -F 500 -o f -- "$WORK" 20
"$AUXREC" info --json f >out
grep -q '"clock": {"name": "perf"}' out || note "without -k: $(grep '"clock"' out)"
check "info tells the clock"

for clock in boot real tai; do
	want 125 "$AUXREC" -k "$clock" -e sched:sched_switch -o no -- true
	said "allows -k ${clock}[a-z]* only for software events"
done
want 0 "$AUXREC" -q -k raw -e sched:sched_switch -o f -- "$WORK" 5
valid f
[[ ! -e no ]] || note "a file of a refused recording"
check "a clock that cannot be read in an NMI is for software events only"

if [[ -e $MODULES/softpt.ko ]] && insmod "$MODULES/softpt.ko"; then
	want 125 "$AUXREC" -k mono -e intel_pt//u -o no -- true
	said 'leave -k out'
	rmmod softpt
	check "Intel PT has perf's own clock"
else
	skip "Intel PT has perf's own clock" "no softpt"
fi

begin mono
launch -k mono -a -e cpu-clock -F 250
"$WORK" 50
f=$(ctl snapshot first) || note "$f"
"$WORK" 50
g=$(ctl snapshot second) || note "$g"
end
times "$f"
days "$f"
times "$g"
days "$g"
valid "$f"
valid "$g"
for f in "$f" "$g"; do
	t=$(mark "$f" complete_end)
	((t > before && t < after)) || note "complete to $t, not $before to $after"
done
want 0 "$AUXREC" merge "$f" "$g" -o all
valid all
times all
days all
land
check "snapshots of a flight recorder, and both merged"

begin mono
launch -k mono -a -e cpu-clock -F 250 --trigger crash
# shellcheck disable=SC2016 # for the shell that crashes
{ bash -c 'ulimit -c 0; kill -SEGV $$'; } 2>/dev/null
await is_status snapshots 1
f=$(status last)
end
t=$(mark "$f" trigger)
((t > before && t < after)) || note "the trigger at $t, not $before to $after"
times "$f"
days "$f"
land
check "the time of a crash"

[[ -e /sys/bus/event_source/devices/$AUXGEN ]] || {
	skip "the raw ring has the clock" "no auxgen"
	skip "a kernel module that is loaded" "no auxgen"
	finish
}

begin mono
want 0 "$AUXREC" -q -k mono -e "$AUXGEN//" -m ,64Kx4 -o f -- "$WORK" 200
end
valid f
times f
"$AUXREC" info --json f >out
grep -q '"aux_bytes": [1-9]' out || note "no AUX data"
launch -k mono -a -e "$AUXGEN//" -e cpu-clock -F 100 --trigger crash
begin mono
"$WORK" 50
{ bash -c 'ulimit -c 0; kill -SEGV $$'; } 2>/dev/null
await is_status snapshots 1
f=$(status last)
end
for key in raw_end complete_end trigger; do
	t=$(mark "$f" "$key")
	((t > before && t < after)) || note "$key is $t, not $before to $after"
done
valid "$f"
land
cd "$T" || exit
want 125 "$AUXREC" -k boot -e "$AUXGEN//" -o no -- true
said 'a raw ring cannot have this clock'
check "the raw ring has the clock"

# The module notes perf's own clock, which is near that of boottime, and far from the time of day.
begin real
want 0 "$AUXREC" -q -k real -e dummy -a -o f -- \
	sh -c "rmmod auxgen; insmod '$MODULES/auxgen.ko'"
end
valid f
times f
"$AUXREC" info --records f | grep -q 'MMAP2 .* time [1-9].*\[auxgen\]' ||
	note "$(wc -l <f) lines, none of the module: $("$AUXREC" info --records f | grep auxgen)"
check "a kernel module that is loaded"

finish
