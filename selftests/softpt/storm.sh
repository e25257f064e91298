#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# auxrec -e intel_pt//u records programs with threads and children with softpt again
# and again, while they get signals at random moments, for PT_SOAK_SECONDS (default
# 60). Nothing is lost, and stock perf decodes everything without an error. Run it
# in a VM, as root. SEED repeats the choices, but not the moments.

# shellcheck source=selftests/softpt/stock.sh
. "$(dirname "$0")/stock.sh"
seconds=${PT_SOAK_SECONDS:-60}
KEEP=/share	# recordings of runs that fail, if the VM has this directory

declare -A sum=()
runs=0 killed=0 bad=0 last=0

# storm CMD...: record CMD to the file f in a storm of signals
storm()
{
	local seed=$((RANDOM << 15 | RANDOM)) status key value rest words

	why=
	rm -f f
	"$SPT/storm" "$seed" 300 env -i LC_ALL=C PATH=/usr/bin:/bin \
		"$AUXREC" -o f -e intel_pt//u -- "$@" </dev/null >stdout 2>err
	status=$?
	words=$(tail -n 1 stdout)
	[[ $words == handled* ]] || note "storm: $words $(tail -n 1 err)"
	while read -r key value rest; do
		sum[$key]=$((${sum[$key]:-0} + value))
	done < <(xargs -n 2 <<<"$words")
	case $status in
	0) ;;
	124) note "it did not end: $(tail -n 30 err | tr '\n' '|')" ;;
	129 | 13[0-9] | 14[0-9] | 15[0-9] | 16[0-4]) killed=$((killed + 1)) ;;
	*) note "status $status: $(tail -n 3 err | tr '\n' '|')" ;;
	esac
	lossless
	decodes i100ie
	# The program may be killed before its first instruction.
	((count || status)) || note "no instructions"
	runs=$((runs + 1))
	[[ $why ]] || return
	bad=$((bad + 1))
	echo "# run $runs, storm's seed $seed, $*:"
	printf '%s' "$why"
	[[ ! -d $KEEP || ! -s f ]] || cp f "$KEEP/storm.$bad.auxrec" 2>/dev/null
}

while ((SECONDS < seconds)); do
	storm "$SPT/stormed" 40 "$RANDOM"
	storm "$SPT/stormed-static" 60 "$RANDOM"
	# shellcheck disable=SC2016 # for the shell that is recorded
	storm sh -c 'trap : USR1 ALRM; for i in 1 2; do echo "$i" | sort; done'
	if ((SECONDS - last >= 60)); then
		last=$SECONDS
		echo "# after $SECONDS s: $runs runs, $insns instructions, $bad wrong"
	fi
done
why=

counts=
for key in "${!sum[@]}"; do
	counts+=", $key ${sum[$key]}"
	((sum[$key] > 0 || runs < 30)) || note "none $key"
done
((sum[handled] + sum[queued] > runs || runs < 10)) || note "hardly a signal"
echo "# $runs runs, $killed of them killed${counts}, $insns instructions," \
	"$errors decode errors, $losses with loss"
check "the test sends what it says"
((insns > 10000 * runs)) || note "only $insns instructions"
((bad == 0)) || note "$bad of $runs runs, see above"
check "0 decode errors in $runs runs of $SECONDS s with random signals"
finish
