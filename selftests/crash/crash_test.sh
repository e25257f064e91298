#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# crash_test.sh KERNEL...: crash VMs of the KERNELs in several ways while events write to a kept
# ring, and judge what is left after the reboot. Prints TAP. With SHORT, only two ways, on the last
# of the KERNELs. Kernels that have no reserve_mem=, and debug kernels that are not built, are left
# out. PERFAUX_SEED sets the seed of the crashes at random moments.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
build=${PERFAUX_BUILD:-build}
seed=${PERFAUX_SEED:-$RANDOM}

# kernels KERNEL...: print those that this test can use, each once.
kernels() {
	local k
	for k in $(printf '%s\n' "$@" | awk '!seen[$0]++'); do
		[[ $k != 6.1 ]] || continue
		[[ $k != k* ]] || selftests/setup/debug-kernel "$k" is-there || continue
		echo "$k"
	done
}

# steps KERNEL: print the steps of a VM, see guest.
steps() {
	local way i random=10
	[[ $1 != k* ]] || random=3
	if [[ ${SHORT-} ]]; then
		echo "nmi:all:$seed sysrq-b:aux:$seed"
		return
	fi
	for way in sysrq-c:all task:aux irq:full nmi:all hang:all nmi:aux sysrq-b:all reboot:all \
		keyboard:aux reboot:full; do
		echo "$way:$seed"
	done
	for ((i = 1; i <= random; i++)); do
		echo "random:all:$((seed + i))"
	done
}

mapfile -t all < <(kernels "$@")
[[ ! ${SHORT-} || ${#all[@]} -eq 0 ]] || all=("${all[-1]}")
echo "TAP version 13"
if [[ ${#all[@]} -eq 0 ]]; then
	echo "1..0 # SKIP no kernel with reserve_mem="
	exit
fi
echo "# seed $seed"
n=0 failed=0
for k in "${all[@]}"; do
	mem=2G limit=1800
	[[ $k != k* ]] || mem=3G limit=3600
	[[ -e $build/modules/$k/crashgen.ko ]] || selftests/build-kernel "$k" --no-pt >&2
	# KASLR can place the kernel's image over the region.
	# shellcheck disable=SC2046 # words
	out=$(selftests/vm/run -k "$k" -m "$mem" --one-thread -t "$limit" --log "$build/vm/crash-$k.log" \
		--reboot 'sysrq triggered crash|crashgen: asked to panic' \
		--append 'reserve_mem=64M:4096:perfaux reserve_mem=1M:4096:auxgen nokaslr' \
		-- selftests/crash/guest $(steps "$k"))
	status=$?
	awk -v k="$k" -v n="$n" '/^(not )?ok / { sub(/ok [0-9]+ - /, "ok " ++n " - " k " ") }
		!/^(1\.\.|TAP version )/ { print }' <<<"$out"
	! grep -q '^not ok' <<<"$out" || failed=1
	n=$((n + $(grep -cE '^(not )?ok ' <<<"$out") + 1))
	if [[ $status -eq 0 ]]; then
		echo "ok $n - $k: the VM ended as it should"
	else
		echo "not ok $n - $k: the VM ended with status $status"
		failed=1
	fi
done
echo "1..$n"
exit $failed
