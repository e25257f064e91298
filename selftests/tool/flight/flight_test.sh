#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flight_test.sh [AUXREC]: a test of a flight recorder's snapshots: their contents, their files,
# merging them, and the daemon. Stock perf reads them. Runs as root; prints TAP.

# shellcheck source=selftests/tool/flight/flight.sh
. "$(dirname "$0")/flight.sh"

id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

# --- a snapshot -----------------------------------------------------------------

launch -a -e sched:sched_switch -e cpu-clock -F 250 --trigger signal=USR1
cp "$WORK" "$T/gone"
for _ in {1..4}; do
	"$WORK" 100
	"$T/gone" 100
done
rm "$T/gone"
kill -USR1 $pid
await there 1
await is_status waiting 0
files
f=${files[0]-none}
[[ ${#files[@]} == 1 && $f =~ ^perf\.data\.sample\.[0-9]{16}$ ]] || note "files: ${files[*]}"
for left in .??*; do
	note "left: $left"
done
check "a signal makes one snapshot, and nothing else"

readable "$f"
check "it is a stream, and perf reads it"

"$PERF" script -i "$f" -F comm,ip,sym,dso >samples 2>err
for name in "$WORK" "$T/gone"; do
	comm=${name##*/}
	nr=$(grep -c "^ *$comm .*($name)\$" samples)
	((nr >= 5)) || note "$nr samples in $name: $(grep -m 3 "^ *$comm " samples)"
done
grep -q "^ *aux_work .* work ($WORK)" samples || note "no symbol: $(grep -m 3 aux_work samples)"
! grep '^ *\(aux_work\|gone\) .*(\[unknown])' samples >unknown ||
	note "$(wc -l <unknown) samples of nothing known: $(head -n 2 unknown)"
check "samples of processes that have exited lie in their programs"

"$PERF" report --stdio -i "$f" --sort comm,dso >sorted 2>said
grep -q "aux_work  *aux_work" sorted || note "$(grep -v '^#' sorted | head -n 5)"
grep -q "gone  *gone" sorted || note "$(grep -v '^#' sorted | head -n 5)"
check "perf report has them"

# --- several snapshots -------------------------------------------------------------

"$WORK" 50
b=$(ctl snapshot) || note "ctl: $b"
a=$f
[[ -s $b && $a != "$b" ]] || note "second: $b"
lines "$a" >la
lines "$b" >lb
(($(sort la lb | uniq -d | wc -l) > 50)) ||
	note "they share $(sort la lb | uniq -d | wc -l) of $(wc -l <la) lines"
want 0 "$AUXREC" merge "$a" "$b" -o merged
valid merged
lines merged | sort >got
sort -u la lb >wanted
cmp -s wanted got || note "$(diff wanted got | head -n 4)"
readable merged
check "two snapshots that overlap are merged, each sample once"

"$WORK" 30
kill -USR1 $pid
await there 3
await is_status waiting 0
files
land_merging
logged 'perf.data: merged from 3 snapshots'
lines "${files[@]}" | sort -u >wanted
lines perf.data | sort >got
cmp -s wanted got || note "$(diff wanted got | head -n 4)"
[[ $(marks perf.data | wc -l) == 3 ]] || note "$(marks perf.data)"
readable perf.data
check "SIGUSR2 makes one stream of all snapshots, and ends"
enough

# The recorder may have days to merge, so it tells a service's manager to wait.
python3 -uc 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(s.recv(4096).decode())' "$T/manager" >"$T/managed" &
manager=$!
await test -S "$T/manager"
LAUNCHER="env NOTIFY_SOCKET=$T/manager" launch -a -e cpu-clock -F 100
f=$(ctl snapshot) || note "$f"
! grep -q EXTEND "$T/managed" || note "not at its end: $(tr '\n' '|' <"$T/managed")"
grep -q '^STATUS=[0-9]* snapshots, 0 failed; the newest [0-9.]* s; 0 records lost$' "$T/managed" ||
	note "not how it is: $(tr '\n' '|' <"$T/managed")"
land_merging
await grep -q '^EXTEND_TIMEOUT_USEC=120000000$' "$T/managed"
kill $manager
wait $manager 2>/dev/null
[[ $(grep -m 3 -v '^STATUS=' "$T/managed" | tr '\n' ' ') == "READY=1 STOPPING=1 EXTEND_TIMEOUT_USEC=120000000 " ]] ||
	note "$(tr '\n' '|' <"$T/managed")"
check "a service that merges at its end is waited for"

# perf buildid-list loses its place in any stream with tracepoints, so this recording has none.
launch -a -e cpu-clock -F 500
cp "$WORK" "$T/gone"
"$WORK" 100
"$T/gone" 100
rm "$T/gone"
f=$(ctl snapshot)
for p in $PERFS; do
	quiet "$p" buildid-list -i "$f"
	for name in "$WORK" "$T/gone"; do
		grep -qx "$(id_of "$WORK") $name" "$T/out" || note "$p has no $(id_of "$WORK") $name: $(head -n 3 "$T/out")"
	done
done
land
check "perf buildid-list has the build-ids of programs that have exited"

launch -a -e cpu-clock -F 100 --json="$T/json"
f=$(ctl snapshot)
land
grep -q "\"bytes\":$(stat -c %s "$f")," "$T/json" || note "$(stat -c %s "$f") bytes: $(<"$T/json")"
check "the summary in JSON has what was written"

launch -a -e cpu-clock -F 100
land_merging
logged 'no snapshot to merge'
[[ ! -e perf.data ]] || note "there is a perf.data"
check "SIGUSR2 without a snapshot"

launch -a -e cpu-clock -F 100
f=$(ctl snapshot)
truncate -s -100 "$f"
echo before >perf.data
kill -USR2 $pid
over 125
[[ $(<perf.data) == before ]] || note "perf.data is not what it was"
[[ ! -e perf.data.old ]] || note "there is a perf.data.old"
check "SIGUSR2 with snapshots that cannot be merged"

launch -a -e cpu-clock -F 100 --trigger signal=USR1,post=3s
from=$(date +%Y%m%d%H%M%S%2N) to=$(date -d '+2 seconds' +%Y%m%d%H%M%S%2N)
kill -USR1 $pid
await there 1
files
land
[[ ${files[0]##*.} > $from && ${files[0]##*.} < $to ]] || note "${files[0]}, not of $from to $to"
check "a snapshot has the time of its trigger in its name, not that of its end"

want 125 "$AUXREC" --flight -a -e cpu-clock --trigger event=page-faults/period=1000/,post=3
said 'post=3 counts segments of a raw ring, and there is none'
check "post=N is refused where there is no raw ring"

want 125 "$AUXREC" snapshot
said 'auxrec ctl PATH snapshot'
check "a request to the recorder without ctl"

# --- other contents of snapshots, and their names -------------------------------------

PROG=$HERE/../record/bpf_prog.py
launch -a -e cpu-clock -F 100
want 0 "$PROG" load inflight sh -c "'$PROG' kernel >k && '$AUXREC' ctl s snapshot >a"
b=$(ctl snapshot)
a=$(<a)
wanted=$(sed -n 's/^id=\([0-9]*\) .*inflight.*/\1/p' k)
[[ $wanted ]] || note "no program: $(<k)"
for f in "$a" "$b"; do
	readable "$f"
	"$PERF" script -i "$f" --show-bpf-events --show-mmap-events >shown 2>/dev/null
	grep -q "PERF_RECORD_BPF_EVENT.* id $wanted\$" shown ||
		note "$f has no program $wanted: $(grep BPF_EVENT shown | tail -n 3)"
	grep -q 'PERF_RECORD_KSYMBOL.*bpf_prog_[0-9a-f]*_main' shown ||
		note "$f has no symbol of it: $(grep KSYMBOL shown | tail -n 3)"
	grep -q 'PERF_RECORD_MMAP.*perfaux' shown ||
		note "$f has no module: $(grep -c PERF_RECORD_MMAP shown) maps"
done
grep -q 'PERF_RECORD_BPF_EVENT type 2, .* id '"$wanted" shown || note "not unloaded in $b"
land
check "programs of BPF and modules are in a snapshot"

mkfifo loaded hold
# With this little memory, no more than 256 KiB of BPF programs may wait.
"$PROG" load --length 1000 --copies 12 many sh -c 'echo >loaded; cat hold' &
holds=$!
read -r _ <loaded
exec {hold}>hold
launch -M 8M -a -e cpu-clock -F 100
f=$(ctl snapshot)
land
exec {hold}>&-
wait $holds || note "the programs cannot be loaded"
"$PROG" stream "$f" >k || note "stream $f"
(($(wc -c <"$f") > 256 << 10)) || note "$(wc -c <"$f") bytes"
[[ $(grep -c ' name=many ' k) == 12 ]] || note "$(grep -c ' name=many ' k) of 12 programs"
check "all BPF programs loaded before, although they are more than may wait at a time"

launch -a -e cpu-clock -F 100 -o rec --name='%o.%n-%s%%' --trigger 'signal=USR1,name=it hangs!'
kill -USR1 $pid
await is_status snapshots 1
ctl snapshot x >/dev/null
land
[[ $(echo rec*) == 'rec.it_hangs_-1% rec.x-2%' ]] || note "files: $(echo ./*)"
readable 'rec.it_hangs_-1%'
check "a pattern of names"

# A process that makes as many system calls as it is told
coproc WORKER { while read -r n; do
	for ((i = 0; i < n; i++)); do : </dev/null; done
	echo
done; }

# In three seconds there are more samples than this memory has room for; then there are none.
# shellcheck disable=SC2153 # coproc sets it
launch -M 8M --flight=3s -p "$WORKER_PID" -e raw_syscalls:sys_enter
end=$(($(uptime) + 90))
until status short | grep -qx '.* s, the memory is full of samples; -M [0-9]*M would do'; do
	(($(uptime) < end)) || { note "never short: $(told)" && break; }
	echo 5000 >&"${WORKER[1]}"
	read -r -u "${WORKER[0]}" _
done
f=$(ctl snapshot)
valid "$f"
"$AUXREC" info "$f" >marks
grep -q 'shorter than --flight asked for: the memory was full of samples; -M [0-9]*M would do' marks ||
	note "$(grep -A 3 '^Snapshots' marks)"
mib=$(sed -n 's/.* -M \([0-9]*\)M would do.*/\1/p' marks)
((mib > 8)) || note "-M ${mib}M would do?"
"$AUXREC" info --json "$f" | grep -q "\"short\": \"samples\", \"memory_wanted\": $((mib << 20))," ||
	note "not in JSON"
await is_status short no
f=$(ctl snapshot)
"$AUXREC" info "$f" | grep 'shorter than' >marks && note "still $(<marks)"
land
kill "$WORKER_PID"
[[ $(grep -c 'the history is shorter than --flight asks for: .* samples; -M' "$T/log") == 1 ]] ||
	note "not once: $(tail -n 5 "$T/log")"
[[ $(grep -c 'the history is as long as --flight asks for again' "$T/log") == 1 ]] ||
	note "not once: $(tail -n 5 "$T/log")"
check "a history that is shorter than its window is told, once"

launch -a --flight=2s -e cpu-clock -F 100
begun=$(uptime)
until (($(uptime) - begun >= 6)); do nap; done
f=$(ctl snapshot)
readable "$f"
land
# The samples are those of the window, and those that came while the snapshot was begun.
"$PERF" script -i "$f" --ns -F time 2>/dev/null | tr -d ': ' | sort -n | sed -n '1p;$p' >ends
awk '{ t[NR] = $1 } END { exit !(t[2] - t[1] > 1.5 && t[2] - t[1] < 3) }' ends ||
	note "from, to: $(tr '\n' ' ' <ends)"
check "a window is as long as was asked for"

# tick US: set the length of CLOCK_MONOTONIC's tick with adjtimex(2): 0x4000 is ADJ_TICK, and 88
# is the offset of the field
tick()
{
	python3 -c 'import ctypes, struct, sys
buf = ctypes.create_string_buffer(208)
struct.pack_into("i", buf, 0, 0x4000)
struct.pack_into("q", buf, 88, int(sys.argv[1]))
sys.exit(ctypes.CDLL(None).adjtimex(buf) < 0)' "$1" || note "the clock cannot be set"
}

# The tick lets the two clocks drift apart as far in 60 s as NTP would in weeks: by more than the
# window's length. Between two looks at perf's clock, 10 s, they drift apart by 1 s; a busy machine
# adds another second.
launch -a --flight=4s -e cpu-clock -F 100
begun=$(uptime)
tick 11000
until (($(uptime) - begun >= 60)); do nap; done
f=$(ctl snapshot)
tick 10000
readable "$f"
land
"$PERF" script -i "$f" --ns -F time 2>/dev/null | tr -d ': ' | sort -n | sed -n '1p;$p' >ends
awk '{ t[NR] = $1 } END { exit !(t[2] - t[1] > 0.6) }' ends || note "from, to: $(tr '\n' ' ' <ends)"
check "a window of a clock that runs at another pace than perf's"

# --- retention ----------------------------------------------------------------------

# snapshots NAME...: take these snapshots one after the other
snapshots()
{
	local name

	for name; do
		ctl snapshot "$name" >/dev/null || note "$name failed"
	done
}

# names: print the names of the existing snapshots, in the order in which they came
names()
{
	files
	for f in "${files[@]}"; do
		mark "$f" name
	done | tr '\n' ' '
}

# shellcheck disable=SC2317 # called by await; snapshots that must go are removed after the answer
are() { [[ $(names) == "$1" ]]; }

launch -a -e cpu-clock -F 100 --keep=2
snapshots a b c d
await are "c d " || note "there are $(names)"
await is_status removed 2 || note "$(status removed) removed"
logged "$PWD/perf.data.sample.[0-9-]* removed: --keep=2"
check "--keep keeps the newest"

# Set the clock back by a day, and forward again.
day=$((24 * 3600))
now=$(date +%s)
date -s "@$((now - day))" >/dev/null
snapshots e
await are "d e " || note "a day back: $(names)"
snapshots f
await are "e f " || note "a day back: $(names)"
date -s "@$((now + 60))" >/dev/null
snapshots g
await are "f g " || note "forth again: $(names)"
files
for f in "${files[@]}"; do
	valid "$f"
done
land
check "a clock that is set back and forth: the newest are kept"

launch -a -e cpu-clock -F 100
now=$(date +%s)
date -s "@$((now - day))" >/dev/null
snapshots a
date -s "@$((now - day))" >/dev/null
snapshots b
date -s "@$((now - day))" >/dev/null
snapshots c
date -s "@$now" >/dev/null
snapshots d
[[ $(names) == "a b c d " ]] || note "there are $(names)"
land_merging
readable perf.data
check "and no file takes another one's name"

# Waiting and limits use a clock that nobody sets. A day later no snapshot is too old, because the
# recorder knows for how long this run has had them.
step() { date -s "@$(($(date +%s) + $1))" >/dev/null; }
launch -a -e cpu-clock -F 100 --keep-age=1h --trigger signal=USR1,rate=1/h,name=rated \
	--trigger signal=RTMIN,rate=1/500ms,name=soon --trigger signal=RTMIN+1,post=1s,name=later
kill -USR1 $pid
await is_status 'trigger rated' '1 taken, 0 suppressed'
i=0
for by in $day -$((2 * day)); do
	i=$((i + 1))
	kill -RTMIN+1 $pid
	await is_status 'trigger later' "$i taken, 0 suppressed"
	step "$by"
	await is_status waiting 0
	f=$(status last)
	valid "$f"
	post=$(($(mark "$f" end) - $(mark "$f" trigger)))
	[[ $(mark "$f" name) == later ]] || note "by $by s: the last is $(marks "$f")"
	((post >= 900000000 && post < 30000000000)) || note "by $by s: post= is $post ns"
	kill -RTMIN $pid
	await is_status 'trigger soon' "$i taken, 0 suppressed"
	kill -USR1 $pid
	await is_status 'trigger rated' "1 taken, $i suppressed"
done
await is_status waiting 0
step $day
there 5 || note "there are $(names)"
is_status removed 0 || note "$(told)"
land
logged '^auxrec: 5 snapshots, .* the slowest was on disk [1-9]\{0,1\}[0-9]\.'
check "a clock that is set: post= and rate= are as long as ever, and so is --keep-age"

# sized NAME...: take these snapshots one after the other; their sizes are in $sizes. The newest
# is never removed.
sizes=()
sized()
{
	local name f

	for name; do
		f=$(ctl snapshot "$name") || note "$name failed"
		sizes+=("$name $(stat -c %s "$f")")
	done
}

# kept LIMIT: print the names of the newest snapshots that together are not larger than LIMIT. Their
# sizes alone tell which ones.
kept()
{
	local i sum=0 names=

	for ((i = ${#sizes[@]} - 1; i >= 0; i--)); do
		sum=$((sum + ${sizes[i]#* }))
		((sum <= $1 || i == ${#sizes[@]} - 1)) || break
		names="${sizes[i]% *} $names"
	done
	echo "$names"
}
# shellcheck disable=SC2317 # called by await
are_kept() { [[ $(names) == "$(kept "$limit")" ]]; }

launch -a -e cpu-clock -F 100
sized a
land
limit=$((${sizes[0]#* } * 5 / 2))
start -a -e cpu-clock -F 100 --keep-bytes=$limit
for name in b c d e f; do
	sized $name
	# After each snapshot, those that must go are gone, and no others.
	await are_kept || note "of ${sizes[*]}, $limit bytes, there are $(names)"
	await is_status removed $((${#sizes[@]} - $(kept $limit | wc -w))) ||
		note "$(status removed) removed, of ${sizes[*]}"
done
land
are_kept || note "at the end: $(names)"
check "--keep-bytes, with those of the run before"

# --- the daemon ----------------------------------------------------------------------

cd "$T" && rm -rf d && mkdir d && cd d || exit 2
want 0 "$AUXREC" --flight --trigger socket=s --daemon --pid-file pid --log log \
	-a -e cpu-clock -F 500
ctl status >out || note "does not record when it returns"
pid=$(cat pid)
[[ $(cat /proc/"$pid"/comm) == auxrec ]] || note "pid $pid is $(cat /proc/"$pid"/comm)"
kill -HUP "$pid"
"$WORK" 30
f=$(ctl snapshot alive) || note "no snapshot after SIGHUP: $(cat log)"
readable "$f"
[[ $(mark "$f" name) == alive ]] || note "$(marks "$f")"
check "--daemon returns when it records, and survives SIGHUP"

want 0 ctl stop
await is_gone "$pid"
[[ ! -e pid ]] || note "the pid file is left"
[[ ! -e s ]] || note "the socket is left"
pid=
grep -q '1 snapshots' log || note "the log: $(cat log)"
check "ctl stop ends it, and its files are gone"

# --- a terminal that is closed -----------------------------------------------------------

# A shell has one recorder in the foreground. The process that starts the daemon is in the same
# process group.
cd "$T" && rm -rf d && mkdir d && cd d || exit 2
cat >"$T/both" <<-EOF
	'$AUXREC' --flight --trigger socket=daemon --daemon --pid-file pid --log log \\
		-a -e cpu-clock -F 500
	echo \$\$ >recorder
	exec '$AUXREC' --flight --trigger socket=s --trigger signal=USR1,post=1h \\
		-a -e cpu-clock -F 500
EOF
mkfifo "$T/keys"
env -u HISTFILE "$ACTOR" terminal bash --norc --noediting -i <"$T/keys" >"$T/typist" 2>&1 &
typist=$!
exec {keys}>"$T/keys"
echo "sh '$T/both'" >&"$keys"
await ctl status
kill -USR1 "$(<recorder)"
await is_status waiting 1
exec {keys}>&-
await is_gone "$(<recorder)"
wait $typist
f=$(of signal-USR1) || note "no snapshot"
valid "$f"
[[ ! -e s ]] || note "its socket is left"
check "a terminal that is closed ends it, and the requested snapshots are written"

pid=$(<pid)
f=$("$AUXREC" ctl daemon snapshot alive) || note "no snapshot: $(cat log)"
valid "$f"
[[ $(mark "$f" name) == alive ]] || note "$(marks "$f")"
[[ $(readlink /proc/"$pid"/fd/*) != */dev/pts* ]] || note "it has the terminal open"
want 0 "$AUXREC" ctl daemon stop
await is_gone "$pid"
pid=
check "and a daemon that was started there goes on"

# When the shell ends, it sends SIGHUP to its jobs, and then the kernel sends SIGHUP to the
# foreground group.
# shellcheck disable=SC2317 # called by await
# has_seen: has the recorder taken all signals that were sent to it?
has_seen() { grep -q '^ShdPnd:.*\<0*$' "/proc/$pid/status"; }
launch -a -e cpu-clock -F 500 --trigger signal=USR1
catch 0
for _ in 1 2; do
	kill -HUP $pid
	await has_seen
done
kill -CONT "$writer"
over 0
f=$(of signal-USR1) || note "no snapshot: $(tail -n 3 "$T/log")"
valid "$f"
check "a second SIGHUP gives up nothing"

finish
