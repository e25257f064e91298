#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf_test.sh [V...]: a test that reads a merged stream with stock perf of each version. perf
# must print what happened: each sample once, in order of time.

set -uo pipefail
top=$(cd "$(dirname "$0")/../../.." && pwd)
auxrec=$top/build/tool/auxrec
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2046 # a version a word
[[ $# -gt 0 ]] || set -- $("$top/selftests/kernels")

n=0
status=0
# report NAME FINDINGS: print the result NAME, which is a failure unless FINDINGS is empty
report() {
	n=$((n + 1))
	if [[ $2 ]]; then
		echo "not ok $n - $1"
		head -n 20 <<<"$2" | sed 's/^/# /'
		status=1
	else
		echo "ok $n - $1"
	fi
}

"$top/build/selftests/tool/merge/test_merge" -o "$dir" || exit 2
"$auxrec" merge "$dir"/snapshot* -o "$dir/merged" 2>"$dir/summary"
report "it is merged, and the hole is said" \
	"$(grep -q 'there are no records from .* between snapshots 4 and 5' "$dir/summary" ||
		cat "$dir/summary")"
report "the merged stream is valid" "$("$auxrec" check --quiet "$dir/merged" ||
	"$auxrec" check "$dir/merged" 2>&1)"
report "info shows its snapshots" "$("$auxrec" info --json "$dir/merged" |
	python3 -c 'import json, sys
s = json.load(sys.stdin)["snapshots"]
got = sorted({x["number"] for x in s})
if got != list(range(1, 9)) or s[0]["name"] != "signal=USR1" or s[0]["data"] != [{"size": 3, "bytes": "616263"}]:
    print(s)' 2>&1)"
for v; do
	perf=$("$top/selftests/setup/perf-tree" "$v")/bin/perf
	"$perf" script --ns -F event,time,ip -i "$dir/merged" 2>"$dir/errors" |
		sed -nE 's/^ *([0-9.]+): *(cpu-clock|output): *([0-9a-f]+).*/\1: \3/p' >"$dir/got"
	report "perf $v: each sample once" \
		"$(diff <(sort "$dir/lines0") <(sort "$dir/got"))"
	report "perf $v: in order of time" "$(sort -s -c -k1,1 "$dir/got" 2>&1
		grep -iE 'out of order|unordered' "$dir/errors")"
done
echo "1..$n"
exit $status
