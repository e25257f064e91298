#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# filter_test.sh: compare the address filters that auxrec gives to the kernel with the addresses
# that nm and readelf print. The test prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
FILTER=$B/selftests/tool/record/test_filter
PROG=$B/selftests/softpt/work-static

# offset ADDRESS: print the offset of ADDRESS in the file PROG, which is not position-independent
offset()
{
	readelf -Wl "$PROG" | awk -v at="$1" '
		function number(s,   i, n) {
			for (i = 3; i <= length(s); i++)
				n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n
		}
		$1 == "LOAD" && number(at) >= number($3) && number(at) < number($3) + number($5) {
			printf "0x%x", number(at) - number($3) + number($2)
		}'
}

# named NAME: print address and size of each function NAME, in order
named() { nm -S "$PROG" | awk -v n="$1" '$4 == n { print "0x" $1, "0x" $2 }' | sort; }
hex() { printf '0x%x' "$1"; }

# gives FILTER KERNEL: auxrec must give FILTER to the kernel as KERNEL
gives()
{
	local got
	got=$("$FILTER" "$1" 2>&1)
	[[ $got == "$2" ]] || note "'$1': '$got', not '$2'"
}

# fails FILTER MESSAGE: auxrec must refuse FILTER with a message that matches MESSAGE
fails()
{
	local got
	if got=$("$FILTER" "$1" 2>&1); then
		note "'$1': '$got'"
	elif ! grep -q -- "$2" <<<"$got"; then
		note "'$1': '$got', no '$2'"
	fi
}

ln -s "$PROG" link
read -r main_at main_size < <(named main)
main_at=$(offset "$main_at") main_size=$(hex "$main_size")
read -r exit_at exit_size < <(named exit)
exit_at=$(offset "$exit_at") exit_size=$(hex "$exit_size")
[[ $main_at == 0x?* && $exit_at == 0x?* ]] || note "no main or exit in $PROG"

gives "filter main @ $PROG" "filter $main_at/$main_size@$PROG"
gives "filter main @link" "filter $main_at/$main_size@$PROG"
gives "tracestop main @$PROG" "stop $main_at/$main_size@$PROG"
gives "start main @$PROG" "start $main_at@$PROG"
gives "stop exit @$PROG" "stop $exit_at@$PROG"
gives "stop exit / 0x10 @$PROG" "stop $exit_at/0x10@$PROG"
check "functions of a file"

first=main last=exit
((main_at > exit_at)) && first=exit last=main
at=${first}_at end_at=${last}_at end_size=${last}_size
gives "filter $first / $last @ $PROG" \
	"filter ${!at}/$(hex $((end_at + end_size - at)))@$PROG"
fails "filter $last / $first @ $PROG" "not after"
check "from one function to another"

gives "filter 0x1000/0x20 @ $PROG" "filter 0x1000/0x20@$PROG"
gives "filter 4096 / 32 @ $PROG,stop 1/2 @ $PROG" \
	"filter 0x1000/0x20@$PROG,stop 0x1/0x2@$PROG"
gives "filter 0xffffffff81000000/0x100" "filter 0xffffffff81000000/0x100"
gives "start 0x10@$PROG stop 0x20@$PROG" "start 0x10@$PROG,stop 0x20@$PROG"
gives "filter * @ $PROG" "filter 0x0/$(hex "$(stat -c %s "$PROG")")@$PROG"
check "offsets, the kernel's addresses, several, all of a file"

# A name that more than one local function of the program has
name=$(nm "$PROG" | awk '$2 == "t" { print $3 }' | sort | uniq -d | head -n 1)
if [[ $name ]]; then
	nr=0
	while read -r where _; do
		nr=$((nr + 1))
		gives "start $name #$nr @ $PROG" "start $(offset "$where")@$PROG"
	done < <(nm "$PROG" | awk -v n="$name" '$3 == n { print "0x" $1 }' | sort)
	fails "start $name @ $PROG" "$nr symbols '$name'.*#1.*#$nr"
	fails "start $name #$((nr + 1)) @ $PROG" "$nr symbols"
	check "the $nr functions $name"
else
	skip "functions of one name" "$PROG has none"
fi

lib=$(ldd "$AUXREC" | awk '/libc.so/ { print $3 }')
want=$(readelf -W --dyn-syms "$lib" | awk '$8 ~ /^malloc@@/ { print $2 }')
got=$("$FILTER" "start malloc @ $lib" 2>&1)
# In a shared library, the address of code is usually also its offset in the file.
[[ $got == "start $(hex "0x$want")@$(realpath "$lib")" ]] || note "$got, $want"
check "a function of a library that has no other symbols than dynamic ones"

for text in '' 'filter' 'main @ x' 'filter main @' "filter main @ $PROG y" \
	"filter main # @ $PROG" 'filter 99999999999999999999/1' 'filter 1 / 2 / 3'; do
	fails "$text" 'write filter|start|stop|tracestop'
done
for nr in 0 -1 4294967297 x; do
	fails "filter main #$nr @ $PROG" 'write filter|start|stop|tracestop'
done
for dir in 'a b' 'a,b' $'a\nb'; do
	mkdir "$dir" && cp "$PROG" "$dir/prog" && ln -sf "$dir/prog" elsewhere
	fails 'filter main @ elsewhere' 'no path with a blank or a comma'
done
fails "filter 0x10 @ $PROG" "no size"
fails "filter nosuch @ $PROG" "has no symbol 'nosuch'"
fails 'filter main' "the symbol has no file"
fails 'filter * ' "all of a file"
fails 'filter main @ /nonexistent' 'No such file'
fails 'filter 1/1 @ /nonexistent' 'No such file'
fails "filter main @ $HERE/record.sh" 'not an ELF file'
check "filters that are refused"

finish
