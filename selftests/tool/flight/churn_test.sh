#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# churn_test.sh [AUXREC]: a day of churn in $SECONDS_OF_CHURN (45): random triggers while
# processes and threads come and go in every way (churn.c). Memory of the recorder and of
# what writes its snapshots is looked at all the time, while it merges them at its end (SIGUSR2)
# as well. Then stock perf reads each snapshot, and what retention has left (--keep=8) is merged
# again. With auxgen there is a raw ring as well, of which aux_verify looks at each byte. As
# root; prints TAP.
#
# That each sample has its task's name says sched_switch, which has it from the kernel.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
CHURN=$B/selftests/tool/flight/churn
MEMORY=$B/selftests/tool/flight/memory
VERIFY=$B/selftests/tool/record/aux_verify
LENGTH=${SECONDS_OF_CHURN:-45}
LIMIT=$((12 << RANDOM % 2))
LOOKS=$T/looks
ALL=$T/all
mkdir "$ALL"

# config1 is its period in us
raw=()
if [[ -e /sys/bus/event_source/devices/auxgen ]]; then
	# shellcheck disable=SC2054 # the commas are its own
	raw=(-e auxgen/timer=1,config1=20000,chunks=8/)
fi

# take: a second name for each snapshot, that retention does not know of
take()
{
	local f

	for f in perf.data.sample.*; do
		[[ -e $ALL/$f ]] || ln "$f" "$ALL/$f" 2>/dev/null
	done
}

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

# names FILE: samples, how many tasks they are of, those without a name, those with another one
# than the kernel had.
# A task that is released has none (-1). One that has ended is told by no perf: it forgets
# it at its EXIT, behind which it runs on for a while, longest in a VM. Of kworkers
# /proc says what they do, and new ones are not told of by all kernels.
names()
{
	"$PERF" script -i "$1" --ns --show-task-events -F comm,pid,tid,time,event,trace \
		2>perr | awk '
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
			tasks += !seen[id[3]]++
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
		END { print nr + 0, tasks + 0, unknown + 0, wrong + 0, example }'
}

# What perf says of gaps, which there are where the raw ring was frozen; and that it has fields
# for all events, or none.
allowed="instruction trace errors\|AUX data lost\|'trace' not valid for .* events. Ignoring"

# read_one FILE: perf finds nothing wrong; what there is of names is a line in $T/read
read_one()
{
	local chunks

	valid "$1"
	echo "${1##*/} $(names "$1")" >>"$T/read"
	unsaid perr "$allowed" "$PERF script -i $1"
	"$PERF" report --stdio -i "$1" >out 2>perr || note "$PERF report -i $1 failed"
	unsaid perr "$allowed" "$PERF report -i $1"
	"$AUXREC" info "$1" >"$T/info" || note "info $1"
	grep -q '^ *complete from\|just begun\|no time is complete' "$T/info" || note "$1 says not what it has"
	[[ ${raw[*]-} ]] || return
	"$VERIFY" -g "$1" >verify 2>verr || note "$1: $(head -n 3 verr | tr '\n' '|')"
	read -r _ _ _ _ _ chunks _ <verify
	((chunks > 0)) || note "$1: nothing of the raw ring"
}

# --- churn -------------------------------------------------------------------------

# random_options: some of count=, rate=, pre= and post=
random_options()
{
	local some=('' ',pre=300ms' ',pre=2s' ',post=20ms' ',post=100ms,pre=1s')

	# In a VM perf takes seconds for each.
	printf ',rate=%d/30s%s' $((RANDOM % 3 + 1)) "${some[RANDOM % 5]}"
}

triggers=("signal=USR1,name=usr1" "crash$(random_options)" "exec=exe$(random_options)"
	"exit=k*7$(random_options)"
	"event=sched:sched_process_fork/child_pid & 256/,count=5$(random_options)")
echo "# -M ${LIMIT}M, $LENGTH s, triggers ${triggers[*]}"
launch -q -M ${LIMIT}M --flight=10s --keep=8 -a -e sched:sched_switch -e cpu-clock/freq=100/ \
	"${raw[@]}" "${triggers[@]/#/--trigger=}"
"$MEMORY" $pid >"$LOOKS" &
looks=$!
"$CHURN" "$LENGTH" "$SEED" >"$T/churned" &
churn=$!
while kill -0 $churn 2>/dev/null; do
	take
	((RANDOM % 4)) || disturb
	nap
done
wait $churn || note "churn failed"
await is_status waiting 0
lost=$(status 'lost records')
not_kept=$(status 'not kept')
# What perf says of those
((lost + not_kept == 0)) ||
	allowed+='\|^Processed [0-9]* \(events\|samples\) and lost \|^Check IO/CPU overload'
