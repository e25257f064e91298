#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# inside_test.sh [AUXREC]: a test of --namespaces and --all-cgroups. Stock perf shows namespaces
# and cgroups from snapshots, also those of tasks and cgroups that no longer exist; the recorder
# forgets what is removed. Runs as root, in a VM, because it makes cgroups and enables
# controllers. Prints TAP.

# shellcheck disable=SC2317 # called by await
# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"
CG=/sys/fs/cgroup
BOTH=(--namespaces --all-cgroups)
# At most this many cgroups are in the state without a look at the hierarchy: CGROUPS_FEW of
# history/recent.c, and those that may exist
FEW=$((128 + 20))
mountpoint -q $CG || mount -t cgroup2 cgroup $CG
# perf_event, which is not listed, reaches the other cgroups only if a controller is enabled.
for name in $(<$CG/cgroup.controllers); do
	echo "+$name" 2>/dev/null >$CG/cgroup.subtree_control && break
done
[[ $(<$CG/cgroup.subtree_control) ]] || note "no controller can be enabled"

# inside CGROUP CMD...: execute CMD in that cgroup
inside() { echo $BASHPID >"$CG/$1/cgroup.procs" && exec "${@:2}"; }

# namespaces FILE: print a line for each NAMESPACES record: PID/TID, then device and inode of net,
# uts, ipc, pid, user, mnt and cgroup
namespaces()
{
	"$PERF" script -i "$1" --show-namespace-events 2>/dev/null | awk '
		function print_it() {
			if (it)
				print it
			it = ""
		}
		/ PERF_RECORD_NAMESPACES / {
			print_it()
			for (i = 1; $i != "PERF_RECORD_NAMESPACES"; i++)
				;
			it = $(i + 1)
			next
		}
		it && /^\t/ {
			while (match($0, /: [0-9]+\/(0x)?[0-9a-f]+/)) {
				one = substr($0, RSTART, RLENGTH)
				sub(/^: /, "", one)
				it = it " " one
				$0 = substr($0, RSTART + RLENGTH)
			}
			next
		}
		{ print_it() }
		END { print_it() }'
}

# cgroups FILE: print number and name of the cgroups that FILE tells of
cgroups()
{
	"$PERF" script -i "$1" --show-cgroup-events 2>/dev/null |
		sed -n 's/.* PERF_RECORD_CGROUP cgroup: //p'
}

# is_in FILE COMM CGROUP: check that perf shows samples of COMM in CGROUP
is_in()
{
	"$PERF" report --stdio -i "$1" -s comm,cgroup 2>/dev/null >sorted
	grep -q "% *$2 *$3 *\$" sorted || note "$1: no $2 in $3: $(grep "$2" sorted)"
	# perf script of 6.1 cannot show cgroups.
	[[ $PERF != *-6.1 ]] || return
	"$PERF" script -i "$1" -F comm,cgroup >samples 2>&1
	grep -q "^ *$2 *$3\$" samples || note "$1: no sample of $2 in $3: $(grep -m 2 "$2" samples)"
}

# numbers PID: print the namespaces of PID, as namespaces() does
numbers()
{
	local name

	for name in net uts ipc pid user mnt cgroup; do
		stat -Lc ' %d %i' "/proc/$1/ns/$name" | xargs printf ' %d/0x%x'
	done
}

# --- without a flight recorder --------------------------------------------------------

mkdir -p $CG/outer/inner
unshare -u -i sleep 1000 &
other=$!
await is_program "$other" "$(command -v sleep)"
(inside outer/inner "$AUXREC" -q "${BOTH[@]}" -a -e cpu-clock -F 200 -o "$T/ours" -- \
	unshare -n "$WORK" 100) || note "auxrec failed"
(inside outer/inner "$PERF" record -q "${BOTH[@]}" -a -e cpu-clock -F 200 -o "$T/perfs" -- \
	unshare -n "$WORK" 100 2>"$T/said") || note "perf record: $(<"$T/said")"
valid ours
cgroups ours | sort >a
cgroups perfs | sort >b
diff a b >difference || note "cgroups: $(head -n 4 difference)"
grep -q ' /outer/inner$' a || note "cgroups: $(<a)"
check "cgroups are those that perf record tells"

# Compare the tasks that both recordings have found.
for f in ours perfs; do
	namespaces $f | sort -u >$f.all
	awk '{ print $1 }' $f.all | sort | uniq -u >$f.once
done
join ours.once perfs.once >common
(($(wc -l <common) > 20)) || note "$(wc -l <common) tasks in common"
for f in ours perfs; do
	join common $f.all >$f.common
done
diff ours.common perfs.common >difference || note "$(head -n 4 difference)"
grep -qx "$other/$other$(numbers $other)" ours.common || note "$(grep "^$other/" ours.all)"
# Only the command's namespaces change during the recording.
for f in ours perfs; do
	awk '$2 != net[$1] { times[$1]++; net[$1] = $2 }
		END { for (id in times) n += times[id] > 1; print n }' $f.all >$f.changed
	is_in $f aux_work /outer/inner
done
[[ $(<ours.changed) == 1 && $(<perfs.changed) == 1 ]] ||
	note "tasks that changed theirs: $(<ours.changed), of perf $(<perfs.changed)"
check "and namespaces, and where samples are"

rm -f f
(inside outer "$AUXREC" -q "${BOTH[@]}" -e cpu-clock/freq=500/ -o f -- "$WORK" 100)
valid f
is_in f aux_work /outer
namespaces f >list
grep -q "$(numbers self)\$" list || note "namespaces: $(<list)"
check "a command"
enough

