#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# view_test.sh: record programs with softpt, and compare the calls that auxview finds with those of
# stock perf, one by one, and the call stacks with those that the programs print themselves. Run it
# in a VM, as root. It prints TAP.

# shellcheck source=selftests/softpt/guest.sh
. "$(dirname "$0")/../../softpt/guest.sh"
VIEW=$B/selftests/tool/view
# The VM has no libipt.
export LD_LIBRARY_PATH=$SPT/guest

# perf_calls TID: print the calls and returns of a thread that perf finds in f.
perf_calls()
{
	"$PERF" script -i f --itrace=cr -F pid,tid,ip,addr,flags 2>perr | awk -v tid="$1" '
		{ split($1, who, "/") }
		who[2] != tid { next }
		# "tr end  call": the branch left what is traced.
		$2 == "tr" && $3 == "end" && $4 ~ /^(call|return)$/ { print $4, $5, $7 }
		$2 ~ /^(call|return)$/ { print $2, $3, $5 }'
}

# same_as_perf: compare all threads of f, and the result of one thread with that of four.
same_as_perf()
{
	local tid tids total=0

	want 0 "$VIEW/list_flow" f 1 >found
	want 0 "$VIEW/list_flow" f 4 >again
	cmp -s found again || note "four threads find something else than one"
	want 0 "$VIEW/list_flow" f 1 "" libipt >again
	cmp -s found again || note "libipt's block decoder finds something else:" \
		"$(diff again found | sed -n 2,4p | tr '\n' '|')"
	grep -m 3 -E ' (cut|error|no-code) ' found >wrong && note "$(tr '\n' '|' <wrong)"
	mapfile -t tids < <(cut -d' ' -f1 found | sort -u)
	for tid in "${tids[@]}"; do
		perf_calls "$tid" >wanted
		awk -v tid="$tid" '$1 == tid && $2 ~ /^(call|return)$/ { print $2, $3, $4 }' found >ours
		total=$((total + $(wc -l <ours)))
		cmp -s wanted ours || note "thread $tid: perf has $(wc -l <wanted), auxview $(wc -l <ours);" \
			"first difference: $(diff wanted ours | sed -n 2,4p | tr '\n' '|')"
	done
	((total > 100)) || note "only $total calls and returns"
	echo "$total" >total
}

# compared WHAT CMD...: record CMD, and check that perf finds the same calls and returns as auxview
compared()
{
	record "${@:2}"
	same_as_perf
	check "$1: perf finds the same calls and returns ($(<total))"
}

# same_insns: compare the instructions that sideband finds in a bundle with those of perf.
same_insns()
{
	local name total=0

	rm -rf bundle
	want 0 "$AUXREC" export --ptxed -o bundle f
	"$PERF" script -i f --itrace=i0ns -F tid,ip >all 2>perr
	for name in bundle/*.pt; do
		name=$(basename "$name" .pt)
		awk -v tid="${name#*-}" '$1 == tid { print $2 }' all | uniq >wanted
		PTXED=$VIEW/sideband bundle/decode "$name" 2>serr | uniq >ours
		[[ ! -s serr ]] || note "$name: $(head -n 2 serr | tr '\n' '|')"
		total=$((total + $(wc -l <ours)))
		cmp -s wanted ours || note "$name: perf has $(wc -l <wanted), sideband $(wc -l <ours);" \
			"first difference: $(diff wanted ours | sed -n 2,4p | tr '\n' '|')"
	done
	((total > 1000)) || note "only $total instructions"
	check "$1: libipt finds the same instructions by the sideband of a bundle ($total)"
}

compared "a dynamic program" "$SPT/work" all
compared "a static program" "$SPT/work-static" all
compared "threads" "$SPT/work-static" threads
same_insns threads
compared "fork, vfork and exec" "$SPT/work" fork
same_insns "fork, vfork and exec"
compared "ls" ls -l /

for program in stacks exceptions; do
	record "$VIEW/programs/$program"
	same_as_perf
	check "$program: perf finds the same calls and returns ($(<total))"
	want 0 "$AUXREC" export --json f >json
	"$HERE/../view/paths.py" "$VIEW/programs/$program" stdout json >differ 2>&1
	[[ ! -s differ ]] || note "$(head -n 3 differ)"
	check "$program: each call stack is the one that the program printed"
done

want 0 "$AUXREC" export --folded f >folded
for name in 'shapes::catcher(int)' 'void shapes::thrower<int>(int)' 'shapes::guard::~guard()'; do
	grep -qF ";$name" folded || note "no $name"
done
grep -vqE '^[^;]+(;.*)? [0-9]+$' folded && note "$(grep -m 1 -vE '^[^;]+(;.*)? [0-9]+$' folded)"
check "folded stacks have names of C++"

cp "$VIEW/programs/stacks" moved
record ./moved
mv moved away
want 0 "$AUXREC" export --json f >json
grep -q "moved is not there" err || note "it says $(head -n 2 err)"
[[ $(grep -c "moved is not there" err) == 1 ]] || note "more than once"
grep -q '"kind":"error".*there is no code' json || note "no error in the time line"
mkdir -p "sym$T"
cp away "sym$T/moved"
want 0 "$AUXREC" export --json --symfs sym f >json
grep -q '"kind":"error"' json && note "$(grep -m 1 '"kind":"error"' json)"
echo changed >>"sym$T/moved"
cp "$VIEW/programs/exceptions" "sym$T/moved"
want 0 "$AUXREC" export --json --symfs sym f >json
grep -q "does not have the recorded build-id" err || note "another file: it says $(head -n 2 err)"
check "files that are away, or have another build-id"

finish
