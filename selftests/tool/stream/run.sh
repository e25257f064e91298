#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [AUXREC [SUMS]]: run the tests of the stream with perf 6.1, the oldest perf that must read
# auxrec's streams.

set -euo pipefail
top=$(cd "$(dirname "$0")/../../.." && pwd)
perf=$("$top/selftests/setup/perf-tree" 6.1)
exec python3 "$top/selftests/tool/stream/test_stream.py" \
	"${1:-$top/build/tool/auxrec}" "$perf/bin/perf" \
	"${2:-$top/build/selftests/tool/stream/auxstream_sums}"
