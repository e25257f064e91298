#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pt_test.sh ARG...: run fuzz_ring with these arguments, with softpt inserted, so that its events
# are among the others. Needs root and the modules. Prints TAP.

set -u
B=$(realpath "$(dirname "$0")/../../build") || exit 2
insmod "${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}/softpt.ko" || exit 2
# Without this PMU, fuzz_ring would make no calls of Intel PT, and not report that.
[[ -r /sys/bus/event_source/devices/intel_pt/type ]] || exit 2
"$B/selftests/fuzz-ring/fuzz_ring" "$@"
status=$?
# No call must have left a reference to softpt.
rmmod softpt || status=1
exit "$status"
