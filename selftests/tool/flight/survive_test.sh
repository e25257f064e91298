#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# survive_test.sh [AUXREC]: a test of a flight recorder under storms of signals, with slow and
# full disks, kill -9, stops, churn, and CPUs that go offline. Runs as root; prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
RENAMES=(-a -e task:task_rename -e cpu-clock/freq=100/ -c 1)

# renames FILE NAME: print how many samples tell of a task that took this NAME
renames()
{
	"$PERF" script -i "$1" -F event,trace 2>/dev/null | grep -ac "task_rename:.* newcomm=$2 "
}

# shellcheck disable=SC2317 # called by await
# are_written N: are N snapshots or more written?
are_written() { (($(status snapshots) >= $1)); }

# --- a storm of triggers ------------------------------------------------------------

STORM=100000
launch "${RENAMES[@]}" --trigger signal=USR1
"$ACTOR" signal $pid 10 $STORM storm-end || note "the recorder is gone"
await is_status waiting 0
last=$(of signal-USR1)
valid "$last"
[[ $(renames "$last" storm-end) == 1 ]] || note "$last is older than the last signal"
check "$STORM signals: the last snapshot is behind the last of them"

files
((${#files[@]} > 0 && ${#files[@]} < STORM / 50)) || note "${#files[@]} snapshots"
sum=0
for f in "${files[@]}"; do
	sum=$((sum + $(mark "$f" triggers)))
done
suppressed=$(status suppressed)
land
logged "^auxrec: ${#files[@]} snapshots, .* of $((sum + suppressed)) triggers"
for f in "${files[@]}"; do
	nr=$(mark "$f" triggers)
	((nr == 1)) || "$AUXREC" info "$f" | grep -q ", for $nr triggers" ||
		note "info does not tell of $nr"
done
check "their number is bounded, and each trigger is told of"
echo "# ${#files[@]} snapshots of $sum signals that arrived, $suppressed suppressed"

launch "${RENAMES[@]}" --trigger signal=USR1,rate=1/min
"$ACTOR" signal $pid 10 $((STORM / 10)) storm-end
await is_status waiting 0
until is_status snapshots 1; do nap; done
suppressed=$(status suppressed)
((suppressed > 0)) || note "nothing is suppressed: $(told)"
f=$(ctl snapshot)
[[ $(mark "$f" suppressed) == "$suppressed" ]] || note "in the next one: $(marks "$f")"
land
logged "$suppressed triggers have no snapshot"
check "a storm with rate=: what is suppressed is told"

launch "${RENAMES[@]}" --trigger signal=USR1 --keep=8
good=$(ctl snapshot good)
begun=$(uptime)
for _ in {1..20}; do
	"$ACTOR" signal $pid 10 $((STORM / 100)) storm-end
	ctl status >/dev/null
	nap
done
# Expect $good, three snapshots immediately, and one every ten seconds.
await are_written 4
nr=$(status snapshots)
most=$((4 + ($(uptime) - begun) / 10 + 1))
((nr >= 4 && nr <= most)) || note "$nr snapshots, not 4 to $most: $(told)"
[[ -s $good ]] || note "the one before is gone"
kill -TERM $pid
over 0
files
valid "${files[-1]}"
((${#files[@]} >= 5 && ${#files[@]} <= most + 1)) || note "${#files[@]} snapshots"
(($(renames "${files[-1]}" storm-end) >= 2)) || note "$(renames "${files[-1]}" storm-end) of the storm in the last"
(($(mark "${files[-1]}" triggers) > 1)) || note "the last: $(marks "${files[-1]}")"
check "a storm with --keep: what was there before stays, and it has an end"

# --- a slow disk -----------------------------------------------------------------------

launch "${RENAMES[@]}" --trigger signal=USR1
catch
"$ACTOR" fork 20 meanwhile
ctl snapshot later >answer &
ctl=$!
kill -USR1 $pid
await is_status waiting 3
[[ ! -s answer ]] || note "the second one is said to be done"
kill -CONT "$writer"
await is_status waiting 0
wait $ctl
files
second=$(<answer)
first=${files[-2]}
valid "$first"
valid "$second"
[[ $second -ef ${files[-1]} ]] || note "the second is $second, not the last of ${files[*]}"
[[ $(renames "$first" meanwhile) == 0 ]] || note "the first has what came later"
[[ $(renames "$second" meanwhile) == 20 ]] || note "$(renames "$second" meanwhile) of 20 are in the second"
[[ $(marks "$second" | wc -l) == 2 ]] || note "not of both: $(marks "$second")"
is_status 'lost records' 0 || note "$(told)"
is_status 'not kept' 0 || note "$(told)"
land
unlogged LOST
check "triggers during a dump: a second snapshot, with what came meanwhile"
enough

LAUNCHER="env LD_PRELOAD=$B/selftests/tool/flight/hold_fails.so POLL_FAILS=$T/fails" \
	launch "${RENAMES[@]}" --trigger signal=USR1
catch
kill -USR1 $pid
await is_status waiting 2
: >"$T/fails"
await test ! -e "$T/fails"
kill -CONT "$writer"
over 125
files
((${#files[@]} == 2)) || note "${#files[@]} snapshots, not 2"
for f in "${files[@]}"; do
	valid "$f"
done
logged 'Cannot allocate memory'
check "a recorder that cannot go on writes what was called for before"

# Samples that come while a snapshot is written exist twice, up to the reserve: less than half a
# MiB here.
launch -M 8M -m 32K -a -e raw_syscalls:sys_enter --trigger signal=USR1
catch
end=$(($(uptime) + 60))
until (($(status 'not kept') > 2000 || $(uptime) > end)); do
	dd if=/dev/zero of=/dev/null bs=1 count=2000 2>"$T/dd"
done
kill -CONT "$writer"
await is_status waiting 0
f=$(ctl snapshot after)
nr=$(status 'not kept')
((nr > 2000)) || note "$nr were not kept: $(told)"
valid "$f"
"$PERF" script -i "$f" -F comm,time,event 2>"$T/said" >"$T/out"
grep -q 'samples and lost' "$T/said" || note "perf does not say so: $(<"$T/said")"
"$AUXREC" info --records "$f" | sed -n 's/.*LOST_SAMPLES.* lost \([0-9]*\).*/\1/p' >told
# Other LOST_SAMPLES records tell of samples that were lost in main rings.
grep -qx "$nr" told ||
	note "$nr were not kept, $f tells of $(tr '\n' ' ' <told)"
land
logged "LOST $nr records: more came while a snapshot was written than -M allows"
check "more samples during a dump than fit are told, where they are missing"

# --- a disk that stands still ---------------------------------------------------------

# shellcheck disable=SC2317 # called by await
# stuck PID: does a thread of the process wait uninterruptibly?
stuck() { grep -qs '^State:.*D' /proc/"$1"/task/*/status; }
# shellcheck disable=SC2317 # called by await
# writes: is the process that writes a snapshot, $writer, stuck?
writes() { writer=$(pgrep -P "$pid" | head -n 1) && [[ $writer ]] && stuck "$writer"; }
# shellcheck disable=SC2317 # called by await
# there_are NR: are there exactly NR snapshots?
there_are() { files && ((${#files[@]} == $1)); }

modprobe -qa xfs loop
truncate -s 300M "$T/image"
mkdir "$T/disk"
# Debug kernels have no XFS.
make_fs=(mkfs.xfs -q -f -K)
grep -qw xfs /proc/filesystems || make_fs=(mkfs.ext4 -q -F)
if ! "${make_fs[@]}" "$T/image" || ! mount -o loop "$T/image" "$T/disk"; then
	note "no file system to freeze"
fi
cd "$T/disk" || exit 2
start "${RENAMES[@]}" --trigger signal=USR1 --keep=3
for name in a b; do
	ctl snapshot $name >/dev/null || note "no $name"
done
fsfreeze -f .
kill -USR1 $pid
await writes
"$ACTOR" fork 20 meanwhile
is_status waiting 1 || note "$(told)"
is_status 'lost records' 0 || note "$(told)"
is_status 'not kept' 0 || note "$(told)"
fsfreeze -u .
await is_status waiting 0
f=$(ctl snapshot c)
valid "$f"
[[ $(renames "$f" meanwhile) == 20 ]] || note "$(renames "$f" meanwhile) of 20 are in it"
await there_are 3
check "a disk that stands still: the recording goes on, and the snapshot comes"

ctl snapshot d >/dev/null || note "no d"
await there_are 3
land
files
rm "${files[@]}"
# 20 s are enough for two snapshots in a slow VM.
start "${RENAMES[@]}" --keep-age=20s
for name in aging newest; do
	ctl snapshot $name >/dev/null || note "no $name"
done
fsfreeze -f .
await stuck $pid
"$ACTOR" fork 20 aged
is_status 'lost records' 0 || note "$(told)"
there_are 2 || note "${#files[@]} snapshots, not 2"
fsfreeze -u .
await there_are 1
await is_status removed 1
logged 'removed: --keep-age'
f=$(ctl snapshot)
[[ $(renames "$f" aged) == 20 ]] || note "$(renames "$f" aged) of 20 are in it"
land
check "old snapshots that cannot be removed now do not hold it up"

# stops: tell the recorder to stop once more, until it has ended, because two signals that come at
# the same time are one
# shellcheck disable=SC2317 # called by await
stops() { ! kill -TERM "$pid" 2>/dev/null || grep -q "^State:.*Z" /proc/"$pid"/status; }
# The recorder's socket is not on the disk that stands still, because the recorder removes its
# socket when it ends.
files
before=${#files[@]}
mkdir "$T/beside"
cd "$T/beside" || exit 2
start "${RENAMES[@]}" --trigger signal=USR1 -o ../disk/perf.data
fsfreeze -f ../disk
kill -USR1 $pid
await writes
kill -USR1 $pid
await is_status waiting 2
await stops
over 0
logged '(signal-USR1) failed: the process that writes it was killed, and waits for the disk'
logged '(signal-USR1) failed: it waited, and the recorder was told twice to stop'
[[ -d /proc/$writer ]] || note "the disk does not stand still"
fsfreeze -u ../disk
await is_gone "$writer"
cd ../disk || exit 2
there_are "$before" || note "${#files[@]} snapshots, not $before"
check "told twice to stop while it stands still: it does"

files
before=${#files[@]}
cd ../beside || exit 2
start "${RENAMES[@]}" --trigger signal=USR1 -o ../disk/perf.data
fsfreeze -f ../disk
kill -USR1 $pid
await writes
kill -9 $pid
over 137
# The process that waits for the disk does not keep the next recorder from anything.
[[ -d /proc/$writer ]] || note "the disk does not stand still"
# If that process kept the socket, clients of the next recorder would wait for it for ever.
if readlink "/proc/$writer/fd/"* | grep 'socket:\|perf_event' >held; then
	note "it has $(sort held | uniq -c | tr '\n' ' ')"
else
	start "${RENAMES[@]}"
	land
fi
fsfreeze -u ../disk
await is_gone "$writer"
cd ../disk || exit 2
for f in .auxrec-*; do
	note "there is $f"
done
there_are "$before" || note "${#files[@]} snapshots, not $before"
readable "${files[-1]}"
cd "$T" || exit 2
await umount disk
check "kill -9 while it stands still: nothing is left"

# --- a full disk ------------------------------------------------------------------------

# on_small: start a recorder in a small file system. It records one sample a second, so its memory
# does not fill up while the file system is full.
on_small()
{
	cd "$T" && mkdir -p small && mount -t tmpfs -o "${SMALL-size=3m}" none small &&
		cd small || exit 2
	start -a -e cpu-clock -F 1 "$@"
}

# fill: leave too little room for a snapshot
fill()
{
	head -c 4M /dev/zero >filler 2>/dev/null
	truncate -s -20480 filler
}

leave()
{
	land
	cd "$T" || exit 2
	umount small || note "small is busy"
}

on_small
fill
ctl snapshot >out 2>said && note "it is said to be there: $(cat out)"
grep -q 'No space' said || note "ctl: $(cat said)"
logged 'snapshot 1 .* failed: .*No space.*recording goes on'
for f in perf.data.* .auxrec-*; do
	note "there is $f"
done
is_status failed 1 || note "$(told)"
check "a full disk: said, and no part of a file is left"

rm filler
f=$(ctl snapshot) || note "$f"
readable "$f"
leave
logged '1 snapshots FAILED'
check "and the next one succeeds when there is room"

on_small --keep=9
for name in a b c; do
	ctl snapshot $name >/dev/null || note "no $name"
done
files
oldest=${files[0]}
fill
f=$(ctl snapshot d) || note "no d: $f"
readable "$f"
[[ ! -e $oldest ]] || note "the oldest is still there"
logged "$oldest removed: no space"
is_status failed 0 || note "$(told)"
leave
check "a full disk with --keep: the oldest make room"

on_small --keep=9
for name in a b; do
	ctl snapshot $name >/dev/null || note "no $name"
done
files
truncate -s 4096 "${files[@]}"
fill
ctl snapshot c >out 2>said && note "it is said to be there: $(cat out)"
is_status failed 1 || note "$(told)"
is_status removed 0 || note "$(told)"
logged "snapshot 3 .* failed: cannot write a snapshot to $T/small: No space"
[[ -s ${files[0]} && -s ${files[1]} ]] || note "there is $(echo perf.data.*)"
leave
check "and if they make too little room it fails, and they stay"

# one NAME: make a snapshot. $f is the previous one. There is room for only one of the two.
one()
{
	local old=$f

	# The next snapshot is larger, but less than twice as large.
	head -c 4M /dev/zero >>filler 2>/dev/null
	truncate -s -$(($(stat -c %s "$old") - 8192)) filler
	f=$(ctl snapshot "$1") || note "no $1: $f"
	readable "$f"
	files
	[[ ${files[*]} == "${f##*/}" ]] || note "behind $1 there is ${files[*]}"
	logged "$old removed: no space"
}

on_small --keep=3 --name=%o.sample.%s
# Record so much that what comes during a snapshot is little in comparison.
"$ACTOR" map "$ACTOR" 5000
f=$(ctl snapshot a) || note "no a: $f"
for name in b c d; do one $name; done
is_status failed 0 || note "$(told)"
is_status snapshots 4 || note "$(told)"
is_status removed 3 || note "$(told)"
leave
check "a disk for one snapshot with --keep: the newest event is what stays"

# Inodes for the directory, the socket, its lock, and four files
SMALL=nr_inodes=7 on_small --keep=9
for name in a b c d e f; do
	ctl snapshot $name >/dev/null || note "no $name"
done
is_status failed 0 || note "$(told)"
is_status snapshots 6 || note "$(told)"
files
((${#files[@]} == 4)) || note "${#files[@]} snapshots, not 4"
logged 'removed: no space'
readable "${files[-1]}"
leave
check "no inodes are left, with --keep: the oldest make room"

# --- kill -9 ------------------------------------------------------------------------------

launch "${RENAMES[@]}" --trigger signal=USR1
ctl snapshot >/dev/null
catch 1
kill -9 $pid
over 137
await is_gone "$writer"
files
((${#files[@]} >= 1)) || note "no snapshot"
for f in "${files[@]}"; do
	readable "$f"
done
for f in .auxrec-*; do
	note "there is $f"
done
check "kill -9 while it writes: complete snapshots stay, and no others"

: >.auxrec-aBc123.tmp
: >.auxrec-other
f=${files[0]}
start "${RENAMES[@]}"
[[ ! -e .auxrec-aBc123.tmp ]] || note "it is left"
[[ -e .auxrec-other && -s $f ]] || note "others' files are gone"
f=$(ctl snapshot) || note "$f"
valid "$f"
land
check "the next one removes what was left, and takes over the socket"

# --- a stopped recorder -------------------------------------------------------------

launch -m 16K "${RENAMES[@]}"
kill -STOP $pid
"$ACTOR" fork 400 stopped
kill -CONT $pid
# The recorder answers when it has read its rings.
ctl status >/dev/null
"$ACTOR" fork 1 going
f=$(ctl snapshot)
valid "$f"
nr=$(renames "$f" stopped)
lost=$(status 'lost records')
((nr == 400 || (nr < 400 && lost >= 400 - nr))) || note "$nr of 400, $lost are told lost"
[[ $(renames "$f" going) == 1 ]] || note "does not go on"
land
((lost == 0)) || logged LOST
echo "# $nr of 400 samples, $lost lost"
check "stopped for a while: a valid snapshot, and what was lost is told"

# A main ring that is full of one CPU's samples has no room for the trigger's samples either.
mkdir "$T/bin"
for name in within beyond; do
	cp /bin/true "$T/bin/$name"
done
# run NAME: execute the program NAME, which is a trigger
run() { taskset -c 0 "$T/bin/$1"; }
# full: stop the recorder, and fill CPU 0's ring
full()
{
	kill -STOP $pid
	await is_still $pid
	taskset -c 0 "$ACTOR" fork 400 stopped
}
launch -m 16K "${RENAMES[@]}" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/beyond\"/,name=missed,count=1" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/within\"/,name=seen"
full
for _ in 1 2 3; do
	run beyond
done
kill -CONT $pid
await of missed
f=$(of missed)
valid "$f"
[[ $(mark "$f" name) == missed && $(mark "$f" kind) == event && $(mark "$f" sample_lost) == true &&
   $(mark "$f" triggers) == 3 ]] || note "$(marks "$f")"
"$AUXREC" info "$f" | grep -q 'missed (event) at .*, for 3 triggers, a sample of it was lost$' ||
	note "info: $("$AUXREC" info "$f" | grep missed)"
logged 'trigger missed: its sample is lost, but it gets its snapshot'
is_status 'trigger missed' '1 taken, 0 suppressed' || note "$(told)"
is_status 'trigger seen' '0 taken, 0 suppressed' || note "$(told)"
run within
await of seen
f=$(of seen)
[[ $(mark "$f" sample_lost) == false && $(mark "$f" triggers) == 1 ]] || note "$(marks "$f")"
land
logged '^auxrec: 2 snapshots, .* of 4 triggers'
check "a trigger whose sample is lost has its snapshot, and says so"

launch -m 16K "${RENAMES[@]}" \
	"--trigger=event=sched:sched_process_exec/filename ~ \"*/beyond\"/,name=missed"
full
run beyond
kill -TERM $pid
kill -CONT $pid
over 0
f=$(of missed) || note "no snapshot: $(tail -n 3 "$T/log")"
[[ $(mark "$f" sample_lost) == true ]] || note "$(marks "$f")"
check "and at the end of the recording"

# --- memory -----------------------------------------------------------------------------

LIMIT=16
# kib FILE KEY: the sum of KEY's values in FILE
kib() { awk -v key="$2:" '$1 == key { n += $2 } END { print n + 0 }' "$1"; }
launch "${RENAMES[@]}" -e sched:sched_switch -M ${LIMIT}M --trigger signal=USR1
"$ACTOR" fork 2000 churn
"$ACTOR" map "$ACTOR" 20000
"$ACTOR" fork 500 churn
catch
"$ACTOR" fork 500 churn
"$ACTOR" map "$ACTOR" 5000
both=$(($(kib /proc/$pid/smaps_rollup Pss) + $(kib "/proc/$writer/smaps_rollup" Pss)))
((both <= LIMIT << 10)) || note "both: $both KiB"
kill -CONT "$writer"
await is_status waiting 0
f=$(ctl snapshot)
valid "$f"
most=$(kib /proc/$pid/status VmHWM)
((most <= LIMIT << 10)) || note "VmHWM $most KiB"
land
echo "# VmHWM $most KiB, with the process that writes $both KiB, of $((LIMIT << 10))"
check "memory during churn is no more than -M"

# All samples and all sideband are replaced while a snapshot of the old ones is written. With
# pre=, the process that writes has by then folded nearly all of them into a state of its own.
LIMIT=64
for pre in '' ,pre=1ms; do
	launch -a -e raw_syscalls:sys_enter -M ${LIMIT}M --trigger signal=USR1$pre
	"$ACTOR" map "$ACTOR" 120000
	# shellcheck disable=SC2086 # no argument, or a number
	catch ${pre:+1}
	"$ACTOR" map "$ACTOR" 120000
	both=$(($(kib /proc/$pid/smaps_rollup Pss) + $(kib "/proc/$writer/smaps_rollup" Pss)))
	((both <= LIMIT << 10)) || note "both: $both KiB"
	(($(status 'not kept') > 0)) || note "samples do not fill the reserve: $(told)"
	kill -CONT "$writer"
	await is_status waiting 0
	valid "$(of signal-USR1)"
	land
	echo "# with the process that writes $both KiB, of $((LIMIT << 10))"
	check "and so it is when a snapshot takes long${pre:+ and there is a pre=}"
done

# The recorder's cgroup has no more memory than -M, and the page cache of its snapshots counts too.
# The image of the file system is made outside the group, so the image's memory does not count.
SHORT=8
CG=/sys/fs/cgroup/flight
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control || note "no memory controller"
mkdir -p $CG
echo $((SHORT << 20)) >$CG/memory.max || note "no limit"
printf '#!/bin/sh\necho $$ >%s/cgroup.procs && exec "$@"\n' $CG >"$T/confined"
chmod +x "$T/confined"
fallocate -l 300M "$T/image"
mount -o loop "$T/image" "$T/disk" || note "no file system"
cd "$T/disk" || exit 2
# event KEY: print how often KEY has happened in the group
event() { sed -n "s/^$1 //p" $CG/memory.events; }
LAUNCHER=$T/confined start "${RENAMES[@]}" -e raw_syscalls:sys_enter -M ${SHORT}M --keep=50
# shellcheck disable=SC2317 # called by await
# is_full: does the recorder forget records?
is_full()
{
	local n

	n=$(status samples) && "$ACTOR" map "$ACTOR" 3000 && (($(status samples) < n + 3000))
}
await is_full
made=0
while (($(event max) == 0 && made < 40)); do
	"$ACTOR" fork 200 churn
	f=$(ctl snapshot) || note "no snapshot: $f"
	made=$((made + 1))
done
"$ACTOR" fork 20 pressed
f=$(ctl snapshot)
valid "$f"
nr=$(renames "$f" pressed)
lost=$(status 'lost records')
((nr == 20 || (nr < 20 && lost >= 20 - nr))) || note "$nr of 20, $lost are told lost"
[[ $(event max) != 0 ]] || note "memory was not short: $(tr '\n' ' ' <$CG/memory.events)"
[[ $(event oom_kill) == 0 ]] || note "killed: $(tr '\n' ' ' <$CG/memory.events)"
is_status failed 0 || note "$(told)"
land
files
for f in "${files[@]}"; do
	valid "$f"
done
cd "$T" || exit 2
await umount disk
rmdir $CG
echo "# $made snapshots until memory was short, ${#files[@]} valid"
check "it goes on in a cgroup with no more memory than -M"

# --- CPUs that go and come ---------------------------------------------------------------

RATE=/proc/sys/kernel/perf_event_max_sample_rate

# shellcheck disable=SC2317 # called by await
# seen: are there samples of the program "again" on CPU 1 again?
seen()
{
	local f

	taskset -c 1 "$T/again" 200
	f=$(ctl snapshot) &&
		"$PERF" script -i "$f" -F comm,cpu,event 2>/dev/null |
			grep -q '^ *again *\[001] *cpu-clock'
}
if [[ -w $CPU1 ]]; then
	launch -a -e cpu-clock -F 500 \
		"--trigger=event=sched:sched_process_exec/filename ~ \"*/beyond\"/,name=back" \
		"--trigger=event=sched:sched_process_exec/filename ~ \"*/within\"/,name=used-up,count=1"
	echo 0 >$CPU1
	f=$(ctl snapshot) || note "without CPU 1: $f"
	readable "$f"
	echo 1 >$CPU1
	f=$(ctl snapshot) || note "with CPU 1 again: $f"
	readable "$f"
	check "a CPU that goes and comes"

	cp "$WORK" "$T/again"
	await seen
	check "it is recorded again"

	taskset -c 1 "$T/bin/beyond"
	await of back
	f=$(of back)
	valid "$f"
	"$PERF" script -i "$f" -F comm,cpu,event 2>/dev/null |
		grep -q '^ *beyond *\[001] *sched:sched_process_exec' || note "no sample of it"
	is_status 'trigger back' '1 taken, 0 suppressed' || note "$(told)"
	# A trigger that is used up is not opened again.
	taskset -c 0 "$T/bin/within"
	await of used-up
	switch_cpu
	taskset -c 1 "$T/bin/within"
	taskset -c 1 "$T/bin/beyond"
	await is_status 'trigger back' '2 taken, 0 suppressed'
	await is_status waiting 0
	g=$(of back)
	[[ $g != "$f" ]] || note "the second has no snapshot"
	"$PERF" script -i "$g" -F comm,cpu,event 2>/dev/null | grep exec >execs
	grep -q '^ *beyond *\[001]' execs || note "no sample of it in $g: $(<execs)"
	! grep -q '^ *within *\[001]' execs || note "it is opened again: $(<execs)"
	land
	check "and an event of it is a trigger again, unless it is used up"

	launch -a -e cpu-clock -F 500
	echo 0 >$CPU1
	# With a lower limit, perf_event_open() refuses the frequency that it allowed at the
	# start.
	rate=$(<$RATE)
	echo 100 >$RATE
	echo 1 >$CPU1
	await grep -q 'CPU 1 came online and cannot be recorded; auxrec tries again' "$T/log"
	echo "$rate" >$RATE
	await came 2
	rm -f "$T/again"
	cp "$WORK" "$T/again"
	await seen
	(($(grep -c 'cannot be recorded' "$T/log") == 1)) || note "$(cat "$T/log")"
	land
	check "a CPU that cannot be recorded is tried again"

	launch -a -e cpu-clock -F 500 --flight=1s
	taskset -c 1 "$T/again" 600000 &
	work=$!
	await is_program $work "$T/again"
	switch_cpu
	f=$(ctl snapshot) || note "with CPU 1 again: $f"
	await is_past "$f"
	switch_cpu
	f=$(ctl snapshot) || note "with CPU 1 once more: $f"
	"$PERF" script -i "$f" --show-task-events 2>/dev/null |
		grep -q "PERF_RECORD_COMM: again:$work" || note "$f does not tell of its task"
	readable "$f"
	land
	kill $work && wait $work 2>/dev/null
	check "what its events told is known when they are not"
else
	skip "a CPU that goes and comes" "no CPU can be switched off"
	skip "it is recorded again" "no CPU can be switched off"
	skip "and an event of it is a trigger again, unless it is used up" "no CPU can be switched off"
	skip "a CPU that cannot be recorded is tried again" "no CPU can be switched off"
	skip "what its events told is known when they are not" "no CPU can be switched off"
fi

finish
