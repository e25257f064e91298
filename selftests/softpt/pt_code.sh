#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Code whose pages go away while it is executed and recorded with softpt. Everything
# that was executed is in the trace, or the trace says that something is lost. Run
# it in a VM, as root.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/guest.sh"

PASSES=${SHORT:+1000}
PASSES=${PASSES:-3000}

# beside WHAT ARGS...: run evict as soon as the program runs
beside()
{
	local pid

	until pid=$(pidof -s away); do :; done
	"$SPT/evict" "$1" "$pid" "${@:2}" >evicted 2>&1
}

# gone_often NR: check that the pages were missing at least NR times
gone_often()
{
	local faults

	faults=$(awk '$1 == "faults" { print $2 }' stdout)
	((faults >= $1)) || note "only $faults page faults: $(cat evicted 2>/dev/null)"
}

# exactly WHAT: check that beside evict WHAT each executed instruction is found
exactly()
{
	rm -f evicted
	beside "$@" &
	counted away loop "$PASSES"
	wait
	perf_is_content
	gone_often 20
}

address=$(nm "$P/away" | awk '$3 == "away" { print $1 }')
exactly pageout "$address" 8192
check "pages that are reclaimed (MADV_PAGEOUT): $(head -n 1 stdout)"

# FUSE and virtiofs drop a file's page cache when it is opened. Only evict and
# auxrec see this mount.
mkdir elf m
cp "$P/away" elf/
echo away none >elf/list
export SPT
export -f beside
# shellcheck disable=SC2016 # for the shell within
PERFAUX_ELF=$T/elf "$B/selftests/ids/fuse_mount" --forget m bash -c '
	beside open m/away &
	setarch -R env -i LC_ALL=C timeout 400 "$@"
	status=$?
	wait
	exit $status' sh "$AUXREC" -o f -e intel_pt//u -- m/away loop "$PASSES" </dev/null >stdout 2>err
status=$?
if [[ $status == 2 ]] && grep -q '^fuse_mount:' err; then
	skip "a file of FUSE that is opened elsewhere" "$(cat err)"
else
	[[ $status == 0 ]] || note "status $status: $(tail -n 3 err | tr '\n' '|')"
	grep -q LOST err && note "$(grep LOST err)"
	valid f
	image "$P/away" >code
	decode
	marks "$P/away"
	cp "$P/away" m/
	perf_is_content
	gone_often 20
	check "a file of FUSE that is opened elsewhere: $(head -n 1 stdout)"
fi

rm -f evicted
counted away protect "$PASSES"
perf_is_content
gone_often 20
check "pages that cannot be read for a moment: $(head -n 1 stdout)"

# perf knows which page was mapped when, so its symbols tell the pages apart.
record "$P/remapped" "$(rounds 100)"
perf_is_content
"$PERF" script -i f --itrace=i0ns -F ip,sym,symoff 2>/dev/null |
	awk '$2 ~ /^mark_[a-z]+\+0x0$/ { sub(/\+.*/, "", $2); n[$2]++ }
		END { for (name in n) print name, n[name] }' | sort >found
diff stdout found >differ || note "passed and decoded: $(tr '\n' '|' <differ)"
check "other code at the same address: $(head -n 1 stdout)"

# Here data is really lost, and the trace must say so.
rm -f f
clean timeout 400 "$AUXREC" -o f -e intel_pt//u -- "$P/away" unmap "$PASSES" </dev/null >stdout 2>err ||
	note "status $?: $(tail -n 3 err | tr '\n' '|')"
mv err said
valid f
image "$P/away" >code
decode
before=$why
marks "$P/away"
differences=${why#"$before"}
if [[ $differences ]] && grep -q 'LOST AUX data: lost by the PMU' said; then
	why=$before
	grep -oE 'passed [0-9]+ times, decoded [0-9]+' <<<"$differences" |
		awk '$2 < $5 + 0 { exit 1 }' || note "more than was executed: $differences"
fi
gone_often 20
check "pages that are unmapped: lost, and told: $(grep -o 'LOST.*' said)"

finish
