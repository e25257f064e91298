#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flight_raw_test.sh [AUXREC]: a flight recorder's snapshots of a raw ring: of auxgen, each
# byte of which aux_verify checks; of raw data of tracepoints; of Intel PT by softpt. As
# root, in a VM. Prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
VERIFY=$B/selftests/tool/record/aux_verify
SPT=$B/selftests/softpt
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
# Its period, in us, is in config1: to perf "period" is one of samples, whatever a PMU says.
EVENT=$AUXGEN/timer=1,config1=4000,chunks=64/
trap 'leave; rmmod softpt 2>/dev/null' EXIT

# chunks auxgen has written, lost ones not counted
written() { awk '{ n += $3 - $4 } END { print n + 0 }' "$STATS"; }
# shellcheck disable=SC2317 # it is waited for
# wrote N: so many more than $begun
wrote() { (($(written) - begun >= $1)); }

# claims: how many segments the ring has filled; claimed N: so many more than $begun
claims() { sed -n 's/^claims:\t//p' /proc/$pid/fdinfo/*; }
# shellcheck disable=SC2317 # it is waited for
claimed() { (($(claims) - begun >= $1)); }

# whole FILE: its chunks are without a hole that no gap tells of; in $chunks how many. The ring
# was thawed while the segments were taken: what comes behind a gap of the freeze can be in it.
whole()
{
	valid "$1"
	"$VERIFY" -g -t "$(mark "$1" trigger)" "$1" >verify 2>verr ||
		note "$1: $(head -n 3 verr | tr '\n' '|')"
	read -r _ _ _ _ _ chunks _ <verify
	((chunks > 0)) || note "$1: no chunks"
}

# shellcheck disable=SC2317 # it is waited for
# lost_frozen: has the ring lost something as it was frozen?
lost_frozen() { grep -qs '^lost_frozen:.*[1-9]' /proc/"$pid"/fdinfo/*; }

# --- two of the same ring --------------------------------------------------------------

"$WORK" 600000 2 &
work=$!
begun=$(written)
launch -a -M 48M -m 512K,16Kx1024 -e "$AUXGEN"/timer=1,config1=160000,chunks=2/ --trigger signal=USR1
await wrote 200
for name in a b c; do
	most=$(($(written) - begun))
	f=$(ctl snapshot $name) || note "no $name"
	whole "$f"
	((chunks >= most)) || note "$name: $chunks chunks, of $most that were written before"
	echo "# $name: $chunks chunks, $most before it"
done
readable "$f"
check "snapshots in short succession have all of the history"

catch
most=$(($(written) - begun))
await wrote $((most + 200))
kill -CONT "$writer"
await is_status waiting 0
files
# Of before it was caught
whole "${files[-1]}"
most=$(($(written) - begun))
f=$(ctl snapshot)
whole "$f"
((chunks >= most)) || note "the next: $chunks chunks, of $most"
check "the trace goes on while one is written"

files
want 0 "$AUXREC" merge "${files[@]}" -o merged
whole merged
((chunks >= most)) || note "$chunks chunks, of $most"
readable merged
check "they are merged, each chunk once"
enough

catch 1
kill -9 $pid
over 137
await is_gone "$writer"
files
for f in "${files[@]}"; do
	whole "$f"
done
await is_free
check "kill -9 while it writes: snapshots are whole, the module is free"

# --- what an event freezes ---------------------------------------------------------------

cpus=$(getconf _NPROCESSORS_ONLN)
RING=$((16384 * 32))
# So much of it is left to the writers by a snapshot.
LEFT=$((16384 * (cpus > 8 ? cpus : 8)))

# now: since the machine was started, 1/100 s
now() { local t && read -r t _ </proc/uptime && echo "${t/./}"; }

# near NAME SEGMENTS: the snapshot of that trigger, $f, which came later than $since (see now), has
# of the ring what is near to it: behind it so many segments at most, and those which were being
# written, or free; before it all the rest. That is what the mark says, and what the chunks' own
# times do.
near()
{
	local most=$((16384 * ($2 + cpus + 1))) at ns slack before behind last

	await of "$1"
	slack=$(($(now) - since + 2))
	f=$(of "$1")
	whole "$f"
	[[ $(mark "$f" frozen) == true ]] || note "not frozen: $(marks "$f")"
	at=$(mark "$f" trigger) ns=$(mark "$f" after_ns) after=$(mark "$f" after_bytes)
	read -r before behind last < <(sed 's/.* before \(.*\) behind \(.*\) last /\1 \2 /' verify)
	# Each CPU goes on in its segment, whose span ends behind the trigger.
	((after > 0 && after <= most)) || note "$after bytes behind it"
	((behind * 64 <= most)) || note "$behind chunks behind it"
	# Those that HOLD ends may be hardly filled.
	((before * 64 >= RING - LEFT - most - 16384 * cpus)) || note "$before chunks are little history"
	((ns > 0 && ns >= last - at && ns / 10000000 <= slack)) ||
		note "$ns ns behind it, the last chunk $((last - at)), in $slack/100 s"
	echo "# $1: $before chunks before it, $behind behind it, by $((last - at)) ns;" \
		"the mark has $after bytes, $ns ns; $slack/100 s"
}

# The ring is full before the event comes, and written to when it does.
frozen()
{
	begun=$(written)
	launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" \
		"--trigger=event=sched:sched_process_exec/filename ~ \"*/true\"/,name=frozen,$1"
	await wrote $((2 * RING / 64))
	since=$(now)
	/bin/true
	near frozen "${1#post=}"
	"$AUXREC" info "$f" | grep -q 'of the raw ring kept behind the trigger, .*, frozen' ||
		note "info: $("$AUXREC" info "$f" | grep -A3 frozen)"
}

