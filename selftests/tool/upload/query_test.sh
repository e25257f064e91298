#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# query_test.sh: run packaging/examples/auxrec-gaps.sql with made up lines. Prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/../record/record.sh"
SQL=$HERE/../../../packaging/examples/auxrec-gaps.sql
NS=000000000

command -v sqlite3 >/dev/null || {
	echo "1..0 # SKIP no sqlite3"
	exit 4
}

# trigger KIND SECOND: a trigger
trigger() { printf '{"name":"a \\"b\\", c","kind":"%s","time":%s}' "$1" "$2$NS"; }

# line_of TRIGGERS BUILD MACHINE BEGIN END: a line with these triggers, and a loss
line_of()
{
	printf '{"machine_id":"%s","triggers":[%s],' "$3" "$1"
	printf '"losses":[{"begin":0,"end":1},{"cause":"raw ring full","begin":%s,"end":%s}],' "$4" "$5"
	printf '"builds":[{"path":"/usr/bin/shop","build_id":"%s"},{"path":"/lib/c","build_id":"c"}]}\n' "$2"
}

# line KIND BUILD MACHINE BEGIN END: a line with a trigger at 10 s, and a loss
line() { line_of "$(trigger "$1" 10)" "${@:2}"; }

{
	line crash old m1 9500000000 9600000000
	line crash old m2 1000000000 9000000000		# ends at the begin of the last second
	line crash old m2 10000000000 20000000000	# begins with the trigger
	line crash new m1 1000000000 8999999999		# ended before
	line crash new m1 10000000001 10000000002	# begins after the trigger
	line socket new m1 9500000000 9600000000	# no crash
	line crash other m1 9999999999 9999999999
	# A request shares the snapshot of a crash, before the loss and at it.
	line_of "$(trigger socket 5),$(trigger crash 10)" both m1 9500000000 9600000000
	line_of "$(trigger socket 10),$(trigger crash 20)" new m1 9500000000 9600000000
	# A crash of the machine has cut this line.
	line crash new m1 9500000000 9600000000 | cut -c 1-90
	printf '{"machine_id":"m1","triggers":[%s],"losses":[],"builds":[]}\n' "$(trigger crash 5)"
} | sed 's/[[:blank:]]*#.*//' >lines.jsonl
sqlite3 :memory: <"$SQL" >out 2>err || note "sqlite3: $(head -n 1 err)"
[[ ! -s err ]] || note "$(head -n 1 err)"
tail -n +3 out | awk '{ print $1, $2, $3, $4 }' >got
printf '%s\n' '/usr/bin/shop old 3 2' '/usr/bin/shop both 1 1' '/usr/bin/shop other 1 1' >wanted
cmp -s got wanted || note "$(tr '\n' '|' <out)"
check "builds that crashed with a gap in the last second"

finish
