#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf_options_test.sh [AUXREC]: test each option of perf record that the perfs themselves or the
# manual page of an installed perf list. auxrec must accept the option or tell what to use instead.
# The test prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
SETUP=$HERE/../../setup

# listed: print the options in the text of "perf record -h", one a line, with " VALUE" if the option
# takes one
listed()
{
	sed -nE 's/^    ((-[[:alnum:]])(, )?)?(   *)?(--[a-z-]+)?(.*)$/\2 \5|\6/p' |
		while IFS='|' read -r names rest; do
			value=
			[[ $rest == ' <'* ]] && value=' VALUE'
			for name in $names; do
				echo "$name$value"
			done
		done
}

# page FILE: print the options in the manual page. A paragraph about options begins with their
# names: "-t, --tid=", "--aux-sample[=OPTIONS]".
page()
{
	zcat "$1" | sed 's/\\-/-/g; s/\\f[A-Z]//g' |
		awk '/^\.(PP|sp)/ { head = 1; next }
		     head && /^-/ { print }
		     { head = 0 }' |
		grep -oE '(^|[ ,])--?[[:alpha:]][a-z-]*=?' | tr -d ' ,' |
		sed -E 's/=$/ VALUE/' | sort -u
}

# tried OPTION [VALUE]: auxrec must know the option or tell what to use instead. It can refuse the
# value, or the option together with the event of this test.
tried()
{
	local option=$1
	shift
	"$AUXREC" -e dummy "$option" "$@" --dry-run -- true >/dev/null 2>err && return
	grep -q 'unknown option' err && note "$option: $(<err)"
	grep -q 'is an option of perf record: ' err && return
	# Otherwise the message must name the option and tell what is wrong.
	grep -q -e "^auxrec: ${option}[: ]" err ||
		note "$option: $(<err)"
}

# all MINIMUM: try the options in the file "options", which must be at least MINIMUM
all()
{
	local option value
	while read -r option value; do
		case $option in
		-h | --help) continue ;;
		-e | --event) value=dummy ;;
		-o | --output) value=$T/out ;;
		-C | --cpu) value=0 ;;
		-k | --clockid) value=mono ;;
		*) value=${value:+1} ;;
		esac
		# shellcheck disable=SC2086 # one word, or none
		tried "$option" $value
	done <options
	[[ $(wc -l <options) -ge $1 ]] || note "only $(wc -l <options) options: $(xargs <options)"
}

for v in $("$HERE/../../kernels"); do
	"$SETUP/perf" "$v" record -h 2>&1 | listed | sort -u >options
	all 100
	check "perf $v: $(wc -l <options) options of perf record"
done

page=$(man -w perf-record 2>/dev/null)
if [[ -f $page ]]; then
	page "$page" >options
	all 100
	check "the manual page of the installed perf: $(wc -l <options) options"
else
	skip "the manual page of the installed perf" "there is none"
fi

# perf's commands
for command in report script annotate stat top; do
	want 125 "$AUXREC" $command
	said "'$command' is perf's.*: perf $command"
done
want 125 "$AUXREC" record -e dummy true
said "leave it out, auxrec -e EVENT"
for command in '' list info check extract ctl merge; do
	# shellcheck disable=SC2086 # one word, or none
	"$AUXREC" help $command >out 2>&1 || note "help $command: status $?"
	# shellcheck disable=SC2086
	"$AUXREC" $command --help >wanted 2>&1
	cmp -s out wanted || note "help $command: $(head -n 1 out)"
done
for command in list info check extract ctl merge; do
	grep -q "auxrec $command " <("$AUXREC" --help) || note "--help lacks $command"
done
check "commands of perf's, and help"

finish
