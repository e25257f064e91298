#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# churn_test.sh [AUXREC]: a day of churn in $SECONDS_OF_CHURN (90): random triggers while
# processes and threads come and go in every way (churn.c). Memory of the recorder and of
# what writes its snapshots is looked at all the time. Then stock perf reads each of them,
# and they are merged. As root; prints TAP.
#
# KEEP is how many stay to be read (8): in a VM that takes longer than to write them.
#
# That each sample has its task's name says sched_switch, which has it from the kernel.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
CHURN=$B/selftests/tool/flight/churn
LENGTH=${SECONDS_OF_CHURN:-90}
LIMIT=$((8 << RANDOM % 3))
LOOKS=$T/looks

# kib FILE...: their Pss; of what has just ended there is none
kib() { cat "$@" 2>/dev/null | awk '$1 == "Pss:" { n += $2 } END { print n + 0 }'; }

# look: memory of the recorder and of what writes, and how many files it has open
look()
{
	local children child fds=(/proc/"$pid"/fd/*) maps=(/proc/"$pid"/smaps_rollup)

	# Debug kernels have no CONFIG_PROC_CHILDREN.
	read -ra children < <(cat "/proc/$pid/task/$pid/children" 2>/dev/null ||
		pgrep -d ' ' -P "$pid")
	for child in "${children[@]}"; do
		maps+=("/proc/$child/smaps_rollup")
	done
	echo "$(kib "${maps[@]}") ${#fds[@]}"
}

# $tick: about how long since the last thing
disturb()
{
	case $((RANDOM % 8)) in
	0 | 1) kill -USR1 "$pid" ;;
	2) ctl snapshot "r$RANDOM" >/dev/null || note "no snapshot: $(told)" ;;
	3) "$ACTOR" signal "$pid" 10 $((RANDOM % 300 + 1)) churn-signal ;;
	4) "$ACTOR" map "$ACTOR" $((RANDOM % 2000)) ;;
	5)
		kill -STOP "$pid"
		nap
		kill -CONT "$pid"
		;;
	esac
}

# --- churn -------------------------------------------------------------------------

# random_options: some of count=, rate=, pre= and post=
random_options()
{
	local some=('' ',pre=300ms' ',pre=2s' ',post=20ms' ',post=100ms,pre=1s')

	printf ',rate=%d/5s%s' $((RANDOM % 4 + 1)) "${some[RANDOM % 5]}"
}

triggers=("signal=USR1,name=usr1" "crash$(random_options)" "exec=exe$(random_options)"
	"exit=k*7$(random_options)"
	"event=sched:sched_process_fork/child_pid & 256/,count=5$(random_options)")
echo "# -M ${LIMIT}M, $LENGTH s, triggers ${triggers[*]}"
launch -q -M ${LIMIT}M --flight=10s --keep="${KEEP:-8}" -a -e sched:sched_switch -e cpu-clock/freq=100/ \
	"${triggers[@]/#/--trigger=}"
"$CHURN" "$LENGTH" "$SEED" >"$T/churned" &
churn=$!
while kill -0 $churn 2>/dev/null; do
	look >>"$LOOKS"
	((RANDOM % 4)) || disturb
	nap
done
wait $churn || note "churn failed"
await is_status waiting 0
lost=$(status 'lost records')
echo "# $(<"$T/churned") children; $(told)"
is_status failed 0 || note "$(told)"
ctl stop || note "it did not end"
over 0
files
((${#files[@]} >= 5)) || note "${#files[@]} snapshots"
check "snapshots are written while tasks come and go"

most=$(sort -n "$LOOKS" | tail -n 1)
echo "# $(wc -l <"$LOOKS") looks, most memory ${most% *} KiB of $((LIMIT << 10))"
((${most% *} <= LIMIT << 10)) || note "${most% *} KiB"
check "memory is no more than -M, all the time"

# Some for who asks at the socket, and for a snapshot that is written
read -r first last < <(awk 'NR == 1 { a = $2 } { if ($2 > m) m = $2 } END { print a, m }' "$LOOKS")
((last <= first + 6)) || note "$first at first, $last at most"
check "no files are left open"

# --- all of them, read ----------------------------------------------------------------

for f in "${files[@]}"; do
	readable "$f"
done
check "each is valid, and perf reads it without a word"

# names FILE: samples, those without a name, those with another one than the kernel had.
# A task that is released has none (-1). One that has ended is told by no perf: it forgets
# it at its EXIT, behind which it runs on for a while, longest in a VM. Of kworkers
# /proc says what they do, and new ones are not told of by all kernels.
names()
{
	"$PERF" script -i "$1" --ns --show-task-events -F comm,pid,tid,time,event,trace \
		2>/dev/null | awk '
		match($0, /PERF_RECORD_(EXIT|FORK)\([0-9]+:[0-9]+/) {
			split(substr($0, RSTART, RLENGTH), id, /[:(]/)
			ended[id[3]] = id[1] == "PERF_RECORD_EXIT"
			next
		}
		/ PERF_RECORD_/ {
			next
		}
		{
			at = match($0, / +-?[0-9]+\/-?[0-9]+ +[0-9.]+: /)
			if (!at)
				next
			comm = substr($0, 1, at - 1)
			sub(/^ +/, "", comm)
			split(substr($0, at), id, /[ \/]+/)
			nr++
			if (comm ~ /^:/ && id[3] > 0 && !/prev_state=[XZ]/ && !ended[id[3]]) {
				if (!unknown++)
					example = $0
			}
			if (comm !~ /^:/ && match($0, / prev_comm=.* prev_pid=[0-9]+ /)) {
				s = substr($0, RSTART + 11, RLENGTH - 12)
				prev = s
				sub(/ prev_pid=[0-9]+$/, "", prev)
				sub(/.* prev_pid=/, "", s)
				if (s + 0 == id[3] + 0 && s + 0 && prev != comm &&
				    prev !~ /^kworker/ && comm != "kthreadd")
					wrong++
			}
		}
		END { print nr + 0, unknown + 0, wrong + 0, example }'
}

all=0 unknown=0 wrong=0
for f in "${files[@]}"; do
	read -r a u w example < <(names "$f")
	all=$((all + a)) unknown=$((unknown + u)) wrong=$((wrong + w))
	((u * 100 <= a || lost > 0)) || note "$f: $u of $a samples have no name: $example"
done
((all > 1000)) || note "$all samples"
# Where records were lost, so are names. A thread that executes has the first one's number
# a moment before its new name (de_thread()).
((wrong * 100 <= all || lost > 0)) || note "$wrong have a wrong one"
echo "# of $all samples $unknown have no name, $wrong a wrong one, $lost records lost"
check "samples have the names that their tasks had"

# whole FILE...: each sample, without what readers make of it: a name that comes late is told
# to the next snapshot only
whole()
{
	local f

	for f; do
		"$PERF" script -i "$f" --ns -F tid,cpu,time,event,trace 2>/dev/null
	done
}

# complete FILE: its samples are in order, and there are some where it says it is complete
complete()
{
	"$AUXREC" info "$1" >"$T/info" || note "info $1"
	grep -q '^ *complete from\|just begun' "$T/info" || note "$1 says not what it has"
}

for f in "${files[@]}"; do
	complete "$f"
done
want 0 "$AUXREC" merge perf.data.sample.* -o merged
readable merged
whole merged | sort >got
whole "${files[@]}" | sort -u >wanted
sort -u got | cmp -s - wanted ||
	note "merged is not what they have: $(diff <(sort -u got) wanted | head -n 4)"
# Two samples may be alike, in a snapshot as well.
for f in "${files[@]}"; do
	whole "$f" | sort | uniq -d
done | sort -u >alike
uniq -d got | sort -u | comm -23 - alike >twice
[[ ! -s twice ]] || note "$(wc -l <twice) are there twice: $(head -n 1 twice)"
check "merged they have what each has, once"

finish
