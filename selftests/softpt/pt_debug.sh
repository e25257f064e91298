#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debuggers, uprobes and other events at the same time as softpt: both sides see the
# same as alone. Run it in a VM, as root.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/guest.sh"
TRACING=/sys/kernel/tracing

# QEMU sets RF for interrupts, too (do_interrupt64() calls exception_is_fault() for
# any vector). The hardware breakpoint of the next instruction is then lost. If each
# instruction has a trap, and interrupts wait for its end, this happens once in some
# dozens or hundreds of times. So the test is repeated if fewer than 20 breakpoints
# were hit and nothing else is wrong.
qemu_lost_hits()
{
	grep -qw hypervisor /proc/cpuinfo && grep -qE '^hardware: 1[0-9]$' stdout
}

# Without watchpoints: QEMU hangs in them (seen with QEMU 10).
for how in step syscall break hardware seccomp; do
	for _ in 1 2 3 4 5; do
		counted debugger $how
		qemu_lost_hits || break
		echo "# $how: QEMU lost a breakpoint: once more"
	done
	as_untraced debugger $how
	[[ $how != hardware ]] || grep -qx 'hardware: 20' stdout || note "$(head -n 1 stdout)"
	perf_is_content
	check "a debugger: $how"
done
enough
counted debugger block
if grep -q works /sys/module/softpt/parameters/branch_stepping; then
	grep -qx 'block: 20 entries, 0 inside' stdout || note "$(head -n 1 stdout)"
else
	as_untraced debugger block
fi
perf_is_content
check "a debugger: block"

counted debugger attach
perf_is_content
check "a debugger: attach and detach at any moment"

# Displaced stepping is off: gdb would step the instruction under a breakpoint in a
# copy, at an address where the file, which decoders read, has another instruction.
cat >script <<-'EOF'
	set displaced-stepping off
	set confirm off
	set width 0
	handle SIGUSR1 nostop noprint pass
	break probed
	set var waiting = 0
	continue
	bt
	stepi
	stepi
	next
	step
	info registers eflags
	finish
	delete
	hbreak mark_leaf
	continue
	info registers eflags
	stepi
	delete
	tbreak left
	continue
	print probed(2)
	display/i $pc
	nexti
	delete
	continue
EOF

# with_gdb CMD...: run gdb on calls, which waits for gdb. The file "said" has gdb's output from the
# first breakpoint on, where all runs are at the same place.
with_gdb()
{
	local pid

	# The same as clean(), which would start a shell of its own.
	setarch -R env -i LC_ALL=C "$P/calls" 3 wait </dev/null >stdout 2>&1 &
	pid=$!
	until grep -q calls /proc/$pid/comm; do :; done
	"$@" ${1:+-p $pid --} gdb -nx -batch -p $pid -x script </dev/null >said.all 2>err
	wait $pid || note "the program ended with $?: $(tail -n 2 err)"
	sed -n '/^Breakpoint 1 at/,$ s/process [0-9]*/process/p; /^Breakpoint 1,/,$p' said.all >said
}

# Does the file "differ" show only that gdb stopped at the next pass of the loop, with other flags?
lost_to_interrupt()
{
	grep -qw hypervisor /proc/cpuinfo && [[ $(grep -c '^[<>]' differ) == 2 ]] &&
		grep -q '^< eflags .* ZF .* RF \]$' differ && grep -q '^> eflags .* RF \]$' differ
}

if command -v gdb >/dev/null; then
	with_gdb
	mv said expected
	for _ in 1 2 3 4 5; do
		rm -f f
		with_gdb "$AUXREC" -o f -e intel_pt//u
		valid f
		if diff expected said >differ || ! lost_to_interrupt; then
			break
		fi
		echo "# gdb: QEMU lost a breakpoint: once more"
	done
	[[ ! -s differ ]] || note "gdb: $(head -n 6 differ | tr '\n' '|')"
	grep -q 'exited normally' said || note "gdb: $(tail -n 3 said | tr '\n' '|')"
	image "$P/calls" >code
	decode
	marks "$P/calls"
	perf_is_content
	check "gdb: breakpoints, steps, a call, and what runs between them"
