# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2054,SC2034 # shared variables; commas are QEMU's
#
# uefi.sh: a machine with UEFI Secure Boot. run and enrol source this file. The machine is a
# directory:
#   vars.fd   the variables of the firmware, with the keys that were enrolled
#   disk.img  the disk from which the machine boots

# uefi_machine DIR: make DIR a new machine, as it leaves the factory, unless DIR is one already.
uefi_machine() {
	[[ -e $1/vars.fd ]] || cp -- "$firmware/OVMF_VARS.fd" "$1/vars.fd"
}

# uefi_disk DIR KERNEL INITRD ARGS: make the disk of machine DIR: a GPT with an EFI system
# partition. The firmware starts shim there, shim starts GRUB, and GRUB starts KERNEL; each of them
# verifies the signature of the next one.
uefi_disk() {
	local image=$1/disk.img mb part
	# Leave room for the boot loaders and for the file system.
	mb=$((($(stat -c %s -- "$2") + $(stat -c %s -- "$3")) / 1048576 + 48))
	rm -f -- "$image"
	truncate -s "$((mb + 2))M" "$image"
	sfdisk --quiet "$image" <<<"label: gpt
		start=1MiB, size=${mb}MiB, type=uefi"
	part=$image@@1M
	mformat -i "$part" -F -T "$((mb * 2048))" -h 64 -s 32 ::
	mmd -i "$part" ::EFI ::EFI/BOOT ::EFI/debian
	mcopy -i "$part" "$firmware/shimx64.efi" ::EFI/BOOT/BOOTX64.EFI
	mcopy -i "$part" "$firmware/grubx64.efi" "$firmware/mmx64.efi" ::EFI/BOOT
	# Debian's GRUB reads its configuration from EFI/debian.
	mcopy -i "$part" - ::EFI/debian/grub.cfg <<-END
		linux /vmlinuz $4
		initrd /initrd
		boot
	END
	mcopy -i "$part" "$2" ::vmlinuz
	mcopy -i "$part" "$3" ::initrd
}

# uefi_args DIR: set the array uefi to QEMU's arguments for machine DIR. Only code in system
# management mode can write the variables, or a guest could switch Secure Boot off.
uefi_args() {
	uefi=(
		-M q35,smm=on -global driver=cfi.pflash01,property=secure,value=on
		-global ICH9-LPC.disable_s3=1
		-drive "if=pflash,unit=0,format=raw,readonly=on,file=$firmware/OVMF_CODE.fd"
		-drive "if=pflash,unit=1,format=raw,file=$1/vars.fd"
		# The root file system is the only virtio disk.
		-drive "if=none,id=esp,format=raw,cache=unsafe,file=$1/disk.img"
		-device ide-hd,drive=esp,bootindex=0
	)
}
