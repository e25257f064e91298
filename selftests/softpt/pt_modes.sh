#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Special cases of the processor and the kernel, recorded with softpt: modes, flags,
# instructions that fault and are executed by the kernel, rseq. Run it in a VM, as
# root.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/guest.sh"

# plain PROGRAM ARGS...: test a program without marks
plain()
{
	record "$1"
	image "$1" >code
	decode
}

# Debug kernels run no 32-bit programs; execvp(3) would then run a shell on them.
has_32_bit=yes
"$P/sysenter" >vdso32 2>/dev/null
[[ $? != 126 ]] || has_32_bit=

if grep -qw smap /proc/cpuinfo && grep -qw hypervisor /proc/cpuinfo; then
	# See selftests/vm/run.
	skip "far transfers" "QEMU cannot do them with SMAP"
	skip "a 32-bit program" "QEMU cannot do its far transfers with SMAP"
else
	plain "$P/far64"
	stepped far64
	perf_is_content
	check "far jumps, returns and IRET, between 64-bit and 32-bit code"

	if [[ $has_32_bit ]]; then
		plain "$SPT/modes"
		stepped ../modes
		perf_is_content
		check "a 32-bit program, INT 0x80"
	else
		skip "a 32-bit program" "this kernel has no 32-bit programs"
	fi
fi

# Without perf: perf reads a 32-bit vdso with a separate program, perf-read-vdso32,
# which Debian does not have.
if [[ $has_32_bit ]]; then
	record "$P/sysenter"
	cp stdout vdso32
	image "$P/sysenter" >code
	images vdso32 | grep '^vdso32' >>code
	decode
	stepped sysenter
	check "a 32-bit program, __kernel_vsyscall()"
else
	skip "a 32-bit program, __kernel_vsyscall()" "this kernel has no 32-bit programs"
fi

rm -f f
for event in intel_pt//k intel_pt//hk; do
	want 125 "$AUXREC" -e "$event" -o f -- true
	[[ ! -e f ]] || note "$event: recorded"
	rm -f f
done
want 125 "$AUXREC" -a -e intel_pt//u -o f -- true
check "neither the kernel nor whole CPUs are recorded"

# EOPNOTSUPP is 95.
"$SPT/refused" >got || note "refused: status $?"
printf '%s\n' 'kernel 95' 'cpu 95' 'kthread 95' 'user 0' | diff - got >differs ||
	note "$(tr '\n' '|' <differs)"
check "nor by the module itself"

counted secret
for word in Zyxwvuts-in-data SIn-code; do
	grep -qaF "$word" "$P/secret" || note "the program does not have $word"
	! grep -qaF "$word" f || note "$word is in the stream"
done
check "a trace has nothing of the program's memory"

counted flags ${has_32_bit:+int80}
perf_is_content
check "the program does not see TF"

counted own_tf ${has_32_bit:+int80}
as_untraced own_tf ${has_32_bit:+int80}
perf_is_content
check "the program's own TF"

counted rep
stepped rep
perf_is_content
check "string instructions, interrupted by faults"

counted emulated
perf_is_content
check "instructions that the kernel executes: UMIP, CLI and STI"

VDSO=$T/vdso64
clean "$P/vsyscall" "$VDSO" >/dev/null 2>&1
counted vsyscall "$VDSO"
perf_is_content
VDSO=
grep -qx 'mark_vsyscall 20' stdout || note "no vsyscall page: boot with vsyscall=xonly"
check "vdso and vsyscall page"

counted execonly
stepped execonly
perf_is_content
check "code that cannot be read: $(head -n 1 stdout)"

counted filtered
perf_is_content
check "seccomp, and system calls dispatched to the program"

state=$(cat /sys/module/softpt/parameters/branch_stepping)
[[ $state != "not tried yet" ]] || note "branch stepping was not tried"
[[ ${SOFTPT-} != *model || $state == "works, model" ]] || note "no branch stepping: $state"
counted rseq "$(rounds 300)"
perf_is_content
[[ $(awk '$1 == "mark_aborted" { print $2 }' stdout) -gt 0 ]] || note "nothing was aborted"
check "critical sections of rseq, with $(grep mark_aborted stdout)"

finish
