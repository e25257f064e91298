#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bpf_test.sh [AUXREC]: compare what a recording contains about BPF programs with what bpf(2)
# reports about them. Each perf of $PERFS must read the recording. The test needs root and a
# kernel with BPF and its JIT. It prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
PROG=$HERE/bpf_prog.py

"$PROG" load probe true 2>err
if [[ $? == 77 ]]; then
	for name in before during churn others perfs annotate long rights; do
		skip "$name" "$(cat err)"
	done
	finish
fi

# json KEY: print a number of the summary's BPF part
json() { sed -n "s/.*\"bpf\":{[^}]*\"$1\":\([0-9]*\).*/\1/p" sum; }

# described FILE: the stream must contain all programs of FILE, as bpf(2) described them
described()
{
	"$PROG" stream f >s 2>err || note "features: $(cat err)"
	[[ -s $1 ]] || note "no programs in $1"
	grep -vxFf s "$1" >missing && note "not in the stream: $(cat missing)
# but: $(cat s)"
}

want 0 "$PROG" load before1 "$PROG" load --plain before2 \
	"$AUXREC" --json=sum -a -e cpu-clock -F 500 -o f -- sh -c "'$PROG' kernel >k"
valid f
described k
[[ $(grep -c before <k) == 2 ]] || note "not both: $(cat k)"
[[ $(grep before1 k) == *ksyms=[0-9a-f]*,*jited=[1-9]*lines=[1-9]*btf=[1-9]* ]] ||
	note "not all known: $(cat k)"
[[ $(json programs) == $(wc -l <s) ]] || note "summary: $(cat sum)"
check "programs that were loaded before"

want 0 "$AUXREC" --json=sum -a -e cpu-clock -F 500 -o f -- \
	"$PROG" load during1 "$PROG" load during2 sh -c "'$PROG' kernel >k"
valid f
described k
[[ $(grep -c during <k) == 2 ]] || note "not both: $(cat k)"
[[ $(json unloaded) == 0 && $(json failed) == 0 ]] || note "summary: $(cat sum)"
"$AUXREC" info --records f >r
grep -q 'FEATURE .* id 25 .*during' r || note "info: $(grep FEATURE r)"
check "programs that are loaded while recording"
enough

# Each program is either described or counted as unloaded.
want 0 "$AUXREC" --json=sum -a -e cpu-clock -F 500 -o f -- "$PROG" churn 50
valid f
"$PROG" stream f >s 2>err || note "features: $(cat err)"
"$PROG" events f | sort >e
[[ $(wc -l <e) == 50 ]] || note "$(wc -l <e) loads"
sed 's/^\(id=[0-9]*\) .* \(tag=[^ ]*\) .*/\1 \2/' s | sort >t
comm -13 e t >missing
[[ ! -s missing ]] || note "other programs: $(cat missing)"
(($(json programs) + $(json unloaded) == 50 && $(json failed) == 0)) ||
	note "summary: $(cat sum)"
[[ $(json programs) == $(wc -l <s) ]] || note "$(wc -l <s) programs, $(cat sum)"
echo "# $(json programs) of 50 programs that are unloaded immediately are described"
want 0 "$AUXREC" -a -e cpu-clock -F 500 -o f -- "$PROG" churn 200
"$PROG" stream f >s
(($(wc -l <s) == 200)) ||
	said "BPF program info is missing for $((200 - $(wc -l <s))) programs: they were unloaded"
check "programs that are unloaded immediately"

# A recording has the programs that any task loads, because they run in any task.
want 0 "$AUXREC" -e cpu-clock -F 500 -o f -- sleep 5 &
until [[ -e f && $(stat -c %s f) -gt 4096 ]]; do sleep 0.1; done
"$PROG" load others sh -c "'$PROG' kernel >k"
wait
valid f
described k
check "programs of others than the recorded task"

