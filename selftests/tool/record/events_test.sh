#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# events_test.sh [AUXREC]: test the options and event modifiers of a recording, as root, without
# AUX data. auxrec check and each perf of $PERFS read every stream, and a message of perf on
# stderr is a failure. perf record itself ($REF, default perf) defines what the options mean. The
# test prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
REF=${REF:-perf}
HOLD=$B/selftests/tool/record/bpf_hold
WORK=$B/selftests/tool/record/aux_work
TRACE=/sys/kernel/tracing/events
[[ -d $TRACE ]] || TRACE=/sys/kernel/debug/tracing/events

# shellcheck disable=SC2094 # -o f is not read by the same command
# rec ARGS...: record to f. auxrec must succeed, and all perfs must read f.
rec()
{
	local p

	want 0 "$AUXREC" -o f "$@"
	cp err said
	valid f
	for p in $PERFS; do
		quiet "$p" script -i f
	done
	# Some tests look at the file "script".
	$REF script -i f -F "${FIELDS:-event,ip}" >script 2>/dev/null
}

# attrs FILE: print only those attributes of perf evlist's output that options set. perf and auxrec
# use different ids, rings and guest settings.
attrs()
{
	sed 's/^[^ ]*: type/type/; s/[{} ]//g; s/sample_type:[^,]*//' <"$1" |
		tr , '\n' | grep -E '^(type|config|sample_freq|sample_period|freq|inherit|exclude_(user|kernel|callchain_user|callchain_kernel)|enable_on_exec|sample_regs_user|sample_stack_user|sample_max_stack|pinned|exclusive|precise_ip)'
}

