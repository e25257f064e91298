#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ids_test.sh [AUXREC]: test the build-ids in auxrec's streams: in the records of maps, in separate
# records for files that cannot be read while they are being mapped, and in the records of kernel
# modules. The test runs in a VM, as root, with the module. It prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
IDS=$HERE/stream_ids.py
MAPS=$B/selftests/bench/maps
ELF=$B/selftests/ids/elf
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}

# The files that have an id, with the first 20 bytes of the id. The records must contain these
# bytes.
awk '$2 != "none" { print $1, substr($2, 1, 40) }' "$ELF/list" >expected
mapfile -t names < <(cut -d' ' -f1 expected)

# wrong DIR KINDS: list the files whose id is missing or wrong in the records of these kinds
wrong()
{
	local dir=$1 kinds=$2
	awk -v dir="$dir/" -v kinds="$kinds" '
		NR == FNR { want[dir $1] = $2; next }
		index(kinds, $1) && $3 != "none" && $2 in want {
			if ($3 != want[$2])
				print $2, "has", $3
			found[$2] = 1
		}
		END { for (name in want) if (!found[name]) print name, "has none" }
	' expected ids
}

want 0 "$AUXREC" -e dummy -o f --json=j -- "$MAPS" 200 "${names[@]/#/$ELF/}"
valid f
"$IDS" f >ids
[[ -z $(wrong "$ELF" 'map record') ]] || note "$(wrong "$ELF" 'map record' | head -n 3)"
# Only a file with more notes than the module looks at during mmap() has a BUILD_ID record.
grep '^record' ids | grep -qv /notes-10000 && note "BUILD_ID records without need: $(grep '^record' ids)"
grep '^map \[vdso\]' ids | grep -q none && note "a [vdso] without id"
grep -q '^map \[vdso\]' ids || note "no [vdso]"
long=$(awk 'length($2) > 40' "$ELF/list" | wc -l)
grep -q "\"long\":[1-9]" j || note "$long long ids, but: $(cat j)"
for p in $PERFS; do
	"$p" script --show-mmap-events -i f >out 2>err || note "$p script failed"
	unsaid err '' "$p script"
	[[ $(grep -c "$ELF/.*" out) -ge ${#names[@]} ]] ||
		note "$p script: $(grep -c "$ELF/.*" out) maps of ${#names[@]}"
done
check "each map has its file's id"

# A program that maps the given files as executable until it is killed
hold='import mmap, os, signal, sys
maps = [mmap.mmap(fd, min(os.fstat(fd).st_size, 4096), mmap.MAP_PRIVATE,
                  mmap.PROT_READ | mmap.PROT_EXEC)
        for fd in (os.open(f, os.O_RDONLY) for f in sys.argv[1:])]
open("ready", "w").close()
signal.pause()'
python3 -c "$hold" "${names[@]/#/$ELF/}" &
holder=$!
until [[ -e ready ]]; do sleep 0.01; done
# A debug kernel may be built without support for 32-bit programs. exe-32 then ends immediately.
"$ELF/exe-32" &
of_32_bit=$!
until [[ $(readlink /proc/$of_32_bit/exe) == */exe-32 ]]; do
	kill -0 $of_32_bit 2>/dev/null || of_32_bit=
	[[ $of_32_bit ]] || break
	sleep 0.01
done
want 0 "$AUXREC" -e dummy -o f --json=j -p $holder${of_32_bit:+,$of_32_bit} -- true
valid f
"$IDS" f >ids
[[ -z $(wrong "$ELF" map) ]] || note "$(wrong "$ELF" map | head -n 3)"
vdso()
{
	local at end pages
	read -r at end < <(sed -n '/\[vdso\]/s/^\([0-9a-f]*\)-\([0-9a-f]*\) .*/0x\1 0x\2/p' "/proc/$1/maps")
	pages=$(((end - at) / 4096))
	dd if="/proc/$1/mem" bs=4096 skip=$((at / 4096)) count=$pages of=image 2>/dev/null
	readelf -n image | sed -n 's/.*Build ID: /map [vdso] /p'
}
for pid in $holder $of_32_bit; do
	vdso "$pid" >>vdsos
	grep -qxF "$(vdso "$pid")" ids || note "no $(vdso "$pid"), but: $(grep vdso ids | tr '\n' ' ')"
done
[[ -z $(sort vdsos | uniq -d) ]] || note "one vdso: $(cat vdsos)"
long=$(awk '$2 != "none" && length($2) > 40' "$ELF/list" | wc -l)
grep -q "\"long_build_ids\":$long," j || note "$long long ids, but: $(cat j)"
want 0 "$AUXREC" -e dummy -o f -p $holder -- true
said "$long maps have a build-id of more than 20 bytes"
# shellcheck disable=SC2086 # there is perhaps only one
{
	kill $holder $of_32_bit
	wait $holder $of_32_bit 2>/dev/null
}
check "of processes that run already"
[[ $of_32_bit ]] || skip "one of them of 32 bits" "this kernel has no 32-bit programs"

want 0 "$AUXREC" -e dummy -o f --no-buildid -- "$MAPS" 200 "${names[@]/#/$ELF/}"
valid f
"$IDS" f >ids
grep '^map .*/elf/' ids | grep -qv none && note "ids: $(grep '^map .*/elf/' ids | head -n 2)"
check "--no-buildid"

mkdir m
modprobe -q fuse
cat >work <<-END
	"$AUXREC" -e dummy -o f -- "$MAPS" 200 $(printf 'm/%s ' "${names[@]}")
END
want 0 "$B/selftests/ids/fuse_mount" m bash work
valid f
"$IDS" f >ids
[[ -z $(wrong "$T/m" 'map record') ]] || note "$(wrong "$T/m" 'map record' | head -n 3)"
grep -q '^record' ids || note "all ids in the maps' records: nothing came late"
said 'came later'
[[ $(grep '^record' ids | sort | uniq -d) ]] && note "a record twice"
for p in $PERFS; do
	quiet "$p" script --show-mmap-events -i f
done
check "files of a file system that waits for a program"

# others WHO OPTION CMD...: run CMD while perf, with OPTION, records all tasks. perf's recording
# must be readable and must contain the map of lib.so. With --no-buildid-mmap it must contain no
# ids.
others()
{
	local who=$1 option=$2
	shift 2
	want 0 perf record -q "$option" -e cpu-clock -a -o p -- "$@"
	perf script --show-mmap-events -i p >out 2>err ||
		note "$who: perf script failed: $(tail -n 1 err)"
	grep -q "MMAP2.*$ELF/lib.so" out || note "$who: no map of $ELF/lib.so"
	# perf script prints <the id> in place of major:minor, inode and generation.
	if [[ $option == --no-buildid-mmap ]] && grep 'MMAP2.* <[0-9a-f]*>\]' out >with; then
		note "$who: $(wc -l <with) ids that nobody asked for: $(head -n 2 with)"
	fi
}

others "perf beside auxrec -a" --no-buildid-mmap \
	"$AUXREC" -q -a -e dummy -o f -- "$MAPS" 200 "$ELF/lib.so" "$ELF/exe-dynamic"
valid f
"$IDS" f >ids
grep -q "^map $ELF/lib.so none" ids && note "auxrec beside perf: no id"
others "perf with ids beside auxrec without" --buildid-mmap \
	"$AUXREC" -q -a -e dummy --no-buildid -o f -- "$MAPS" 200 "$ELF/lib.so"
valid f
"$IDS" f >ids
grep -q "^map $ELF/lib.so none" ids || note "auxrec without ids: no map of $ELF/lib.so"
grep '^map ' ids | grep -v ' none$' >with &&
	note "$(wc -l <with) ids in a recording without: $(head -n 2 with)"
mkdir d
(cd d && exec "$AUXREC" --flight -a -e dummy --trigger socket=s >../stdout 2>../log </dev/null) &
flight=$!
until "$AUXREC" ctl d/s status >/dev/null 2>&1 || ! kill -0 $flight; do sleep 0.05; done
others "perf beside auxrec --flight -a" --no-buildid-mmap \
	"$MAPS" 200 "$ELF/lib.so" "$ELF/exe-dynamic"
kill -TERM $flight
wait $flight || note "auxrec --flight: $(tail -n 1 log)"
check "recordings beside others, with ids and without"

id=$(readelf -n "$MODULES/auxgen.ko" | sed -n 's/.*Build ID: //p')
want 0 "$AUXREC" -e dummy -a -o f -- \
	sh -c "rmmod auxgen; insmod '$MODULES/auxgen.ko'"
valid f
"$IDS" f >ids
[[ $(grep -c "^kernel \[auxgen\] $id" ids) == 2 ]] ||
	note "not twice $id: $(grep auxgen ids)"
check "a kernel module that is loaded"

finish
