#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# compress_test.sh [AUXREC]: test --compress and -o FILE.zst, as root, with perfaux.ko and auxgen.
# zstd(1) decompresses each recording for perf; auxrec's commands read it as it is. The test prints
# TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
VERIFY=$B/selftests/tool/record/aux_verify
WORK=$B/selftests/tool/record/aux_work

# of_json NAME: print a number of the summary
of_json() { grep -oE "\"$1\":[0-9]+" sum | head -n 1 | grep -oE '[0-9]+$'; }

# same COMMAND ARGS...: auxrec's command must print the same of the file and of its content. The
# file's name, which may be printed, is the same in both.
same()
{
	cp "$file" in
	"$AUXREC" "$@" in >compressed 2>&1 || note "$*: $(tail -n 1 compressed)"
	cp f in
	"$AUXREC" "$@" in >plain 2>&1 || note "$*: $(tail -n 1 plain)"
	cmp -s compressed plain || note "$*: the results differ"
}

# read_by_all FILE: zstd, auxrec and each perf must read the file, which becomes f
read_by_all()
{
	local p
	file=$1
	zstdcat "$file" >f 2>err || note "zstdcat: $(<err)"
	valid "$file"
	valid f
	(($(of_json bytes) == $(stat -c %s f))) ||
		note "$(stat -c %s f) bytes in $file, not $(of_json bytes)"
	(($(of_json compressed_bytes) == $(stat -c %s "$file"))) ||
		note "$file has $(stat -c %s "$file") bytes, not $(of_json compressed_bytes)"
	same info --json
	same check --json
	for p in $PERFS; do
		zstdcat "$file" | "$p" script -i - -F time >out 2>err || note "$p script failed"
		unsaid err 'no samples' "$p script"
		"$p" script -i f -F time 2>/dev/null | cmp -s - out || note "$p: file and pipe differ"
	done
}

busy='for ((i = 0; i < 20000; i++)); do :; done'

want 0 "$AUXREC" --json=sum -F 2000 -e cpu-clock:u -o f.zst -- bash -c "$busy"
read_by_all f.zst
(($(grep -c . out) == $(of_json samples))) || note "samples are missing"
check "-o FILE.zst"

want 0 "$AUXREC" --compress=3 --json=sum -F 2000 -e cpu-clock:u -- bash -c "$busy"
read_by_all auxrec.data.zst
want 0 "$AUXREC" --compress --json=sum -F 2000 -e cpu-clock:u -o - -- bash -c "$busy" >f.other
read_by_all f.other
check "--compress, to a file and to stdout"

want 0 "$AUXREC" --json=sum -e "$AUXGEN"/timer=1,config1=500/ -o f.zst -- "$WORK" 300 2 2
read_by_all f.zst
"$VERIFY" f >verify 2>verr || note "$(head -n 3 verr | tr '\n' '|')"
"$AUXREC" extract --aux f.zst compressed.d >/dev/null || note "extract f.zst"
"$AUXREC" extract --aux f plain.d >/dev/null || note "extract f"
diff -r compressed.d plain.d >/dev/null || note "the extracted data differ"
check "AUX data"
enough

want 0 "$AUXREC" --json=sum --switch-output=8K -F 5000 -e cpu-clock:u -o r.zst -- bash -c \
	"while [[ \$(compgen -G 'r.zst.2*' | wc -l) -lt 2 ]]; do $busy; done"
total=0
for part in r.zst.2*; do
	valid "$part"
	total=$((total + $(zstdcat "$part" | "${PERFS##* }" script -i - -F time | grep -c .)))
done
((total == $(of_json samples))) || note "$total samples in all files, $(of_json samples) recorded"
check "several files"

# read_packed FILE: auxrec and each perf must find in the file, written with -z, all samples
read_packed()
{
	local p
	valid "$1"
	want 0 "$AUXREC" info "$1" >told
	grep -q '  COMPRESSED  ' told || note "$1 has no COMPRESSED record"
	for p in $PERFS; do
		"$p" script -i "$1" -F time >out 2>err || note "$p script failed: $(tail -n 1 err)"
		# The lines of call chains do not begin with a time.
		(($(grep -cE '^ *[0-9]+[.][0-9]+:' out) == $(of_json samples))) ||
			note "$p does not find $(of_json samples) samples: $(grep -c . out) lines"
		# shellcheck disable=SC2094 # both only read
		"$p" script -i - -F time <"$1" 2>/dev/null | cmp -s - out ||
			note "$p: file and pipe differ"
	done
}

want 0 "$AUXREC" -z --json=sum -F 2000 -g -e cpu-clock -o f -- bash -c "$busy"
read_packed f
(($(of_json packed_bytes) > 2 * $(of_json packed_bytes_stored))) ||
	note "$(of_json packed_bytes) bytes became $(of_json packed_bytes_stored)"
want 0 "$AUXREC" --compression-level=19 --json=sum -F 2000 -e cpu-clock:u -o - -- bash -c "$busy" >f.other
read_packed f.other
check "-z, to a file and to stdout"

want 0 "$AUXREC" -z --json=sum -e "$AUXGEN"/timer=1,config1=500/ -o f -- "$WORK" 300 2 2
valid f
"$VERIFY" f >verify 2>verr || note "$(head -n 3 verr | tr '\n' '|')"
check "-z and AUX data"

want 0 "$AUXREC" -z --json=sum --switch-output=8K -F 5000 -e cpu-clock:u -o z -- bash -c \
	"while [[ \$(compgen -G 'z.2*' | wc -l) -lt 2 ]]; do $busy; done"
total=0
for part in z.2*; do
	valid "$part"
	total=$((total + $("${PERFS##* }" script -i "$part" -F time | grep -c .)))
done
((total == $(of_json samples))) || note "$total samples in all files, $(of_json samples) recorded"
check "-z and several files"

want 125 "$AUXREC" --compress=20 -e dummy -- true
said "'20' is not a level of zstd from 1 to 19"
check "a level that is not allowed"

"$AUXREC" -q --flight=10s -M 32M --name '%o.sample.%s.zst' -a -e cpu-clock -F 100 --trigger socket=sock -o snap &
pid=$!
until [[ -S sock ]]; do kill -0 $pid 2>/dev/null || break; done
one=$("$AUXREC" ctl sock snapshot) || note "no snapshot"
two=$("$AUXREC" ctl sock snapshot) || note "no second snapshot"
"$AUXREC" ctl sock stop
wait $pid || note "the flight recorder failed"
for part in "$one" "$two"; do
	zstd -tq "$part" 2>err || note "$part: $(<err)"
	valid "$part"
done
want 0 "$AUXREC" merge "$one" "$two" -o all
valid all
want 0 "$AUXREC" merge "$one" "$two" -o all.zst
zstdcat all.zst | cmp -s - all || note "all.zst is not all, compressed"
for ((cut = 1; cut <= 4; cut++)); do
	head -c -$cut "$two" >cut.zst
	want 3 "$AUXREC" check cut.zst >report
	want 1 "$AUXREC" merge "$one" cut.zst -o never
	said 'cut.zst: the file ends within the zstd frame at its offset'
done
[[ ! -e never ]] || note "merge wrote a file"
check "snapshots, and their merging"

finish
