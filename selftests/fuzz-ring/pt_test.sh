#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pt_test.sh ARG...: fuzz_ring with these arguments, and with softpt's events among the others.
# As root, with the modules. Prints TAP.

set -u
B=$(realpath "$(dirname "$0")/../../build") || exit 2
insmod "${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}/softpt.ko" || exit 2
# Without it nothing of PT would be called, or missed.
[[ -r /sys/bus/event_source/devices/intel_pt/type ]] || exit 2
"$B/selftests/fuzz-ring/fuzz_ring" "$@"
status=$?
# Nothing of what was called has kept it.
rmmod softpt || status=1
exit "$status"
