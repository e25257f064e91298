#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# completion_test.sh [AUXREC]: test packaging/auxrec.bash. The test calls the completion function as
# bash does when somebody presses Tab. It needs no VM, and prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/../tool/record/record.sh"
TOP=$(cd "$HERE/../../.." && pwd -P)
REAL=$AUXREC

# A program whose list is always the same, and whose help is the real one
mkdir bin
cat >bin/auxrec <<-END
	#!/bin/sh
	[ "\$1" = list ] && [ "\$#" -lt 3 ] && [ "\$2" != --help ] || exec "$REAL" "\$@"
	if [ "\$2" != pmu ]; then
	cat <<-LIST
	  cycles OR cpu-cycles                         [hardware]
	  cpu-clock                                    [software]
	  mem:ADDR[/LEN][:rwx]                         [breakpoint]
	  rHEX OR TYPE:CONFIG                          [raw]
	  sched:sched_switch                           [tracepoint]
	  sched:sched_wakeup                           [tracepoint]
	  syscalls:sys_enter_read                      [tracepoint]
	LIST
	fi
	cat <<-LIST
	  intel_pt//                                   [PMU, AUX]
	      tsc=0..1  config:10 (1 bit)
	      mtc_period=0..15  config:14-17 (4 bits)
	  msr//                                        [PMU]
	      event=0..9  config:0-63 (64 bits)
	  msr/tsc/                                     [PMU event]  event=0x00
	LIST
END
sed -i 's/^\t*//' bin/auxrec
chmod +x bin/auxrec
export PATH=$T/bin:$PATH
mkdir dir
touch one.data two.data dir/three.data

# shellcheck source=packaging/auxrec.bash
. "$TOP/packaging/auxrec.bash"

# split_words LINE: split LINE into COMP_WORDS as bash does, with its default of COMP_WORDBREAKS.
split_words()
{
	local rest=$1

	COMP_WORDS=()
	while [[ $rest =~ ^[[:space:]]*([=:]+|[^[:space:]=:]+)(.*) ]]; do
		COMP_WORDS+=("${BASH_REMATCH[1]}")
		rest=${BASH_REMATCH[2]}
	done
	[[ $1 != *[[:space:]] ]] || COMP_WORDS+=("")
}

# completed LINE: print the words that may stand at the end of LINE. bash puts what the function
# returns in place of the last word, without the part before ":" or "=".
completed()
{
	local COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$' \t\n"\'><=;|&(:' COMP_WORDS COMP_CWORD
	local COMPREPLY=()

	split_words "$1"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_auxrec auxrec "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>errors
	[[ ! -s errors ]] || note "$1: $(head -n 3 errors | tr '\n' '|')"
	printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd' '
}

# becomes LINE WORDS: the completions of LINE are exactly WORDS.
becomes()
{
	local found
	found=$(completed "$1")
	[[ $found == "$2" ]] || note "'$1' becomes '$found', not '$2'"
}

# offers LINE WORD...: each WORD is among the completions of LINE.
offers()
{
	local line=$1 found word
	found=" $(completed "$line") "
	for word in "${@:2}"; do
		[[ $found == *" $word "* ]] || note "'$line' does not offer '$word', but$found"
	done
}

becomes 'auxrec i' info
becomes 'auxrec e' 'export extract'
offers 'auxrec ' list info check extract merge view export ctl help
becomes 'auxrec help m' merge
becomes 'auxrec list tr' tracepoint
becomes 'auxrec info --by ' 'cpu thread'
becomes 'auxrec info o' one.data
becomes 'auxrec check one' one.data
becomes 'auxrec merge one.data -o t' two.data
becomes 'auxrec extract --aux t' two.data
becomes 'auxrec export --json t' two.data
becomes 'auxrec export --fo' --folded
becomes 'auxrec view o' one.data
becomes 'auxrec ctl o' one.data
becomes 'auxrec ctl one.data s' 'snapshot status stop'
becomes 'auxrec ctl one.data m' metrics
becomes 'auxrec ctl one.data status --j' --json
becomes 'auxrec ctl --timeout=3 one.data sn' snapshot
check "commands and their arguments"

becomes 'auxrec --fl' --flight
becomes 'auxrec -e cycles --keep-' '--keep-age --keep-bytes'
offers 'auxrec -' -e -p --event --filter --user-callchains --pid-file --control-group --json
becomes 'auxrec check --pe' --perf
becomes 'auxrec ctl --t' --timeout
# Each option of the help is there.
for option in $("$REAL" --help | grep -E '^ {2,8}-' | grep -oE ' --[a-z-]{2,}' | sort -u); do
	offers "auxrec $option" "$option"