# In a sample, the cgroup follows the raw data, which the recorder puts there.
if [[ -e /dev/perfaux ]]; then
	rm -f f
	(inside outer "$AUXREC" -q "${BOTH[@]}" --raw-ring -e sched:sched_process_exec -o f -- \
		sh -c '/bin/true; /bin/true; :')
	valid f
	is_in f true /outer
	nr=$("$PERF" script -i f -F comm,trace 2>/dev/null | grep -c '^ *true .*filename=/bin/true ')
	[[ $nr == 2 ]] || note "$nr times /bin/true: $("$PERF" script -i f -F comm,trace)"
	check "beside raw data by the raw ring"
else
	skip "beside raw data by the raw ring" "no module"
fi

rm -f f
want 0 unshare -m sh -c "umount $CG && exec \"\$@\"" sh "$AUXREC" --all-cgroups -a \
	-e cpu-clock -F 100 -o f -- true
said 'all-cgroups: the hierarchy of cgroups is not mounted'
valid f
check "no hierarchy of cgroups is mounted"

# --- snapshots ----------------------------------------------------------------------------

mkdir $CG/short $CG/short/one
launch -q "${BOTH[@]}" --flight=5s -a -e cpu-clock -F 200
cp "$WORK" "$T/gone"
# shellcheck disable=SC2016 # that shell expands them
(inside short/one unshare -u -n -i sh -c \
	'readlink /proc/self/ns/uts >"$0/uts"; echo $$ >"$0/pid"; exec "$0/gone" 100' "$T")
rmdir $CG/short/one $CG/short
a=$(ctl snapshot) || note "$a"
readable "$a"
is_in "$a" gone /short/one
read -r was <"$T/pid"
namespaces "$a" >list
uts=$(printf '%d/0x%x' "$(stat -Lc %d /proc/self/ns/uts)" "$(tr -dc 0-9 <"$T/uts")")
read -r _ net got ipc rest < <(grep "^$was/$was " list | tail -n 1)
read -r net_here _ ipc_here here <<<"$(numbers self)"
[[ $got == "$uts" && $net != "$net_here" && $ipc != "$ipc_here" && $rest == "$here" ]] ||
	note "gone has $net $got $ipc $rest, not $uts; here $net_here, $ipc_here $here"
check "a snapshot tells of a process and a cgroup that are no more"

# Records of tasks and cgroups that live on become part of the state, the older records first.
unshare -i sleep 1000 &
later=$!
await is_program "$later" "$(command -v sleep)"
before=$(status cgroups)
mkdir $CG/later
(inside later "$WORK" 50)
await is_status cgroups $((before + 1))
b=$(ctl snapshot) || note "$b"
readable "$b"
cgroups "$b" | grep -q ' /later$' || note "no /later: $(cgroups "$b")"
cgroups "$b" | grep -q ' /outer/inner$' || note "no /outer/inner: $(cgroups "$b")"
namespaces "$b" >list
for task in "$other" "$later"; do
	grep -qx "$task/$task$(numbers "$task")" list ||
		note "of $task: $(grep "^$task/" list), not $(numbers "$task")"
done
check "and what was told before the oldest record"

want 0 "$AUXREC" merge "$a" "$b" -o merged
readable merged
for what in namespaces cgroups; do
	$what "$a" >la
	$what "$b" >lb
	sort -u la lb >wanted
	$what merged | sort -u >got
	cmp -s wanted got || note "$what: $(diff wanted got | head -n 4)"
done
is_in merged gone /short/one
check "merged they have all of that"

# --- removed cgroups are forgotten --------------------------------------------------

# batches N: make and remove N hundred cgroups, a hundred at a time
batches()
{
	local i

	for ((i = 0; i < $1; i++)); do
		mkdir $CG/many-$i-{1..100}
		rmdir $CG/many-$i-{1..100}
	done
}

# Does the state have few cgroups, or many?
few() { (($(status cgroups) <= FEW)); }
many() { ! few; }

for ((i = 0; i < 3; i++)); do
	batches 4
	# The cgroups come, and stay in the state while there can be samples of them.
	await many
	await few
done
f=$(ctl snapshot)
valid "$f"
cgroups "$f" >list
(($(wc -l <list) <= FEW)) || note "$(wc -l <list) cgroups in the snapshot"
for name in / /outer/inner /later; do
	grep -q " $name\$" list || note "no $name"
done
echo "# $(wc -l <list) cgroups of 1200"
check "cgroups that were removed are forgotten"
land
kill "$other" "$later"
wait "$other" "$later" 2>/dev/null
rmdir $CG/later $CG/outer/inner $CG/outer

# --- version 1 ---------------------------------------------------------------------------

# The version 1 hierarchy takes the controller away from the other hierarchy.
mkdir "$T/v1"
if await mount -t cgroup -o perf_event cgroup "$T/v1"; then
	mkdir "$T/v1/old"
	(echo $BASHPID >"$T/v1/old/tasks" && exec "$AUXREC" -q --all-cgroups -o "$T/f" -a \
		-e cpu-clock -F 200 -- "$WORK" 100) || note "auxrec failed"
	valid "$T/f"
	is_in "$T/f" aux_work /old
	rmdir "$T/v1/old"
	umount "$T/v1"
fi
check "a hierarchy of version 1"

finish
