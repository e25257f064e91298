#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# packages_test.sh FROM TO: build the Debian packages, check them with lintian, and install them in a
# VM of kernel FROM, with Debian 13 and systemd. DKMS builds the modules there, users record, kernel
# TO is installed, and the machine boots TO with the same root file system, and then FROM again. At
# the end, kernel TO and the packages are removed and purged. guest.sh is what runs in the VMs. Prints
# TAP.
#
# The VMs compile the modules twice, which takes most of the test's minutes.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
FROM=${1:?usage: packages_test.sh FROM TO} TO=${2:?usage: packages_test.sh FROM TO}
OUT=$PWD/build/packages
n=0 failed=0

# report STATUS NAME [FILE]: print a result, and if it failed, the end of FILE.
report() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then
		echo "ok $n - $2"
		return
	fi
	echo "not ok $n - $2"
	failed=1
	[[ ! ${3-} ]] || tail -n 15 "$3" | sed 's/^/# /'
}

# vm K STAGE: run a stage of guest.sh in a VM of kernel K, and number its results.
vm() {
	local line seen="" status
	while IFS= read -r line; do
		case $line in
		"ok - "*) n=$((n + 1)) seen=1 line="ok $n - [$1] ${line#ok - }" ;;
		"not ok - "*) n=$((n + 1)) seen=1 failed=1 line="not ok $n - [$1] ${line#not ok - }" ;;
		esac
		echo "$line"
	done < <(selftests/vm/run -k "$1" -c 2 -m 3G -t 5400 --one-thread --systemd --no-modules \
		--root "$OUT/root.ext4" --share "$OUT/share" --log "$OUT/$2.console" -- \
		/perfaux/selftests/packages/guest.sh "$2" 2>"$OUT/$2.stderr"; echo "# vm-run: status $?") >"$OUT/$2.out"
	cat "$OUT/$2.out"
	status=$(sed -n 's/^# vm-run: status //p' "$OUT/$2.out")
	[[ $seen && $status == 0 ]]
	report $? "the VM of $1 ran to its end" "$OUT/$2.stderr"
}

selftests/setup/host tool vm deb || exit 2
for k in "$FROM" "$TO"; do
	selftests/setup/initramfs "$k" >/dev/null || exit 2
done
image=$(selftests/setup/root-deb "$FROM" "$TO") || exit 2
rm -rf "$OUT"
mkdir -p "$OUT/share/upgrade"

packaging/deb "$OUT/deb" >"$OUT/deb.log" 2>&1
report $? "the packages are built" "$OUT/deb.log"
lintian --allow-root --fail-on error,warning "$OUT"/deb/*.changes >"$OUT/lintian" 2>&1
report $? "lintian has no errors and no warnings" "$OUT/lintian"
mkdir "$OUT/share/deb"
cp "$OUT"/deb/*.deb "$OUT/share/deb/"
rm -f "$OUT"/share/deb/*-dbgsym_*.deb
cp --reflink=auto "$image"/upgrade/*.deb "$OUT/share/upgrade/"
cp --sparse=always --reflink=auto "$image/root.ext4" "$OUT/root.ext4"

vm "$FROM" install
vm "$TO" upgraded
vm "$FROM" back
rm -f "$OUT/root.ext4"
echo "1..$n"
exit $failed
