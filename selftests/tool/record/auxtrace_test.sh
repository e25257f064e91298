#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test auxrec with a PMU that stock perf knows: the stream has AUXTRACE records per thread or per
# CPU. The PMU is auxgen under the name intel_pt, so the queues are real and their contents can be
# verified but not decoded. The test runs in a VM, as root.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
WORK=$B/selftests/tool/record/aux_work
VERIFY=$B/selftests/tool/record/aux_verify
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
STATS=/sys/bus/event_source/devices/intel_pt/stats
trap 'cd /; rm -rf "$T"; rmmod auxgen && insmod "$MODULES/auxgen.ko"' EXIT

written() { awk '{ n += $3 - $4 } END { print n + 0 }' $STATS; }

# record ARGS...: record to f, with auxrec's messages in err. All data that auxgen wrote must be
# in f.
record() {
	local before bytes chunks
	before=$(written)
	"$AUXREC" -o f "$@" >/dev/null 2>err || note "status $?: $(cat err)"
	"$AUXREC" check f >out || note "$(head -n 3 out)"
	"$VERIFY" f >verify 2>verr || note "$(head -n 3 verr | tr '\n' '|')"
	read -r _ _ _ bytes _ chunks _ <verify
	((bytes == chunks * 64 && chunks > 0)) || note "$bytes bytes, $chunks chunks"
	((chunks == $(written) - before)) ||
		note "$chunks chunks read, $(($(written) - before)) written"
}

# pt_quiet WHAT COMMAND...: COMMAND must succeed and print only the expected messages. Its output
# goes to "got". For every stream that is not a perf.data file, perf prints that Intel PT with pipe
# mode is not recommended (intel_pt_process_auxtrace_info()). perf report prints that the stream has
# no samples.
pt_quiet() {
	local what=$1
	shift
	"$@" >got 2>perr || note "$what: status $?"
	grep -v -e 'Intel PT with pipe mode is not recommended' \
		-e 'The output cannot relied upon' -e '^ *$' \
		-e '^Error:$' -e 'The f data has no samples!' \
		-e 'timestamps and the order of events may be incorrect' perr >rest
	[[ ! -s rest ]] || note "$what: $(head -n 2 rest)"
}

# readable: each perf must read f, as a file and from a pipe. The data contain no PSB packet, so a
# decoder finds no place to begin and no error.
readable() {
	local perf bytes
	read -r _ _ _ bytes _ <verify
	for perf in $PERFS; do
		pt_quiet "$perf script -i f" "$perf" script -i f
		mv got script.file
		pt_quiet "$perf script -i - <f" "$perf" script -i - <f
		cmp -s script.file got || note "$perf: file and stdin differ"
		pt_quiet "$perf script of a pipe" "$perf" script -i - < <(cat f)
		cmp -s script.file got || note "$perf: file and pipe differ"
		pt_quiet "$perf report" "$perf" report --stdio -i f
		"$perf" script -D -i f >dump 2>/dev/null
		[[ $(grep -c 'PERF_RECORD_AUXTRACE_INFO' dump) == 1 ]] ||
			note "$perf: no AUXTRACE_INFO"
		sed -n 's/.*PERF_RECORD_AUXTRACE size: \(0x[0-9a-f]*\).*/\1/p' dump |
			{ sum=0; while read -r x; do sum=$((sum + x)); done; echo $sum; } >sum
		# The first record, which is for perf 6.1, has 16 bytes.
		[[ $(<sum) == $((bytes + 16)) ]] ||
			note "$perf: $(<sum) bytes of AUX data, not $bytes + 16"
	done
}

rmmod auxgen || exit 2
insmod "$MODULES/auxgen.ko" name=intel_pt || exit 2

record -e intel_pt/ctx=1/ -- "$WORK" 300 3 2
readable
check "a command with threads and processes: a queue per thread"

record -e intel_pt/timer=1,config1=500,pt=1/ -m ,64Kx32 -- "$WORK" 300 2 2
readable
check "interrupts, with markers as Intel PT has them"
enough

"$WORK" 1500 2 2 &
record -e intel_pt/timer=1/ -a -- sleep 0.5
wait
readable
check "all CPUs: a queue per CPU"

record -e intel_pt/ctx=1/ -e cpu-clock -F 500 -- "$WORK" 300 2 1
readable
check "with samples beside it"

"$AUXREC" -e intel_pt/ctx=1/ -o - -- "$WORK" 300 2 1 2>err | cat >f
"$AUXREC" check f >out || note "$(head -n 3 out)"
"$VERIFY" f >verify 2>verr || note "$(head -n 3 verr | tr '\n' '|')"
readable
check "a pipe"

# These drivers work only with perf's own AUX area. Other segment sizes do not help.
for name in intel_bts arm_spe_0 hisi_ptt0 cs_etm cpum_sf unknown; do
	rmmod auxgen && insmod "$MODULES/auxgen.ko" name=$name
	rm -f g
	want 125 "$AUXREC" -e $name// -o g -- true
	said "$name//: .*needs perf's own AUX area.*perf record"
	grep -q segments err && note "$(cat err)"
	[[ ! -e g ]] || note "a file for nothing"
done
check "PMUs that the module refuses"

finish
