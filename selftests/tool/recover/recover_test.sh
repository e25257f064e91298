#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# recover_test.sh KERNEL...: crash a VM of each KERNEL while a flight recorder with --survive-crash
# runs, and look at the snapshot that auxrec recover makes in the next boot. Prints TAP. With SHORT,
# only the last of the KERNELs. Linux 6.1 has no reserve_mem=.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit
build=${PERFAUX_BUILD:-build}

mapfile -t all < <(printf '%s\n' "$@" | grep -vx 6.1 | awk '!seen[$0]++')
[[ ! ${SHORT-} || ${#all[@]} -eq 0 ]] || all=("${all[-1]}")
echo "TAP version 13"
if [[ ${#all[@]} -eq 0 ]]; then
	echo "1..0 # SKIP no kernel with reserve_mem="
	exit
fi
n=0 failed=0
for k in "${all[@]}"; do
	# KASLR can place the kernel's image over the region.
	out=$(selftests/vm/run -k "$k" --one-thread -t 900 --log "$build/vm/recover-$k.log" \
		--reboot 'sysrq triggered crash' \
		--append 'reserve_mem=64M:4096:perfaux nokaslr' \
		-- selftests/tool/recover/guest)
	status=$?
	awk -v k="$k" -v n="$n" '/^(not )?ok / { sub(/ok [0-9]+ - /, "ok " ++n " - " k " ") }
		!/^1\.\./ { print }' <<<"$out"
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
