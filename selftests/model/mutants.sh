#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh DIR: the model must find each bug that mutants/*.sed plants in the module's
# code (the programs are in DIR/mutants), as the message that the script says, and again
# when the interleaving that it prints is replayed. Prints TAP.

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
