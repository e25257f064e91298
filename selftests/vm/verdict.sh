# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# verdict.sh: report how a run ended. run sources this file.

# end OUTCOME STATUS: write the outcome, and exit. This is the last step of run.
end() {
	if [[ $STATUS_FILE ]]; then
		printf '%s\n' "$1" >"$STATUS_FILE"
	fi
	exit "$2"
}

# checked_log: print the log without the panics that --reboot allows, each up to the next boot.
checked_log() {
	if [[ ! $REBOOT ]]; then
		cat "$LOG"
		return
	fi
	REGEX="Kernel panic - not syncing: ($REBOOT)" awk '
		$0 ~ ENVIRON["REGEX"] { skip = 1 }
		/Linux version / || /^--- the kernel.s log as/ { skip = 0 }
		!skip' "$LOG"
}

verdict() {
	local status splats seconds=$((SECONDS - started)) last
	local control=$DIR/control

	touch "$control" "$DIR/dmesg"
	{
		echo "--- the kernel's log as the guest had it at the end ---"
		cat "$DIR/dmesg"
	} >>"$LOG"
	if [[ $(share_kind) == copy && -s $DIR/share ]]; then
		tar -xf "$DIR/share" -C "$SHARE" ||
			say "cannot bring all of /share back to $SHARE"
	fi

	status=$(sed -n 's/^status //p' "$control")
	# Some phases have a time, which is removed here.
	last=$(sed -n 's/^phase //p' "$control" | sed 's/ [0-9.]*$//' | tail -n 1)
	checked_log >"$DIR/checked-log"
	splats=$("$VM/splat" "$DIR/checked-log") || true
	if [[ $splats ]]; then
		say "kernel $KERNEL reported:"
		printf '%s\n' "$splats" | sed 's/^/vm-run:   /' >&2
	fi

	if [[ $timed_out ]]; then
		say "timeout: killed after $TIMEOUT s while in \"${last:-booting}\" (kernel $KERNEL, command: $*); console: $LOG"
		sed -n 's/^running /vm-run:   /p' "$control" >&2
		end timeout 125
	fi
	if grep -q '^fail \(insmod\|setup\)' "$control"; then
		say "$(sed -n 's/^fail insmod/cannot insert module/p; s/^fail setup //p' "$control" | head -n 1) (kernel $KERNEL; log: $LOG)"
		end setup 122
	fi
	if ! grep -qx 'done' "$control"; then
		say "the VM was lost in \"${last:-booting}\" after $seconds s (kernel $KERNEL, QEMU's status $qemu_status); console: $LOG"
		grep -m 1 'Kernel panic' "$DIR/checked-log" | sed 's/^/vm-run:   /' >&2 || true
		tail -n 5 "$DIR/qemu.log" 2>/dev/null | sed 's/^/vm-run:   qemu: /' >&2 || true
		end lost 124
	fi
	if [[ $splats ]]; then
		say "failed because of the above, whatever the command's own status ($status); log: $LOG"
		end splat 126
	fi
	if grep -q '^fail rmmod' "$control"; then
		sed -n 's/^fail rmmod/vm-run: cannot remove module/p' "$control" >&2
		end rmmod 123
	fi
	end "ok $status" "$status"
}
