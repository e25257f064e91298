#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rotate_test.sh [AUXREC]: test --switch-output, as root, with perfaux.ko and auxgen. Each file of a
# recording is read alone by auxrec check and by each perf of $PERFS (see record.sh). The test prints
# TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/../record/record.sh"
VERIFY=$B/selftests/tool/record/aux_verify
WORK=$B/selftests/tool/record/aux_work
CALLS=$B/selftests/softpt/work-static
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}

# files: print the complete files of f, the oldest first
files() { find . -name 'f.2*' | sort -V; }

# of_json NAME: print a number of the summary
of_json() { grep -oE "\"$1\":[0-9]+" sum | head -n 1 | grep -oE '[0-9]+$'; }

# read_by PERF ARGS...: the perf must succeed and print nothing but that a file has no samples
read_by()
{
	"$@" >out 2>err || note "$* failed"
	unsaid err '^Error:$\|has no samples' "$*"
}

# each: every file is valid, each perf reads it, and all samples have the name and the maps of the
# command's tasks. The samples of all files together must be those of the summary.
each()
{
	local f p total

	[[ ! -e f ]] || note "the last file is not renamed"
	for f in $(files); do
		valid "$f"
		grep -qF "\"${f#./}\"" sum || note "the summary does not list $f"
	done
	for p in $PERFS; do
		total=0
		for f in $(files); do
			read_by "$p" report --stdio -i "$f"
			read_by "$p" script -i "$f" -F comm,pid,tid,time,ip,dso,sym
			total=$((total + $(grep -c . out)))
			grep -qE '^ *:[0-9]' out && note "$p script $f: a task has no name"
			grep -q '(\[unknown\])' out && note "$p script $f: an address has no map"
		done
		((total == $(of_json samples))) ||
			note "$p: $total samples in all files, $(of_json samples) recorded"
	done
}

# For shells that are recorded: some work, and a loop of processes that work, while a condition is
# true.
busy='for ((i = 0; i < 3000; i++)); do :; done'
work_while() { echo "while $1; do bash -c '$busy'; $busy; done"; }
less_files() { echo "[[ \$(compgen -G 'f.2*' | wc -l) -lt $1 ]]"; }

want 0 "$AUXREC" --switch-output=16K --json=sum -F 5000 -e cpu-clock:u -o f -- \
	bash -c "$(work_while "$(less_files 3)")"
(($(files | wc -l) >= 4)) || note "$(files | wc -l) files"
each
check "each file is complete alone, and no sample is lost or repeated"

# all_chunks: write one stream with the records of all files, and verify that the spans of AUX data
# have their order and no holes
all_chunks()
{
	head -c 16 "$(files | head -n 1)" >all
	files | xargs tail -q -c +17 >>all
	"$VERIFY" all >verify 2>verr || note "$(head -n 3 verr | tr '\n' '|')"
	read -r _ _ _ _ _ chunks _ _ _ _ _ gaps _ in_gaps _ <verify
}

written() { awk '{ n += $3 - $4 } END { print n + 0 }' "$STATS"; }

rm -f f*
before=$(written)
want 0 "$AUXREC" --switch-output=64K --json=sum -e "$AUXGEN"/timer=1,config1=500/ -o f -- \
	bash -c "while $(less_files 2); do $WORK 100 3 2; done"
delta=$(($(written) - before))
for f in $(files); do valid "$f"; done
all_chunks
((chunks == delta && chunks)) || note "$chunks chunks in all files, $delta written"
check "no AUX data is lost or repeated"

rm -f f*
before=$(written)
want 0 "$AUXREC" --switch-output=300ms --json=sum -e "$AUXGEN"/timer=1,chunks=512/ -m ,32Kx2 -o f -- \
	bash -c "while $(less_files 2); do $WORK 100 3 2; done"
delta=$(($(written) - before))
for f in $(files); do valid "$f"; done
all_chunks
((gaps > 0)) || note "no gap with a ring of 64K"
((chunks + in_gaps == delta)) || note "$chunks chunks and $in_gaps in gaps, of $delta"
check "gaps and AUX data of all files are what was written"

rm -f f*
want 0 "$AUXREC" --switch-output=8K --switch-max-files=2 --json=sum -F 5000 -e cpu-clock:u -o f -- \
	bash -c "$(work_while "! [[ -e f.1 ]]") &
		while $(less_files 1); do :; done; first=\$(compgen -G 'f.2*' | head -n 1)
		while [[ -e \$first ]]; do $busy; done; touch f.1; wait"
[[ $(files | wc -l) == 2 ]] || note "$(files | wc -l) files"
(($(of_json removed_files) >= 1)) || note "no file was removed"
for f in $(files); do valid "$f"; done
check "--switch-max-files keeps the newest files"

