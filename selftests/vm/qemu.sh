# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2054,SC2034 # shared variables; commas are QEMU's
#
# qemu.sh: start QEMU and wait for it. run sources this file.

start_share() {
	local i
	[[ $(share_kind) == virtiofs ]] || return 0
	# The default sandbox of virtiofsd works only if / is a mount point. In a plain
	# chroot it is not.
	"$(virtiofsd)" --socket-path="$DIR/fs.sock" -o source="$(realpath -- "$SHARE")" \
		-o sandbox=chroot -o cache=auto -o xattr >"$DIR/virtiofsd.log" 2>&1 &
	fsd_pid=$!
	for ((i = 0; i < 100; i++)); do
		[[ -S $DIR/fs.sock ]] && return
		kill -0 "$fsd_pid" 2>/dev/null || break
		sleep 0.05
	done
	fail_setup "virtiofsd did not start: $(tail -n 3 "$DIR/virtiofsd.log")"
}

# tsc_khz: tell the kernel the rate of the TSC. Otherwise the kernel measures it with emulated
# timers. If QEMU has to wait for a processor at that moment, the result can be very wrong. This
# happened in one of some dozen boots when a dozen VMs booted at the same time ("tsc: Detected
# 42.276 MHz processor" instead of 2596). The kernel's seconds are then too short by the same
# factor.
tsc_khz() {
	local program=$BUILD/selftests/vm/tsc_khz khz
	if [[ $ICOUNT ]]; then
		append+=(tsc_early_khz=1000000)
		return
	fi
	[[ ! -x $program ]] || ! khz=$("$program") || append+=("tsc_early_khz=$khz")
}

# memory_args: set memory to QEMU's arguments for the memory of the VM. virtiofsd maps this memory,
# too, if it runs. With --numa, the VM has two nodes.
memory_args() {
	local kind=ram nodes=1 bytes cpus i
	memory=()
	[[ $(share_kind) != virtiofs ]] || kind=memfd,share=on
	[[ $kind != ram || $NUMA ]] || return 0
	[[ ! $NUMA ]] || nodes=2
	bytes=$(($(numfmt --from=iec "$MEM") / nodes)) cpus=$((CPUS / nodes))
	for ((i = 0; i < nodes; i++)); do
		memory+=(
			-object "memory-backend-$kind,id=mem$i,size=$bytes"
			-numa "node,nodeid=$i,memdev=mem$i,cpus=$((i * cpus))-$(((i + 1) * cpus - 1))"
		)
	done
}

