#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# secure_boot_guest.sh not-enrolled|enrolled|upgraded|locked-down: the parts of secure_boot_test.sh
# that run in a VM. The first three run with Secure Boot. Prints TAP without numbers.

set -u
# shellcheck source=selftests/packages/guest-lib.sh
. "$(dirname "$0")/guest-lib.sh"
RELEASE=$(uname -r)
REJECTED="Key was rejected by service"
FORBIDDEN="Operation not permitted"

# log MARK: write a line to the kernel's log. logged TEXT: check that the log has TEXT after this
# line, and that the manual page names TEXT.
log() { echo "secure_boot_guest: $1" >/dev/kmsg; }
logged()
{
	dmesg | tac | sed '/secure_boot_guest: /q' >dmesg.out
	grep -qF "$1" dmesg.out || note "the log does not say '$1' but: $(tail -n 4 dmesg.out | tr '\n' '|')"
	zcat /usr/share/man/man4/perfaux.4.gz | tr -s '\n ' ' ' | grep -qF "$1" || note "the manual does not name '$1'"
}

# load_refused ERROR LOG: check that modprobe fails with ERROR and nothing else, that the kernel's
# log says LOG, and that the manuals name both.
load_refused()
{
	log "modprobe"
	refused modprobe perfaux
	[[ $(<out) == "modprobe: ERROR: could not insert 'perfaux': $1" ]] || note "modprobe: $(<out)"
	logged "$2"
	named "$1"
	tr -s '\n ' ' ' </perfaux/README.md | grep -qF "\"$1\"" || note "README.md does not name '$1'"
}

# locked STATE: check that the kernel is locked down, and that the firmware has Secure Boot in this STATE.
locked()
{
	[[ $(</sys/kernel/security/lockdown) == *"[integrity]"* ]] || note "lockdown: $(</sys/kernel/security/lockdown)"
	mokutil --sb-state >out 2>&1
	said "$1"
}

# The module as `make install` leaves it: in updates, without a signature. The module of DKMS is in
# the file "dkms.ko.xz" meanwhile.
install_unsigned()
{
	local ko=/lib/modules/$RELEASE/updates/dkms/perfaux.ko.xz size

	[[ ! -e $ko ]] || mv "$ko" dkms.ko.xz
	xz -dc dkms.ko.xz >signed.ko
	# After the signature come its description, of 12 bytes, and a line of 28 bytes. The last 4 bytes
	# of the description are the length of the signature.
	size=$(tail -c 32 signed.ko | od -An -N 4 -t u4 --endian=big)
	head -c "-$((size + 12 + 28))" signed.ko >"/lib/modules/$RELEASE/updates/perfaux.ko"
	depmod
	[[ ! $(modinfo -F signer perfaux) ]] || note "there is still a signature"
}

install_signed_again()
{
	rm "/lib/modules/$RELEASE/updates/perfaux.ko"
	mv dkms.ko.xz "/lib/modules/$RELEASE/updates/dkms/perfaux.ko.xz"
	depmod
}

# sign KEY CERTIFICATE: sign the installed module with this key, by the command in the manual.
sign()
{
	man -P cat perfaux 2>err | sed -n '/scripts\/sign-file/,/modinfo -n/p' >sign.sh
	[[ -s sign.sh ]] || note "no command in the manual: $(<err)"
	sed -i "s|/var/lib/dkms/mok.key|$1|; s|/var/lib/dkms/mok.pub|$2|" sign.sh
	ok bash sign.sh
}

other_key()
{
	ok openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=other/ -days 30 -outform DER \
		-keyout other.key -out other.pub
}

loaded()
{
	systemctl start systemd-udevd
	modules
	udevadm settle
	member_records
}

