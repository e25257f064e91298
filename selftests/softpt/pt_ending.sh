#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The traced programs and the recorder end at any moment, and nothing is left
# behind. Run it in a VM, as root.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/guest.sh"
CGROUP=/sys/fs/cgroup/softpt

for how in kill group exec; do
	counted ending $how
	perf_is_content
	check "threads in the middle of steps: $how"
done
enough

if mkdir $CGROUP 2>/dev/null &&
		{ echo +memory >/sys/fs/cgroup/cgroup.subtree_control; } 2>/dev/null &&
		echo 16M >$CGROUP/memory.max; then
	counted ending memory $CGROUP
	perf_is_content
	grep -q 'oom_kill [1-9]' $CGROUP/memory.events || note "not killed for its memory"
	rmdir $CGROUP
	check "killed for its memory"
else
	skip "killed for its memory" "this kernel has no memory cgroups"
fi

# The recorder is killed; the traced program continues at full speed.
for i in 1 2 3; do
	rm -f f go
	setsid "$AUXREC" -q -o f -m ,16Kx8 -e intel_pt//u -- "$P/runon" "$T/go" >stdout 2>err &
	recorder=$!
	has_bytes $recorder 4096
	[[ $i != 1 ]] || during=$(users)
	child=$(cat /proc/$recorder/task/$recorder/children)
	kill -9 $recorder
	wait $recorder 2>/dev/null
	[[ $i != 2 ]] || rmmod softpt || note "rmmod, while it runs"
	: >go
	tail --pid="${child// /}" -f /dev/null
	grep -q '^mark_after 50$' stdout || note "it did not run on: $(tail -n 2 stdout err | tr '\n' '|')"
	[[ $(awk '$2 == "s" { print $1 }' stdout) -le 60 ]] || note "slow: $(grep ' s$' stdout)"
	[[ $i == 2 ]] || rmmod softpt || note "rmmod"
	# shellcheck disable=SC2086 # parameters of the module
	insmod "$MODULES/softpt.ko" ${SOFTPT-}
done
check "the recorder is killed: the program runs on"

after=$(users)
if [[ -z $after ]]; then
	skip "no hook is left" "this kernel's memory cannot be read"
else
	[[ $during == 3 ]] || note "$during tracepoints in use while recording, not 3"
	[[ $after == 0 ]] || note "$after tracepoints in use without an event"
	check "no hook is left"
fi

finish