# Each file is a trace of its own: it begins at offset 0, and a decoder needs no file before it.
rm -f f*
if [[ -e $MODULES/softpt.ko ]] && insmod "$MODULES/softpt.ko"; then
	want 0 "$AUXREC" --switch-output=16K --json=sum -m ,16Kx16 -e intel_pt//u -o f -- \
		"$CALLS" calls 20000
	(($(files | wc -l) >= 2)) || note "$(files | wc -l) files"
	traces=0 with=0
	for f in $(files); do
		valid "$f"
		# The last file may begin after the last span.
		"$AUXREC" info --records "$f" | grep ' AUXTRACE ' >traces || continue
		with=$((with + 1))
		[[ $(head -n 1 traces) == *', offset 0 '* ]] || note "$f begins with $(head -n 1 traces)"
		traces=$((traces + $(wc -l <traces)))
		for p in $PERFS; do
			"$p" script -i "$f" --itrace=be -F ip,sym >got 2>err || note "$p $f: $(tail -n 1 err)"
			# A decoder that begins within a trace may have to look for a PSB in each queue.
			errors=$(grep -c 'trace error' got)
			((errors <= $(grep -o 'idx [0-9]*' traces | sort -u | wc -l))) ||
				note "$p $f: $errors errors: $(grep -m 2 'trace error' got)"
			(($(grep -c . got) > 100)) || note "$p $f: $(wc -l <got) branches"
		done
	done
	# Each of these files has a primer, see tool/stream/primer.h.
	((with >= 2 && traces == $(of_json spans) + with)) ||
		note "$traces AUXTRACEs in $with files, $(of_json spans) spans"
	rmmod softpt
	check "Intel PT: each file can be decoded alone"
else
	skip "Intel PT: each file can be decoded alone" "no softpt"
fi

rm -f f*
want 0 "$AUXREC" --switch-output --json=sum -e cpu-clock:u -F 1000 -o f -- bash -c "
	for i in 1 2; do
		kill -USR2 \$PPID
		while $(less_files "\$i"); do :; done
	done"
[[ $(files | wc -l) == 3 ]] || note "$(files | wc -l) files after two signals"
each
check "SIGUSR2 begins the next file"

rm -f f*
want 0 "$AUXREC" -k mono --switch-output --json=sum -e cpu-clock:u -F 1000 -o f -- bash -c "
	for i in 1 2; do
		kill -USR2 \$PPID
		while $(less_files "\$i"); do :; done
	done"
times=$(for f in $(files); do
	"$AUXREC" info --json "$f" | sed -n 's/.*"clock": {"name": "[a-z]*", "time": \([0-9]*\),.*/\1/p'
done)
[[ $(wc -l <<<"$times") == 3 && $times == "$(sort -nu <<<"$times")" ]] ||
	note "clocks of the files: $(tr '\n' ' ' <<<"$times")"
check "each file tells its own time of day"
enough

rm -f f*
want 0 "$AUXREC" --switch-output=200ms --json=sum -e dummy -o f -- \
	bash -c "while $(less_files 2); do sleep 0.1; done"
(($(files | wc -l) >= 3)) || note "$(files | wc -l) files"
each
check "files are switched by time, also if no records come"

# The name with a time stamp is longer than a file system allows.
rm -f f*
long=f$(printf '%0.sx' {1..244})
want 0 "$AUXREC" --switch-output=8K --json=sum -F 5000 -e cpu-clock:u -o "$long" -- \
	bash -c "$(work_while '! grep -q "the recording goes on" err')"
said 'cannot begin another file'
valid "$long"
for p in $PERFS; do
	quiet "$p" script -i "$long" -F time
	(($(grep -c . out) == $(of_json samples))) || note "$p: samples are missing"
done
rm -f "$long"
check "a file that cannot be created loses nothing"

mkdir small
nr=0
if mount -t tmpfs -o size=256k none small 2>/dev/null; then
	want 125 "$AUXREC" --switch-output=64K -F 5000 -e cpu-clock:u -o small/f -- \
		bash -c "$(work_while '! grep -q "no space left" err')"
	said 'no space left'
	for f in small/f.2*; do
		valid "$f"
		nr=$((nr + 1))
	done
	((nr > 1)) || note "$nr files"
	umount small
	check "disk full: all files are valid"
else
	skip "disk full: all files are valid" "cannot mount a tmpfs"
fi

want 125 "$AUXREC" --switch-output=1M -e dummy -o /dev/null -- true
said '/dev/null is not a regular file'
check "only regular files are switched"

finish