else
	skip "gdb" "there is no gdb"
fi

# Print how often a probe was hit.
hits() { awk -v n="$1" '$2 == n { print $3 }' $TRACING/uprobe_profile; }
offset()
{
	local addr
	addr=$(nm "$P/calls" | awk -v n="$1" '$3 == n { print $1 }')
	readelf -Wl "$P/calls" | awk -v a="0x$addr" '$1 == "LOAD" && $0 ~ / E / { print $2, $3, a }' |
		{ read -r off vaddr at; printf '0x%x' $((at - vaddr + off)); }
}

if [[ -w $TRACING/uprobe_events ]]; then
	# A NOP of 10 bytes has a prefix that older kernels refuse (is_prefix_bad()).
	nop10=
	if grep -q ' arch_uprobe_optimize$' /proc/kallsyms &&
			grep -q ' __x64_sys_uprobe$' /proc/kallsyms; then
		nop10=nop10
	fi
	for where in probed branches calls_kernel left nop5 $nop10; do
		echo "p:softpt/$where $P/calls:$(offset "$where")" >>$TRACING/uprobe_events ||
			note "no probe at $where"
	done
	echo 1 >$TRACING/events/softpt/enable
	counted calls 5
	echo 0 >$TRACING/events/softpt/enable
	for pair in probed:20 branches:5 calls_kernel:5 left:5 nop5:5 ${nop10:+nop10:5}; do
		[[ $(hits "${pair%:*}") == "${pair#*:}" ]] || note "$pair: hit $(hits "${pair%:*}") times"
	done
	# A probe is an INT3. Since 6.18, when a probe at a NOP was hit, uprobes replace the NOP
	# by a CALL, or by LEA and CALL.
	if [[ $nop10 ]]; then
		grep -qxE 'nop5 e8|nop10 48' stdout || note "no CALL: $(grep nop stdout | tr '\n' '|')"
	fi
	cp flow with
	perf_is_content
	counted calls 5
	uniq with >a
	uniq flow >b
	cmp -s a b || note "$(wc -l <a) and $(wc -l <b) instructions, first difference" \
		"$(paste a b | awk '$1 != $2 { print NR ": " $1, $2; exit }')"
	echo >$TRACING/uprobe_events
	check "uprobes: hit as often as passed, and the flow is as without"

	for where in probed left; do
		echo "r:softpt/$where $P/calls:$(offset "$where")" >>$TRACING/uprobe_events ||
			note "no probe at $where"
	done
	echo 1 >$TRACING/events/softpt/enable
	counted calls 5
	echo 0 >$TRACING/events/softpt/enable
	# The hits include functions that were left by a signal: probes count
	# entries.
	[[ $(hits probed) == 20 && $(hits left) == 5 ]] ||
		note "hit $(hits probed) and $(hits left) times, not 20 and 5"
	cp flow with
	perf_is_content
	uniq with >a
	cmp -s a b || note "$(wc -l <a) and $(wc -l <b) instructions, first difference" \
		"$(paste a b | awk '$1 != $2 { print NR ": " $1, $2; exit }')"
	echo >$TRACING/uprobe_events
	check "return probes"
else
	skip "uprobes" "this kernel has none"
fi

# Since 6.16 perf stops the whole group when one of its events is throttled.
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
echo 5000 >/proc/sys/kernel/perf_event_max_sample_rate
clean "$P/throttled" aux >stdout 2>err || note "status $?: $(cat err)"
echo "$rate" >/proc/sys/kernel/perf_event_max_sample_rate
[[ $(awk '/^throttled/ { print $2 }' stdout) -gt 0 ]] || note "nothing was throttled"
image "$P/throttled" >code
"$SPT/guest/decode" aux code >flow 2>errors || note "libipt: $(head -n 3 errors | tr '\n' '|')"
marks "$P/throttled"
check "another event of the group, that is throttled"

finish