done
check "options"

becomes 'auxrec -e cpu' 'cpu-clock cpu-cycles'
becomes 'auxrec --event cy' cycles
becomes 'auxrec --event=cy' cycles
becomes 'auxrec -e sched:' 'sched_switch sched_wakeup'
becomes 'auxrec -e sched:sched_s' sched_switch
becomes 'auxrec -e sy' syscalls:sys_enter_read
becomes 'auxrec -e cycles,cpu-cl' cycles,cpu-clock
becomes 'auxrec -e sched:sched_switch,sched:sched_w' sched_wakeup
becomes "auxrec -e {cycles,cpu-cl" '{cycles,cpu-clock'
becomes 'auxrec -e r' ''
check "events"

becomes 'auxrec -e int' intel_pt/
becomes 'auxrec -e intel_pt/' 'intel_pt/mtc_period= intel_pt/tsc'
becomes 'auxrec -e intel_pt/t' intel_pt/tsc
becomes 'auxrec -e intel_pt/tsc,m' intel_pt/tsc,mtc_period=
becomes 'auxrec -e intel_pt/mtc_period=3,t' 3,tsc
becomes 'auxrec -e intel_pt/tsc,mtc_period=3/u,cpu-cl' 3/u,cpu-clock
becomes 'auxrec -e msr/' 'msr/event= msr/tsc'
becomes 'auxrec -e intel_pt//u,sched:sched_s' sched_switch
check "terms of PMUs"

sleep 1000 &
sleeper=$!
offers "auxrec -p ${sleeper%?}" $sleeper
offers "auxrec -t 1,${sleeper%?}" "1,$sleeper"
offers "auxrec --trigger hang=${sleeper%?}" "$sleeper/"
becomes "auxrec --trigger hang=$sleeper/5" ''
kill $sleeper
offers 'auxrec -C ' 0
offers 'auxrec -C 0,' 0,0
becomes 'auxrec -F m' max
becomes 'auxrec -e cycles -k b' boot
becomes 'auxrec -e cycles --clockid r' 'raw real'
becomes 'auxrec --flight --log-snapshots o' one.data
becomes 'auxrec -e cycles -o o' one.data
becomes 'auxrec -e cycles --json=o' one.data
becomes 'auxrec --trigger so' socket=
becomes 'auxrec --trigger socket=o' one.data
becomes 'auxrec --trigger signal=USR' 'USR1 USR2'
becomes 'auxrec --trigger pre' pressure=
becomes 'auxrec --trigger pressure=m' 'memory:full/ memory:some/'
becomes 'auxrec --trigger pressure=memory:s' some/
becomes 'auxrec --trigger pressure=io/1' ''
becomes 'auxrec --trigger event=sched:sched_w' sched_wakeup
becomes 'auxrec --trigger event=func=main@dir/th' main@dir/three.data
becomes 'auxrec --trigger latency=main@dir/th' main@dir/three.data
becomes 'auxrec --trigger lat' latency=
offers 'auxrec --control-group ro' root
becomes 'auxrec --keep ' ''
check "values of options"

offers 'auxrec -e cycles -- sle' sleep
offers 'auxrec -e cycles sle' sleep
becomes 'auxrec -e cycles -a cat t' two.data
becomes 'auxrec -e cycles -- ./o' ./one.data
becomes 'auxrec -e cycles -- cat dir/' dir/three.data
check "the command to record"

# The events of this machine
AUXREC=$REAL
export PATH=${PATH#*:}
mkdir real
ln -s "$REAL" real/auxrec
export PATH=$T/real:$PATH
becomes 'auxrec -e cpu-clo' cpu-clock
becomes 'auxrec -e context' context-switches
diff <(completed 'auxrec -e ' | tr ' ' '\n' | sort -u) \
	<("$REAL" list | awk '/^  [^ ]/ && !/\[(raw|breakpoint)\]/ {
		sub(/\/\/$/, "/", $1); print $1; if ($2 == "OR") print $3 }' | sort -u) >differs ||
	note "$(head -n 5 differs | tr '\n' '|')"
check "the events of this machine"

# bash registers the function, also in a shell without any other completion.
[[ $(complete -p auxrec) == "complete -F _auxrec auxrec" ]] || note "$(complete -p auxrec)"
bash --norc -c '. "$0"; complete -p auxrec' "$TOP/packaging/auxrec.bash" >out 2>err || note "$(cat err)"
check "bash has the function"

finish
