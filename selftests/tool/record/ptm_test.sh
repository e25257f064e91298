#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test auxrec with the kernel's own Intel PT driver on a model of the hardware (ptmodel), with the
# terms and modes that softpt does not have. The data is numbered chunks, which can be verified but
# not decoded. auxrec must give decoders the same information as perf record. The test runs in a VM,
# as root.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
WORK=$B/selftests/tool/record/aux_work
VERIFY=$B/selftests/tool/record/aux_verify
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
PERF=${PERFS%% *}
PERF=${PERF:-perf}
CPUS=$(nproc)
trap 'cd /; rm -rf "$T"; rmmod ptmodel' EXIT

# record ARGS...: record to f and verify it
record()
{
	rm -f f
	"$AUXREC" -o f "$@" >stdout 2>err || note "auxrec $*: status $?: $(tail -n 2 err)"
	valid f
	"$VERIFY" f >verify 2>verr || note "$*: $(head -n 3 verr | tr '\n' '|')"
}

# pt_info FILE: see pt_test.sh
pt_info()
{
	"$PERF" script -D -i - <"$1" 2>/dev/null | grep -a -A19 'AUXTRACE_INFO type' |
		grep -a '^  ' | grep -v TSC:CTC
}

# told WHAT ARGS...: auxrec ARGS must give decoders the same information as perf record ARGS
told()
{
	local mode=()

	record "${@:2}"
	pt_info f >ours
	[[ " $* " == *" -a "* ]] || mode=(--per-thread)
	"$PERF" record -o - "${mode[@]}" "${@:2}" 2>/dev/null >stock
	pt_info stock >theirs
	[[ -s ours ]] || note "no AUXTRACE_INFO"
	diff theirs ours >differ || note "$1: $(grep '^[<>]' differ | head -n 6 | tr '\n' '|')"
}

insmod "$MODULES/ptmodel.ko" || exit 2

# A term must give the same result for user space (u) and for all CPUs (-a). Without FULL, this is
# tried only without a term and with cyc.
for term in '' cyc cyc,cyc_thresh=2 mtc=0 mtc_period=5 tsc=0,mtc=0 noretcomp psb_period=4; do
	[[ ! ${SHORT-} || ! $term || $term == cyc ]] || continue
	told "$term" -e "intel_pt/$term/" -- true
	[[ ${FULL-} || ! $term || $term == cyc ]] || continue
	told "$term, user" -e "intel_pt/$term/u" -- true
	told "$term, -a" -e "intel_pt/$term/" -a -- true
done
check "decoders are told what perf record tells them, whatever the terms"
enough

want 125 "$AUXREC" -o f -e intel_pt/cyc_thresh=99/ -- true
said "99 is too large for 'cyc_thresh'"
want 125 "$AUXREC" -o f -e intel_pt/psb_period=16/ -- true
said "16 is too large for 'psb_period'"
check "terms out of range"

record -e intel_pt//k -- "$WORK" 50 2 1
record -e intel_pt// --filter "filter main @ $WORK" -- "$WORK" 50 2 1
check "the kernel alone, and an address filter"

# No switch record tells which task runs when the trace of a CPU begins, so ITRACE_START must tell
# it.
record -e intel_pt// -a -- "$WORK" 50 2 1
"$PERF" script -D -i f 2>/dev/null | grep -a PERF_RECORD_ITRACE_START >starts
[[ $(wc -l <starts) -ge $CPUS ]] || note "$(wc -l <starts) ITRACE_START, $CPUS CPUs"
"$PERF" record -o stock -a -e intel_pt// -- true >/dev/null 2>&1
"$PERF" script -D -i stock 2>/dev/null | grep -a PERF_RECORD_ITRACE_START >theirs
[[ $(awk '{ print $1 }' starts | sort -u | wc -l) == $(awk '{ print $1 }' theirs | sort -u | wc -l) ]] ||
	note "of $(awk '{ print $1 }' starts | sort -u | wc -l) CPUs, perf record of $(awk '{ print $1 }' theirs | sort -u | wc -l)"
grep -qa 'SWITCH' <("$PERF" script -D -i f 2>/dev/null) || note "no switches"
check "all CPUs: who runs when it begins"

finish