# types_missing A B: print the parts of each event's sample_type that perf (A) has but auxrec (B)
# has not
types_missing()
{
	local a b t
	mapfile -t a < <(grep -o 'sample_type: [^,]*' "$1")
	mapfile -t b < <(grep -o 'sample_type: [^,]*' "$2")
	for ((i = 0; i < ${#a[@]}; i++)); do
		for t in $(tr '|' ' ' <<<"${a[i]#*: }"); do
			# auxrec has IDENTIFIER instead of ID. Call chains do not need ADDR and
			# DATA_SRC.
			[[ $t == @(ID|ADDR|DATA_SRC) || "|${b[i]#*: }|" == *"|$t|"* ]] || echo "$t"
		done
	done
}

# same ARGS...: auxrec must set the same attributes as perf record for these options. With SHORT,
# only every third call does something.
same()
{
	nr_same=$((${nr_same:-0} + 1))
	[[ ! ${SHORT-} || $((nr_same % 3)) == 0 ]] || return 0
	$REF record -q -o ref "$@" -- true 2>referr ||
		{ note "$REF record $*: $(head -n 1 referr)"; return; }
	want 0 "$AUXREC" -q -o f "$@" -- true
	valid f
	$REF evlist -v -i ref 2>/dev/null | grep -v dummy >ref.ev
	$REF evlist -v -i f 2>/dev/null | grep -v dummy >f.ev
	attrs ref.ev >a
	attrs f.ev >b
	[[ -s a ]] || note "no attributes of $REF record $*"
	cmp -s a b || note "$*: $(diff a b | tr '\n' ' ')"
	types_missing ref.ev f.ev >c
	[[ ! -s c ]] || note "$*: no $(tr '\n' ' ' <c)in sample_type"
}

same -e cpu-clock
same -e cpu-clock,page-faults -F 250
same -e cpu-clock -c 1000000
same -e cpu-clock/period=500000/,cpu-clock/freq=100/ -c 7
same -e cpu-clock:u,cpu-clock:k,page-faults
same -e cpu-clock:k --all-user
same -e cpu-clock:u,page-faults --all-kernel
same -e cpu-clock -g
same -e cpu-clock -g --kernel-callchains
same -e cpu-clock -g --user-callchains
same -e cpu-clock/call-graph=no/,cpu-clock/max-stack=5/ -g
same -e cpu-clock/call-graph=dwarf,stack-size=1024/
same -e '{cpu-clock,page-faults}'
same -e '{cpu-clock,page-faults}:D'
same -e cpu-clock/no-inherit/
same -e cpu-clock -D 1
check "attributes as perf record's"

FIELDS=event,period rec -e '{cpu-clock,page-faults}' -- sh -c "$work"
for p in $PERFS; do
	$p report --stdio -i f 2>/dev/null |
		grep -q "anon group { cpu-clock, page-faults }" ||
		note "$p report: no group"
done
grep -q cpu-clock script || note "no samples of the leader"
grep -q page-faults script || note "no samples of the member"
check "a group of events"
enough

# faults: count the samples of page-faults itself. With S the stream has none, because readers make
# them from the leader's samples. The command does not have the child of $work, because only newer
# kernels and perfs also follow children with S.
faults() { "$AUXREC" info f | grep -c '^ *page-faults.* samples'; }
FIELDS=event,period rec -e '{cpu-clock,page-faults}:S' -- sh -c "${work%;*}"
[[ $(faults) == 0 ]] || note "the member has samples of its own: $(faults)"
sum=$(awk '/page-faults/ { n += $1 } END { print n + 0 }' script)
((sum >= 20)) || note "$sum page faults in the leader's samples"
grep -q 'modifier S' said || note "not said what S leaves out: $(cat said)"
$REF record -q -o ref -e '{cpu-clock,page-faults}:S' -- sh -c "${work%;*}" >out 2>err
ref=$($REF script -i ref -F event,period | awk '/page-faults/ { n += $1 } END { print n + 0 }')
((sum < ref * 2 && ref < sum * 2)) || note "$sum page faults, $REF has $ref"
rec -a -e '{cpu-clock,page-faults}:S' -- sh -c "$work"
! grep -q 'modifier S' said || note "all CPUs: $(cat said)"
rec -e cpu-clock:S -- sh -c "$work"
grep -q cpu-clock script || note "no samples of a single event"
check "leader sampling"

# frames NAME: print the average number of frames in the samples of NAME
frames()
{
	awk -v name="$1" '/:/ { on = index($0, name); n += on > 0; next }
		on && NF { f++ } END { print n ? int(f / n) : 0 }' script
}
FIELDS=comm,event,ip rec -g -e cpu-clock/name=deep/,cpu-clock/call-graph=no,name=flat/ \
	--kernel -- sh -c "$work"
(($(frames deep) >= 3)) || note "$(frames deep) frames"
(($(frames flat) == 0)) || note "$(frames flat) frames of an event without"
grep -q flat script || note "no samples without frames"
FIELDS=comm,event,ip rec -e cpu-clock/call-graph=dwarf,stack-size=1024/ -F 200 -- \
	sh -c "$work"
check "call chains"

# places: print "low" if there are addresses of user space, and "high" if there are the kernel's
places() { awk '{ print (length($NF) == 16 && $NF ~ /^[89a-f]/) ? "high" : "low" }' script | sort -u | tr '\n' ' '; }
# shellcheck disable=SC2016 # for the shell that is recorded
faulty='i=0; while [ $i -lt 300 ]; do i=$((i+1)); read l </proc/self/stat; done'
FIELDS=ip rec -e cpu-clock -- sh -c "$faulty"
[[ $(places) == "high low " ]] || note "both: $(places)"
FIELDS=ip rec -e cpu-clock --user -- sh -c "$faulty"
[[ $(places) == "low " ]] || note "--user: $(places)"
FIELDS=ip rec -e cpu-clock:k --all-user -- sh -c "$faulty"
[[ $(places) == "low " ]] || note "--all-user of :k: $(places)"
FIELDS=ip rec -e cpu-clock --kernel -- sh -c "$faulty"
[[ $(places) == "high " ]] || note "--kernel: $(places)"
check "--user, --kernel"

periods() { sort -u script | tr -d ' \n'; }
FIELDS=period rec -e cpu-clock -c 1000000 -- sh -c "$work"
[[ $(periods) == 1000000 ]] || note "-c: $(periods)"
FIELDS=period rec -e cpu-clock -F 500 -- sh -c "$work"
[[ $(periods) == 2000000 ]] || note "-F: $(periods)"
FIELDS=period rec -e cpu-clock/period=3000000/ -c 1000000 -- sh -c "$work"
[[ $(periods) == 3000000 ]] || note "period=: $(periods)"
max=$(</proc/sys/kernel/perf_event_max_sample_rate)
FIELDS=period rec -e cpu-clock -F $((max * 2)) -- true
grep -q "perf_event_max_sample_rate allows [0-9]*," said ||
	note "not said: $(cat said)"
check "-c, -F"

# Threads run on each CPU, but only one CPU is recorded.
FIELDS=cpu rec -C 1 -e cpu-clock -F 500 -- "$WORK" 300 4
[[ $(tr -d ' []' <script | sort -u | tr '\n' ' ') == "001 " ]] ||
	note "-C 1: $(sort -u script | tr '\n' ' ')"
want 125 "$AUXREC" -o f -C 4000 -e cpu-clock -- true
said "CPU 4000 is not online"
check "-C"

# The process runs longer than the test can take on a slow machine, and is killed at the end.
"$WORK" 600000 3 &
pid=$!
until tids=("/proc/$pid/task/"*) && ((${#tids[@]} == 3)); do :; done
tid=${tids[2]##*/}
FIELDS=tid rec -e cpu-clock -t "$tid" -- sleep 0.3
[[ $(tr -d ' ' <script | sort -u) == "$tid" ]] ||
	note "-t $tid: $(sort -u script | tr '\n' ' ')"
FIELDS=tid rec -e cpu-clock -t "$tid,$pid" -- sleep 0.5
[[ $(sort -u script | wc -l) == 2 ]] || note "-t $tid,$pid: $(sort -u script)"
kill $pid
wait 2>/dev/null
want 125 "$AUXREC" -o f -e cpu-clock -t $pid
said "no thread $pid"
check "-t"

if [[ ! -d $TRACE ]]; then
	skip "--filter" "no tracefs"
	skip "-D" "no tracefs"
else
	execs='/bin/true; /bin/ls >/dev/null; /bin/true; exit 0'
	count() { grep -c sched_process_exec script; }
	rec -e sched:sched_process_exec -- sh -c "$execs"
	[[ $(count) == 4 ]] || note "$(count) of 4 without a filter"
	rec -e sched:sched_process_exec --filter 'filename ~ "*/true"' -- sh -c "$execs"
	$REF record -q -e sched:sched_process_exec --filter 'filename ~ "*/true"' \
		-o ref -- sh -c "$execs" 2>err
	[[ $(count) == 2 && $($REF script -i ref | grep -c .) == 2 ]] ||
		note "$(count) with a filter, $($REF script -i ref | grep -c .) of $REF"
	rec -e sched:sched_process_exec --filter 'filename ~ "*/ls"' \
		--filter 'filename ~ "/bin/*"' -- sh -c "$execs"
	[[ $(count) == 1 ]] || note "$(count) with two filters"
	rec -e sched:sched_process_exec --filter 'filename ~ "/bin/*"' \
		--filter 'filename ~ "*/ls"' -- sh -c "$execs"
	[[ $(count) == 1 ]] || note "$(count) with them the other way round"
	rec -e sched:sched_process_exec,sched:sched_process_exit \
		--filter 'pid == 1' -e sched:sched_process_fork -- sh -c "$execs"
	[[ $(count) == 0 ]] || note "$(count): not for all events of its -e"
	! grep -q sched_process_exit script || note "not for the last event of its -e"
	grep -q sched_process_fork script || note "for the -e after it"
	want 125 "$AUXREC" -o f -e sched:sched_process_exec --filter 'nonsense == 1' -- true
	said "does not understand the filter 'nonsense == 1'.*sched_process_exec/format"
	want 125 "$AUXREC" -o f -e sched:sched_process_exec --filter 'pid ==' -- true
	said "does not understand the filter 'pid =='"
	want 125 "$AUXREC" -o f -e cpu-clock --filter 'pid == 1' -- true
	said "cpu-clock cannot be filtered"
	want 125 "$AUXREC" -o f --filter 'pid == 1' -e cpu-clock -- true
	said "belongs to the -e before it"
	check "--filter"

	# This is the only case that depends on time: one program runs long before the delay ends,
	# the other long after.
	FIELDS=comm,event rec -D 1000 -e sched:sched_process_exec -- \
		sh -c "/bin/true; sleep 3; exec /bin/ls / >/dev/null"
	[[ $(awk '{ print $1 }' script | tr '\n' ' ') == "ls " ]] ||
		note "recorded: $(tr '\n' '|' <script)"
	$REF script --show-task-events -i f 2>/dev/null |
		grep -q 'COMM exec: true' || note "what ran before has no COMM"
	check "-D"
fi

refused() { want 125 "$AUXREC" -o g -e "$1" -- true; said "$2"; }
refused cpu-clock/call-graph=lbr/ "lbr cannot be recorded"
refused cpu-clock/overwrite/ "nothing is overwritten"
refused cpu-clock/time=0/ "has no order"
refused cpu-clock/aux-output/ "aux-output: a recording has AUX data on its own"
refused cpu-clock/aux-sample-size=4096/ "samples cannot have AUX data"
refused cpu-clock/branch_type=any/ "does not have this event as asked for"
[[ ! -e g ]] || note "a file for nothing"
check "terms that a recording cannot have"

# From Linux 6.3 on, a sample of one event can have the other event's id.
want 0 "$AUXREC" -o f -e page-faults/period=1,call-graph=fp/ -e page-faults/period=3/u -- \
	sh -c 'ls -R /sys/bus >/dev/null'
said 'page-faults.* and -e page-faults.* are the same event'
readable=$($REF script -i f -F event 2>perr | wc -l)
((readable > 10)) || note "$readable samples"
valid f
for p in $PERFS; do
	quiet "$p" script -i f
done
# Before 6.3 a sample has its own event's id.
major=$(uname -r | cut -d. -f1) minor=$(uname -r | cut -d. -f2)
status=$((major > 6 || (major == 6 && minor >= 3) ? 125 : 0))
want $status "$AUXREC" -o h -e page-faults/period=2/ -e page-faults -- true
said 'page-faults.* and -e page-faults are the same event'
((status == 0)) || said 'give both a period= or both a freq='
want $status "$AUXREC" -o h -e page-faults/period=2/ -e page-faults/period=3/S -- true
((status == 0)) || said 'same event.*modifier S: leave that out'
want 0 "$AUXREC" -o h -e page-faults/period=2/u -e page-faults:k -- true
! grep -q 'same event' "$T/err" || note "$(<"$T/err")"
check "the same event twice"

# perf_event_attr has config3 since 6.3, too. auxrec makes the attr as long as its fields need.
if ((status)); then
	rec -e cpu-clock/config3=5/u -- true
	[[ $(od -A n -t u4 -j 28 -N 4 f | tr -d ' ') == 136 ]] || note "attr.size is not 136"
	[[ $(od -A n -t u8 -j 152 -N 8 f | tr -d ' ') == 5 ]] || note "config3 is not 5"
else
	want 125 "$AUXREC" -o h -e cpu-clock/config3=5/u -- true
	said 'does not know config3: leave that out'
fi
rec -e cpu-clock/config3=0/u -- true
[[ $(od -A n -t u4 -j 28 -N 4 f | tr -d ' ') == 128 ]] || note "attr.size without config3 is not 128"
check "config3"

# kernel_maps WANT ARGS...: is the number of maps of the kernel and of its modules WANT (1: any)?
kernel_maps()
{
	local nr
	rec "${@:2}" -- true
	nr=$("$AUXREC" info --records f | grep -cE 'MMAP2? .*(kallsyms|\.ko)')
	(($1 == (nr > 0))) || note "$nr maps of the kernel: ${*:2}"
}
kernel_maps 1 -e cpu-clock
kernel_maps 0 -e cpu-clock:u
kernel_maps 1 -e cpu-clock:u -e page-faults
check "maps of the kernel only if it is recorded"

"$HOLD" true
if [[ $? == 77 ]]; then
	skip "BPF programs" "none can be loaded"
else
	# Compare with the kernel and perf record while the program is loaded.
	want 0 "$HOLD" sh -c "'$AUXREC' -q -e cpu-clock -o f -- true &&
		'$AUXREC' -q -e cpu-clock:u -o user -- true &&
		$REF record -q -o ref -- true && grep bpf_prog /proc/kallsyms >syms"
	valid f
	valid user
	! "$AUXREC" info --records user | grep -E ' (KSYMBOL|BPF_EVENT) ' >out ||
		note "a recording of user space describes programs: $(<out)"
	for p in $PERFS; do
		quiet "$p" script --show-bpf-events -i f
		grep -q 'BPF_EVENT type 1' out || note "$p: no BPF_EVENT"
		grep -c 'KSYMBOL.*auxrec_hold' out | grep -q '^1$' ||
			note "$p: not one KSYMBOL with the name of the program"
	done
	ksymbols() { $REF script --show-bpf-events -i "$1" | grep -o 'KSYMBOL addr .* len .* type [^ ]*' | sort; }
	ksymbols f >a
	ksymbols ref >b
	cmp -s a b || note "$REF has others: $(diff a b | tr '\n' ' ')"
	(($(wc -l <a) >= 2)) || note "not both functions: $(cat a)"
	# The programs must have the same names as in /proc/kallsyms.
	$REF script --show-bpf-events -i f | sed -n 's/.*KSYMBOL addr \([^ ]*\).* name \(bpf_prog_.*\)/\1 \2/p' | sort >a
	sed -n 's/^\([^ ]*\) . \(bpf_prog_.*\)\t\[bpf\]/\1 \2/p' syms | sort >b
	cmp -s a b || note "kallsyms has others: $(diff a b | tr '\n' ' ')"
	check "BPF programs"
fi

finish
