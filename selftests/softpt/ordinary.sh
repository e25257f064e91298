#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Ordinary programs, recorded by auxrec -e intel_pt//u with softpt. They do the same
# as without softpt, nothing is lost, and stock perf decodes everything without an
# error. Run it in a VM, as root.

# shellcheck source=selftests/softpt/stock.sh
. "$(dirname "$0")/stock.sh"

# same CMD...: check that CMD ends as without recording, and prints the same
same()
{
	local want

	clean "$@" <input >expected 2>/dev/null
	want=$?
	rm -f f
	clean timeout 300 "$AUXREC" -o f -e intel_pt//u -- "$@" <input >stdout 2>err
	got=$?
	[[ $got == "$want" ]] || note "status $got, not $want: $(tail -n 3 err | tr '\n' '|')"
	cmp -s expected stdout || note "it prints something else: $(head -n 3 stdout | tr '\n' '|')"
	lossless
	decodes i100ie
	((count > 1000)) || note "only $count instructions"
}

# tasks NR: check that at least NR tasks have samples, so that none is missing
tasks()
{
	local found

	found=$(awk '$2 ~ /^[0-9]+$/ { print $1 }' got | sort -u | wc -l)
	((found >= $1)) || note "$found tasks with samples, not $1"
}

seq 60 | sed 's/$/ some text, the same in each line/' >input

same sort input
check "sort: $count instructions"
enough

same sh -c 'seq 30 | sort -rn | head -n 3'
tasks 4
check "sh, a pipe of three programs: $count instructions"

# shellcheck disable=SC2016 # for the shell that is recorded
same sh -c 'for i in 1 2 3; do n=$(echo "$i" | tr 123 abc); echo "$n"; done
	(cd / && pwd); x() { echo "$1"; }; x y & wait; read line; echo "$line"; exit 7'
tasks 8
check "sh, with subshells and a child in the background: $count instructions"

same gzip -c input
check "gzip: $count instructions"
gzip -c input >packed
mv packed input
same gzip -dc
check "gunzip: $count instructions"
seq 60 >input
same grep -c 5
check "grep: $count instructions"
# shellcheck disable=SC2016 # awk's
same awk '{ s += $1; n[$1 % 7]++ } END { print s, n[3] }'
check "awk: $count instructions"
same sed -n 's/\(.\)\(.\)/\2\1/p'
check "sed: $count instructions"
same ls -l /usr/bin/env /etc/mtab
check "ls: $count instructions"

for how in work work-static work-static-pie; do
	same "$SPT/$how" threads
	tasks 4
	check "threads, $how: $count instructions"
done
same "$SPT/work" fork
check "a child that is killed, vfork and exec: $count instructions"

same "$SPT/work" crash
((got == 139)) || note "status $got, it does not crash"
check "a program that crashes: $count instructions"
# shellcheck disable=SC2016 # for the shell that is recorded
same sh -c 'kill -ABRT $$'
check "a program that kills itself: $count instructions"
# shellcheck disable=SC2016 # for the shell that is recorded
same sh -c '"$0" crash; echo "$?"' "$SPT/work-static"
check "a shell whose child crashes: $count instructions"

# Each branch of a program that is not too large
same "$SPT/work" all
decodes bep
check "each branch of a program with signals and faults"

echo "# $insns instructions, $errors errors, $losses with loss"
finish
