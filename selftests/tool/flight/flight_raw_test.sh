#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flight_raw_test.sh [AUXREC]: a test of a flight recorder's snapshots of a raw ring: AUX data of
# auxgen, of which aux_verify checks each byte; raw data of tracepoints; Intel PT by softpt. Runs
# as root, in a VM. Prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
VERIFY=$B/selftests/tool/record/aux_verify
SPT=$B/selftests/softpt
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
# config1 has auxgen's period in us: for perf, "period" is the period of samples, whatever a PMU
# says.
EVENT=$AUXGEN/timer=1,config1=4000,chunks=64/
trap 'leave; rmmod softpt 2>/dev/null' EXIT

# written: print how many chunks auxgen has written, without lost ones
written() { awk '{ n += $3 - $4 } END { print n + 0 }' "$STATS"; }
# shellcheck disable=SC2317 # called by await
# wrote N: has auxgen written N chunks since $begun?
wrote() { (($(written) - begun >= $1)); }

# claims: print how many segments writers have claimed
claims() { sed -n 's/^claims:\t//p' /proc/$pid/fdinfo/*; }
# shellcheck disable=SC2317 # called by await
# claimed N: have writers claimed N segments since $begun?
claimed() { (($(claims) - begun >= $1)); }

# whole FILE: check that FILE's chunks have no hole except where a gap tells of one; set $chunks
# to their number. FILE can have data that came after a gap of the freeze, because the ring was
# thawed while the segments were taken.
whole()
{
	valid "$1"
	"$VERIFY" -g -t "$(mark "$1" trigger)" "$1" >verify 2>verr ||
		note "$1: $(head -n 3 verr | tr '\n' '|')"
	read -r _ _ _ _ _ chunks _ <verify
	((chunks > 0)) || note "$1: no chunks"
}

# shellcheck disable=SC2317 # called by await
# lost_frozen: has the ring lost something because it was frozen?
lost_frozen() { grep -qs '^lost_frozen:.*[1-9]' /proc/"$pid"/fdinfo/*; }

# --- several snapshots of the same ring ---------------------------------------------

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
# This snapshot has the data from before the process that wrote it was stopped.
whole "${files[-1]}"
most=$(($(written) - begun))
f=$(ctl snapshot)
whole "$f"
((chunks >= most)) || note "the next: $chunks chunks, of $most"
check "the trace goes on while a snapshot is written"

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
# A snapshot leaves this part of the ring to the writers.
LEFT=$((16384 * (cpus > 8 ? cpus : 8)))

# now: print the time since the machine was started, in 1/100 s
now() { local t && read -r t _ </proc/uptime && echo "${t/./}"; }

# near NAME SEGMENTS: wait for the snapshot of that trigger, $f, which came later than $since (see
# now). Check that it has the part of the ring that is near the trigger: after the trigger at most
# SEGMENTS segments, and those that were being written or free; before the trigger all the rest.
# Both the snapshot's mark and the times in the chunks must say so.
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
	# Each CPU continues in its segment, whose span ends after the trigger.
	((after > 0 && after <= most)) || note "$after bytes behind it"
	((behind * 64 <= most)) || note "$behind chunks behind it"
	# Segments that HOLD ends may be nearly empty.
	((before * 64 >= RING - LEFT - most - 16384 * cpus)) || note "$before chunks are little history"
	((ns > 0 && ns >= last - at && ns / 10000000 <= slack)) ||
		note "$ns ns behind it, the last chunk $((last - at)), in $slack/100 s"
	echo "# $1: $before chunks before it, $behind behind it, by $((last - at)) ns;" \
		"the mark has $after bytes, $ns ns; $slack/100 s"
}

# The ring is full before the event comes, and writers write to it when the event comes.
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

# Wait until a ring that is not frozen would have overwritten all older data.
come_round()
{
	begun=$(written)
	await wrote $((2 * RING / 64))
}

# launch_stopped MAIN TERMS: start a recorder with a full raw ring and stop it, so that it does
# not see what comes. MAIN is the size of its main ring; TERMS are terms of the trigger, which is
# the execution of true.
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
# The ring is thawed: data that is written later is in the next snapshot.
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
check "with post=, as many more segments as it asks for"

# The other triggers that are events: the recorder is late, and the history is there nevertheless.
cp "$ACTOR" "$T/flight-exec"
cp "$ACTOR" "$T/flight-func"
cp "$ACTOR" "$T/flight-slow"
launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" --trigger 'exec=flight-ex*,name=frozen-exec' \
	--trigger exit=flight-exit,name=frozen-exit --trigger crash=SEGV,name=frozen-crash \
	--trigger "event=func=do_fork@$T/flight-func,name=frozen-event" \
	--trigger "latency=do_fork@$T/flight-slow/1ns/,name=frozen-latency"
# freezes KIND CMD...: run CMD, which is a trigger of KIND, when the ring is full
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
freezes event "$T/flight-func" fork 0
freezes latency "$T/flight-slow" fork 0
land
check "exec=, exit=, crash, a probe of a function and latency= freeze it as well"

# The post= segments are used up before the recorder has seen the trigger. A client that asks for
# a snapshot at that moment is not served first.
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

# The trigger's sample finds no room in the main ring. The ring tells that the trigger came, and
# when.
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

# A trigger that waits for a time does not freeze the ring, and does not keep other triggers from
# freezing it.
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
# The ring is thawed: the other trigger still waits, and its snapshot has the data that comes now.
begun=$(claims)
await claimed 64
land
f=$(of later)
whole "$f"
[[ $(mark "$f" frozen) == false ]] || note "$(marks "$f")"
check "an event that waits for a time keeps no other from freezing the ring"

# From Linux 6.3 on, two samples have the id of one event, see flight.rst, so no sample of the
# trigger comes.
launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" -e page-faults/period=1,call-graph=fp/ \
	--trigger event=page-faults/period=2000/,name=same
logged 'trigger same: when -e page-faults.* has a sample of the same moment'
taskset -c 0 "$ACTOR" fork 200 faults
await of same
f=$(of same)
# Whichever id the samples have, their fields are as that event's attr says.
valid "$f"
[[ $(mark "$f" frozen) == true ]] || note "$(marks "$f")"
echo "# its sample is lost: $(mark "$f" sample_lost)"
land
check "an event whose sample has another one's id has its snapshot, too"

# The ring stays frozen while the first snapshot is written, and much is lost. Data that is
# written while the second snapshot thaws the ring follows gaps, which the snapshot has, too.
# shellcheck disable=SC2317 # called by await
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

# The ring's data goes back farther than the samples, and the ring's gaps must do so, too. There are
# many gaps: each fourth write of a CPU loses all its chunks. Four CPUs fill the ring in 40 s.
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
# The last gap of a CPU may go on, and nobody sees what was lost before a CPU's first chunk.
((lost > 100 && gaps + 2 * cpus >= lost / 8)) || note "$gaps gaps, $lost chunks lost"
check "gaps are told for as long as there is data of their time"

# Frames also have a distance from the trigger: the snapshot waits for those that come after it.
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
check "raw data of samples is counted behind the trigger"

# If HOLD fails, the ring that it would have thawed does not stay frozen.
: >"$T/fails"
LAUNCHER="env LD_PRELOAD=$B/selftests/tool/flight/hold_fails.so HOLD_FAILS=$T/fails" \
	launch -a -M 16M -m 512K,16Kx32 -e "$EVENT" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/true\"/"
/bin/true
await is_status failed 1
logged 'cannot be held: Input/output error; recording goes on'
# Wait until writers have claimed more segments than the ring has. They could not if the ring were
# still frozen.
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

# The freeze comes after the recorder has looked whether there is one, so it belongs to another
# snapshot.
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

# The ring is overwritten more than once between the second and the third snapshot.
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
! grep -q 'raw ring is missing' "$T/err" || note "a and b: $(cat "$T/err")"
want 0 "$AUXREC" merge "$c" "$a" "$b" -o abc
grep -q 'data of the raw ring is missing from .*, between snapshots 2 and 3$' "$T/err" ||
	note "a, b and c: $(cat "$T/err")"
valid abc
check "merge tells what of the raw ring was overwritten in between"

kill $work
wait $work 2>/dev/null

# The ring goes back farther than the samples, so the sideband must, too, even the sideband of
# events that were closed when their CPU went offline.
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

# renames COUNT: each rename is one task:task_rename
cat >"$T/renames" <<-'EOF'
	for ((i = 0; i < $1; i++)); do printf "raw-%d" "$i" >/proc/self/comm; done
EOF
# The plain recording has the same events, of the same tasks.
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
check "raw data of tracepoints is the same as in a plain recording"

# Data that is older than pre= is also left out of the ring's data, and does not count as lost.
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
# A task may execute a program while the snapshot begins. Its frame is in this snapshot then, and
# its sample in the next one.
((lost < 50)) || note "$lost frames without their samples"
fields "$f" >with
grep -q 'newcomm=raw-new' with || note "the newest ones are not in it"
! grep 'newcomm=raw-[0-9]' with >without || note "from before: $(head -n 2 without)"
land
check "pre= cuts raw data as it does samples"

# --- Intel PT ---------------------------------------------------------------------------

if [[ -e $MODULES/softpt.ko && -x $SPT/work-static ]] && insmod "$MODULES/softpt.ko"; then
	# With the same environment: the start-up code of libc reads the environment.
	setarch -R "$SPT/stepper" "$T/stepped" "$SPT/work-static" calls 100 >/dev/null 2>&1
	od -An -v -t x8 -w8 "$T/stepped/0.ips" | sed 's/^ *0*//' | sort -u >"$T/known"
	# The recorder's command is not run under stepper: to step through that many calls takes
	# long.
	LAUNCHER="setarch -R" launch -m 64K,4Kx8 -M 16M -e intel_pt//u \
		--trigger signal=USR1 -- "$SPT/work-static" calls 10000000
	child=$(pgrep -P $pid)
	# The ring is full of the loop's trace, perhaps with the last part of the start-up code.
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
		# A decoder that begins in the middle of the trace may have to look for a PSB.
		errors=$(grep -c 'instruction trace error' got)
		((errors <= 1)) || note "$f: $errors errors: $(grep -m 2 'trace error' got)"
		# The sample that marks the snapshot has no address.
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
