#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# raw_test.sh [AUXREC]: test raw data of samples that go through the raw ring, as root:
#
# - Data of any length that BPF programs write must come out of the stream unchanged.
# - Fields of tracepoints must be the same as without the ring.
# - Lost data must be reported.
#
# auxrec check and each perf of $PERFS read every stream. The test prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
WRITE=$B/selftests/tool/record/bpf_write
REF=${PERFS##* }
PIN=/sys/fs/bpf
mountpoint -q $PIN || mount -t bpf bpf $PIN

# renames COUNT: rename the task COUNT times. Each time is one task:task_rename.
cat >renames <<-'EOF'
	for ((i = 0; i < $1; i++)); do printf "raw-%d" "$i" >/proc/self/comm; done
EOF

# recorded STATUS ARGS...: record to f. auxrec must exit with STATUS, and all perfs must read f.
recorded()
{
	local p status=$1

	shift
	rm -f f
	want "$status" "$AUXREC" -o f "$@" </dev/null
	cp err said
	valid f
	for p in $PERFS; do
		quiet "$p" script -i f
		quiet "$p" report --stdio -i f
	done
}

# written SIZE: the payloads in f must have SIZE bytes each and must be complete
written()
{
	local size=$1 index values

	rm -rf d
	want 0 "$AUXREC" extract --raw f d
	index=$(grep -c "^data event1.raw .* bytes=$size .*event=bpf-output" d/index)
	values=$("$WRITE" --check "$size" d/event1.raw 2>&1)
	[[ $values == "$index" && $index -ge 20 ]] ||
		note "$index of $(wc -l <d/index) in the index, whole: $values"
	cp said err
	said "in $index payloads through the raw ring"
	! grep LOST said || note "lost"
}

sizes="1 7 64 8192 65000 65535 65536 1048576"
[[ ! ${SHORT-} ]] || sizes="7 65535 131072"
for size in $sizes; do
	rm -f $PIN/raw_test
	export P=$PIN/raw_test
	rm -f f
	# The rings have room for all the data, even if the reader does not run before the end.
	want 0 "$WRITE" $P "$size" "$AUXREC" -o f -m 512K,4Mx12 -a -e bpf-output --bpf-map $P -- \
		bash renames 20 </dev/null
	cp err said
	valid f
	for p in $PERFS; do
		quiet "$p" script -i f
	done
	written "$size"
	check "programs write $size bytes"
done
rm -f $PIN/raw_test f
want 0 "$WRITE" $PIN/raw_test 7 "$AUXREC" -o f -a -e bpf-output/call-graph=dwarf/ \
	--bpf-map $PIN/raw_test -- bash renames 20 </dev/null
cp err said
valid f
for p in $PERFS; do
	quiet "$p" script -i f
done
written 7
rm -f $PIN/raw_test
check "and 7 bytes before registers and a stack"

# Record one thread that runs already. The data of other threads must not be recorded.
mkfifo thread
bash -c 'read -r _ <thread; exec bash renames 20' &
rm -f f
want 0 "$WRITE" $PIN/raw_test 8192 "$AUXREC" -o f -t $! -e bpf-output --bpf-map $PIN/raw_test -- \
	bash -c "bash renames 20; echo >thread; tail --pid=$! -f /dev/null" </dev/null
cp err said
valid f
for p in $PERFS; do
	quiet "$p" script -i f
done
written 8192
[[ $(sed 's/.* tid=\([0-9]*\) .*/\1/' d/index | sort -u) == "$!" ]] ||
	note "not of $!: $(head -n 2 d/index)"
rm -f $PIN/raw_test
check "of one thread"

# compared EVENTS... [-- CMD...]: record the same command at the same time with and without the raw
# ring, and compare the fields. Both rings have room for all the data, including stacks.
fields() { $REF script -i "$1" -F comm,tid,cpu,event,trace 2>/dev/null | grep -a raw-; }
compared()
{
	local events=()

	while (($#)) && [[ $1 != -- ]]; do
		events+=("$1")
		shift
	done
	(($#)) || set -- -- bash renames 200
	rm -f plain
	recorded 0 -m 4M,4M --raw-ring "${events[@]}" -- \
		"$AUXREC" --no-raw-ring -q -m 4M -o plain "${events[@]}" "$@"
	fields f >with
	fields plain >without
	cmp -s with without || note "$(diff with without | head -n 5) $(grep LOST said)"
	(($(wc -l <with) >= 200)) || note "only $(wc -l <with) lines"
}

compared -e task:task_rename
check "a tracepoint's fields are the same"
compared -e task:task_rename -g
check "behind a call chain too"
compared -e task:task_rename/call-graph=dwarf/
check "and before registers and a stack"
compared -e task:task_rename -e sched:sched_process_exec --filter 'pid > 0'
check "of several events, one with a filter"

rm -rf d e
"$AUXREC" extract --raw f d && "$AUXREC" extract --raw plain e
lengths() { grep -a task_rename "$1/index" | sed 's/.* bytes=\([0-9]*\) .*/\1/' | tail -n 200 | sort -u; }
[[ $(lengths d) == $(lengths e) ]] || note "$(lengths d) $(lengths e)"
check "extract has them with the same lengths"

# A task that runs already, and events of kprobes and uprobes
G=/sys/kernel/tracing
mountpoint -q $G || mount -t tracefs tracefs $G
mkfifo go
bash -c 'read -r _ <go; exec bash renames 200' &
compared -e task:task_rename -p $! -- bash -c "echo >go; tail --pid=$! -f /dev/null"
check "of a process that runs already"

W=$B/selftests/demo_work
read -r offset address < <(readelf -Wl "$W" | awk '$1 == "LOAD" && $0 ~ / E / { print $2, $3 }')
at=$((0x$(nm "$W" | awk '$3 == "main" { print $1 }') - address + offset))
# shellcheck disable=SC2016 # $arg2 is the kernel's
echo 'p:raw_test/open do_sys_openat2 name=+0($arg2):ustring' >$G/kprobe_events
echo "p:raw_test/main $W:$(printf %#x $at) n=%di:s32 name=+0(+0(%si)):string" >$G/uprobe_events
cat >both <<-EOF
	bash renames 200; for i in {1..20}; do (exec -a raw-\$i "$W" 1 1); done >/dev/null
EOF
compared -e raw_test:open -e raw_test:main -- bash both
grep -q 'raw_test:main.*n=3 name="raw-' with || note "no line of the uprobe: $(tail -n 1 with)"
echo '-:raw_test/main' >>$G/uprobe_events
echo '-:raw_test/open' >>$G/kprobe_events
check "of kprobes and uprobes, with strings"
enough

# Raw data of a PMU. Nothing tells in advance whether the samples of a PMU have raw data.
echo 'echo 50 >/sys/bus/event_source/devices/rawgen/task' >writes
pmu()
{
	rm -rf d
	recorded 0 "$@" -- bash writes
	"$AUXREC" extract --raw f d 2>unread
}
pmu -m 512K,4Mx12 --raw-ring -e rawgen/config=1,config1=70000,period=1/
[[ $(grep -c '^data .* bytes=70000 .*event=rawgen/' d/index) == 50 ]] ||
	note "by the ring: $(head -n 3 d/index)"
pmu -R -e rawgen/config=1,config1=64,period=1/
[[ $(grep -c '^data .* bytes=68 .*event=rawgen/' d/index) == 50 ]] ||
	note "without it: $(head -n 3 d/index)"
pmu -e rawgen/config=1,config1=64,period=1/
grep -q ' 50 samples' said || note "neither: $(cat said)"
[[ ! -e d ]] || note "neither: $(head -n 3 d/index)"
check "of a PMU, if it is asked for"

# BPF programs write to the ring by its handle, without a perf event.
rm -f f
"$WRITE" --ring $PIN/raw_test 8 true 2>/dev/null
if [[ $? == 77 ]]; then
	rm -f $PIN/raw_test
	"$WRITE" $PIN/raw_test 8 true
	want 125 "$AUXREC" -o f -e dummy --bpf-ring $PIN/raw_test -- true
	said 'is no array of 64 bit values'
	dmesg | grep -q 'perfaux: programs of BPF cannot write to rings: ' ||
		note "the module did not say that programs cannot write"
	check "a kernel whose programs cannot write to a ring says so"
else
	for size in 1 7 65536 1048576; do
		rm -f $PIN/raw_test f
		want 0 "$WRITE" --ring $PIN/raw_test $size "$AUXREC" -o f -a -m 512K,4Mx12 -e dummy \
			--bpf-ring $PIN/raw_test -- bash renames 20 </dev/null
		valid f
		for p in $PERFS; do
			quiet "$p" script -i f
		done
		rm -rf d
		want 0 "$AUXREC" extract --raw f d
		values=$("$WRITE" --check $size d/event*.raw 2>&1)
		index=$(grep -c "^data event.* bytes=$size .*event=raw-ring" d/index)
		[[ $values == "$index" && $index -ge 20 ]] ||
			note "$size bytes: $index in the index, whole: $values"
	done
	check "programs write records to the ring"

	# More threads lose data than the gap table has entries, and there is no AUX event.
	rm -f $PIN/raw_test f
	want 0 "$WRITE" --ring $PIN/raw_test 8192 "$AUXREC" -o f -a -m 512K,4Kx2 -e dummy \
		--bpf-ring $PIN/raw_test -- bash -c \
		"kill -STOP \$PPID; for i in {1..700}; do /bin/true; done; kill -CONT \$PPID"
	cp err said
	valid f
	for p in $PERFS; do
		quiet "$p" script -i f
	done
	rm -rf d
	"$AUXREC" extract --raw f d
	more=$(sed -n 's/^lost .*tid=-1 .* cause=gap table full payloads=\([0-9]*\) .*/\1/p' d/index)
	[[ $more -ge 150 ]] || note "the rest: $more; $(tail -n 2 d/index)"
	lost=$(grep -c '^lost .* lost=8192 cause=larger than a segment' d/index)
	((lost >= 400)) || note "$lost gaps: $(head -n 2 d/index)"
	cp said err
	said "LOST raw data of $more samples, $((more * 8192)) bytes: gap table full"
	! grep 'LOST AUX' said || note "no event has AUX data"
	"$AUXREC" info f >out
	grep -q 'gap table full' out || note "$(cat out)"
	check "what has no entry in the gap table is told in sum"

	# The array contains the ring's handle only while auxrec records.
	rm -f $PIN/raw_test f
	want 0 "$WRITE" --ring $PIN/raw_test 8 "$AUXREC" -q -o f -a --bpf-ring $PIN/raw_test -D 600000 -- \
		"$WRITE" --value $PIN/raw_test >out
	[[ $(cat out) == 0 ]] || note "before the delay is over: $(cat out)"
	want 0 "$AUXREC" -q -o f -a --bpf-ring $PIN/raw_test -- "$WRITE" --value $PIN/raw_test >out
	[[ $(cat out) =~ ^[1-9] ]] || note "meanwhile: $(cat out)"
	[[ $("$WRITE" --value $PIN/raw_test) == 0 ]] || note "at the end: $("$WRITE" --value $PIN/raw_test)"
	check "they find its handle only while it is recorded"
fi
rm -f $PIN/raw_test

# The main ring is full but the raw ring is not. The raw ring must not lose any data.
rm -f f
want 0 "$WRITE" $PIN/raw_test 64 "$AUXREC" -o f --json=json -m 4K,1Mx16 -a -e bpf-output \
	--bpf-map $PIN/raw_test -- bash -c "kill -STOP \$PPID; bash renames 2000; kill -CONT \$PPID"
rm -f $PIN/raw_test
valid f
rm -rf d
"$AUXREC" extract --raw f d
values=$("$WRITE" --check 64 d/event1.raw)
lost=$(grep -c sample=lost d/index)
((values >= 2000 && lost > 0 && values == $(wc -l <d/index))) ||
	note "$values values, $lost without their sample, $(wc -l <d/index) lines"
grep -q "\"without_sample\":$lost," json || note "$(grep -o '"raw".*' json)"
check "samples that are lost do not take their raw data along"

# The raw ring is full.
rm -f f
want 0 "$WRITE" $PIN/raw_test 8192 "$AUXREC" -o f -m 1M,64Kx4 -a -e bpf-output \
	--bpf-map $PIN/raw_test -- bash -c "kill -STOP \$PPID; bash renames 200; kill -CONT \$PPID"
rm -f $PIN/raw_test
cp err said
valid f
rm -rf d
"$AUXREC" extract --raw f d
lost=$(grep -c '^lost .* bytes=0 .* lost=8192 cause=' d/index)
((lost >= 100)) || note "$lost lost: $(grep -m 2 ^lost d/index)"
said "LOST raw data of $lost samples, $((lost * 8192)) bytes: raw ring full"
check "what is lost is told sample by sample"

# The data is larger than a segment. With the segment size that the summary suggests, it fits.
rm -f f
want 0 "$WRITE" $PIN/raw_test 65535 "$AUXREC" -o f -m 512K,16Kx64 -a -e bpf-output \
	--bpf-map $PIN/raw_test -- bash renames 20
cp err said
said 'LOST raw data of [0-9]* samples, .*: larger than a segment'
said 'larger segments help: -m ,128Kx8 (now 16Kx64)'
rm -f $PIN/raw_test
want 0 "$WRITE" $PIN/raw_test 65535 "$AUXREC" -o f -m 512K,128Kx64 -a -e bpf-output \
	--bpf-map $PIN/raw_test -- bash renames 20
! grep LOST err || note "lost"
rm -f $PIN/raw_test
check "data that is larger than a segment is told, and the segment size that would do"

rm -f f
want 0 "$AUXREC" -o f --raw-ring -m 1M,4Kx2 -e task:task_rename -- \
	bash -c "kill -STOP \$PPID; bash renames 500; kill -CONT \$PPID"
cp err said
valid f
said 'LOST raw data of [0-9]* samples, [0-9]* bytes: raw ring full'
rm -rf d
"$AUXREC" extract --raw f d
lost=$(grep -c '^lost ' d/index)
grep -q "LOST raw data of $lost samples" said || note "$lost in the index: $(cat said)"
for p in $PERFS; do
	lines=$($p script -i f -F event,trace 2>unsaid | grep -ac "task_rename: .*newcomm=raw-")
	((lines + lost >= 500)) || note "$p: $lines samples and $lost lost"
	grep -q 'Processed .* samples and lost' unsaid || note "$p does not tell of the loss"
done
check "lost data of a tracepoint is told, and readers see no other fields"

# A stack of nearly 64 KiB leaves no room for the fields in the sample. The fields must not be lost.
rm -f f
want 0 "$AUXREC" -o f --raw-ring -m 16M -e task:task_rename/call-graph=dwarf,stack-size=65528/ -- \
	bash renames 20
cp err said
valid f
for p in $PERFS; do
	"$p" script -i f >/dev/null 2>unsaid || note "$p: $(tail -n 1 unsaid)"
done
rm -rf d
"$AUXREC" extract --raw f d
fields=$(grep -c '^data event1.raw .* event=task:task_rename' d/index)
((fields >= 20)) || note "$fields samples with their fields: $(head -n 2 d/index)"
check "fields that do not fit beside a stack are kept apart"

# Record all tracepoints of the scheduler and of system calls, of all tasks. Each payload must be in
# the stream once, in its sample or without it, and losses must be counted. The command starts after
# the last of these events is enabled.
rm -f f
want 0 "$AUXREC" -o f --json=json -a --raw-ring -m 4M -e 'syscalls:*' -e 'sched:*' -- \
	bash -c "ls -lR /proc/self /proc/1; $REF bench sched messaging -g 1 -l 20" >out
valid f
rm -rf d
"$AUXREC" extract --raw f d
count=$(sed -n 's/.*"raw":{"count":\([0-9]*\),.*/\1/p' json)
bytes=$(sed -n 's/.*"raw":{[^}]*"bytes":\([0-9]*\),.*/\1/p' json)
apart=$(sed -n 's/.*"raw":{[^}]*"apart":\([0-9]*\),.*/\1/p' json)
"$REF" script -i f -F event,trace >out 2>/dev/null
# An argument of a system call can contain newlines, so count only lines with an event's name.
lines=$(grep -acE '^ *(syscalls|sched):[a-z0-9_]+: ' out)
grep -aq 'sched_process_exec: filename=[^ ]*/bash ' out || note "the command's exec is missing"
awk '/^data / { sub(/.* bytes=/, ""); sub(/ .*/, ""); n++; sum += $0 }
	END { print n + 0, sum + 0 }' d/index >kept
[[ $(cat kept) == "$count $bytes" ]] || note "$count payloads, $bytes bytes; extracted $(cat kept)"
((lines == count - apart && lines > 5000)) || note "$lines samples of $count, $apart apart"
check "a storm of tracepoints"

# The command causes samples faster than auxrec reads them, and more than fit in the rings, which
# have the default sizes. With the raw ring, auxrec must keep at least as many samples as without
# it.
# shellcheck disable=SC2317 # another bash runs this function
writes()
{
	for _ in 1 2 3 4; do
		dd if=/dev/zero of=/dev/null bs=1 count=30000 status=none &
	done
	wait
}
export -f writes
kept()
{
	want 0 "$AUXREC" -o f "$@" -e syscalls:sys_enter_write -- bash -c writes
	valid f
	sed -n 's/.*: \([0-9]*\) samples.*/\1/p' err
}
plain=$(kept --no-raw-ring) raw=$(kept --raw-ring)
echo "# kept $plain of plain samples, $raw with the raw ring"
((raw >= plain && plain > 0)) || note "$raw samples with the raw ring, $plain without"
check "no more samples are lost by default"

want 125 "$AUXREC" -o f -e task:task_rename --bpf-map $PIN/none -- true
said 'task:task_rename is not a bpf-output event'
for events in bpf-output,cpu-clock cpu-clock,bpf-output bpf-output,bpf-output; do
	want 125 "$AUXREC" -o f -a -e $events --bpf-map $PIN/none -- true
	said 'give it an -e of its own'
done
want 125 "$AUXREC" -o f -a -e bpf-output --bpf-map $PIN/none -- true
said "$PIN/none: No such file.*the path of a pinned map"
want 125 "$AUXREC" -o f -a -e bpf-output --bpf-map "$T/renames" -- true
said "the path of a pinned map"
for events in cpu-clock page-faults,dummy; do
	want 125 "$AUXREC" -o f --raw-ring -e $events -- true
	said 'none of these events has raw data; tracepoints'
done
want 3 "$AUXREC" extract --raw /dev/null nod
want 2 "$AUXREC" extract --raw --aux f d
check "bad input is told"

finish
