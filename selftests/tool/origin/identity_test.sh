#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# identity_test.sh [AUXREC]: a test of what a recording tells about its origin: machine, boot and the
# labels of --label. All perfs of $PERFS read such a recording. Runs as root; prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/../flight/flight.sh"
BOOT=$(</proc/sys/kernel/random/boot_id)

# tells FILE: check that info tells where FILE comes from
tells()
{
	local id

	"$AUXREC" info "$1" >out
	grep -qx "  boot  *$BOOT" out || note "info: no boot: $(grep '^  boot' out)"
	grep -qx '  label  *env=prod' out || note "info: $(grep '^  label' out | tr '\n' '|')"
	grep -qx '  label  *note=a "b" \\xc3\\xbc' out || note "info: $(grep '^  label' out | tr '\n' '|')"
	"$AUXREC" info --json "$1" | tee out | python3 -c 'import json, sys
m = json.load(sys.stdin)["machine"]
print(m["boot_id"], m["machine_id"], m["hostname"])
assert m["labels"] == {"env": "prod", "note": "a \"b\" ü"}, m["labels"]' >ids 2>err ||
		note "$(tail -n 1 err)"
	id=None
	[[ ! -s /etc/machine-id ]] || id=$(</etc/machine-id)
	[[ $(<ids) == "$BOOT $id $(uname -n)" ]] || note "'$(<ids)', not '$BOOT $id $(uname -n)'"
}

# read_by_perf FILE: all perfs read FILE without a message
read_by_perf()
{
	local p

	for p in $PERFS; do
		quiet "$p" script -i "$1"
		quiet sh -c "$p script -i - <'$1'"
		quiet "$p" report --stdio -i "$1"
		quiet "$p" inject -b -i "$1" -o "$T/inj"
	done
}

LABELS=(--label env=prod --label 'note=a "b" ü')
want 0 "$AUXREC" -q "${LABELS[@]}" -e cpu-clock -F 500 -o f -- "$WORK" 20
valid f
tells f
read_by_perf f
check "a recording"

launch "${LABELS[@]}" -a -e cpu-clock -F 250
f=$(ctl snapshot first) || note "$f"
"$WORK" 20
g=$(ctl snapshot second) || note "$g"
land
valid "$f"
tells "$f"
read_by_perf "$f"
tells "$g"
want 0 "$AUXREC" merge "$f" "$g" -o all
valid all
tells all
read_by_perf all
check "snapshots, and both merged"

want 0 "$AUXREC" -q -e dummy -o f -- true
"$AUXREC" info --json f | grep -q '"labels": {}' || note "labels: $("$AUXREC" info --json f | grep -o '"labels.*')"
! "$AUXREC" info f | grep '^  label' || note "a label"
check "without labels"

finish
