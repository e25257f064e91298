#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test auxrec -e intel_pt// with softpt from end to end: stock perf and libipt, which are
# independent of this project, must decode the instructions that really ran. The test runs in a
# VM, as root.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/../../softpt/guest.sh"

# record ARGS...: record to the file f
record()
{
	rm -f f
	clean "$AUXREC" -o f "$@" </dev/null >stdout 2>err || note "status $?: $(cat err)"
	grep -q LOST err && note "$(grep LOST err)"
	valid f
}

# Messages that perf prints for every Intel PT trace from a pipe, and about the kernel it runs in
known=(-e 'Intel PT with pipe mode is not recommended' -e 'The output cannot relied upon'
	-e 'timestamps and the order of events may be incorrect' -e '^ *$'
	-e 'perf.data is missing HEADER_NRCPUS')

# pt CMD...: CMD must succeed and report no problem. Its output is in the file "got".
pt()
{
	"$@" >got 2>perr || note "$*: status $?: $(tail -n 2 perr)"
	grep -v "${known[@]}" perr >rest && note "$*: $(head -n 3 rest | tr '\n' '|')"
	grep -v 'Total Lost Samples: 0' got | grep -m 3 -iE 'instruction trace error|lost' >rest &&
		note "$*: $(tr '\n' '|' <rest)"
	[[ -s got || $2 == inject ]] || note "$*: nothing"
}

# ips FILE: print the addresses in the output of perf script -F ip, one a line. Equal addresses in a
# row are printed once, because some decoders report an instruction with REP once and others several
# times.
ips() { awk '{ print $1 }' "$1" | uniq; }

# ground CMD...: write the addresses of the instructions that CMD executes to the file "truth". They
# come from ptrace alone.
ground()
{
	rm -rf stepped
	clean "$SPT/stepper" stepped "$@" </dev/null >/dev/null 2>err ||
		note "stepper: $? $(cat err)"
	od -An -v -t x8 -w8 stepped/0.ips | sed 's/^ *0*//' | uniq >truth
}

# same WHAT FILE: FILE must be equal to the file "truth"
same()
{
	cmp -s truth "$2" && return
	note "$1: $(wc -l <truth) and $(wc -l <"$2") instructions, first difference" \
		"$(paste truth "$2" | awk '$1 != $2 { print NR ": " $1, $2; exit }')"
}

# both COMMAND ARGS...: perf COMMAND must print the same for f as a file and from a pipe
both()
{
	pt "$PERF" "$1" -i f "${@:2}"
	mv got file
	pt "$PERF" "$1" -i - "${@:2}" < <(cat f)
	cmp -s <(grep -v '^#' file) <(grep -v '^#' got) || note "$*: file and pipe differ"
}

# readable PERIOD [all]: perf must read f in several ways, as a file and from a pipe. perf inject
# reads only the file, because it loses its place in every Intel PT trace from a pipe. If neither
# FULL nor "all" is given, perf only decodes the branches.
readable()
{
	local fields=comm,pid,tid,time,ip,sym

	both script --itrace=bep -F $fields
	[[ ${FULL-} || ${2-} ]] || return 0
	both script --itrace=cr -F $fields
	both report --itrace="$1" --stdio
	rm -f injected
	pt "$PERF" inject -i f --itrace=i1000i -o injected
	pt "$PERF" script -i injected -F comm,tid,ip
}

# pt_info FILE: print the AUXTRACE_INFO that decoders use. For TSC:CTC, perf 7.2 reads a CPUID leaf
# that QEMU's processor does not have and gets the values of another leaf, so TSC:CTC is left out.
pt_info()
{
	"$PERF" script -D -i - <"$1" 2>/dev/null | grep -a -A19 'AUXTRACE_INFO type' |
		grep -a '^  ' | grep -v TSC:CTC
}

# Terms and options that softpt does not support
want 125 "$AUXREC" -o f -e intel_pt//k -- true
said 'softpt.*cannot trace the kernel, record with :u'
want 125 "$AUXREC" -o f -e intel_pt// --kernel -- true
said 'softpt.*cannot trace the kernel, leave --kernel out'
want 125 "$AUXREC" -o f -e intel_pt//u -a -- true
said 'softpt.*cannot trace whole CPUs.*-p, or a command'
want 125 "$AUXREC" -o f -e intel_pt//u -C 0 -- true
said 'softpt.*cannot trace whole CPUs'
want 125 "$AUXREC" -o f -e intel_pt//u -p "$(pgrep -x kthreadd)"
said 'softpt.*cannot trace 2, which is a thread of the kernel'
want 125 "$AUXREC" -o f -e intel_pt/cyc/u -- true
said "no term 'cyc'; it has: branch .*noretcomp .*tsc"
want 125 "$AUXREC" -o f -e intel_pt//u -e intel_pt/noretcomp/u -- true
said 'only one event of Intel PT'
three="filter add @ $SPT/work-static,filter xor @ $SPT/work-static,filter 0/1 @ $SPT/work-static"
for filter in "start recurse @ $SPT/work-static" "$three"; do
	want 125 "$AUXREC" -o f -e intel_pt//u --filter "$filter" -- true
	said 'cannot do the filter.*too many ranges, a single address'