# So much comes that nothing of before it would be left if it were not frozen.
come_round()
{
	begun=$(written)
	await wrote $((2 * RING / 64))
}

# It is there, with a full ring, and sees nothing of what comes: launch_stopped MAIN TERMS, of
# its main ring, and of the trigger that true is
launch_stopped()
{
	launch -a -M 16M -m "$1",16Kx32 -e "$EVENT" \
		"--trigger=event=sched:sched_process_exec/filename ~ \"*/true\"/,name=frozen$2"
	begun=0
	await claimed 64
	kill -STOP $pid
	await is_still $pid
}

frozen post=0
# It is thawed: what is written later is in the next one.
more=$(($(written) - begun + 1000))
await wrote $more
g=$(ctl snapshot)
whole "$g"
[[ $(mark "$g" frozen) == false ]] || note "still frozen"
last() { "$AUXREC" info --json "$1" | sed -n 's/.*"settled": [0-9]*, "end": \([0-9]*\),.*/\1/p' | tail -n 1; }
(($(last "$g") > $(last "$f"))) || note "nothing new: $(last "$f"), $(last "$g")"
land
check "an event freezes the ring: little is written behind it"

frozen post=3
((after >= 16384 * 2)) || note "$after bytes behind it"
land
check "and so many more segments, if asked for"

# The other triggers that are events. The recorder is late, and the history is there all the same.
cp "$ACTOR" "$T/flight-exec"
launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" --trigger 'exec=flight-ex*,name=frozen-exec' \
	--trigger exit=flight-exit,name=frozen-exit --trigger crash=SEGV,name=frozen-crash
# freezes KIND CMD...: with the ring full, that is a trigger of it
freezes()
{
	begun=$(claims)
	await claimed 64
	kill -STOP $pid
	await is_still $pid
	since=$(now)
	{ "${@:2}"; } 2>/dev/null
	come_round
	kill -CONT $pid
	near "frozen-$1" 0
	[[ $(mark "$f" kind) == "$1" ]] || note "$(marks "$f")"
}
freezes exec "$T/flight-exec" fork 0
freezes exit "$ACTOR" fork 1 flight-exit
freezes crash "$ACTOR" crash 11
land
check "exec=, exit= and crash freeze it as well"

# They are over before the recorder has seen that it came: who asks at that moment is not served
# before.
launch_stopped 512K ,post=3
/bin/true
await lost_frozen
ctl snapshot asked >answer &
ctl=$!
kill -CONT $pid
wait $ctl
await of frozen
f=$(of frozen)
whole "$f"
(($(mark "$f" number) <= $(mark "$(<answer)" number))) || note "late: $(marks "$f"), $(marks "$(<answer)")"
marks "$f" | grep '"frozen", "kind"' | grep -q '"frozen": true' || note "not frozen: $(marks "$f")"
land
check "and it is not waited for more of them"

# Its sample finds no room: that it came is known from the ring, and when.
launch_stopped 16K ""
taskset -c 0 "$ACTOR" fork 400 stopped
since=$(now)
taskset -c 0 /bin/true
await lost_frozen
come_round
kill -CONT $pid
near frozen 0
[[ $(mark "$f" sample_lost) == true ]] || note "$(marks "$f")"
land
check "an event whose sample is lost has a snapshot of when it came"

