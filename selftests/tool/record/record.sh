# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# What the tests of recordings share: sourced by them, first of all. They print
# TAP; work in a directory of their own, $T, which goes away with them; and know
#
#   AUXREC   the recorder: the script's first argument, default build/tool/auxrec
#   PERFS    the perfs that have to read its streams: default those of the VMs
#            that are there, else perf
#   AUXGEN   the PMU of auxgen.ko that is theirs: default auxgen. Those who run at the
#            same time have others (pmus=N of the module); $STATS: what it counts
#   SEED     of what they choose at random: default 1

set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
B=$(readlink -f "${BUILD:-$HERE/../../../build}")
AUXREC=$(readlink -f "${1:-$B/tool/auxrec}")
T=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 2

if [[ -z ${PERFS-} ]]; then
	PERFS=
	for p in perf-6.1 perf-6.12 perf-7.2; do
		command -v "$p" >/dev/null && PERFS+=" $p"
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

# check NAME: reports what note() collected since the last one
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

# the last line of a script
finish()
{
	echo "1..$n"
	exit $((failed > 0))
}

# `make check` has a quarter of an hour for everything: with SHORT a suite ends here, behind
# what every recording does. The matrix goes on.
enough()
{
	[[ ! ${SHORT-} ]] || finish
}

# want STATUS CMD...
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

# unsaid FILE [PATTERN]: notes what a perf said on stderr, apart from PATTERN,
# which it may say, and what is not about the stream: perf's own tips file.
unsaid()
{
	grep -v -e '^$' -e '^Warning:$' -e tips.txt -e "${2:-^$}" "$1" \
		>"$T/unsaid" || return
	note "$3: $(head -n 3 "$T/unsaid" | tr '\n' '|')"
}

# quiet CMD...: succeeds with nothing on stderr; stdout is in $T/out
quiet()
{
	"$@" >"$T/out" 2>"$T/err" || note "$* failed"
	unsaid "$T/err" '' "$*"
}

# has_bytes PID N: waits until there are so many in f, or the process has ended.
has_bytes()
{
	local end=$((SECONDS + 30))
	while ((SECONDS < end)) && kill -0 "$1" 2>/dev/null; do
		[[ $(stat -c %s f 2>/dev/null || echo 0) -lt $2 ]] || return
	done
}

# kills TIMES KIB ARGS...: records to f, each time until auxrec and its command are
# killed when a random part of so many KiB is there; that must be valid, and is looked
# at by $KILLED if it is whole. Some of it must be anything.
kills()
{
	local times=$1 kib=$2 i pid rc some=0
	shift 2
	for ((i = 1; i <= times; i++)); do
		rm -f f
		setsid "$AUXREC" -q -o f "$@" &
		pid=$!
		has_bytes $pid $((kib * 1024 * (RANDOM % 1000) / 1000))
		# Both at once: what auxrec starts meanwhile would run on for good. The
		# group is there as soon as setsid has begun.
		until kill -9 -- -$pid 2>/dev/null; do
			kill -0 $pid 2>/dev/null || break
		done
		wait 2>/dev/null
		[[ -s f ]] || continue
		some=$((some + 1))
		"$AUXREC" check --quiet f
		rc=$?
		# 3: cut in the middle of the record that was being written
		[[ $rc == 0 || $rc == 3 ]] || note "kill $i: status $rc"
		[[ $rc != 0 ]] || ${KILLED-}
	done
	((some > 0)) || note "nothing was written before any of $times kills"
}

# shellcheck disable=SC2016 # for the shell that is recorded
work='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls / >/dev/null'