done
want 125 "$AUXREC" -o f -e intel_pt/branch=0/u -- true
said 'its PMU refuses the term branch=0: leave it out'
want 0 "$AUXREC" -o f -e intel_pt// -- true
said 'softpt here, which traces user space only'
[[ $(grep -c 'user space only' err) == 1 ]] || note "said more than once: $(cat err)"
want 0 "$AUXREC" -o f -e intel_pt//u -- true
grep -q 'user space only' err && note "said though it was asked for"
check "what softpt cannot do"

ground "$SPT/work-static" all
image "$SPT/work-static" >code
for term in '' noretcomp tsc=0; do
	record -e "intel_pt/$term/u" -- "$SPT/work-static" all
	pt "$PERF" script -i f --itrace=i0ns -F ip
	ips got >flow
	same "$PERF, file" flow
	pt "$PERF" script -i - --itrace=i0ns -F ip < <(cat f)
	ips got >flow
	same "$PERF, pipe" flow
	rm -rf extracted
	want 0 "$AUXREC" extract --aux f extracted
	[[ $(grep -c ^queue extracted/index) == 1 ]] || note "$(cat extracted/index)"
	"$SPT/guest/decode" extracted/*.pt code >ipt 2>err || note "libipt: $(cat err)"
	uniq ipt >flow
	same libipt flow
	check "the $(wc -l <truth) instructions of a program, intel_pt/$term/"
	[[ ! ${SHORT-} ]] || break
done

record -e intel_pt//u -- "$SPT/work-static" all
readable i1000i
# The next two commands read the file only. The cases after this one compare file and pipe.
pt "$PERF" script -i f --insn-trace
[[ $(grep -c insn: got) -ge $(wc -l <truth) ]] ||
	note "--insn-trace: $(grep -c insn: got) of $(wc -l <truth) instructions"
pt "$PERF" script -i f --call-trace
grep -q recurse got || note "no function in its calls"
check "a static program, with all that perf has"

clean "$AUXREC" -q -o - -e intel_pt//u -- "$SPT/work-static" all 2>err | cat >f
valid f
pt "$PERF" script -i f --itrace=i0ns -F ip
ips got >flow
same "$PERF, recorded into a pipe" flow
check "a recording into a pipe"
enough

record -e intel_pt//u -- "$SPT/work" all
readable i1000i all
check "a dynamic program"

record -e intel_pt//u -- "$SPT/work" threads
readable i1000i
want 0 "$AUXREC" extract --aux f threads
[[ $(grep -c ^queue threads/index) -ge 3 ]] || note "queues: $(cat threads/index)"
check "threads"

record -e intel_pt//u -- "$SPT/work" fork
readable i1000i
check "children"

record -e intel_pt//u -- sh -c 'seq 5 | sort >/dev/null'
readable i1000i
check "a shell, pipes, other programs"

# Only the function "recurse" is traced.
record -e intel_pt//u --filter "filter recurse @ $SPT/work-static" -- "$SPT/work-static" all
pt "$PERF" script -i f --itrace=i0ns -F ip,sym
[[ $(awk '{ print $2 }' got | sort -u) == recurse ]] ||
	note "in the filter: $(awk '{ print $2 }' got | sort | uniq -c | sort -rn | head -n 4)"
check "an address filter"

# Both ranges of two filters are traced. At a tracestop range the trace ends.
record -e intel_pt//u --filter "filter add @ $SPT/work-static" \
	--filter "filter xor @ $SPT/work-static" -- "$SPT/work-static" calls
pt "$PERF" script -i f --itrace=i0ns -F ip,sym
[[ $(awk '{ print $2 }' got | sort -u | tr '\n' ' ') == "add xor " ]] ||
	note "in the filters: $(awk '{ print $2 }' got | sort | uniq -c | sort -rn | head -n 4)"
record -e intel_pt//u --filter "tracestop xor @ $SPT/work-static" -- "$SPT/work-static" calls
pt "$PERF" script -i f --itrace=i0ns -F ip,sym
[[ $(awk '$2 == "add" || $2 == "xor" { print $2 }' got | sort -u) == add ]] ||
	note "before the stop: $(awk '{ print $2 }' got | sort | uniq -c | sort -rn | head -n 4)"
check "two ranges, and one to stop at"

for filter in '' "filter recurse @ $SPT/work-static"; do
	args=(-e intel_pt/noretcomp/u ${filter:+--filter "$filter"})
	record "${args[@]}" -- "$SPT/work-static" nothing
	pt_info f >ours
	clean "$(command -v "$PERF")" record -o - --per-thread "${args[@]}" -- \
		"$SPT/work-static" nothing 2>/dev/null >stock
	pt_info stock >theirs
	[[ -s ours ]] || note "no AUXTRACE_INFO"
	diff theirs ours >differ || note "$(head -n 4 differ | tr '\n' '|')"
	[[ -z $filter ]] || grep -q "filter 0x.*work-static" ours || note "no filter"
	check "decoders are told what perf record tells them, filter '$filter'"
done

# A large trace goes to a pool that has room for all of it. A segment of one page is full before
# the reader is woken.
ground "$SPT/work-static" calls
image "$SPT/work-static" >code
for pool in 4Kx128 16Kx32; do
	record -m ,$pool -e intel_pt//u -- "$SPT/work-static" calls
	rm -rf extracted
	want 0 "$AUXREC" extract --aux f extracted
	grep '^gap [1-9]' extracted/index >places && note "$(wc -l <places) gaps: $(head -n 1 places)"
	[[ $(stat -c %s extracted/*.pt) -gt 16384 ]] || note "only $(stat -c %s extracted/*.pt) bytes"
	"$SPT/guest/decode" extracted/*.pt code >ipt 2>err || note "libipt: $(head -n 2 err)"
	uniq ipt >flow
	same libipt flow
	pt "$PERF" script -i f --itrace=b -F ip
	check "a pool of $pool, without loss"
done

# stock ARGS...: record with perf record and its own AUX area. The file "truncated" gets the number
# of AUX records that tell of lost data because the reader did not keep up.
stock()
{
	rm -f f
	clean "$(command -v "$PERF")" record -o f --per-thread -e intel_pt//u "$@" \
		>stdout 2>err </dev/null || note "$PERF record: status $?: $(tail -n 2 err)"
	"$PERF" script -D -i f 2>/dev/null | grep -ac 'PERF_RECORD_AUX .*flags.*T' >truncated
	"$PERF" script -i f --itrace=i0nse -F ip,sym >got 2>perr ||
		note "$PERF script: status $?: $(tail -n 2 perr)"
}

# part WHERE FILE: FILE must be a contiguous part of the file "truth". If WHERE is "end", FILE must
# be its last part.
part()
{
	[[ $(wc -l <"$2") -gt 1000 ]] || note "only $(wc -l <"$2") instructions"
	[[ $1 != end ]] || tail -n "$(wc -l <"$2")" truth | cmp -s - "$2" ||
		note "not the last instructions"
	python3 -c 'import sys; a, b = (open(f).read() for f in sys.argv[1:]);
sys.exit("\n" + b not in "\n" + a)' truth "$2" || note "not one piece of what ran"
}

# An overwrite ring keeps the newest data. A decoder starts at the first PSB of this data.
for nr in 3 4; do
	want 0 "$B/selftests/ring/pt_overwrite" left $nr "$SPT/work-static" calls >lost
	[[ $(cat lost) -ge 2 ]] || note "$(cat lost) segments were overwritten"
	grep -q gap err && note "$(cat err)"
	"$SPT/guest/decode" left code >ipt 2>err || note "libipt: $(head -n 2 err)"
	uniq ipt >flow
	part end flow
	check "an overwrite ring of $nr segments, $(cat lost) overwritten"
done

stock -Se16384 -m ,4 -- "$SPT/work-static" calls
grep -m 1 'instruction trace error' got >rest && note "$(cat rest)"
awk 'NF { print $1 }' got | uniq >flow
part end flow
check "perf record's snapshot at the end"

mv truth calls
ground "$SPT/work-static" calls 100
sort -u truth >known-ips
mv calls truth
(exec setarch -R env -i "$(command -v "$PERF")" record -o f --per-thread -e intel_pt//u \
	-S16384 -m ,4 -- "$SPT/work-static" calls 10000000 >stdout 2>err </dev/null) &
pid=$!
# After 10 ticks of system time the program has written more trace than the area can hold.
for _ in {1..1200}; do
	child=$(pgrep -P $pid work-static)
	[[ $child && $(awk '{ print $15 }' "/proc/$child/stat") -gt 10 ]] && break
	sleep 0.05
done
size=$(stat -c %s f)
kill -USR2 $pid
for _ in {1..1200}; do
	[[ $(stat -c %s f) -gt $size ]] && break
	sleep 0.05
done
kill -INT $pid
wait $pid
"$PERF" script -i f --itrace=i0nse -F ip,sym >got 2>perr || note "$(tail -n 2 perr)"
grep -m 1 'instruction trace error' got >rest && note "$(cat rest)"
awk 'NF { print $1 }' got | uniq >flow
[[ $(wc -l <flow) -gt 1000 ]] || note "only $(wc -l <flow) instructions: $(cat err)"
sort -u flow | comm -23 - known-ips >unknown
[[ -s unknown ]] && note "not in the program: $(head -n 3 unknown | tr '\n' ' ')"
check "perf record's snapshot in the middle"

# Compare only the functions that the loop calls. perf sets environment variables for the program,
# and code that runs before the loop looks at them.
for size in 8 1024; do
	stock -m ,$size -- "$SPT/work-static" calls
	awk '$2 == "add" || $2 == "xor" { print $1 }' got >flow
	sort -u flow | grep -Fxf - truth >inner
	if [[ $(cat truncated) == 0 ]]; then
		[[ -s flow ]] || note "nothing of the loop"
		cmp -s inner flow ||
			note "$(wc -l <flow) of $(wc -l <inner) instructions"
		grep -m 1 'instruction trace error' got >rest && note "$(cat rest)"
	else
		[[ $size == 8 ]] || note "$(cat truncated) pieces are TRUNCATED"
		cmp -s inner flow && note "nothing is missing, but TRUNCATED"
	fi
	check "perf record's area of $size pages: $(cat truncated) times TRUNCATED"
done

# The pool is full in the middle of the trace. Only that part is lost.
GAP=$B/selftests/tool/record/pt_gap
rm -f f
clean "$AUXREC" -o f -m ,4Kx4 -e intel_pt//u -- "$GAP" f >stdout 2>err || note "status $?"
said 'LOST AUX data'
valid f
want 0 "$AUXREC" extract --aux f gaps
grep '^gap [1-9]' gaps/index >places
grep -q 'cause=raw ring full' places || note "no gap: $(cat gaps/index)"
image "$GAP" >code
"$SPT/guest/decode" gaps/*.pt code >ipt 2>errors
# symbol NAME FILE: is the address of the function NAME in FILE, a list of addresses?
symbol() { grep -q "^$(nm "$GAP" | awk -v n="$1" '$3 == n { sub(/^0*/, "", $1); print $1 }')$" "$2"; }
for name in before during after; do
	symbol $name ipt || note "libipt does not find $name"
