#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# replay_test.sh: test that fuzz_ring makes the same calls with the same seed, and that it makes
# the calls of a log. Needs root and the modules. Prints TAP.
# shellcheck disable=SC2317 # most functions are called by check

set -u
fuzz=$(realpath "$(dirname "$0")/../../build/selftests/fuzz-ring/fuzz_ring") || exit 2
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 2
n=0
failed=
calls=600
[[ ! ${SHORT-} ]] || calls=150

# check NAME CMD...: a test that passes if CMD succeeds
check()
{
	local name=$1 ok=ok
	shift
	"$@" >out 2>&1 || { ok="not ok" failed=1; sed 's/^/# /' out | tail -n 20; }
	echo "$ok $((++n)) - $name"
}

# run LOG ARG...: run fuzz_ring, which writes its calls to LOG.
run()
{
	local log=$1
	shift
	"$fuzz" --log "$log" "$@" >run.out 2>&1 || { cat run.out; return 1; }
}

# Compare sorted lines, because threads write them in any order.
same() { cmp <(sort "$1") <(sort "$2"); }
differ() { ! same "$1" "$2" >/dev/null || { echo "$1 and $2 are the same"; return 1; }; }
lines() { [[ $(wc -l <"$1") -eq $2 ]] || { wc -l "$1"; return 1; }; }

finish()
{
	echo "1..$n"
	[[ ! $failed ]]
	exit
}

echo "TAP version 13"
check "calls are written to a file" run a --seed 7 --calls $calls
check "each of them, once" lines a $calls
check "once more" run b --seed 7 --calls $calls
check "the same seed makes the same calls" cmp a b
check "a file's calls" run f --replay a
check "are made in its order" cmp a f
[[ ! ${SHORT-} ]] || finish
check "another seed" run c --seed 8 --calls $calls
check "makes others" differ a c
check "several threads" run d --seed 7 --calls $calls --threads 3
check "several threads, once more" run e --seed 7 --calls $calls --threads 3
check "make the same calls" same d e
sed -n '1~3p' a >some
check "some of them" run g --replay some
check "are made without the others" cmp some g
check "calls of several threads" run h --replay d
check "are made by as many" same d h
finish
