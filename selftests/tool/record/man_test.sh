#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# man_test.sh [AUXREC]: compare auxrec(1) with auxrec itself. The manual page is written by hand.
# It must describe the options of --help and no others, and auxrec must know all of them. The test
# prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
PAGE=$HERE/../../../Documentation/man/auxrec-record.1

# options: print the options in a text, one a line. Options after "perf COMMAND" are perf's and are
# left out.
options()
{
	sed 's/perf[- ][a-z][a-z]* .*//' |
		grep -oE '(^|[^[:alnum:]-])--?[[:alpha:]][[:alnum:]-]*' |
		grep -oE -- '-.*' | sort -u
}

page() { grep -v '^\.\\"' "$PAGE" | sed 's/\\-/-/g; s/\\[fm]./ /g; s/\\[~c]/ /g'; }

help()
{
	"$AUXREC" --help
	for command in list info check extract ctl merge; do
		"$AUXREC" $command --help
	done
}

page | options >in_page
help | options >in_help
(($(wc -l <in_help) >= 20)) || note "too few options in --help: $(tr '\n' ' ' <in_help)"
lacks=$(comm -13 in_page in_help | tr '\n' ' ')
[[ -z $lacks ]] || note "the page lacks $lacks"
check "every option of --help is in the page"

odd=$(comm -23 in_page in_help | tr '\n' ' ')
[[ -z $odd ]] || note "--help lacks $odd"
check "every option of the page is in --help"

# auxrec gets only the option, without the arguments it needs, so it complains. The test accepts any
# complaint except that the option is unknown. Options of subcommands are left out.
"$AUXREC" --help | sed 's/auxrec extract .*//' | options >own
while read -r option; do
	"$AUXREC" "$option" 2>&1 | grep -q 'unknown option' &&
		note "$option is not known"
done <own
check "auxrec knows every option of --help"

# The other direction: each option in the table in the source must be in --help.
sed -n '/^static const struct option long_options/,/^};/ { /'"'?'"'/d; s/.*{ "\([a-z-]*\)".*/--\1/p }' \
	"$HERE/../../../tool/cli/options.c" | sort >table
(($(wc -l <table) >= 15)) || note "cannot read the table in cli/options.c"
missing=$(comm -23 table own | tr '\n' ' ')
[[ -z $missing ]] || note "--help lacks $missing"
check "every option that auxrec knows is in --help"

# If a command cannot print what a person asked to see, it fails with the status that the manual
# page tells. The stream is the smallest one: auxrec check and auxrec info read it, and print what
# they found.
python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<QQ", 0x32454c4946524550, 16))' >stream
# full STATUS WHAT ARG...: auxrec ARGS must say that it cannot write WHAT
full()
{
	local status=$1 what=$2
	shift 2
	want "$status" "$AUXREC" "$@" >/dev/full
	said "cannot write $what: No space left on device"
}
full 125 "the help" --help
full 125 "the version" --version
full 125 "the help" ctl --help
for command in list info check extract merge; do
	full 2 "the help" $command --help
done
full 2 "the list of events" list
full 2 "the list of events" list --json sw
full 2 "what is in the stream" info stream
full 2 "the findings" check --json stream
full 2 "the rules" check --rules
check "output that cannot be written"

for word in NAME SYNOPSIS DESCRIPTION EVENTS OUTPUT 'EXIT STATUS' FILES EXAMPLES \
	'SEE ALSO'; do
	grep -qx "\.SH $word" "$PAGE" || note "no section $word"
done
check "the sections of a manual page"

if command -v groff >/dev/null; then
	groff -man -Tutf8 -ww "$PAGE" 2>&1 >/dev/null | head -n 5 >warnings
	[[ ! -s warnings ]] || note "$(cat warnings)"
	check "no warning of groff"
else
	skip "no warning of groff" "there is no groff"
fi

finish