done
# An error can be only where the data after a gap begin, or at the last packet before the gap.
while read -r where; do
	awk -v e="$((where))" '{ sub(/.*offset=/, ""); if (e >= $1 - 64 && e <= $1 + 64) ok = 1 }
		END { exit !ok }' places || note "libipt: an error at $where, gaps: $(cat places)"
done < <(sed -n 's/.* at offset \(0x[0-9a-f]*\).*/\1/p' errors)
[[ $(wc -l <errors) -le $(wc -l <places) ]] || note "$(wc -l <places) gaps, but $(cat errors)"
check "libipt resumes behind a gap"

"$PERF" script -i f --itrace=i0nse -F tid,time,ip,sym >got 2>perr
for name in before during after; do
	grep -q " $name\$" got || note "perf does not find $name"
done
# perf also prints a gap's own record as a trace error. The decoder can report one error more for
# each gap, because the trace ends and continues elsewhere.
grep 'instruction trace error' got >errors
grep -q 'perfaux: until .*full' errors || note "perf does not tell of the gap: $(head -n 2 errors)"
grep -v perfaux: errors >own
[[ $(wc -l <own) -le $(wc -l <places) ]] ||
	note "$(wc -l <places) gaps, but $(wc -l <own) errors: $(head -n 3 own | tr '\n' '|')"
check "perf resumes behind a gap"

# The same with perf record's own AUX area. The trace continues when the reader continues.
stock -m ,2 -- "$GAP" f
[[ $(cat truncated) -ge 1 ]] || note "nothing is TRUNCATED"
grep -q 'Lost trace data' got || note "perf does not tell of it"
for name in before during after; do
	grep -q " $name\$" got || note "perf does not find $name"
done
grep 'instruction trace error' got | grep -v 'Lost trace data' >own
[[ -s own ]] && note "$(head -n 3 own | tr '\n' '|')"
check "the loss in perf record's own area"

finish
