#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh DIR: test that the model finds planted bugs. Prints TAP.
#
# Each mutants/NAME.sed plants one bug in a copy of a file of the module, or of the tool's reader.
# The build makes the program DIR/mutants/NAME with it. The program must find the bug with the
# message that the .sed file names, and find it again when the schedule that it prints is replayed.
# A .sed file begins with these lines:
#
#   # SPDX-License-Identifier: GPL-2.0-only
#   # file: the source: a path in module/, or a path that begins with tool/
#   # case: the case of cases.c that finds the bug
#   # found: the message, a regular expression
#   # what the bug is, in one line: the fifth line of the file

set -u
dir=$1 n=0 status=0

field() {
	sed -n "s/^# $1: //p" "$script"
}

report() {
	n=$((n + 1))
	[[ $1 == 0 ]] || status=1
	[[ $1 == 0 ]] && echo "ok $n - $2" || echo "not ok $n - $2"
}

echo TAP version 13
for script in "${0%/*}"/mutants/*.sed; do
	name=$(basename "$script" .sed)
	case=$(field case)
	out=$("$dir/mutants/$name" --quiet "$case")
	grep -q "^# wrong: .*$(field found)" <<<"$out"
	found=$?
	((found == 0)) || echo "# ${out//$'\n'/$'\n'# }"
	report $found "$name: $(sed -n 5p "$script" | cut -c 3-)"
	schedule=$(sed -n 's/^# --replay .*" //p' <<<"$out")
	"$dir/mutants/$name" --replay "$case" "$schedule" |
		grep -q "^# wrong: .*$(field found)"
	report $? "$name, replayed: ${#schedule} characters"
done
echo "1..$n"
exit $status
