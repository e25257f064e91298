#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [TO_PERF_DATA]: run the tests of perf.data files with the perfs of all kernels.

set -euo pipefail
top=$(cd "$(dirname "$0")/../../.." && pwd)
perfs=()
for v in $("$top/selftests/kernels"); do
	perfs+=("$("$top/selftests/setup/perf-tree" "$v")/bin/perf")
done
exec python3 "$top/selftests/tool/perfdata/perfdata_test.py" \
	"${1:-$top/build/selftests/tool/perfdata/to_perf_data}" "${perfs[@]}"