echo "# $(<"$T/churned") children; $(told)"
is_status failed 0 || note "$(told)"
land_merging
wait $looks 2>/dev/null
# What this script starts is a trigger, too: now there are no more.
take
files
nr=$(mark "${files[-1]}" number)
((nr >= 5)) || note "$nr snapshots"
check "snapshots are written while tasks come and go"

most=$(sort -n "$LOOKS" | tail -n 1)
writing=$(grep -vc ' 0$' "$LOOKS")
echo "# $(wc -l <"$LOOKS") looks, $writing while a snapshot was written;" \
	"most memory ${most%% *} KiB of $((LIMIT << 10))"
((${most%% *} <= LIMIT << 10)) || note "${most%% *} KiB"
((${most%% *} > 2048)) || note "only ${most%% *} KiB: was it looked at?"
((writing * 2 >= nr)) || note "$writing looks while one of $nr snapshots was written"
check "memory is no more than -M, all the time"

# Some for who asks at the socket, and for a snapshot that is written
read -r first last < <(awk 'NR == 1 { a = $2 } { if ($2 > m) m = $2 } END { print a, m }' "$LOOKS")
((last <= first + 6)) || note "$first at first, $last at most"
check "no files are left open"

# --- all of them, read ----------------------------------------------------------------

for f in "$ALL"/*; do
	read_one "$f"
done
(($(wc -l <"$T/read") == nr)) || note "$(wc -l <"$T/read") are read, of $nr"
check "each is valid, and perf reads it without a word"

# A record that is lost may be the one that says what a task is called: all of its samples
# are without a name then, or have the one before. So each of them may spoil a task; but most are
# samples themselves, so of the names no larger a share is lost than of all records, twice, as a
# task has its name from its parent or takes one. A thread that executes has the first one's
# number a moment before its new name (de_thread()): that is rare, so of all snapshots together
# it is less than in one.
all=0 bad=0 spoiled=0
while read -r f a tasks u w example; do
	most=$((lost * (a / (tasks ? tasks : 1) + 1)))
	share=$((2 * a * lost / (a + lost + 1)))
	((most <= share)) || most=$share
	all=$((all + a)) bad=$((bad + u + w)) spoiled=$((spoiled + most))
	most=$((a / 200 + most))
	# In a small one a single thread that executes is more than that.
	((most >= 3)) || most=3
	((u <= most)) || note "$f: $u of $a samples have no name, not $most: $example"
	((w <= most)) || note "$f: $w of $a samples have a wrong one, not $most"
	echo "# $a samples of $tasks tasks, $u without a name, $w with another one"
done <"$T/read"
((all > 1000)) || note "$all samples"
((bad <= all / 500 + spoiled)) || note "$bad without a name or with another one"
echo "# of all $all samples $bad have no name or a wrong one; $lost records lost," \
	"$not_kept not kept"
check "samples have the names that their tasks had"

# --- what is left, merged ----------------------------------------------------------------

# whole FILE...: each sample, without what readers make of it: a name that comes late is told
# to the next snapshot only. Where the raw ring's chunks are cut differs.
whole()
{
	local f

	for f; do
		"$PERF" script -i "$f" --ns -F tid,cpu,time,event,trace 2>/dev/null |
			grep -v ' auxgen'
	done
}

files
((${#files[@]} == (nr < 8 ? nr : 8))) || note "${#files[@]} are left, of $nr"
want 0 "$AUXREC" merge perf.data.sample.* -o merged
cp "$T/err" said
valid merged
cmp -s merged perf.data || note "SIGUSR2 has made another file"
"$PERF" report --stdio -i merged >out 2>perr || note "$PERF report -i merged failed"
unsaid perr "$allowed" "$PERF report -i merged"
if [[ ${raw[*]-} ]]; then
	"$VERIFY" -g -m said merged >verify 2>verr || note "$(head -n 3 verr | tr '\n' '|')"
	echo "# merged: $(<verify)"
fi
whole merged | sort >got
whole "${files[@]}" | sort -u >wanted
sort -u got | cmp -s - wanted ||
	note "merged is not what they have: $(diff <(sort -u got) wanted | head -n 8 | tr '\n' '|')"
# Two samples may be alike, in a snapshot as well.
for f in "${files[@]}"; do
	whole "$f" | sort | uniq -d
done | sort -u >alike
uniq -d got | sort -u | comm -23 - alike >twice
[[ ! -s twice ]] || note "$(wc -l <twice) are there twice: $(head -n 1 twice)"
check "merged they have what each has, once"

finish
