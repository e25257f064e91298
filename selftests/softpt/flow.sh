#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the encoder with real programs: flow.sh BUILD TOOLS
#
# TOOLS/record_host records programs step by step. The decoded packets must contain
# the instructions that it encoded, for each thread and child. For programs that do
# the same each time, they must be the instructions that stepper finds. The same is
# tested for a processor that traps only after taken branches.
#
# It runs in a virtual machine, because some hypervisors lose the trap of an
# instruction that they emulate (CPUID), and some kernels run no 32-bit programs.
# Prints TAP.

set -uo pipefail
[[ $# -eq 2 ]] || { echo "usage: flow.sh BUILD TOOLS" >&2; exit 2; }
bin=$(realpath -- "$1") && tools=$(realpath -- "$2") || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
n=0
status=0

# report NAME PROBLEMS: print the result NAME, which is a failure unless PROBLEMS is empty
report() {
	n=$((n + 1))
	if [[ $2 ]]; then
		head -n 40 <<<"$2" | sed 's/^/# /'
		echo "not ok $n - $1"
		status=1
	else
		echo "ok $n - $1"
	fi
}

# The same environment each time: it is on the stack of each program.
clean() {
	env -i LC_ALL=C PATH=/usr/bin:/bin "$@"
}

# decoded N: print the instructions that libipt finds for thread N, in all programs
# that the thread ran.
decoded() {
	local args=() pt
	for pt in $(printf '%s\n' "recorded/$1".*.pt | sort -t. -k2n); do
		args+=("$pt" "recorded/$(basename "$pt" .pt | cut -d. -f2).image")
	done
	"$tools/decode" -b "${args[@]}"
}

# differences WHAT A B: print the first difference of two lists of instructions, if they differ
differences() {
	local sizes
	cmp -s "$2" "$3" && return
	sizes="$(($(stat -c %s "$2") / 8)) and $(($(stat -c %s "$3") / 8)) instructions"
	echo "$1: $sizes, first difference (instruction, a, b):"
	paste <(od -An -v -t x8 -w8 "$2") <(od -An -v -t x8 -w8 "$3") |
		awk '$1 != $2 { print NR - 1, $1, $2; exit }'
}

# record STATUS CMD...: record CMD, and print what is wrong with the recording.
record() {
	local expected=$1 ips thread got total=0
	shift
	rm -rf recorded
	mkdir recorded
	clean "$tools/record_host" "${how[@]}" recorded "$@" </dev/null >stdout 2>stderr
	got=$?
	[[ $got -eq $expected ]] || echo "exit status $got, not $expected"
	for ips in recorded/*.ips; do
		thread=$(basename "$ips" .ips)
		decoded "$thread" >found 2>errors || echo "thread $thread: decode errors"
		cat errors
		differences "thread $thread" "$ips" found
		total=$((total + $(stat -c %s "$ips") / 8))
	done
	cat stderr
	[[ $total -gt 50 ]] || echo "only $total instructions"
	echo "$total instructions" >total
	[[ ${how[*]} ]] || return
	awk '$3 > 0.8 * $1 { print "too many traps: " $0 }' recorded/traps
	awk '{ print ", " $3 " traps" }' recorded/traps >>total
}

# same STATUS NAME THREADS CMD...: test a program that does the same each time.
same() {
	local problems
	problems=$(
		record "$1" "${@:4}"
		rm -rf stepped
		clean "$bin/stepper" stepped "${@:4}" </dev/null >/dev/null 2>stderr ||
			[[ $? -eq $1 ]] || echo "stepper: exit status"
		cat stderr
		[[ $(find stepped -name '*.ips' | wc -l) -eq $3 ]] || echo "not $3 threads"
		for ips in stepped/*.ips; do
			differences "stepper" "$ips" "recorded/${ips##*/}"
		done
	)
	report "$2: $(tr -d '\n' <total), as stepped" "$problems"
}

# any STATUS NAME CMD...: record CMD, which must exit with STATUS, and report the problems as NAME
any() {
	local problems
	problems=$(record "$1" "${@:3}")
	report "$2: $(tr -d '\n' <total)" "$problems"
}

echo TAP version 13
seq 100 >numbers
all() {
	same 0 "64-bit and 32-bit code" 1 "$bin/modes"
	same 0 "static: deep calls, tables, longjmp, signals, REP" 1 "$bin/work-static" all
	any 0 "threads" "$bin/work-static" threads
	any 0 "a child that is killed, vfork and exec" "$bin/work-static" fork
	any 139 "a program that crashes" "$bin/work-static" crash
}

how=()
all
same 0 "static position-independent" 1 "$bin/work-static-pie" all
same 0 "dynamic" 1 "$bin/work" all
how=(-b)
all
any 0 "gzip" "$(type -P gzip)" -1c numbers
report "gzip: what it wrote is right" "$(gzip -dc stdout | cmp - numbers 2>&1)"
echo "1..$n"
exit $status
