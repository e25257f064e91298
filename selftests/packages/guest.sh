#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh install|upgraded|back: the parts of packages_test.sh that run in a VM. "install" runs on
# the first kernel, "upgraded" on the next one, and "back" on the first one again. Prints TAP without
# numbers.

set -u
# shellcheck source=selftests/packages/guest-lib.sh
. "$(dirname "$0")/guest-lib.sh"
STATE=/root/packages-test
SOCKET=/run/auxrec-flight/control

# files: list all files except those that change by themselves
files()
{
	find / -xdev \( -path /tmp -o -path /var/tmp -o -path /var/log -o -path /var/cache -o -path /root \
		-o -path /var/lib/systemd -o -path /var/lib/dpkg -o -path /share -o -path /perfaux \) -prune \
		-o -print | LC_ALL=C sort
}

# The ordinary users: "tester" is in the group, "stranger" is not.
users()
{
	udevadm settle
	[[ $(stat -c '%a %G' /dev/perfaux) == '660 perf_users' ]] ||
		note "/dev/perfaux: $(stat -c '%a %G' /dev/perfaux)"
	sysctl -qw kernel.perf_event_paranoid=3
	refused user tester auxrec -e intel_pt//u -o t.data -- /usr/bin/true
	said 'perf_event_paranoid is 3.*sysctl kernel.perf_event_paranoid=2'
	member_records
	[[ $(stat -c '%a %U' t.data) == '600 tester' ]] || note "$(stat -c '%a %U' t.data)"
	check "a member of perf_users records his own tasks"

	refused user stranger auxrec -e intel_pt//u -o s.data -- /usr/bin/true
	said '/dev/perfaux: you are not in the group perf_users: .*adduser USER perf_users'
	[[ ! -e s.data ]] || note "a file for nothing"
	# Recordings that need no module are not refused.
	ok user stranger auxrec -e cpu-clock:u -o s.data -- /usr/bin/true
	check "one who is not in the group gets a clear no"
}

service()
{
	local snapshot

	sed -i 's/^FLIGHT_OPTIONS=.*/FLIGHT_OPTIONS="--flight=30s -M 64M -a -e cpu-clock --control-group=perf_users"/' \
		/etc/default/auxrec-flight
	[[ $(systemctl is-enabled auxrec-flight) == disabled ]] || note "$(systemctl is-enabled auxrec-flight)"
	[[ $(systemctl is-active auxrec-flight) == inactive ]] || note "$(systemctl is-active auxrec-flight)"
	ok systemctl start auxrec-flight
	ok user tester auxrec ctl --timeout=120 $SOCKET snapshot of-the-group
	snapshot=$(<out)
	[[ $(stat -c '%a %U' "$snapshot") == '600 root' ]] || note "$snapshot: $(stat -c '%a %U' "$snapshot")"
	ok auxrec check "$snapshot"
	ok user tester auxrec ctl --timeout=120 $SOCKET status
	refused user tester auxrec ctl --timeout=120 $SOCKET stop
	said 'only root and the user who records may end the recording'
	refused user stranger auxrec ctl --timeout=120 $SOCKET snapshot
	said 'no permission: .*member of the group that --control-group'
	ok auxrec ctl --timeout=120 $SOCKET snapshot
	check "the service is off at first, and the group may request snapshots of it"
}

# After the boot of another kernel
booted()
{
	systemctl start systemd-udevd
	built "$(uname -r)"
	modules
	udevadm settle
	[[ $(stat -c '%a %G' /dev/perfaux) == '660 perf_users' ]] || note "$(stat -c '%a %G' /dev/perfaux)"
	check "after the boot of $(uname -r), its modules are there, and auxrec records"

	ok systemctl start auxrec-flight
	ok user tester auxrec ctl --timeout=120 $SOCKET snapshot
	check "the service keeps its options"
}

# The system as an administrator sees it
system()
{
	[[ $(auxrec --version) == "auxrec "*" (commit "*")" ]] || note "$(auxrec --version)"
	[[ $(modinfo -F version perfaux) == "$(auxrec --version | awk '{ print $2 }')" ]] ||
		note "perfaux is $(modinfo -F version perfaux), auxrec $(auxrec --version)"
	ok auxrec export --help
	for page in auxrec:1 auxrec-record:1 auxrec-flight:8 auxrec-stream:5 perfaux:4; do
		ok env MANPAGER=cat man -P cat "${page#*:}" "${page%:*}"
		said '[A-Z]'
	done
	! lsmod | grep -q '^perfaux' || note "perfaux was loaded without being asked for"
	bash -c '. /usr/share/bash-completion/bash_completion
		_comp_load auxrec 2>/dev/null || __load_completion auxrec
		complete -p auxrec' >out 2>&1
	said 'complete -F _auxrec auxrec'
	check "version, manual pages, completion"
}

