#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# churn_test.sh [AUXREC]: a test that makes a day of churn in $SECONDS_OF_CHURN (45): random
# triggers come while processes and threads come and go in every way (churn.c). The memory of the
# recorder and of the processes that write its snapshots is watched all the time, also while the
# recorder merges the snapshots at its end (SIGUSR2). Then stock perf reads each snapshot, and the
# snapshots that retention has left (--keep=8) are merged again. With auxgen there is also a raw
# ring, of which aux_verify looks at each byte. Runs as root; prints TAP.
#
# Samples of sched_switch contain the task's name, as the kernel has it. The test compares this name
# with the one that perf takes from the snapshot.

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

# config1 is auxgen's period in us
raw=()
if [[ -e /sys/bus/event_source/devices/auxgen ]]; then
	# shellcheck disable=SC2054 # the commas are part of the event
	raw=(-e auxgen/timer=1,config1=20000,chunks=8/)
fi

# take: give each snapshot a second name, which retention does not know
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

# names FILE: print the number of samples, of their tasks, of samples without a name, and of
# samples with another name than the kernel had.
#
# A task that is released has no name (-1). No perf tells the name of a task that has ended: perf
# forgets the task at its EXIT record, but the task runs on for a while after that, longest in a
# VM. The name of a kworker in /proc tells what it does, and not all kernels tell of new kworkers.
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

# Messages that perf may print: about gaps, which exist where the raw ring was frozen; and about
# fields that only some events have
allowed="instruction trace errors\|AUX data lost\|'trace' not valid for .* events. Ignoring"

# read_one FILE: check that perf finds nothing wrong; append a line with the numbers of names() to
# $T/read
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

# random_options: print a random rate=, and some of pre= and post=
random_options()
{
	local some=('' ',pre=300ms' ',pre=2s' ',post=20ms' ',post=100ms,pre=1s')

	# The rate is low because perf takes seconds for each snapshot in a VM.
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
# Messages of perf about these records
((lost + not_kept == 0)) ||
	allowed+='\|^Processed [0-9]* \(events\|samples\) and lost \|^Check IO/CPU overload'
echo "# $(<"$T/churned") children; $(told)"
is_status failed 0 || note "$(told)"
land_merging
wait $looks 2>/dev/null
# The script's own commands are triggers, too. From here on nothing triggers.
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

# Allow some files for a client of the socket, and for a snapshot that is being written.
read -r first last < <(awk 'NR == 1 { a = $2 } { if ($2 > m) m = $2 } END { print a, m }' "$LOOKS")
((last <= first + 6)) || note "$first at first, $last at most"
check "no files are left open"

# --- read all snapshots -------------------------------------------------------------

for f in "$ALL"/*; do
	read_one "$f"
done
(($(wc -l <"$T/read") == nr)) || note "$(wc -l <"$T/read") are read, of $nr"
check "each is valid, and perf reads it without a word"

# A lost record may be the record that tells a task's name: then all of the task's samples have no
# name, or the task's previous name. So each lost record can spoil the samples of a task. But most
# lost records are samples, so the share of spoiled samples is at most twice the share of lost
# records: a task gets its name by one of two records (FORK, from its parent, or COMM).
#
# A thread that executes has the first thread's id a moment before its new name (de_thread()). That
# is rare, so the limit for all snapshots together is lower than the limit for one.
all=0 bad=0 spoiled=0
while read -r f a tasks u w example; do
	most=$((lost * (a / (tasks ? tasks : 1) + 1)))
	share=$((2 * a * lost / (a + lost + 1)))
	((most <= share)) || most=$share
	all=$((all + a)) bad=$((bad + u + w)) spoiled=$((spoiled + most))
	most=$((a / 200 + most))
	# In a small snapshot, one thread that executes has more than this share of the samples.
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

# --- merge the snapshots that are left ----------------------------------------------

# whole FILE...: print each sample, without the names that readers add: a name that comes late is
# only in the next snapshot. Leave out chunks of the raw ring, which are cut in different places.
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
# Two samples may be alike, also in one snapshot.
for f in "${files[@]}"; do
	whole "$f" | sort | uniq -d
done | sort -u >alike
uniq -d got | sort -u | comm -23 - alike >twice
[[ ! -s twice ]] || note "$(wc -l <twice) are there twice: $(head -n 1 twice)"
check "merged they have what each has, once"

finish
