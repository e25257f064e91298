#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# man_test.sh [AUXREC]: compare the manual pages with auxrec itself. The pages are written by hand.
# Each command has a page, which must describe the options of its --help and no others. The test
# prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
MAN=$(cd "$HERE/../../../Documentation/man" && pwd -P)
PAGES=("$MAN"/*.[1-8])

# options: print the options in a text, one a line. Options after "perf COMMAND" are perf's, and
# those after pkg-config its own.
options()
{
	sed -E 's/(^|[^-])perf[- ][a-z]+ .*//; s/pkg-config .*//' |
		grep -oE '(^|[^[:alnum:]-])--?[[:alpha:]][[:alnum:]-]*' |
		grep -oE -- '-.*' | sort -u
}

# text PAGE: print a page without comments and fonts
text() { "$MAN/flatten" "$1" | grep -v '^\.\\"' | sed 's/\\-/-/g; s/\\[fm]./ /g; s/\\[~c]/ /g'; }

# section PAGE NAME: print a section of a page
section() { text "$1" | awk -v name="$2" '/^\.SH / { is = $0 == ".SH " name; next } is'; }

# described PAGE: print the options that have a paragraph of their own in the section OPTIONS
described() { section "$1" OPTIONS | grep -A 1 '^\.TP$' | options; }

# offered [COMMAND]: print the options in the lines of the help that begin with an option
offered() { "$AUXREC" ${1+"$1"} --help | grep -E '^ {2,8}-' | options; }

# The commands of the help. A recording is a command of the manual, too, with and without --flight.
commands=$("$AUXREC" --help | sed -n 's/^ \{7\}auxrec \([a-z][a-z]*\) .*/\1/p' | grep -vx help | sort -u)
(($(wc -w <<<"$commands") >= 6)) || note "cannot read the commands in --help: $commands"
offered >all
(($(wc -l <all) >= 20)) || note "too few options in --help: $(tr '\n' ' ' <all)"
"$AUXREC" --help | sed '/^Flight recorder/,/^SIGUSR2/d' | grep -E '^ {2,8}-' | options >of_record
# A flight recorder has no end at a size, no files to switch, and no COMPRESSED records.
grep -vxE -- '-z|--(max-size|switch-output|switch-max-files|compression-level)' all >of_flight
for command in $commands; do
	offered "$command" >"of_$command"
done
for name in record flight $commands; do
	page=$(compgen -G "$MAN/auxrec-$name.[18]") || {
		note "no page auxrec-$name"
		continue
	}
	described "$page" >in_page
	lacks=$(comm -13 in_page "of_$name" | xargs)
	[[ -z $lacks ]] || note "${page##*/} lacks $lacks"
	odd=$(comm -23 in_page "of_$name" | xargs)
	[[ -z $odd ]] || note "${page##*/} describes $odd"
	odd=$(section "$page" SYNOPSIS | options | comm -23 - in_page | xargs)
	[[ -z $odd ]] || note "the synopsis of ${page##*/} has $odd"
	section "$MAN/auxrec.1" COMMANDS | grep -q "auxrec-$name (${page##*.})" ||
		note "auxrec.1 does not name auxrec-$name"
done
check "each command has a page, which describes its options and no others"

want 125 "$AUXREC" --flight --max-size 1M -e dummy -- true
said '--max-size: a flight recorder'
sort -u of_* >known
for page in "${PAGES[@]}"; do
	text "$page" | sed '/^\.SH EXAMPLES/,/^\.SH SEE/d' | options >in_page
	odd=$(comm -23 in_page known | xargs)
	[[ -z $odd || $page == */perfaux.4 ]] || note "${page##*/} names $odd, which no command has"
	for reference in $(text "$page" | grep -oE '(auxrec(-[a-z]+)?|perfaux) \([1-8]\)' | tr -d ' ()'); do
		[[ -e $MAN/${reference%?}.${reference: -1} ]] || note "${page##*/} refers to $reference"
	done
done
check "the pages name no option and no page that does not exist"

# auxrec gets only the option, without the arguments it needs, so it complains. The test accepts any
# complaint except that the option is unknown.
while read -r option; do
	"$AUXREC" "$option" 2>&1 | grep -q 'unknown option' &&
		note "$option is not known"
done <all
check "auxrec knows every option of --help"

# The other direction: each option in the table in the source must be in --help.
sed -n '/^static const struct option long_options/,/^};/ { /'"'?'"'/d; s/.*{ "\([a-z-]*\)".*/--\1/p }' \
	"$HERE/../../../tool/cli/options.c" | sort >table
(($(wc -l <table) >= 15)) || note "cannot read the table in cli/options.c"
missing=$(comm -23 table all | tr '\n' ' ')
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
for command in list info check extract merge view export; do
	full 2 "the help" $command --help
done
full 2 "the list of events" list
full 2 "the list of events" list --json sw
full 2 "what is in the stream" info stream
full 2 "the findings" check --json stream
full 2 "the rules" check --rules
check "output that cannot be written"

# has PAGE SECTION...: the page has these sections.
has()
{
	for word in "${@:2}"; do
		grep -qx "\.SH $word" "$1" || note "${1##*/}: no section $word"
	done
}
for page in "${PAGES[@]}"; do
	name=${page##*/}
	has "$page" NAME DESCRIPTION EXAMPLES 'SEE ALSO'
	[[ $name != auxrec*.[18] ]] || has "$page" SYNOPSIS 'EXIT STATUS'
	[[ $name != auxrec-*.[18] ]] || has "$page" OPTIONS
	[[ $(sed -n 's/^\.TH \([^ ]*\) \(.\) .*/\L\1.\2/p' "$page") == "$name" ]] || note "$name: .TH"
done
has "$MAN/auxrec.1" COMMANDS FILES
check "the sections of a manual page"

if command -v groff >/dev/null; then
	for page in "${PAGES[@]}"; do
		"$MAN/flatten" "$page" >flat
		groff -man -Tutf8 -ww flat 2>&1 >/dev/null | head -n 5 >warnings
		[[ ! -s warnings ]] || note "${page##*/}: $(<warnings)"
	done
	check "no warning of groff"
else
	skip "no warning of groff" "there is no groff"
fi

finish
