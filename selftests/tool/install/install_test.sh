#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# install_test.sh: test which files `make install` installs where, with DESTDIR and with PREFIX.
# The test runs on the host but installs nothing outside its own directory. It prints TAP.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/../record/record.sh"
TOP=$(cd "$HERE/../../.." && pwd -P)
unset MAKEFLAGS MAKELEVEL DESTDIR PREFIX

# A copy of the tree, as links, without the modules that `make` may have built in it
mkdir tree
ln -s "$TOP"/* tree/
rm -f tree/*.ko tree/build
ln -s "$B" tree/build

# install_to DIR [VAR=VALUE...]: install below DIR. The umask is 077, as the installing user's umask
# can be: the installed files must still be readable for all.
install_to()
{
	mkdir -p "$1"
	(umask 077 && make -s -C tree install DESTDIR="$T/$1" "${@:2}") >made 2>&1 ||
		note "make install: $(tail -n 3 made)"
}

# there DIR: list the files in DIR with their modes
there() { (cd "$1" && find . -type f -printf '%m %P\n' | sort -k 2); }

# theirs PREFIX: list the files that must be there. PREFIX has no leading slash.
theirs()
{
	printf '%s\n' "755 $1/bin/auxrec" "755 $1/bin/auxview" "644 $1/include/linux/perfaux.h" \
		"644 $1/include/auxstream.h" "644 $1/lib/libauxstream.a" \
		"644 $1/lib/pkgconfig/auxstream.pc" \
		"644 $1/lib/systemd/system/auxrec-flight.service" \
		"644 $1/share/bash-completion/completions/auxrec" \
		"644 $1/share/doc/auxrec/examples/auxrec-"{dashboard.json,metrics.service,metrics.timer} \
		"644 $1/share/doc/auxrec/examples/auxrec-"{gaps.sql,upload,upload.{default,path,service,timer}} \
		"644 $1/share/man/man1/auxrec"{,-check,-ctl,-export,-extract,-info,-list,-merge,-record,-view}.1 \
		"644 $1/share/man/man4/perfaux.4" "644 $1/share/man/man5/auxrec-stream.5" \
		"644 $1/share/man/man8/auxrec-flight.8" "644 $1/share/man/man8/auxrec-recover.8" \
		"644 etc/default/auxrec-flight" | sort -k 2
}

# `make install` looks only at a module's vermagic, so this module contains nothing else.
RELEASE=6.1.2-test
module()
{
	printf 'asm(".section .modinfo\\n.asciz \\"vermagic=%s SMP\\"");\n' $RELEASE | gcc -c -x c -o "$1" -
}

# with MODULE...: list the files that must be there if these modules are built
with()
{
	theirs usr/local
	printf "644 lib/modules/$RELEASE/updates/%s\n" "$@"
}

install_to root
diff <(there root) <(theirs usr/local) >differs || note "$(cat differs)"
grep -q 'no perfaux.ko here' made || note "nothing is said of the module"
for pair in bin/auxrec:"$B/tool/auxrec" bin/auxview:"$B/tool/auxview" perfaux.h:"$TOP/uapi/perfaux.h" \
	auxrec-info.1:"$TOP/Documentation/man/auxrec-info.1" perfaux.4:"$TOP/Documentation/man/perfaux.4" \
	auxrec-flight.service:"$TOP/packaging/auxrec-flight.service" \
	completions/auxrec:"$TOP/packaging/auxrec.bash" default/auxrec-flight:"$TOP/packaging/auxrec-flight.default"; do
	cmp -s "$(find root -type f -path "*/${pair%%:*}")" "${pair#*:}" || note "${pair%%:*} differs"