# One that waits for a time freezes nothing, and keeps no other one from it.
launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/false\"/,name=later,post=60s" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/true\"/,name=frozen"
begun=0
await claimed 64
/bin/false
await is_status waiting 1
kill -STOP $pid
await is_still $pid
/bin/true
await lost_frozen
kill -CONT $pid
await of frozen
f=$(of frozen)
whole "$f"
[[ $(mark "$f" frozen) == true ]] || note "$(marks "$f")"
# The ring is thawed: the other one waits, and has what comes.
begun=$(claims)
await claimed 64
land
f=$(of later)
whole "$f"
[[ $(mark "$f" frozen) == false ]] || note "$(marks "$f")"
check "an event that waits for a time keeps no other from freezing the ring"

# From Linux 6.3 on there are two samples with the id of one, see flight.rst: no sample comes.
launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" -e page-faults/period=1,call-graph=fp/ \
	--trigger event=page-faults/period=2000/,name=same
logged 'trigger same: when -e page-faults.* has a sample of the same moment'
taskset -c 0 "$ACTOR" fork 200 faults
await of same
f=$(of same)
# Whichever id they have, they are as that one's event says.
valid "$f"
[[ $(mark "$f" frozen) == true ]] || note "$(marks "$f")"
echo "# its sample is lost: $(mark "$f" sample_lost)"
land
check "an event whose sample has another one's id has its snapshot, too"

# The ring stays frozen while the first one is written, and much is lost: what is written as the
# second one thaws it is behind gaps that are in it, too.
# shellcheck disable=SC2317 # it is waited for
is_full() { (($(status 'not kept') > 0)); }
launch -a -M 12M -m 128K,16Kx32 -e "$EVENT" -e raw_syscalls:sys_enter --trigger signal=USR1 \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/true\"/,name=frozen"
begun=0
await claimed 64
catch
"$ACTOR" map "$ACTOR" 20000
await is_full
/bin/true
await lost_frozen
begun=$(written)
await wrote 100000
kill -CONT "$writer"
await of frozen
f=$(of frozen)
g=$(ctl snapshot)
land
whole "$f"
whole "$g"
check "what is behind a freeze has its gap in front of it"

# The ring goes back farther than the samples, so do its gaps: of each fourth write of a CPU all
# chunks are lost. What four CPUs write is the ring in 40 s.
launch -a -M 12M -m 128K,16Kx64 -e "$AUXGEN"/timer=1,config1=80000,chunks=8,truncate=4/ \
	-e raw_syscalls:sys_enter --trigger signal=USR1
begun=0
await claimed 8
f=$(ctl snapshot)
begun=$(claims)
"$ACTOR" map "$ACTOR" 20000
await is_past "$f"
f=$(ctl snapshot)
land
whole "$f"
(($(mark "$f" raw_begin) < $(mark "$f" begin))) || note "not farther back: $(marks "$f")"
read -r _ _ _ _ _ _ _ lost _ _ _ gaps _ <verify
echo "# $chunks chunks, $lost lost, $gaps gaps"
# The last one of a CPU may go on, and what was lost before its first chunk nobody sees.
((lost > 100 && gaps + 2 * cpus >= lost / 8)) || note "$gaps gaps, $lost chunks lost"
check "gaps are told for as long as there are data of their time"

# Frames have a distance as well: what is behind the trigger is waited for.
launch -a -M 16M -m 512K,16Kx32 --raw-ring -e sched:sched_process_fork \
	--trigger signal=USR1,post=3s
kill -USR1 $pid
await is_status waiting 1
"$ACTOR" fork 20 frames
await of signal-USR1
f=$(of signal-USR1)
valid "$f"
(($(mark "$f" after_bytes) > 0 && $(mark "$f" after_ns) > 0)) || note "$(marks "$f")"
echo "# frames: $(mark "$f" after_bytes) bytes, $(mark "$f" after_ns) ns behind the trigger"
land
check "raw data of samples are counted behind the trigger"

# What HOLD would have thawed is not frozen for good.
: >"$T/fails"
LAUNCHER="env LD_PRELOAD=$B/selftests/tool/flight/hold_fails.so HOLD_FAILS=$T/fails" \
	launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/true\"/"
