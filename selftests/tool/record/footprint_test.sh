#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# footprint_test.sh [AUXREC]: test how much memory a recording of a command's AUX data takes by
# default, and where the kernel shows this memory. The test needs root and auxgen, and takes a CPU
# offline for a while. It prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
# The limits in KiB: a fixed part and a part for each CPU
FIXED=7936 PER_CPU=64
SECOND=/sys/devices/system/cpu/cpu1/online

status() { awk -v "name=$1:" '$1 == name { print $2 }' "/proc/$pid/status"; }

# mapped NAME: print the size in KiB of all mappings of files with that name
mapped()
{
	local range name kib=0
	while read -r range _ _ _ _ name; do
		[[ $name == *"$1"* ]] &&
			kib=$((kib + (0x${range#*-} - 0x${range%-*}) / 1024))
	done <"/proc/$pid/maps"
	echo $kib
}

# begin ARGS...: start to record a command that does nothing. $pid is auxrec.
begin()
{
	local end=$((SECONDS + 60))
	rm -f f
	"$AUXREC" -o f "$@" -- sleep 1000 2>err &
	pid=$!
	# auxrec opens the stream last, so its rings exist when f has data.
	until [[ -s f ]]; do
		if ((SECONDS >= end)) || ! kill -0 $pid 2>/dev/null; then
			note "nothing is recorded: $(cat err)"
			return
		fi
	done
}

end()
{
	kill -INT $pid
	wait $pid
	valid f
}

# measure: set the number of CPUs, the sizes of the rings, and the number of events
measure()
{
	cpus=$(getconf _NPROCESSORS_ONLN)
	ring=$(mapped 'anon_inode:[perfaux]')
	main=$(mapped perf_event)
	fds=$(find "/proc/$pid/fd" -lname '*perf_event*' | wc -l)
	echo "# $cpus CPUs: raw ring $ring KiB, main rings $main KiB, $fds events, VmPin $(status VmPin)"
}

begin -e "$AUXGEN//u"
measure
((ring + main <= FIXED + PER_CPU * cpus)) || note "$ring + $main KiB"
((fds <= cpus + 1)) || note "$fds events"
check "memory and events for a command"

(($(status VmPin) + $(status VmLck) >= ring && ring > 4096)) ||
	note "VmPin $(status VmPin), VmLck $(status VmLck), raw ring $ring"
check "the raw ring is shown as pinned"
end

if [[ -w $SECOND && $(<$SECOND) == 1 ]]; then
	all=$((ring + main)) nr=$cpus
	echo 0 >$SECOND
	begin -e "$AUXGEN//u"
	measure
	echo 1 >$SECOND
	end
	((nr == cpus + 1 && all - ring - main <= PER_CPU)) ||
		note "$((all - ring - main)) KiB for $((nr - cpus)) CPU"
	check "growth for a CPU more"
else
	skip "growth for a CPU more" "the second CPU cannot be taken offline"
fi

# With samples, the main rings have perf's default size.
begin -e "$AUXGEN//u" -e cpu-clock:u
measure
((main >= 512 * cpus)) || note "main rings of $main KiB"
end
check "samples have larger rings"

begin -e "$AUXGEN//u" -m 128K,64Kx4
measure
((main == (128 + 4) * cpus && ring < 512)) || note "main $main, raw $ring KiB"
end
check "-m sets the sizes of all rings"

finish
