# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# What the tests of recordings share: sourced by them, first of all. They print
# TAP; work in a directory of their own, $T, which goes away with them; and know
#
#   AUXREC   the recorder: the script's first argument, default build/tool/auxrec
#   PERFS    the perfs that have to read its streams: default those of the VMs
#            that are there, else perf

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

# shellcheck disable=SC2016 # for the shell that is recorded
work='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls / >/dev/null'
