#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [PROGRAM...]: runs the ring's selftests one after the other, passes their TAP
# through, and fails if one of them fails. Without arguments it runs
# those in the list below.
#
# Run it as root, with perfaux.ko and auxgen.ko inserted. It looks for programs in
# $PERFAUX_RING (default /perfaux/build/selftests/ring). Tests that insert
# modules take them from $PERFAUX_MODULES, or build/modules/$PERFAUX_KERNEL.

set -u
dir=${PERFAUX_RING:-/perfaux/build/selftests/ring}
[[ $# -gt 0 ]] || set -- abi_create abi_attach abi_state abi_poll memory memlock \
	integrity overwrite starved races kernel_aux redirect modules
failed=()

for name; do
	begin=$EPOCHREALTIME
	echo "# ring: $name"
	"$dir/$name" || failed+=("$name ($?)")
	awk -v a="$begin" -v b="$EPOCHREALTIME" -v name="$name" \
		'BEGIN { printf "# ring: %s took %.1f s\n", name, b - a }'
done
if [[ ${#failed[@]} -gt 0 ]]; then
	echo "# ring: FAILED: ${failed[*]}"
	exit 1
fi
echo "# ring: all passed"
