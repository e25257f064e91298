# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of auxrec's command line for bash. bash-completion loads the file when it is needed; to
# load it by hand: . auxrec.bash
#
# Options come from auxrec's own --help, and events from auxrec list, so both are those of this
# machine.

# _auxrec_words: split the line up to the cursor at blanks, into words. bash splits COMP_WORDS also
# at the characters ":" and "=", which events contain.
_auxrec_words()
{
	local line=${COMP_LINE:0:COMP_POINT}

	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	cur=${words[${#words[@]} - 1]}
	prev=${words[${#words[@]} - 2]}
}

# _auxrec_reply PREFIX: complete $cur by the words that compgen has put into COMPREPLY, with PREFIX
# before each. bash replaces only the text after its last word break, so leave out the text before
# it.
_auxrec_reply()
{
	local whole=$1 broken i
	local breaks=${COMP_WORDBREAKS//[^:=]/}

	[[ $breaks && $cur == *["$breaks"]* ]] && broken=${cur%"${cur##*["$breaks"]}"}
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=$whole${COMPREPLY[i]}
		COMPREPLY[i]=${COMPREPLY[i]#"${broken-}"}
	done
}

# _auxrec_from_words WORD...: complete $cur by these words.
_auxrec_from_words()
{
	local IFS=$'\n'

	mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/:,] ]] && compopt -o nospace 2>/dev/null
	_auxrec_reply ""
}

_auxrec_files()
{
	local path=$cur whole=""

	# --json=FILE
	[[ $cur == --*=* ]] && whole=${cur%%=*}= path=${cur#*=}
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$path")
	_auxrec_reply "$whole"
}

# _auxrec_options [COMMAND]: print all options in the lines of the help that begin with an option.
_auxrec_options()
{
	"$auxrec" ${1+"$1"} --help 2>/dev/null | grep -E '^ {2,8}-' |
		grep -oE '(^|[ ,])--?[a-zA-Z][a-z-]*' | tr -d ' ,' | sort -u
}

# _auxrec_terms PMU: print the terms of a PMU, with "=" if they have a value, and its own events.
_auxrec_terms()
{
	"$auxrec" list pmu 2>/dev/null | awk -v pmu="$1" '
		/^  [^ ]/ {
			mine = $1 == pmu "//"
			if (index($1, pmu "/") == 1 && $1 != pmu "//") {
				sub(/^[^\/]*\//, "", $1); sub(/\/$/, "", $1); print $1
			}
		}
		/^      [a-z_]/ && mine {
			split($1, term, "=")
			print term[1] ($1 ~ /=0\.\.1$/ ? "" : "=")
		}'
}

# _auxrec_event_names: print the names of all events, without the forms that need a number
_auxrec_event_names()
{
	"$auxrec" list 2>/dev/null | awk '
		/^  [^ ]/ && !/\[(breakpoint|raw)\]$/ {
			name = $1
			sub(/\/\/$/, "/", name)
			print name
			if ($2 == "OR") print $3
		}'
}

# _auxrec_events: complete the last event of a list such as "cycles,intel_pt/tsc=1,noretcomp/u,sched:s"
_auxrec_events()
{
	local list=$cur event whole slashes

	[[ $list == --*=* ]] && list=${list#*=}
	# A comma within a PMU's slashes divides terms, other commas divide events.
	event=$list
	while [[ $event == *,* ]]; do
		slashes=${event%%,*}
		slashes=${slashes//[^\/]/}
		if ((${#slashes} % 2)); then
			[[ ${event#*/} == */* ]] || break
			event=${event#*/}
			event=${event#*/}
			[[ $event == *,* ]] || break
			event=${event#*,}
		else
			event=${event#*,}
		fi
	done
	event=${event#\{}
	whole=${cur%"$event"}
	slashes=${event//[^\/]/}
	compopt -o nospace 2>/dev/null
	if ((${#slashes} == 1)); then
		local pmu=${event%%/*} term=${event##*[/,]}

		whole=${cur%"$term"}
		mapfile -t COMPREPLY < <(compgen -W "$(_auxrec_terms "$pmu")" -- "$term")
	else
		mapfile -t COMPREPLY < <(compgen -W "$(_auxrec_event_names)" -- "$event")
	fi
	_auxrec_reply "$whole"
}

_auxrec_trigger()
{
	local kinds="signal= socket= event= bpf= exec= exit= crash pressure= hang= latency=" whole path

	case $cur in
	signal=*)
		local cur_signal=${cur#signal=}

		mapfile -t COMPREPLY < <(compgen -A signal -- "SIG${cur_signal#SIG}" | sed -n 's/^SIG\([A-Z]\)/\1/p')
		_auxrec_reply signal=
		;;
	event=func=*@* | event=probe:func=*@* | latency=*@*)
		whole=${cur%%@*}@ path=${cur#*@}
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$path")
		_auxrec_reply "$whole"
		;;
	event=*)
		mapfile -t COMPREPLY < <(compgen -W "$(_auxrec_event_names)" -- "${cur#event=}")
		_auxrec_reply event=
		;;
	pressure=*/* | hang=*/*) ;;
	hang=*)
		mapfile -t COMPREPLY < <(cd /proc && compgen -W "$(printf '%s/\n' [0-9]*)" -- "${cur#hang=}")
		compopt -o nospace 2>/dev/null
		_auxrec_reply hang=
		;;
	pressure=*)
		mapfile -t COMPREPLY < <(compgen -W 'cpu:some/ memory:some/ memory:full/ io:some/ io:full/' -- "${cur#pressure=}")
		compopt -o nospace 2>/dev/null
		_auxrec_reply pressure=
		;;
	socket=* | bpf=*)
		whole=${cur%%=*}= path=${cur#*=}
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$path")
		_auxrec_reply "$whole"
		;;
	*) # shellcheck disable=SC2086 # a word for each
		_auxrec_from_words $kinds ;;
	esac
}

# _auxrec_numbers PATTERN: complete the last number of a list by names of directories.
_auxrec_numbers()
{
	local last=${cur##*,}

	# shellcheck disable=SC2086 # a pattern
	mapfile -t COMPREPLY < <(cd / && compgen -W "$(printf '%s\n' $1 | sed -n 's|.*[/a-z]\([0-9][0-9]*\)$|\1|p')" -- "$last")
	_auxrec_reply "${cur%"$last"}"
}

# _auxrec_value OPTION: complete the value of an option. Fail if the option has no value.
_auxrec_value()
{
	case $1 in
	-e | --event) _auxrec_events ;;
	-p | --pid) _auxrec_numbers '/proc/[0-9]*' ;;
	-t | --tid) _auxrec_numbers '/proc/[0-9]*/task/[0-9]*' ;;
	-C | --cpu) _auxrec_numbers '/sys/devices/system/cpu/cpu[0-9]*' ;;
	-F | --freq) _auxrec_from_words max ;;
	--trigger) _auxrec_trigger ;;
	--control-group) mapfile -t COMPREPLY < <(compgen -g -- "$cur") ;;
	-o | --output | --bpf-map | --bpf-ring | --pid-file | --log | \
		--log-snapshots) _auxrec_files ;;
	--on-snapshot) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	-k | --clockid) _auxrec_from_words mono raw boot real tai ;;
	--filter | -c | --count | -D | --delay | --label | -m | --mmap-pages | --max-size | --switch-max-files | \
		-M | --memory | --name | \
		--keep | --keep-bytes | --keep-age) ;;
	*) return 1 ;;
	esac
}

# _auxrec_command FIRST: complete the command to record, whose name is word FIRST.
_auxrec_command()
{
	if ((${#words[@]} - 1 == $1)) && [[ $cur != */* ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	else
		_auxrec_files
	fi
}

# _auxrec_record: complete the command line of a recording.
_auxrec_record()
{
	local i

	# The first word that is neither an option nor a value begins the recorded command.
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		case ${words[i]} in
		--)
			_auxrec_command $((i + 1))
			return
			;;
		-e | -p | -t | -C | -F | -o | -c | -D | -k | -m | -M | --event | --pid | --tid | --cpu | --freq | \
			--output | --count | --delay | --clockid | --label | --mmap-pages | --memory | --trigger | --filter | \
			--bpf-map | --bpf-ring | --max-size | --switch-max-files | --name | --keep | --keep-bytes | --keep-age | \
			--pid-file | --log | --control-group | --log-snapshots | --on-snapshot)
			((i + 1 == ${#words[@]} - 1)) || i=$((i + 1))
			;;
		-*) ;;
		*)
			_auxrec_command "$i"
			return
			;;
		esac
	done
	if _auxrec_value "$prev"; then
		return
	fi
	case $cur in
	--event=* | -e?*) _auxrec_events ;;
	--*=*) _auxrec_files ;;
	-*) _auxrec_from_words "$(_auxrec_options)" ;;
	*)
		if ((${#words[@]} == 2)); then
			_auxrec_from_words list info check extract merge recover view export ctl help
		else
			_auxrec_command $((${#words[@]} - 1))
		fi
		;;
	esac
}

_auxrec()
{
	local cur prev words auxrec=$1 i path=""

	COMPREPLY=()
	_auxrec_words
	if ((${#words[@]} < 3)); then
		_auxrec_record
		return
	fi
	case ${words[1]} in
	list | info | check | extract | merge | recover | view | export | ctl)
		if [[ $cur == -* ]]; then
			_auxrec_from_words "$(_auxrec_options "${words[1]}")"
			return
		fi
		;;
	esac
	case ${words[1]} in
	help) _auxrec_from_words list info check extract merge recover view export ctl ;;
	list)
		case $prev in
		--sysfs | --tracefs) _auxrec_files ;;
		*) _auxrec_from_words hw sw cache tracepoint pmu aux ;;
		esac
		;;
	info)
		case $prev in
		--by) _auxrec_from_words thread cpu ;;
		--width) ;;
		*) _auxrec_files ;;
		esac
		;;
	check) [[ $prev == --max ]] || _auxrec_files ;;
	extract | merge | recover) _auxrec_files ;;
	view | export) [[ $prev == --threads ]] || _auxrec_files ;;
	ctl)
		for ((i = 2; i < ${#words[@]} - 1; i++)); do
			[[ ${words[i]} == -* || ${words[i - 1]} == --timeout ]] || path+=${words[i]}
		done
		if [[ $path ]]; then
			_auxrec_from_words snapshot status metrics stop
		else
			_auxrec_files
		fi
		;;
	*) _auxrec_record ;;
	esac
}

complete -F _auxrec auxrec