# limits: check what perf can do under lockdown. "integrity" takes nothing away.
limits()
{
	ok auxrec -e sched:sched_switch --raw-ring -a -o raw.data -- /usr/bin/true
	ok auxrec check raw.data
	ok auxrec -e cpu-clock:k -a -o kernel.data -- /usr/bin/true
	ok auxrec check kernel.data
	ok auxrec info kernel.data
	said '[1-9][0-9]* maps with'
}

case ${1-} in
not-enrolled)
	locked 'SecureBoot enabled'
	check "Secure Boot is on, and the kernel is locked down"

	ok dpkg --configure -a
	cp out install.out
	said "$REJECTED"
	built "$RELEASE"
	usermod -a -G perf_users tester
	check "the packages are configured, which says that a key must be enrolled"

	load_refused "$REJECTED" "Loading of module with unavailable key is rejected"
	check "the key is not enrolled: modprobe fails, and the manuals say why"

	sysctl -qw kernel.perf_event_paranoid=2
	ok user tester auxrec -e cpu-clock:u -o clock.data -- /usr/bin/true
	refused auxrec -e intel_pt//u -o t.data -- /usr/bin/true
	check "without the modules, auxrec records what needs none"

	command=$(sed -n 's/^perfaux-dkms: *\(mokutil --import .*\)/\1/p' install.out)
	# mokutil asks for the password twice.
	ok bash -c "printf 'enrol-8\nenrol-8\n' | ${command:-false}"
	ok mokutil --list-new
	said 'DKMS module signing key'
	check "the command of the installation requests the enrolment"
	;;
enrolled)
	locked 'SecureBoot enabled'
	refused mokutil --test-key /var/lib/dkms/mok.pub
	said 'is already enrolled'
	loaded
	check "the modules are loaded, and a member of the group records"
	limits
	check "lockdown forbids nothing else that auxrec does"
	postinst
	! grep -q mokutil out || note "asks for an enrolment: $(tr '\n' '|' <out)"
	check "the installation asks for no other enrolment"

	ok rmmod softpt perfaux
	install_unsigned
	load_refused "$REJECTED" "Loading of unsigned module is rejected"
	check "a module without a signature is refused"
	other_key
	sign other.key other.pub
	load_refused "$REJECTED" "Loading of module with unavailable key is rejected"
	check "a module that is signed with a wrong key is refused"
	install_unsigned
	sign /var/lib/dkms/mok.key /var/lib/dkms/mok.pub
	ok modprobe perfaux
	check "a module that is signed by the command of the manual is loaded"
	ok rmmod perfaux
	install_signed_again

	;;
upgraded)
	locked 'SecureBoot enabled'
	built "$RELEASE"
	loaded
	check "the same key is good for the modules of the new kernel"
	limits
	check "lockdown forbids nothing else that auxrec does"

	# Only a reboot ends this lockdown.
	echo confidentiality >/sys/kernel/security/lockdown
	refused auxrec -e sched:sched_switch -a -o raw.data -- /usr/bin/true
	said 'tracepoints: Operation not permitted'
	ok auxrec -e intel_pt//u -o root.data -- /usr/bin/true
	recorded root.data
	ok auxrec -e cpu-clock -a -o clock.data -- /usr/bin/true
	check "lockdown for confidentiality hides tracepoints"
	;;
locked-down)
	locked 'EFI variables are not supported'
	load_refused "$FORBIDDEN" "Lockdown: modprobe: unsigned module loading is restricted"
	check "the kernel does not know the key: modprobe fails, and the manuals say why"
	install_unsigned
	load_refused "$FORBIDDEN" "Lockdown: modprobe: unsigned module loading is restricted"
	check "a module without a signature is refused"
	install_signed_again
	postinst
	said 'lockdown='
	! grep -q mokutil out || note "asks for an enrolment, which is not possible here: $(tr '\n' '|' <out)"
	check "the installation says what to do without Secure Boot"
	;;
*)
	echo "usage: secure_boot_guest.sh not-enrolled|enrolled|upgraded|locked-down" >&2
	exit 2
	;;
esac
rm -rf "$T"
