#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# soak.sh [AUXREC]: run everything at the same time, for SOAK_SECONDS (default 1200). Needs root,
# in a VM. Prints TAP.
#
# The following run in parallel, and each starts again when it ends:
# - tests that attach and detach events, make and kill rings, and count every byte
# - sessions of build-ids
# - a flight recorder that writes snapshots
# - programs that are executed and map files
# - the last CPU, which goes offline and comes back
# - a load that makes memory short
# Each test that counts bytes has a PMU of its own. Tests with events of CPUs do not use the CPU
# that goes offline.

# shellcheck source=selftests/tool/flight/flight.sh disable=SC2317
. "$(dirname "$0")/../tool/flight/flight.sh"
LENGTH=${SOAK_SECONDS:-1200}
LIMIT=48
MEMORY=$B/selftests/tool/flight/memory
VERIFY=$B/selftests/tool/record/aux_verify
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
LAST=$(($(getconf _NPROCESSORS_CONF) - 1))
ONLINE=/sys/devices/system/cpu/cpu$LAST/online
mkdir "$T/runs" "$T/hog"
mount -t tmpfs -o size=100% none "$T/hog" || exit 2

# auxgens N: insert auxgen with N PMUs.
auxgens() { rmmod auxgen && insmod "$MODULES/auxgen.ko" pmus="$1"; }

leave()
{
	cd /
	[[ -z $pid ]] || kill -9 "$pid" 2>/dev/null
	# shellcheck disable=SC2046 # words
	kill $(jobs -p) 2>/dev/null
	wait 2>/dev/null
	[[ ! -w $ONLINE ]] || echo 1 >"$ONLINE"
	auxgens 1
	umount "$T/hog"
	rm -rf "$T"
}

going() { (($(uptime) < END)); }

# again NAME CMD...: repeat CMD until the time is over or CMD fails. The output of a failure is in
# runs/NAME.bad, the number of runs in runs/NAME.nr.
again()
{
	local name=$1 runs=0

	shift
	while going; do
		"$@" >"$T/runs/$name.out" 2>&1 || {
			cp "$T/runs/$name.out" "$T/runs/$name.bad"
			break
		}
		runs=$((runs + 1))
	done
	echo $runs >"$T/runs/$name.nr"
}

# is_on 0|1: is the last CPU offline (0) or online (1)?
is_on() { [[ $(<$ONLINE) == "$1" ]]; }

# cpus_come_and_go: switch the last CPU off for a moment, and on for a moment.
cpus_come_and_go()
{
	[[ -w $ONLINE ]] || return 0
	echo 0 >"$ONLINE" || return
	nap
	is_on 0 || return
	echo 1 >"$ONLINE" || return
	nap
	is_on 1
}

# be_short: for ten seconds, use all memory but LEFT MiB, and read files, so that their page cache
# fills the rest immediately.
LEFT=150
be_short()
{
	local mib end

	mib=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
	head -c $((mib - LEFT))M /dev/zero >"$T/hog/fill" || return
	end=$(($(uptime) + 10))
	while (($(uptime) < end)); do
		cat /usr/bin/* /usr/lib/x86_64-linux-gnu/*.so* >/dev/null 2>&1
	done
	rm "$T/hog/fill"
}

# scanned: print how many pages the kernel scanned because memory was short.
scanned() { awk '/^pgscan_(kswapd|direct) / { n += $2 } END { print n }' /proc/vmstat; }

snapshot()
{
	local f

	f=$(ctl snapshot soak) || return
	"$AUXREC" check "$f" && "$VERIFY" -g "$f"
}

auxgens 3 || exit 2
trap leave EXIT
stays=(env)
[[ ! -w $ONLINE ]] || stays+=(TEST_CPUS=0-$((LAST - 1)))
END=$(($(uptime) + LENGTH))
launch -a -M ${LIMIT}M -m 512K,64Kx128 -e auxgen/timer=1,chunks=2/ -e cpu-clock/freq=50/ \
	--flight=15s --trigger signal=USR1 --trigger exec=soak-none --keep=4
"$MEMORY" "$pid" >"$T/looks" &
looks=$!
again owners "${stays[@]}" AUXGEN=auxgen1 \
	"$B/selftests/ring/races" -t attach_detach -t attach_one_event_twice \
	-t close_while_running -t kill_traced -t several_processes &
again bytes "${stays[@]}" AUXGEN=auxgen2 "$B/selftests/ring/integrity" -t task -t inherit &
again ids "${stays[@]}" "$B/selftests/ids/races" -t sessions &
again exec "$ACTOR" fork 50 soak &
again maps "$ACTOR" map "$ACTOR" 200 &
again cpus cpus_come_and_go &
before=$(scanned)
again memory be_short &
again snapshots snapshot &
while going; do nap; done
# Wait for the end of each job's last run.
for job in $(jobs -p); do
	[[ $job == "$pid" || $job == "$looks" ]] || wait "$job"
done
short=$(($(scanned) - before))
for name in owners bytes ids exec maps cpus memory snapshots; do
	nr=$(<"$T/runs/$name.nr")
	[[ ! -e $T/runs/$name.bad ]] ||
		note "$(grep -aE '^not ok|^# .*:[0-9]+:|invalid|[Ee]rror' "$T/runs/$name.bad" | head -n 5)"
	((nr > 0)) || note "not once: $(tail -n 3 "$T/runs/$name.out")"
	check "$name"
	echo "# $nr times"
done

if grep -q '^pgscan_' /proc/vmstat; then
	((short > 1000)) || note "$short pages"
	check "memory was short"
	echo "# $short pages were looked at"
else
	skip "memory was short" "this kernel has no CONFIG_VM_EVENT_COUNTERS"
fi

# The last snapshot must have records of all CPUs.
[[ ! -w $ONLINE ]] || is_on 1 || note "CPU $LAST is not back"
echo "# $(told)"
is_status failed 0 || note "$(told)"
f=$(ctl snapshot) || note "no snapshot"
readable "$f"
land
check "the recorder goes on to the end"

wait "$looks"
if [[ -e /proc/$$/task/$$/children ]]; then
	most=$(sort -n "$T/looks" | tail -n 1)
	echo "# $(wc -l <"$T/looks") looks, most memory ${most%% *} KiB of $((LIMIT << 10))"
	((${most%% *} <= LIMIT << 10)) || note "${most%% *} KiB"
	((${most%% *} > 8192)) || note "only ${most%% *} KiB: was it looked at?"
	check "its memory is no more than -M"
else
	skip "its memory is no more than -M" "this kernel has no CONFIG_PROC_CHILDREN"
fi

await is_free
check "nobody uses the module"

finish
