# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# kernels.sh: which kernels exist, and where they come from. Scripts source this
# file after lib.sh.

# kernel_release K: print the Debian release that has kernel K.
kernel_release() {
	case $1 in
	6.1 | 6.12) echo bookworm ;;
	[0-9]*.[0-9]*) echo trixie ;;
	*) die "kernel '$1' is not known: give a version such as 6.1, 6.12, 7.2, or kasan, kcsan" ;;
	esac
}

is_debug_kernel() {
	[[ $1 == kasan || $1 == kcsan ]]
}

# kernel_abi K: print the newest ABI of kernel K that has both an image and headers, for
# example 6.1.0-56-cloud-amd64. Needs apt.sh.
kernel_abi() {
	local k=$1 rel abi
	rel=$(kernel_release "$k")
	apt_prepare "$rel"
	for abi in $(APT "$rel" apt-cache pkgnames "linux-headers-$k." |
		sed -n 's/^linux-headers-\(.*-cloud-amd64\)$/\1/p' | sort -Vr); do
		# Not grep -q, which stops reading early. apt-cache would then be killed,
		# and the pipe would fail.
		if APT "$rel" apt-cache pkgnames "linux-image-$abi" |
			grep -Fx "linux-image-$abi" >/dev/null; then
			echo "$abi"
			return
		fi
	done
	die "no linux-image-$k.*-cloud-amd64 with headers in $rel"
}

# kernel_packages REL PKG...: print the packages, and the packages of the kernel that they
# depend on.
kernel_packages() {
	local rel=$1 pkg
	shift
	for pkg in "$@"; do
		echo "$pkg"
		APT "$rel" apt-cache --no-all-versions show "$pkg" |
			sed -n 's/^\(Pre-\)\?Depends: //p' | sed 's/[,|]/\n/g' |
			sed -n 's/^ *\(linux-\(headers\|kbuild\|modules\|binary\|base\)-[^ ]*\).*/\1/p'
	done | sort -u
}
