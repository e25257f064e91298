# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # a suite sets OUT and GUEST
#
# lib.sh: functions of the suites that install the Debian packages in VMs. A suite changes to the
# top of the tree, sets OUT, the directory for its files, and GUEST, the script of this directory
# that runs in its VMs, and sources this file.

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

# vm K STAGE [OPTION...]: run a stage of GUEST in a VM of kernel K, and number its results. The
# OPTIONs go to vm/run.
vm() {
	local line seen="" status
	while IFS= read -r line; do
		case $line in
		"ok - "*) n=$((n + 1)) seen=1 line="ok $n - [$1] ${line#ok - }" ;;
		"not ok - "*) n=$((n + 1)) seen=1 failed=1 line="not ok $n - [$1] ${line#not ok - }" ;;
		esac
		echo "$line"
	done < <(selftests/vm/run -k "$1" -c 2 -m 3G -t 5400 --one-thread --systemd --no-modules \
		--root "$OUT/root.ext4" --share "$OUT/share" --log "$OUT/$2.console" "${@:3}" -- \
		"/perfaux/selftests/packages/$GUEST" "$2" 2>"$OUT/$2.stderr"; echo "# vm-run: status $?") >"$OUT/$2.out"
	cat "$OUT/$2.out"
	status=$(sed -n 's/^# vm-run: status //p' "$OUT/$2.out")
	[[ $seen && $status == 0 ]]
	report $? "the VM of $1 ran to its end" "$OUT/$2.stderr"
}

# prepare FROM TO: build the packages. Make the root file system of the VMs, root.ext4, with kernel
# FROM. In the VMs, /share has the packages in deb/, and those of kernel TO in upgrade/.
prepare() {
	local k image

	selftests/setup/host tool vm deb || exit 2
	for k in "$1" "$2"; do
		selftests/setup/initramfs "$k" >/dev/null || exit 2
	done
	image=$(selftests/setup/root-deb "$1" "$2") || exit 2
	rm -rf "$OUT"
	mkdir -p "$OUT/share/upgrade"

	packaging/deb "$OUT/deb" >"$OUT/deb.log" 2>&1
	report $? "the packages are built" "$OUT/deb.log"
	mkdir "$OUT/share/deb"
	cp "$OUT"/deb/*.deb "$OUT/share/deb/"
	rm -f "$OUT"/share/deb/*-dbgsym_*.deb
	cp --reflink=auto "$image"/upgrade/*.deb "$OUT/share/upgrade/"
	cp --sparse=always --reflink=auto "$image/root.ext4" "$OUT/root.ext4"
}

# finish: remove the root file system, print the plan, and exit.
finish() {
	rm -f "$OUT/root.ext4"
	echo "1..$n"
	exit "$failed"
}
