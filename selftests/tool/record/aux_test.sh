#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# aux_test.sh [AUXREC]: test recordings of auxgen with perfaux.ko, as root. aux_verify checks every
# byte, and the sums must agree with auxgen's own counters. The test prints TAP.
#
# config1 is auxgen's period in us; 0 means 1000. The term "period" cannot be used, because perf
# takes it for the period of samples even if a PMU has a format of that name.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
VERIFY=$B/selftests/tool/record/aux_verify
WORK=$B/selftests/tool/record/aux_work

# written: print the number of chunks that auxgen has written, without lost ones
written() { awk '{ n += $3 - $4 } END { print n + 0 }' "$STATS"; }

# record STATUS ARGS...: record to f, with auxrec's messages in err and aux_verify's output in
# verify. $delta is the number of chunks that auxgen wrote.
record()
{
	local want=$1 before rc
	shift
	before=$(written)
	"$AUXREC" -o f "$@" >/dev/null 2>err
	rc=$?
	delta=$(($(written) - before))
	[[ $rc == "$want" ]] || note "status $rc, not $want: $(cat err)"
	"$AUXREC" check f >out || note "$(head -n 3 out)"
	"$VERIFY" f >verify 2>verr || note "$(head -n 3 verr | tr '\n' '|')"
	read -r _ _ _ bytes _ chunks _ lost _ _ _ gaps _ in_gaps _ <verify
	((bytes == chunks * 64)) || note "$bytes bytes in $chunks chunks"
}

# readable [PATTERN]: all perfs must read f and print no messages except those that match PATTERN,
# about real losses. With FROM='f -' they also read it from stdin.
readable()
{
	local p from allowed=${1-}

	for p in $PERFS; do
		for from in ${FROM-f}; do
			"$p" script -F comm,tid,time,event -i "$from" <f >out 2>perr ||
				note "$p script -i $from failed"
			unsaid perr "$allowed" "$p script -i $from"
			"$p" report --stdio -i "$from" <f >out 2>perr ||
				note "$p report -i $from failed"
			grep -q "$AUXGEN" out || note "$p report -i $from: no $AUXGEN"
			unsaid perr "$allowed" "$p report -i $from"
		done
		"$p" inject -b -i f -o inj 2>perr || note "$p inject failed"
		unsaid perr "$allowed" "$p inject"
		# The list can be empty: it has files that contain samples, and chunks have no ip.
		"$p" buildid-list -i f >out 2>perr || note "$p buildid-list"
		unsaid perr "$allowed" "$p buildid-list"
	done
}

record 3 -e "$AUXGEN"// -- sh -c 'for i in 1 2 3; do ls /; done; exit 3'
[[ $chunks == "$delta" ]] || note "$chunks chunks of $delta"
[[ $gaps == 0 ]] || note "$gaps gaps"
FROM='f -' readable
check "a command and its children"

record 0 -e "$AUXGEN"/timer=1,config1=500/ -- "$WORK" 1000 4 3
[[ $chunks == "$delta" && $chunks != 0 ]] || note "$chunks chunks of $delta"
readable
check "threads and processes, from an interrupt"

record 0 -e "$AUXGEN"/nmi=1,timer=1,ctx=1,config1=500/ -- "$WORK" 500 2 2
[[ $chunks == "$delta" && $chunks != 0 ]] || note "$chunks chunks of $delta"
check "from NMI"

record 0 -e "$AUXGEN"/timer=1/,cpu-clock -F 500 -- "$WORK" 500 2 1
[[ $chunks == "$delta" && $chunks != 0 ]] || note "$chunks chunks of $delta"
readable
for p in $PERFS; do
	"$p" script -F comm,ip,event -i f 2>&1 | grep -q 'spin\|cpu-clock' ||
		note "$p: no samples of cpu-clock"
done
check "together with a sampler"

record 0 -a -e "$AUXGEN"/timer=1/ -- "$WORK" 500 2 1
[[ $chunks == "$delta" && $chunks != 0 ]] || note "$chunks chunks of $delta"
readable
check "all CPUs"

"$WORK" 600000 4 1 &
pid=$!
sleep 0.5
record 0 -e "$AUXGEN"/timer=1/ -p $pid -- sleep 1
[[ $chunks == "$delta" && $chunks != 0 ]] || note "$chunks chunks of $delta"
record 0 -e "$AUXGEN"/timer=1/ -t $pid -- sleep 0.5
[[ $chunks == "$delta" && $chunks != 0 ]] || note "$chunks chunks of $delta"
kill $pid
wait 2>/dev/null
check "a process and a thread that run already"

record 0 -e "$AUXGEN"/timer=1,chunks=512/ -m ,32Kx2 -- \
	"$WORK" 500 3 2
[[ $((chunks + in_gaps)) == "$delta" ]] ||
	note "$chunks chunks and $in_gaps in gaps, of $delta"
((gaps > 0)) || note "no gap with a ring of 64K"
grep -q 'LOST AUX data: raw ring full' err || note "not said: $(cat err)"
FROM='f -' readable 'instruction trace errors\|AUX data lost'
check "a ring that is too small: every loss is in the stream"
enough

record 0 -e "$AUXGEN"/timer=1,truncate=20/ -- "$WORK" 300 2 1
((gaps > 0 && lost > 0)) || note "gaps $gaps lost $lost"
grep -q 'lost by the PMU' err || note "not said: $(cat err)"
readable 'instruction trace errors\|AUX data lost'
check "data lost by the PMU"

"$AUXREC" -q -e "$AUXGEN"/timer=1,chunks=256/ -o - -- \
	"$WORK" 1000 2 2 2>err | (sleep 0.7; cat >f)
"$VERIFY" f >verify || note "$(cat verify)"
"$AUXREC" check f >out || note "$(head -n 3 out)"
check "a reader that sleeps"

mkdir small
if mount -t tmpfs -o size=1m none small 2>/dev/null; then
	"$AUXREC" -e "$AUXGEN"/timer=1,chunks=512/ -o small/f -- \
		"$WORK" 1500 2 2 2>err
	[[ $? == 125 ]] || note "status is not 125"
	grep -q "no space left" err || note "not said: $(cat err)"
	grep -q "LOST .* bytes that could not be written" err ||
		note "loss not said: $(cat err)"
	(($(stat -c %s small/f) > 500000)) || note "$(stat -c %s small/f) bytes"
	"$AUXREC" check small/f >out || note "$(head -n 3 out)"
	"$VERIFY" small/f >verify 2>verr || note "$(head -n 3 verr)"
	umount small
	check "disk full"
else
	skip "disk full" "cannot mount a tmpfs"
fi

kills 5 1000 -e "$AUXGEN"/timer=1,config1=500/ -- "$WORK" 5000 2 2
check "kill -9 while AUX data flow"

[[ $(sed -n 's/^perfaux [0-9]* \([0-9]*\).*/\1/p' /proc/modules) == 0 ]] ||
	note "still in use: $(grep perfaux /proc/modules)"
check "the module is free again"

finish