/bin/true
await is_status failed 1
logged 'cannot be held: Input/output error; recording goes on'
# More than the ring has, of what is thawed: else it is not claimed, though it is written.
begun=$(claims)
await claimed 40
want 1 ctl snapshot unheld
said 'the raw ring.s segments cannot be held'
rm "$T/fails"
f=$(ctl snapshot held)
whole "$f"
[[ $(mark "$f" frozen) == false ]] || note "it was frozen still"
land
check "segments that cannot be held: said, and the recording goes on"

# The freeze comes when it was looked whether there is one: it is of another snapshot.
cat >"$T/behind" <<-EOF
	#!/bin/sh
	rm "$T/behind"
	exec /bin/true
EOF
chmod +x "$T/behind"
LAUNCHER="env LD_PRELOAD=$B/selftests/tool/flight/hold_fails.so HOLD_BEHIND=$T/behind" \
	launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/true\"/,name=frozen"
begun=0
await claimed 64
f=$(ctl snapshot before)
await of frozen
g=$(of frozen)
land
whole "$f"
whole "$g"
[[ $(mark "$f" frozen) == false && $(mark "$g" frozen) == true ]] ||
	note "$(marks "$f"), $(marks "$g")"
check "a freeze that comes as a snapshot begins is its own trigger's"

# The ring comes round more than once between two of three snapshots.
launch -a -M 32M -m 512K,4Kx1024 -e "$AUXGEN"/timer=1,config1=4000,chunks=8/ --trigger signal=USR1
begun=0
await claimed 8
a=$(ctl snapshot a)
b=$(ctl snapshot b)
begun=$(claims)
await claimed 1300
c=$(ctl snapshot c)
land
for f in "$a" "$b" "$c"; do
	whole "$f"
done
[[ $(mark "$a" raw_first) == 1 && $(mark "$a" raw_begin) == 0 ]] ||
	note "not from the start: $(marks "$a")"
(($(mark "$a" raw_last) > 0 && $(mark "$b" raw_first) > 0 &&
  $(mark "$b" raw_first) <= $(mark "$a" raw_last) + 1)) || note "$(marks "$b")"
(($(mark "$c" raw_first) > $(mark "$b" raw_last) + 1 &&
  $(mark "$c" raw_begin) > $(mark "$b" raw_end))) || note "$(marks "$c")"
"$AUXREC" info "$c" | grep -q '; the raw ring from [0-9.]* to [0-9.]*;' || note "info: $("$AUXREC" info "$c")"
want 0 "$AUXREC" merge "$a" "$b" -o ab
! grep -q 'raw ring are missing' "$T/err" || note "a and b: $(cat "$T/err")"
want 0 "$AUXREC" merge "$c" "$a" "$b" -o abc
grep -q 'data of the raw ring are missing of .*, between snapshots 2 and 3$' "$T/err" ||
	note "a, b and c: $(cat "$T/err")"
valid abc
check "merge tells what of the raw ring was overwritten in between"

kill $work
wait $work 2>/dev/null

# The ring goes back farther than the samples, so the sideband does: also that of events
# which were closed when their CPU went.
if [[ -w $CPU1 ]]; then
	launch -a -M 12M -m 512K,16Kx128 -e "$AUXGEN"/timer=1,config1=4000,chunks=2/ \
		-e cpu-clock -F 2000
	taskset -c 1 "$ACTOR" fork 20 soak
	switch_cpu
	f=$(ctl snapshot) || note "with CPU 1 again: $f"
	await is_past "$f"
	switch_cpu
	f=$(ctl snapshot) || note "with CPU 1 once more: $f"
	readable "$f"
	(($(mark "$f" raw_begin) < $(mark "$f" begin))) || note "not farther back: $(marks "$f")"
	land
	check "CPUs come and go: each id that is told of is known"

	launch_stopped 512K ""
	kill -CONT $pid
	switch_cpu
	begun=$(claims)
	await claimed 64
	kill -STOP $pid
	await is_still $pid
	since=$(now)
	taskset -c 1 /bin/true
	await lost_frozen
	come_round
	kill -CONT $pid
	near frozen 0
	land
	check "and an event of one that came back freezes the ring"
else
	skip "CPUs come and go: each id that is told of is known" "no CPU can be switched off"
	skip "and an event of one that came back freezes the ring" "no CPU can be switched off"
fi

# --- raw data of samples -------------------------------------------------------------------

