#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# query_test.sh: run packaging/examples/auxrec-gaps.sql with made up lines. Prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/../record/record.sh"
SQL=$HERE/../../../packaging/examples/auxrec-gaps.sql
SECOND=1000000000

command -v sqlite3 >/dev/null || {
	echo "1..0 # SKIP no sqlite3"
	exit 4
}

# line KIND BUILD MACHINE BEGIN END: a line with a trigger at 10 s, and a loss
line()
{
	printf '{"machine_id":"%s","trigger":{"name":"a \\"b\\", c","kind":"%s","time":%s},' \
		"$3" "$1" ${SECOND}0
	printf '"losses":[{"begin":0,"end":1},{"cause":"raw ring full","begin":%s,"end":%s}],' "$4" "$5"
	printf '"builds":[{"path":"/usr/bin/shop","build_id":"%s"},{"path":"/lib/c","build_id":"c"}]}\n' "$2"
}

{
	line crash old m1 9500000000 9600000000
	line crash old m2 1000000000 9000000000		# ends at the begin of the last second
	line crash old m2 10000000000 20000000000	# begins with the trigger
	line crash new m1 1000000000 8999999999		# ended before
	line crash new m1 10000000001 10000000002	# begins after the trigger
	line socket new m1 9500000000 9600000000	# no crash
	line crash other m1 9999999999 9999999999
	printf '{"machine_id":"m1","trigger":{"kind":"crash","time":5},"losses":[],"builds":[]}\n'
} | sed 's/[[:blank:]]*#.*//' >lines.jsonl
sqlite3 :memory: <"$SQL" >out 2>err || note "sqlite3: $(head -n 1 err)"
[[ ! -s err ]] || note "$(head -n 1 err)"
tail -n +3 out | awk '{ print $1, $2, $3, $4 }' >got
printf '%s\n' '/usr/bin/shop old 3 2' '/usr/bin/shop other 1 1' >wanted
cmp -s got wanted || note "$(tr '\n' '|' <out)"
check "builds that crashed with a gap in the last second"

finish