done
# Each page is one file, with the text that pages share.
for page in root/usr/local/share/man/man*/*; do
	! grep -n '^\.so ' "$page" >left || note "$page: $(head -n 1 left)"
	[[ $(head -n 2 "$page" | tail -n 1) == .TH* ]] || note "$page: no page"
done
for page in man1/auxrec-record.1 man8/auxrec-flight.8; do
	grep -q mmap.-pages "root/usr/local/share/man/$page" || note "$page: no options"
done
# Other users cannot look into a directory without their x bit.
find root -mindepth 1 -type d ! -perm 755 >closed
[[ ! -s closed ]] || note "directories: $(tr '\n' ' ' <closed)"
check "make install: each file is there, for all to read, and no other"

echo 'FLIGHT_OPTIONS="-a -e faults"' >root/etc/default/auxrec-flight
chmod 600 root/etc/default/auxrec-flight
: >root/usr/local/bin/auxrec
echo old >>root/usr/local/lib/systemd/system/auxrec-flight.service
install_to root
[[ $(<root/etc/default/auxrec-flight) == 'FLIGHT_OPTIONS="-a -e faults"' &&
   $(stat -c %a root/etc/default/auxrec-flight) == 600 ]] || note "the options are others"
cmp -s root/usr/local/bin/auxrec "$B/tool/auxrec" || note "the old auxrec is there"
cmp -s root/usr/local/lib/systemd/system/auxrec-flight.service \
	"$TOP/packaging/auxrec-flight.service" || note "the old unit is there"
check "once more: all is replaced but what the administrator has written"

# "prefix" becomes a link to the installed files. The unit then finds the program that it starts, as
# with an empty DESTDIR.
install_to elsewhere PREFIX="$T/prefix"
diff <(there elsewhere) <(theirs "${T#/}/prefix") >differs || note "$(cat differs)"
ln -s "elsewhere$T/prefix" prefix
unit=prefix/lib/systemd/system/auxrec-flight.service
grep -q "^ExecStart=$T/prefix/bin/auxrec " $unit || note "$(grep ^ExecStart= $unit)"
! grep -n /usr/local $unit prefix/share/doc/auxrec/examples/* >old || note "$(cat old)"
want 0 prefix/bin/auxrec --version >version
check "PREFIX= is where it is, and what the unit starts"

# Another project's program, built as its author would, with the header and the archive only
export PKG_CONFIG_PATH=$T/elsewhere$T/prefix/lib/pkgconfig
# shellcheck disable=SC2046 # an argument a word
gcc -std=gnu11 -Wall -Wextra -Werror -o sums \
	"$TOP/selftests/tool/stream/auxstream_sums.c" \
	$(pkg-config --define-variable=prefix="$T/elsewhere$T/prefix" --cflags --libs auxstream) \
	>built 2>&1 || note "$(tail -n 3 built)"
[[ $(pkg-config --modversion auxstream) == "$("$AUXREC" --version | awk '{ print $2 }')" ]] ||
	note "another version: $(pkg-config --modversion auxstream)"
[[ $(printf 'no stream at all' | ./sums) == *'"problem": "not a stream'* ]] || note "no problem"
check "a program links libauxstream by pkg-config"

echo '#include <auxstream.h>' >header.cc
if [[ -x $(gcc -print-prog-name=cc1plus) ]]; then
	gcc -x c++ -Wall -Wextra -Werror -fsyntax-only -I "elsewhere$T/prefix/include" header.cc \
		>built 2>&1 || note "$(tail -n 3 built)"
	check "C++ can use the header of libauxstream"
else
	skip "C++ can use the header of libauxstream" "there is no C++ compiler"
fi

if command -v systemd-analyze >/dev/null; then
	systemd-analyze verify --man=no "$T/$unit" >complaints 2>&1 || note "status $?"
	# systemd-analyze also reads other units and complains about them.
	grep auxrec complaints >ours
	[[ ! -s ours ]] || note "$(cat ours)"
	check "the unit is valid"
else
	skip "the unit is valid" "no systemd here"
fi

install_to group DEVICE_GROUP=tracers
diff <(there group) <({ theirs usr/local
	echo "644 usr/local/lib/udev/rules.d/60-perfaux.rules"; } | sort -k 2) >differs ||
	note "$(cat differs)"
rule=group/usr/local/lib/udev/rules.d/60-perfaux.rules
[[ $(grep -v -e '^#' -e '^$' $rule) == \
   'SUBSYSTEM=="perfaux", KERNEL=="perfaux", GROUP="tracers", MODE="0660"' ]] ||
	note "$(cat $rule)"
grep -qx SupplementaryGroups=tracers group/usr/local/lib/systemd/system/auxrec-flight.service ||
	note "the unit is not in the group"
check "DEVICE_GROUP= installs a udev rule with that group"

module tree/perfaux.ko
install_to module
diff <(there module) <(with perfaux.ko | sort -k 2) >differs || note "$(cat differs)"
module tree/softpt.ko
install_to module
diff <(there module) <(with perfaux.ko softpt.ko | sort -k 2) >differs || note "$(cat differs)"
check "the modules, where they were built"

# uninstall_from DIR [VAR=VALUE...]: uninstall what is below DIR.
uninstall_from()
{
	make -s -C tree uninstall DESTDIR="$T/$1" "${@:2}" >made 2>&1 ||
		note "make uninstall: $(tail -n 3 made)"
}

# An administrator's file, and another program's module, stay.
uninstall_from module
[[ ! $(there module) && ! -e module/lib/modules/$RELEASE/updates ]] || note "left: $(there module | xargs)"
mkdir -p "module/lib/modules/$RELEASE/updates"
echo other >"module/lib/modules/$RELEASE/updates/other.ko"
install_to module
uninstall_from module
[[ $(there module | cut -d' ' -f2) == "lib/modules/$RELEASE/updates/other.ko" ]] ||
	note "left: $(there module | xargs)"
uninstall_from elsewhere PREFIX="$T/prefix"
[[ ! $(there elsewhere) ]] || note "left: $(there elsewhere | xargs)"
uninstall_from group DEVICE_GROUP=tracers
[[ ! $(there group) ]] || note "left: $(there group | xargs)"
uninstall_from root
[[ $(there root) == "600 etc/default/auxrec-flight" ]] || note "left: $(there root | xargs)"
check "make uninstall removes each file, except for options that somebody has changed"

# can CC: print what make finds out about the libraries of auxview with the compiler CC
can() { make -pn -C tree tool CC="$1" 2>/dev/null | sed -n 's/^VIEW_HAS_LIB\(IPT\|IBERTY\) := /\1 /p' | sort | xargs; }

mkdir -p headers/libiberty
touch headers/intel-pt.h headers/libiberty/demangle.h
[[ $(can "gcc -nostdinc") == "IBERTY 0 IPT 0" ]] || note "without: $(can "gcc -nostdinc")"
[[ $(can "gcc -nostdinc -I$T/headers") == "IBERTY 1 IPT 1" ]] || note "with: $(can "gcc -nostdinc -I$T/headers")"
check "make finds the libraries of auxview only if they are there"

finish