# renames COUNT: each of them is one task:task_rename
cat >"$T/renames" <<-'EOF'
	for ((i = 0; i < $1; i++)); do printf "raw-%d" "$i" >/proc/self/comm; done
EOF
# No -a: the plain recording's events are the same, of the same tasks.
launch -a -m 1M,64Kx32 -M 32M --raw-ring -e task:task_rename
want 0 "$AUXREC" -q -a --no-raw-ring -m 1M -e task:task_rename -o plain -- bash "$T/renames" 100
f=$(ctl snapshot)
readable "$f"
fields() { "$PERF" script -i "$1" -F comm,tid,cpu,event,trace 2>/dev/null | grep -a 'newcomm=raw-'; }
fields "$f" >with
fields plain >without
cmp -s with without || note "$(diff with without | head -n 4)"
(($(wc -l <without) >= 100)) || note "$(wc -l <without) lines"
f=$(ctl snapshot)
fields "$f" >with
cmp -s with without || note "the second: $(diff with without | head -n 4)"
land
check "raw data of tracepoints are the same as in a plain recording"

# What is older than it was asked for is left out of the ring as well, and is not lost.
launch -a -m 1M,64Kx32 -M 32M --raw-ring -e task:task_rename --trigger signal=USR1,pre=1s
bash "$T/renames" 100
begun=$(now)
until (($(now) - begun > 300)); do nap; done
"$ACTOR" fork 20 raw-new
kill -USR1 $pid
await of signal-USR1
f=$(of signal-USR1)
readable "$f"
lost=$("$AUXREC" info --json "$f" | sed -n 's/.*"payloads_without_sample": \([0-9]*\).*/\1/p')
# Whoever executes something as it begins is one: its sample is in the next snapshot.
((lost < 50)) || note "$lost frames without their samples"
fields "$f" >with
grep -q 'newcomm=raw-new' with || note "the newest ones are not in it"
! grep 'newcomm=raw-[0-9]' with >without || note "from before: $(head -n 2 without)"
land
check "pre= cuts raw data as it does samples"

# --- Intel PT ---------------------------------------------------------------------------

if [[ -e $MODULES/softpt.ko && -x $SPT/work-static ]] && insmod "$MODULES/softpt.ko"; then
	setarch -R env -i "$SPT/stepper" "$T/stepped" "$SPT/work-static" calls 100 >/dev/null 2>&1
	od -An -v -t x8 -w8 "$T/stepped/0.ips" | sed 's/^ *0*//' | sort -u >"$T/known"
	# Not as its command: to step through that takes long.
	LAUNCHER="setarch -R" launch -m 64K,4Kx8 -M 16M -e intel_pt//u \
		--trigger signal=USR1 -- "$SPT/work-static" calls 10000000
	child=$(pgrep -P $pid)
	# The ring is full of the loop, and nothing else is left in it.
	await is_program "$child" "$SPT/work-static"
	begun=$(claims)
	await claimed 10
	kill -USR1 $pid
	await of signal-USR1
	f=$(of signal-USR1)
	g=$(ctl snapshot)
	want 0 ctl stop
	kill "$child" 2>/dev/null
	wait $pid
	pid=
	for f in "$f" "$g"; do
		valid "$f"
		"$PERF" script -i "$f" --itrace=i0nse -F ip,sym >got 2>perr || note "$PERF: $(tail -n 1 perr)"
		# The first decoder to begin in the middle may have to look for a PSB.
		errors=$(grep -c 'instruction trace error' got)
		((errors <= 1)) || note "$f: $errors errors: $(grep -m 2 'trace error' got)"
		# What tells of the snapshot itself is a sample without an address.
		nr=$(awk 'NF == 2 && $1 == "0"' got | wc -l)
		[[ $nr == "$(marks "$f" | wc -l)" ]] || note "$f: $nr instructions at 0"
		awk 'NF == 2 && $1 != "0" { print $1 }' got | sort -u >found
		(($(awk 'NF == 2' got | wc -l) > 1000)) || note "$f: $(wc -l <got) instructions"
		comm -23 found "$T/known" >unknown
		[[ ! -s unknown ]] || note "$f: not in the program: $(head -n 3 unknown | tr '\n' ' ')"
		grep -q ' add$' got || note "$f: nothing of the loop"
	done
	rmmod softpt
	check "Intel PT: perf decodes a snapshot"
else
	skip "Intel PT: perf decodes a snapshot" "no softpt"
fi

await is_free
check "the module is free again"

finish
