# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Functions and variables that the tests of recordings share. A test sources this file before all
# else. It prints TAP and works in a directory of its own, $T, which is removed when the test ends.
# The variables are:
#
#   AUXREC   the recorder: the script's first argument, default build/tool/auxrec
#   PERFS    the perfs that must read auxrec's streams: by default those that are installed of
#            perf-VERSION for each of selftests/kernels, or perf if there are none
#   AUXGEN   the PMU of auxgen.ko that the test uses, default auxgen. Tests that run at the same
#            time use different PMUs (pmus=N of the module). $STATS is the file with its counters.
#   SEED     the seed of random numbers, default 1

set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
B=$(readlink -f "${BUILD:-$HERE/../../../build}")
AUXREC=$(readlink -f "${1:-$B/tool/auxrec}")
T=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 2

if [[ -z ${PERFS-} ]]; then
	PERFS=
	for v in $("$HERE/../../kernels"); do
		command -v "perf-$v" >/dev/null && PERFS+=" perf-$v"
	done
	PERFS=${PERFS:-perf}
fi

AUXGEN=${AUXGEN:-auxgen}
STATS=/sys/bus/event_source/devices/$AUXGEN/stats

SEED=${SEED:-1}
RANDOM=$SEED
echo "# SEED=$SEED"

n=0 failed=0 why=
note() { why+="# $*"$'\n'; }

# check NAME: report the test NAME. It fails if note() was called since the last check().
check()
{
	n=$((n + 1))
	if [[ -z $why ]]; then
		echo "ok $n $1"
	else
		echo "not ok $n $1"
		printf '%s' "$why"
		failed=$((failed + 1))
	fi
	why=
}

skip() { n=$((n + 1)); why=; echo "ok $n $1 # SKIP $2"; }

# finish: print the plan and exit. This is the last line of a script.
finish()
{
	echo "1..$n"
	exit $((failed > 0))
}

# enough: with SHORT, end the test after the parts that concern every recording, because `make
# check` must run all tests within a quarter of an hour. The matrix runs the other parts too.
enough()
{
	[[ ! ${SHORT-} ]] || finish
}

# want STATUS CMD...: CMD must exit with STATUS. Its stderr goes to $T/err.
want()
{
	local want=$1 got
	shift
	"$@" 2>"$T/err"
	got=$?
	[[ $got == "$want" ]] ||
		note "status $got, not $want: $* ($(tail -n 1 "$T/err"))"
}

valid()
{
	"$AUXREC" check "$1" >"$T/check" || note "$(head -n 3 "$T/check")"
}

said() { grep -q -- "$1" "$T/err" || note "no '$1' in: $(cat "$T/err")"; }

# unsaid FILE PATTERN WHAT: FILE, the stderr of a perf, must contain no messages. Allowed are those
# that match PATTERN, if it is not empty, and those that are not about the stream: perf's tips file.
unsaid()
{
	grep -v -e '^$' -e '^Warning:$' -e tips.txt -e "${2:-^$}" "$1" \
		>"$T/unsaid" || return
	note "$3: $(head -n 3 "$T/unsaid" | tr '\n' '|')"
}

# quiet CMD...: CMD must succeed and print nothing on stderr. Its stdout goes to $T/out.
quiet()
{
	"$@" >"$T/out" 2>"$T/err" || note "$* failed"
	unsaid "$T/err" '' "$*"
}

# has_bytes PID N: wait until f has N bytes, the process has ended, or 30 s are over
has_bytes()
{
	local end=$((SECONDS + 30))
	while ((SECONDS < end)) && kill -0 "$1" 2>/dev/null; do
		[[ $(stat -c %s f 2>/dev/null || echo 0) -lt $2 ]] || return
	done
}

# kills TIMES KIB ARGS...: record to f TIMES times. Each time, auxrec and its command are killed
# when f has a random size of at most KIB KiB. f must then be valid or end within a record. If f
# ends after a record, $KILLED is called. At least one of the files must not be empty.
kills()
{
	local times=$1 kib=$2 i pid rc some=0
	shift 2
	for ((i = 1; i <= times; i++)); do
		rm -f f
		setsid "$AUXREC" -q -o f "$@" &
		pid=$!
		has_bytes $pid $((kib * 1024 * (RANDOM % 1000) / 1000))
		# Kill the whole process group with one signal; otherwise a process that auxrec
		# has just started would survive. The group exists when setsid has run.
		until kill -9 -- -$pid 2>/dev/null; do
			kill -0 $pid 2>/dev/null || break
		done
		wait 2>/dev/null
		[[ -s f ]] || continue
		some=$((some + 1))
		"$AUXREC" check --quiet f
		rc=$?
		# 3: the file ends in the middle of the record that was being written
		[[ $rc == 0 || $rc == 3 ]] || note "kill $i: status $rc"
		[[ $rc != 0 ]] || ${KILLED-}
	done
	((some > 0)) || note "nothing was written before any of $times kills"
}

# shellcheck disable=SC2016 # for the shell that is recorded
work='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls / >/dev/null'
