# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions of the suites that record odd programs with softpt in a virtual machine.
# The suites source this file. They work like selftests/tool/record/record.sh, and
# have
#
#   P	the programs (selftests/softpt/programs)
#
# Two sources tell what ran, and neither knows about packets: stepper, and the
# program itself, which counts how often it passes its marks (programs/mark.h).

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tool/record/record.sh"
SPT=$B/selftests/softpt
P=$SPT/programs
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
PERF=${PERFS%% *}
PERF=${PERF:-perf}
trap 'cd /; rm -rf "$T"; rmmod softpt' EXIT

# Run with the same environment and addresses each time.
clean() { setarch -R env -i LC_ALL=C PATH=/usr/bin:/bin "$@"; }

# rounds N: print N, or in the short form a quarter of N, as rounds() of selftests/rounds.h
rounds() { [[ ${SHORT-} ]] && echo $(($1 / 4)) || echo "$1"; }

# record CMD...: record to f, also with EVENTS; the command's output goes to stdout.
# A timeout is reported.
EVENTS=()
record()
{
	rm -f f
	clean timeout 400 "$AUXREC" -o f -e intel_pt//u "${EVENTS[@]}" -- "$@" </dev/null >stdout 2>err ||
		note "$*: status $?: $(tail -n 3 err | tr '\n' '|')"
	grep -q LOST err && note "$(grep LOST err)"
	valid f
}

# image FILE: print where the code of a program that is mapped at fixed addresses is
image()
{
	readelf -Wl "$1" | awk -v f="$1" '$1 == "LOAD" && $0 ~ / E / { print f, $2, $5, $3 }'
}

# images [FILE]: print where the code of all files that were mapped according to f is; FILE has the
# vdso's code
images()
{
	"$PERF" script -i f --show-mmap-events 2>/dev/null | awk -v vdso="${1-}" '
		/PERF_RECORD_MMAP/ && match($0, /\[0x[0-9a-f]+\(0x[0-9a-f]+\) @ [0-9a-fx]+/) {
			split(substr($0, RSTART + 1, RLENGTH - 1), at, /[(]|[)] @ /)
			if ($(NF - 1) !~ /x/)
				next
			if ($NF == "[vdso]" && vdso != "")
				print vdso, "0", at[2], at[1]
			else if ($NF ~ /^\//)
				print $NF, at[3], at[2], at[1]
		}' | sort -u
}

# decode: write the instructions that libipt finds in all queues of f, with the code
# in "code", to "flow"
decode()
{
	local queue

	rm -rf extracted flow
	want 0 "$AUXREC" extract --aux f extracted
	for queue in extracted/*.pt; do
		"$SPT/guest/decode" "$queue" code 2>errors || note "libipt: $(head -n 3 errors | tr '\n' '|')"
	done >flow
}

# marks PROGRAM: check that each mark is in "flow" as often as "stdout" says
marks()
{
	nm "$1" | awk '$3 ~ /^mark_/ { sub(/^0*/, "", $1); print $1, $3 }' >names
	grep -q '^mark_' stdout || note "the program has not counted: $(tail -n 1 stdout)"
	awk 'FILENAME == "names" { name[$1] = $2; next }
		FILENAME == "stdout" { if (/^mark_/) want[$1] += $2; next }
		$1 in name { got[name[$1]]++ }
		END { for (at in name) {
			n = name[at]
			if (want[n] + 0 != got[n] + 0)
				printf "%s: passed %d times, decoded %d\n", n, want[n], got[n]
		} }' names stdout flow >differ
	[[ ! -s differ ]] || note "$(tr '\n' '|' <differ)"
}

# Check that stock perf finds nothing wrong in f.
perf_is_content()
{
	"$PERF" script -i f --itrace=bep -F ip,sym >got 2>perr || note "perf: $(tail -n 2 perr)"
	[[ -s got ]] || note "perf: nothing"
	grep -m 3 -iE 'instruction trace error|lost' got >rest &&
		note "perf: $(grep -ciE 'trace error' got) errors: $(tr '\n' '|' <rest)"
}

# counted PROGRAM ARGS...: record PROGRAM, and check that the trace has what PROGRAM counted
counted()
{
	record "$P/$1" "${@:2}"
	image "$P/$1" >code
	[[ -z ${VDSO-} ]] || images "$VDSO" >>code
	decode
	marks "$P/$1"
}

# stepped PROGRAM ARGS...: the same, and the trace is what stepper finds
stepped()
{
	local status

	rm -rf steps
	clean "$SPT/stepper" steps "$P/$1" "${@:2}" </dev/null >steps.out 2>err
	status=$?
	[[ $status == 0 ]] || note "stepper: $status $(cat err)"
	od -An -v -t x8 -w8 steps/0.ips | sed 's/^ *0*//' | uniq >truth
	uniq flow >found
	cmp -s truth found && return
	note "$(wc -l <truth) and $(wc -l <found) instructions, first difference" \
		"$(paste truth found | awk '$1 != $2 { print NR ": " $1, $2; exit }')"
}

# as_untraced PROGRAM ARGS...: check that PROGRAM printed the same as without softpt
as_untraced()
{
	clean "$P/$1" "${@:2}" </dev/null >expected 2>&1
	cmp -s expected stdout || note "untraced: $(tr '\n' '|' <expected) traced: $(tr '\n' '|' <stdout)"
}

# users: print how many of the tracepoints that softpt uses are in use by anybody,
# from the count of struct tracepoint's static key; print nothing if the count
# cannot be read
users()
{
	python3 - <<-'PYTHON'
	import struct
	names = ["__tracepoint_" + n for n in ("sys_enter", "sys_exit", "signal_deliver")]
	at = {}
	for line in open("/proc/kallsyms"):
	    word = line.split()
	    if word[2] in names:
	        at[word[2]] = int(word[0], 16)
	try:
	    core = open("/proc/kcore", "rb")
	except OSError:
	    raise SystemExit
	header = struct.unpack("<16sHHIQQQIHHHHHH", core.read(64))
	used = 0
	for i in range(header[10]):
	    core.seek(header[5] + i * header[9])
	    p = struct.unpack("<IIQQQQQQ", core.read(56))
	    for a in at.values():
	        if p[0] == 1 and p[3] <= a < p[3] + p[5]:
	            core.seek(p[2] + a + 8 - p[3])
	            used += struct.unpack("<i", core.read(4))[0] != 0
	print(used if len(at) == 3 else "")
	PYTHON
}

# shellcheck disable=SC2086 # parameters of the module
insmod "$MODULES/softpt.ko" ${SOFTPT-} || exit 2