# perfs_read: all perfs must read f without a message, and print the same as without the features
# that describe BPF programs
perfs_read()
{
	local p

	"$PROG" strip f >stripped
	! cmp -s f stripped || note "nothing to compare"
	for p in $PERFS; do
		quiet "$p" script --show-bpf-events -i f
		mv out with
		quiet "$p" script --show-bpf-events -i stripped
		cmp -s with out || note "$p script: $(diff with out | head -n 3)"
		quiet "$p" report --stdio -i f
		mv out with
		quiet "$p" report --stdio -i stripped
		cmp -s with out || note "$p report: $(diff with out | head -n 3)"
		"$p" script --show-bpf-events -i - <f >out 2>err || note "$p script -i - failed"
		unsaid err '' "$p script -i -"
		quiet "$p" report --header --stdio -i f
		grep -q '^# bpf_prog_info' out || note "$p report --header: no programs"
		quiet "$p" script --header -i f
		grep -q '^#.*_main addr\|^#.*_perfs1 addr' out || note "$p script --header: $(grep '^#.*prog' out)"
		quiet "$p" inject -b -i f -o injected
	done
}
want 0 "$PROG" load perfs1 "$AUXREC" -a -e cpu-clock -F 2000 -o f -- \
	sh -c "'$PROG' load --run 300000 --length 500 perfs2 true; '$PROG' churn 20"
valid f
perfs_read
for p in $PERFS; do
	"$p" script -i f -F ip,sym 2>/dev/null | grep -q bpf_prog_ ||
		note "$p: no sample in a program"
done
check "perf reads the same with and without"

# With the info, perf knows that the symbol it annotates is a BPF program. Debian's perfs are built
# without the library that prints a program's instructions. perf runs as a user who cannot read
# kallsyms; otherwise it asks for a vmlinux first (dso__disassemble_filename()).
for p in $PERFS; do
	sym=$("$p" script -i f -F ip,sym 2>/dev/null | grep -o 'bpf_prog_.*_sub' | head -n 1)
	for file in f stripped; do
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$p" annotate --stdio -i - "$sym" <$file >out 2>$file.err
	done
	grep -q 'enable BPF annotation' f.err ||
		note "$p annotate $sym: $(cat f.err)"
	! grep -q 'enable BPF annotation' stripped.err ||
		note "$p annotate $sym: without the info, too"
done
check "perf annotate takes programs for programs"

# without NAME PART...: the stream must describe the program NAME as bpf(2) did, but without these
# parts, for which there was no room
without()
{
	local a args=() expect
	for a in "${@:2}"; do
		args+=(-e "s/ $a=[^ ]*/ $a=-/")
	done
	expect=$(grep "name=$1 " k | sed "${args[@]}")
	grep -qxF "${expect:-nothing}" s ||
		note "$1: $(grep "name=$1 " s), not $expect"
}
want 0 "$PROG" load --length 1900 long1 "$PROG" load --length 3000 long2 \
	"$PROG" load --length 30000 long3 "$PROG" load --types 70000 long4 \
	"$AUXREC" --json=sum -a -e cpu-clock -F 500 -o f -- sh -c "'$PROG' kernel >k"
valid f
"$PROG" stream f >s 2>err || note "features: $(cat err)"
without long1 xlated
without long2 xlated lines jlines
without long3 xlated lines jlines funcs btf jited
without long4 btf
[[ $(json cut) == 3 && $(json cut_btf) == 1 ]] || note "summary: $(cat sum)"
for p in $PERFS; do
	quiet "$p" script --header -i f
	quiet "$p" report --stdio --header -i f
done
want 0 "$PROG" load --length 3000 long1 "$PROG" load --types 70000 long4 \
	"$AUXREC" -a -e cpu-clock -F 500 -o f -- true
said "1 BPF programs are longer than a record"
said "1 BTFs of BPF programs are longer than a record"
check "programs that are longer than a record"

# auxrec runs as root without the capabilities, and as another user. It reports missing programs
# only if it records the kernel, because samples of user space have no addresses of BPF programs.
old=$(</proc/sys/kernel/perf_event_paranoid)
for who in --bounding-set=-sys_admin,-bpf,-perfmon "--reuid=65534 --regid=65534 --clear-groups"; do
	for level in 2 1; do
		echo $level >/proc/sys/kernel/perf_event_paranoid
		event=cpu-clock
		((level == 1)) || event+=:u
		# shellcheck disable=SC2086 # two options
		want 0 "$PROG" load rights setpriv $who \
			"$AUXREC" -e $event -o - -- true >f
		if ((level == 1)); then
			said "BPF program info is missing: it needs root"
		else
			grep 'BPF program info' "$T/err" >said && note "$event: $(<said)"
		fi
		valid f
		"$PROG" stream f >s
		[[ ! -s s ]] || note "programs without the right: $(cat s)"
	done
done
echo "$old" >/proc/sys/kernel/perf_event_paranoid
check "programs that the user may not read"

finish
