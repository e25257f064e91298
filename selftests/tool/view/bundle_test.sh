#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bundle_test.sh K [DIR]: record static programs in a virtual machine with kernel K, and give them
# to LLDB, and to a reader of libipt's sideband. Both must find the instructions that stepper found
# in the machine. With DIR, the script takes the streams in DIR and starts no machine. Prints TAP.

set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
programs=(work-static work-static-pie)

# Runs in the machine.
guest()
{
	local name

	cd /tmp || exit 2
	insmod "/perfaux/build/modules/$PERFAUX_KERNEL/softpt.ko" || exit 2
	for name in "${programs[@]}"; do
		set -- setarch -R env -i PATH=/usr/bin:/bin
		"$@" /perfaux/build/tool/auxrec -q -o "/share/$name.auxrec" -e intel_pt//u -- \
			"/perfaux/build/selftests/softpt/$name" calls 3 </dev/null || exit 1
		"$@" /perfaux/build/selftests/softpt/stepper "$name.steps" \
			"/perfaux/build/selftests/softpt/$name" calls 3 </dev/null || exit 1
		cp "$name.steps/0.ips" "/share/$name.ips" || exit 1
	done
	rmmod softpt
}

if [[ ${1-} == --guest ]]; then
	guest
	exit
fi

[[ $# -ge 1 ]] || { echo "usage: bundle_test.sh K [DIR]" >&2; exit 2; }
here=selftests/tool/view
auxrec=build/tool/auxrec
lldb=$(selftests/setup/lldb)/bin/lldb || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
streams=${2:-$tmp/share}
n=0 status=0

# report NAME PROBLEMS: print the result NAME, which is a failure unless PROBLEMS is empty
report()
{
	n=$((n + 1))
	if [[ $2 ]]; then
		echo "not ok $n $1"
		head -n 20 <<<"$2" | sed 's/^/# /'
		status=1
	else
		echo "ok $n $1"
	fi
}

# differences FILE: print how FILE differs from the truth. Repetitions of an address count once.
differences()
{
	uniq "$1" >"$tmp/found"
	cmp -s "$tmp/truth" "$tmp/found" && return
	echo "$(wc -l <"$tmp/truth") and $(wc -l <"$tmp/found") instructions, first difference" \
		"$(paste "$tmp/truth" "$tmp/found" | awk '$1 != $2 { print NR ": " $1, $2; exit }')"
}

# export_to KIND FILE: make the bundle $tmp/KIND.
export_to()
{
	rm -rf "${tmp:?}/$1"
	# The machine's vdso is not here, and the programs do not call it.
	"$auxrec" export "--$1" --symfs "$tmp/symfs" -o "$tmp/$1" "$2" 2>"$tmp/err" ||
		echo "export --$1: $(tail -n 2 "$tmp/err")"
	grep -v -F 'export: [vdso] with build-id' "$tmp/err"
}

# run_lldb COMMAND: run a command of LLDB after the trace is loaded.
run_lldb()
{
	"$lldb" -b -o "trace load $tmp/lldb/trace.json" -o "$1" >"$tmp/out" 2>&1 ||
		echo "lldb: status $?"
	grep -m 3 -i 'error' "$tmp/out"
}

by_lldb()
{
	export_to lldb "$1"
	run_lldb 'thread trace dump instructions --forwards --count 10000000 --raw'
	sed -nE 's/^ *[0-9]+: 0x0*([0-9a-f]+)$/\1/p' "$tmp/out" >"$tmp/ips"
	differences "$tmp/ips"
}

by_sideband()
{
	local queue

	export_to ptxed "$1"
	for queue in "$tmp"/ptxed/*.pt; do
		queue=${queue##*/}
		PTXED=$PWD/build/selftests/tool/view/sideband "$tmp/ptxed/decode" "${queue%.pt}"
	done >"$tmp/ips" 2>"$tmp/err" || echo "sideband: $(head -n 3 "$tmp/err")"
	differences "$tmp/ips"
}

by_name()
{
	run_lldb 'thread trace dump instructions --forwards --count 1'
	grep -q 'work-static.*`_start' "$tmp/out" || tail -n 3 "$tmp/out"
}

# refused STATUS TEXT ARGS...: a command line that export refuses
refused()
{
	local got

	"$auxrec" export "${@:3}" >"$tmp/out" 2>&1
	got=$?
	[[ $got == "$1" ]] && grep -qF "$2" "$tmp/out" || echo "status $got: $(tail -n 2 "$tmp/out")"
}

echo TAP version 13
# The programs have these names in the machine.
mkdir -p "$tmp/symfs" "$tmp/share"
ln -s "$PWD" "$tmp/symfs/perfaux"
if [[ $# -lt 2 ]]; then
	selftests/vm/run -k "$1" -c 2 -t 800 --one-thread --share "$streams" -- \
		"$here/bundle_test.sh" --guest >"$tmp/vm" 2>&1 || { cat "$tmp/vm"; echo "Bail out! no recording"; exit 1; }
fi
for name in "${programs[@]}"; do
	od -An -v -t x8 -w8 "$streams/$name.ips" | sed 's/^ *0*//' | uniq >"$tmp/truth"
	stream=$streams/$name.auxrec
	count=$(wc -l <"$tmp/truth")
	report "$name has enough instructions" "$( ((count > 1000)) || echo "only $count")"
	"$here/by_cpu.py" "$stream" "$tmp/cpu"
	report "the $count instructions of $name, LLDB" "$(by_lldb "$stream")"
	report "LLDB finds the symbols of $name" "$(by_name)"
	report "the instructions of $name, by CPU, LLDB" "$(by_lldb "$tmp/cpu")"
	report "the instructions of $name, sideband" "$(by_sideband "$stream")"
	report "the instructions of $name, by CPU, sideband" "$(by_sideband "$tmp/cpu")"
done
report "refused: a directory that is not empty" \
	"$(refused 2 'is not empty' --lldb -o "$tmp" "$tmp/cpu")"
report "refused: no directory" "$(refused 2 'need -o DIR' --ptxed "$tmp/cpu")"
head -c 16 "$tmp/cpu" >"$tmp/none"
report "refused: no Intel PT" "$(refused 1 'no Intel PT data' --lldb -o "$tmp/new" "$tmp/none")"
echo "1..$n"
exit $status
