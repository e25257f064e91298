# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2054,SC2034 # shared variables; commas are QEMU's
#
# Starts QEMU and waits for it. Sourced by run.

start_share() {
	local i
	[[ $(share_kind) == virtiofs ]] || return 0
	# Its usual sandbox needs a / that is a mount point, which that of a plain
	# chroot is not.
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

# Kernels work out the rate of the TSC beside emulated timers. If QEMU has to wait for a
# processor just then they can be far out, one in some dozen of boots where a dozen of VMs
# boot at once ("tsc: Detected 42.276 MHz processor" instead of 2596), and their seconds are
# as short. So they are told.
tsc_khz() {
	local program=$BUILD/selftests/vm/tsc_khz khz
	if [[ $ICOUNT ]]; then
		append+=(tsc_early_khz=1000000)
		return
	fi
	[[ ! -x $program ]] || ! khz=$("$program") || append+=("tsc_early_khz=$khz")
}

start_qemu() {
	local name
	local -a args append
	append=(
		console=ttyS0 quiet loglevel=5 panic=-1 mitigations=off
		# The checks must see all of the log.
		log_buf_len=4M printk.devkmsg=on
		random.trust_cpu=on audit=0 nmi_watchdog=0
		# On a busy host the watchdog takes QEMU's TSC for unstable, and
		# the clock of perf events jumps back by some microseconds.
		tsc=reliable
		# Debian's kernels leave it out by default.
		vsyscall=xonly
		# Programs that say no (ring/rights): not all of Debian's kernels ask
		# those of BPF by default. The others that Debian has only cost here.
		lsm=landlock,lockdown,yama,apparmor,bpf
		# Memory that is zero by chance hides what is not initialised.
		init_on_alloc=0
		# More virtual CPUs than real ones make each of them stand
		# still now and then.
		rcupdate.rcu_cpu_stall_timeout=60 watchdog_thresh=30
		# check_timer() panics if no ticks come in the time of ten, which
		# they do not while QEMU waits for a processor.
		no_timer_check
	)
	# Working out a device's interrupt from ACPI takes 10 s with KASAN. These
	# kernels can read it, and the CPUs, from the MP table too; Debian's,
	# without MPPARSE, would be left with one CPU.
	is_debug_kernel "$KERNEL" && append+=(acpi=noirq)
	[[ $KERNEL == kasan && -z $KMEMLEAK ]] && append+=(kmemleak=off)
	tsc_khz
	[[ $APPEND ]] && append+=("$APPEND")

	args=()
	if [[ $qemu ]]; then
		# It would look where it were installed.
		args=(-L "$qemu/usr/share/qemu" -L "$qemu/usr/share/seabios")
		export QEMU_MODULE_DIR=$qemu/usr/lib/x86_64-linux-gnu/qemu
	fi
	args+=(
		-nodefaults -no-user-config -display none -no-reboot
		-M pc -accel "tcg,thread=$TCG_THREAD" -cpu "$CPU" -smp "$CPUS" -m "$MEM"
		-kernel "$kernel/bzImage" -initrd "$DIR/initrd" -append "${append[*]}"
		-drive "if=none,id=root,format=raw,snapshot=on,cache=unsafe,file=$root/root.ext4"
		-device virtio-blk-pci,drive=root
		-device virtio-serial-pci
	)
	[[ ! $ICOUNT ]] || args+=(-icount "shift=0,sleep=off")
	if [[ $(share_kind) == virtiofs ]]; then
		args+=(
			-object "memory-backend-memfd,id=mem,share=on,size=$MEM"
			-numa node,memdev=mem
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

	# The far ends of the pipes first: opening one waits for the other.
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

# Sets timed_out if the time was over first, and qemu_status.
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
