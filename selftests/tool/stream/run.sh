#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [AUXREC]: the stream tests, with the oldest perf that has to read our
# streams as the judge.

set -euo pipefail
top=$(cd "$(dirname "$0")/../../.." && pwd)
perf=$("$top/selftests/setup/perf-tree" 6.1)
exec python3 "$top/selftests/tool/stream/test_stream.py" \
	"${1:-$top/build/tool/auxrec}" "$perf/bin/perf"
