#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Record static programs in a virtual machine with kernel K, and decode them on the
# host: elsewhere.sh K [DIR]
#
# perf of each version and libipt must find the instructions that stepper found in
# the machine. With DIR, the script decodes the streams in DIR and starts no
# machine. Prints TAP.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
spt=build/selftests/softpt
programs=(work-static work-static-pie)

# Runs in the machine.
guest()
{
	local name

	cd /tmp || exit 2
	insmod "/perfaux/build/modules/$PERFAUX_KERNEL/softpt.ko" || exit 2
	for name in "${programs[@]}"; do
		set -- setarch -R env -i PATH=/usr/bin:/bin
		"$@" "/perfaux/build/tool/auxrec" -q -o "$name.auxrec" -e intel_pt//u -- \
			"/perfaux/$spt/$name" all </dev/null || exit 1
		"$@" "/perfaux/$spt/stepper" "$name.steps" "/perfaux/$spt/$name" all \
			</dev/null || exit 1
		cp "$name.auxrec" /share/ && cp "$name.steps/0.ips" "/share/$name.ips" || exit 1
	done
	rmmod softpt
}

if [[ ${1-} == --guest ]]; then
	guest
	exit
fi

[[ $# -ge 1 ]] || { echo "usage: elsewhere.sh K [DIR]" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 status=0
streams=${2:-$tmp/share}

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

# differences FILE: print the differences to these addresses. Repetitions of an
# address count once, because some decoders report each repetition of REP.
differences()
{
	uniq "$1" >"$tmp/found"
	cmp -s "$tmp/truth" "$tmp/found" && return
	echo "$(wc -l <"$tmp/truth") and $(wc -l <"$tmp/found") instructions, first difference" \
		"$(paste "$tmp/truth" "$tmp/found" | awk '$1 != $2 { print NR ": " $1, $2; exit }')"
}

# by_perf VERSION FILE: compare the instructions that perf of VERSION decodes from FILE with the
# truth
by_perf()
{
	selftests/setup/perf "$1" script --symfs "$tmp/symfs" -i "$2" --itrace=i0nse -F ip \
		>"$tmp/out" 2>"$tmp/err" || echo "perf: status $?: $(tail -n 2 "$tmp/err")"
	grep -m 3 -i 'instruction trace error' "$tmp/out"
	awk '{ print $1 }' "$tmp/out" >"$tmp/ips"
	differences "$tmp/ips"
}

# by_libipt FILE PROGRAM: do the same with libipt, for a PROGRAM at fixed addresses
by_libipt()
{
	readelf -Wl "$spt/$2" | awk -v f="$spt/$2" \
		'$1 == "LOAD" && $0 ~ / E / { print f, $2, $5, $3 }' >"$tmp/code"
	rm -rf "$tmp/extracted"
	build/tool/auxrec extract --aux "$1" "$tmp/extracted" || return
	"$spt/decode" "$tmp"/extracted/*.pt "$tmp/code" >"$tmp/ips" 2>"$tmp/err" ||
		echo "libipt: $(head -n 3 "$tmp/err")"
	differences "$tmp/ips"
}

echo TAP version 13
# The programs have these names in the machine.
mkdir -p "$tmp/symfs" "$tmp/share"
ln -s "$PWD" "$tmp/symfs/perfaux"
if [[ $# -lt 2 ]]; then
	selftests/vm/run -k "$1" -c 2 --one-thread --share "$streams" -- \
		selftests/softpt/elsewhere.sh --guest >"$tmp/vm" 2>&1 || { cat "$tmp/vm"; echo "Bail out! no recording"; exit 1; }
fi
for name in "${programs[@]}"; do
	od -An -v -t x8 -w8 "$streams/$name.ips" | sed 's/^ *0*//' | uniq >"$tmp/truth"
	count=$(wc -l <"$tmp/truth")
	problems=$(build/tool/auxrec check "$streams/$name.auxrec" 2>&1 >/dev/null)
	((count > 1000)) || problems+="only $count instructions"
	report "$name, recorded with kernel $1" "$problems"
	for version in $(selftests/kernels); do
		report "the $count instructions of $name, perf $version on the host" \
			"$(by_perf "$version" "$streams/$name.auxrec")"
	done
done
od -An -v -t x8 -w8 "$streams/work-static.ips" | sed 's/^ *0*//' | uniq >"$tmp/truth"
report "those of work-static, libipt on the host" \
	"$(by_libipt "$streams/work-static.auxrec" work-static)"
echo "1..$n"
exit $status
