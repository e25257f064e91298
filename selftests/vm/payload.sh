# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# payload.sh: pack what goes into the VM: the project tree, the build's results, the
# modules and the command. run sources this file.

# perf_version: print the version of perf that belongs to the kernel.
perf_version() {
	local kernels
	kernels=$("$TOP/selftests/kernels")
	case $KERNEL in
	k*) echo 6.12 ;;
	*) if [[ " $kernels " == *" $KERNEL "* ]]; then echo "$KERNEL"; else echo "${kernels##* }"; fi ;;
	esac
}

# systemd_version: print the version of systemd for this VM, if it has systemd at all. Debian 12
# has kernel 6.1 and systemd 252.
systemd_version() {
	[[ ! $SYSTEMD ]] || case $KERNEL in
	6.1) echo 252 ;;
	*) echo 257 ;;
	esac
}

make_payload() {
	local stage=$DIR/stage name
	mkdir -p "$stage/payload"
	cp -- "$VM/guest" "$stage/payload/guest"
	printf '%s\0' "$@" >"$stage/payload/argv"
	DEADLINE=$(($(date +%s) + TIMEOUT))
	{
		printf '%s=%q\n' KERNEL "$KERNEL" PERF "$(perf_version)" \
			MODULES "$MODULES" DEADLINE "$DEADLINE" \
			DEBUG_SHELL "$DEBUG_SHELL" KMEMLEAK "$KMEMLEAK" \
			SHARE "$(share_kind)" KEEP_ROOT "${ROOT:+1}" SYSTEMD "$(systemd_version)"
	} >"$stage/payload/config"

	tar -cf "$stage/payload/tree.tar" -C "$TOP" --exclude=./.git \
		--exclude=./build --exclude='*.o' .
	if [[ -d $BUILD ]]; then
		tar --sparse -cf "$stage/payload/build.tar" -C "$BUILD" --exclude=./modules \
			--exclude=./vm --exclude=./mutants --exclude=./fuzz --exclude=./check --exclude=./lint \
			--exclude=./docs --exclude=./deb --exclude=./rpm --exclude=./release --exclude=./packages --exclude=./secure-boot --exclude='*.o' --exclude='*.d' --exclude=.kbuild .
	fi
	if [[ $MODULES ]]; then
		mkdir -p "$stage/mod/modules/$KERNEL"
		for name in $MODULES $OFFERED; do
			cp -- "$MODDIR/$name.ko" "$stage/mod/modules/$KERNEL/"
			# Debug information is most of a module, and the VM does not need it.
			strip --strip-debug "$stage/mod/modules/$KERNEL/$name.ko" 2>/dev/null || true
		done
		if [[ -e $stage/payload/build.tar ]]; then
			tar -rf "$stage/payload/build.tar" -C "$stage/mod" ./modules
		else
			tar -cf "$stage/payload/build.tar" -C "$stage/mod" ./modules
		fi
	fi
	if [[ $(share_kind) == copy ]]; then
		tar -cf "$stage/payload/share.tar" -C "$SHARE" .
	fi
	cp --reflink=auto -- "$initramfs/initramfs.cpio" "$DIR/initrd"
	(cd "$stage" && find payload -print0 | cpio -0 -o -H newc -R 0:0 --quiet) >>"$DIR/initrd"
	rm -rf -- "$stage"
}

# virtiofsd: print the path of virtiofsd. It is part of QEMU 7, later it has its own package.
virtiofsd() {
	local prog
	for prog in /usr/libexec/virtiofsd /usr/lib/qemu/virtiofsd; do
		if [[ -x $prog ]]; then
			echo "$prog"
			return
		fi
	done
}

# share_kind: print how the VM gets /share: by virtiofs, or as a copy. A ready made KCSAN kernel has
# no virtiofs, and a host can lack virtiofsd. A copy is written back to the host after the command.
share_kind() {
	if [[ -z $SHARE ]]; then
		echo none
	elif [[ $KERNEL == kcsan || -z $(virtiofsd) ]]; then
		echo copy
	else
		echo virtiofs
	fi
}