case ${1-} in
install)
	mkdir -p $STATE
	systemctl start systemd-udevd
	files >$STATE/before
	getent group perf_users && note "the group is there before"
	ok dpkg --unpack /share/deb/*.deb
	# udev can read its rules at any time, also before the group is there.
	ok udevadm control --reload
	ok dpkg --configure -a
	built "$(uname -r)"
	check "the packages are installed, and DKMS builds the modules for $(uname -r)"

	system
	usermod -a -G perf_users tester
	modules
	check "auxrec records with them"
	users
	service

	next_kernel
	built "$(uname -r)"
	check "a new kernel is installed, and DKMS builds the modules for it, too"
	# The machine is switched off, not shut down.
	systemctl stop auxrec-flight
	;;
upgraded)
	booted
	# The machine is switched off, not shut down.
	systemctl stop auxrec-flight
	;;
back)
	booted
	next=$(basename /usr/lib/modules/7.*)
	systemctl stop auxrec-flight
	ok dpkg -P "linux-image-$next"
	! dkms status perfaux 2>/dev/null | grep -q "$next" || note "$(dkms status perfaux | tr '\n' '|')"
	[[ $(find "/usr/lib/modules/$next" -name 'perfaux.ko*' 2>/dev/null) ]] && note "$next has the module"
	built "$(uname -r)"
	check "the newer kernel is removed, and its modules with it"

	# DKMS has signed the modules, but this kernel does not know the key: as with Secure Boot. Neither
	# of the two switches can be set back.
	rmmod softpt perfaux || note "the modules are in use"
	echo integrity >/sys/kernel/security/lockdown || note "no lockdown here"
	refused modprobe perfaux
	said 'Operation not permitted'
	named "$(sed -n 's/.*: //p' out)"
	check "lockdown refuses the modules, and the manuals say what to do"

	echo 1 >/sys/module/module/parameters/sig_enforce
	refused modprobe perfaux
	said 'Key was rejected by service'
	named "$(sed -n 's/.*: //p' out)"
	postinst
	said 'module.sig_enforce=1 from the kernel'
	check "a kernel that enforces signatures refuses them, and the installation says what to do"

	ok systemctl start auxrec-flight
	ok dpkg -r perfaux-dkms auxrec auxview libauxstream-dev
	[[ $(systemctl is-active auxrec-flight) != active ]] || note "the service still runs"
	[[ -e /etc/default/auxrec-flight ]] || note "the options are gone without a purge"
	[[ $(find /usr/lib/modules -name 'perfaux.ko*' -o -name 'softpt.ko*') ]] &&
		note "modules are left: $(find /usr/lib/modules -name 'perfaux.ko*')"
	check "removed: the modules are gone, and the options are kept"

	ok dpkg -P perfaux-dkms auxrec auxview libauxstream-dev
	files >after
	# A kernel was installed and removed meanwhile: depmod's files and those in /boot are not ours,
	# and systemd notes when /etc and /var were updated.
	sed 's|^/lib/|/usr/lib/|' /var/lib/dpkg/info/*.list | LC_ALL=C sort -u >owned
	{
		LC_ALL=C comm -23 $STATE/before after | sed 's/^/gone: /'
		LC_ALL=C comm -13 $STATE/before after | LC_ALL=C comm -23 - owned
	} | grep -v -e '^/usr/lib/modules/7\.[^/]*/modules\.' -e '^/boot/[a-zA-Z.]*-7\.' \
		-e '/\(vmlinuz\|initrd\.img\)\(\.old\)\?$' -e '^/\(etc\|var\)/\.updated$' >left
	[[ ! -s left ]] || note "left or gone: $(head -n 20 left | tr '\n' '|')"
	check "purged: nothing is left"
	;;
*)
	echo "usage: guest.sh install|upgraded|back" >&2
	exit 2
	;;
esac
rm -rf "$T"