start_qemu() {
	local name disk
	local -a args append machine uefi memory
	append=(
		console=ttyS0 quiet loglevel=5 panic=-1 mitigations=off
		# The checks must see the whole log.
		log_buf_len=4M printk.devkmsg=on
		random.trust_cpu=on audit=0 nmi_watchdog=0
		# On a busy host, the watchdog takes QEMU's TSC for unstable. The clock
		# of perf events then jumps back by some microseconds.
		tsc=reliable
		# Debian's kernels have no vsyscall page by default, and softpt's tests need one.
		vsyscall=xonly
		# ring/rights attaches BPF programs to LSM hooks, and not all of Debian's
		# kernels call these by default. The LSMs of Debian that are left out
		# would only take time.
		lsm=landlock,lockdown,yama,apparmor,bpf
		# Zeroed memory would hide uses of uninitialised memory.
		init_on_alloc=0
		# With more virtual CPUs than real ones, each virtual CPU stands still
		# from time to time, and on a busy host for longer than a minute. A
		# deadlock does not end, so it is found later.
		rcupdate.rcu_cpu_stall_timeout=180 watchdog_thresh=60
		# check_timer() panics if no tick comes in the time of ten ticks. None
		# comes while QEMU waits for a processor.
		no_timer_check
	)
	# With KASAN, the kernel takes 10 s to find a device's interrupt from ACPI. The
	# debug kernels can read interrupts and CPUs from the MP table instead. Debian's
	# kernels have no MPPARSE, and would find only one CPU.
	is_debug_kernel "$KERNEL" && append+=(acpi=noirq)
	[[ $KERNEL == kasan && -z $KMEMLEAK ]] && append+=(kmemleak=off)
	# Show the first line of each boot on the console, for verdict.sh.
	[[ $REBOOT ]] && append+=(loglevel=6)
	tsc_khz
	[[ $APPEND ]] && append+=("$APPEND")

	machine=(-M pc -kernel "$kernel/bzImage" -initrd "$DIR/initrd" -append "${append[*]}")
	if [[ $SECURE_BOOT ]]; then
		uefi_machine "$SECURE_BOOT"
		uefi_disk "$SECURE_BOOT" "$kernel/bzImage" "$DIR/initrd" "${append[*]}"
		uefi_args "$SECURE_BOOT"
		machine=("${uefi[@]}")
	fi

	disk=snapshot=on,file=${root-}/root.ext4
	[[ ! $ROOT ]] || disk=file=$ROOT
	args=()
	if [[ $qemu ]]; then
		# By default, QEMU looks for its files where it would be installed.
		args=(-L "$qemu/usr/share/qemu" -L "$qemu/usr/share/seabios")
		export QEMU_MODULE_DIR=$qemu/usr/lib/x86_64-linux-gnu/qemu
	fi
	args+=(
		-nodefaults -no-user-config -display none
		"${machine[@]}"
		-accel "tcg,thread=$TCG_THREAD" -cpu "$CPU" -smp "$CPUS" -m "$MEM"
		-drive "if=none,id=root,format=raw,cache=unsafe,$disk"
		-device virtio-blk-pci,drive=root
		-device virtio-serial-pci
	)
	memory_args
	args+=(${memory[@]+"${memory[@]}"})
	[[ $REBOOT ]] || args+=(-no-reboot)
	[[ ! $ICOUNT ]] || args+=(-icount "shift=0,sleep=off")
	if [[ $(share_kind) == virtiofs ]]; then
		args+=(
			-chardev "socket,id=fs,path=$DIR/fs.sock"
			-device vhost-user-fs-pci,chardev=fs,tag=share
		)
	fi
	for name in stdout stderr; do
		mkfifo "$DIR/$name"
	done
	for name in stdout stderr control dmesg share; do
		args+=(
			-chardev "file,id=$name,path=$DIR/$name,append=on"
			-device "virtserialport,chardev=$name,name=$name"
		)
	done
	mkdir -p -- "$(dirname -- "$LOG")"
	: >"$LOG"
	if [[ $DEBUG_SHELL ]]; then
		args+=(-chardev "stdio,id=con,mux=on,signal=off,logfile=$LOG" -serial chardev:con -mon chardev=con)
		say "a shell comes up on this terminal; Ctrl-A X kills the VM"
	else
		args+=(-serial "file:$LOG")
	fi

	# Open the reading ends of the pipes first: opening one end waits for the other.
	cat "$DIR/stdout" &
	cats=$!
	cat "$DIR/stderr" >&2 &
	cats="$cats $!"

	if [[ $DEBUG_SHELL ]]; then
		"${qemu:+$qemu/usr/bin/}qemu-system-x86_64" "${args[@]}" <&0 &
	else
		"${qemu:+$qemu/usr/bin/}qemu-system-x86_64" "${args[@]}" </dev/null >"$DIR/qemu.log" 2>&1 &
	fi
	qemu_pid=$!
}

# wait_qemu: wait for QEMU until the timeout. Set timed_out if the timeout came first, and
# qemu_status.
wait_qemu() {
	local clock_pid first
	timed_out="" qemu_status=0
	if [[ $DEBUG_SHELL ]]; then
		wait "$qemu_pid" || qemu_status=$?
	else
		sleep "$((DEADLINE - $(date +%s)))" &
		clock_pid=$!
		wait -n -p first "$qemu_pid" "$clock_pid" || qemu_status=$?
		if [[ $first == "$clock_pid" ]]; then
			timed_out=1
			kill -KILL "$qemu_pid"
			wait "$qemu_pid" 2>/dev/null || true
		else
			kill "$clock_pid" 2>/dev/null || true
		fi
	fi
	qemu_pid=""
	if [[ $fsd_pid ]]; then
		kill "$fsd_pid" 2>/dev/null || true
		fsd_pid=""
	fi
	# shellcheck disable=SC2086 # two process ids
	wait $cats || true
}
