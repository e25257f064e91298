# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# guest-lib.sh: functions of the scripts that run in the VMs, whose root file system keeps its
# changes. /share has the packages, in deb/, and those of the next kernel, in upgrade/. The
# results are lines of TAP without numbers, which lib.sh counts.

export DEBIAN_FRONTEND=noninteractive
# Only what is installed, nothing from the tree
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
T=$(mktemp -d)
cd "$T" || exit 2
chmod 777 "$T"
why=

note() { why+="# $*"$'\n'; }

check()
{
	if [[ ! $why ]]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		printf '%s' "$why"
	fi
	why=
}

# ok CMD...: run CMD, whose output is in the file "out". It must succeed.
ok() { "$@" >out 2>&1 || note "$*: status $?: $(tail -n 4 out | tr '\n' '|')"; }

# refused CMD...: run CMD in the same way. It must fail.
refused() { ! "$@" >out 2>&1 || note "$*: succeeds: $(tail -n 3 out | tr '\n' '|')"; }

said() { grep -q -e "$1" out || note "does not say '$1' but: $(tail -n 4 out | tr '\n' '|')"; }

user() { setpriv --reuid="$1" --regid="$1" --init-groups env HOME=/tmp "${@:2}"; }

# built KERNEL: check that DKMS has built and installed the modules for KERNEL.
built()
{
	local module

	dkms status perfaux >dkms.out 2>&1
	grep -q "^perfaux/.*, $1, x86_64: installed" dkms.out || note "dkms: $(tr '\n' '|' <dkms.out)"
	for module in perfaux softpt; do
		[[ $(modinfo -k "$1" -F vermagic $module 2>err) == "$1 "* ]] || note "$module: $(cat err)"
		[[ $(modinfo -k "$1" -F signer $module) ]] || note "$module is not signed"
	done
	[[ ! $why ]] || note "$(tail -n 20 /var/lib/dkms/perfaux/*/build/make.log 2>/dev/null | tr '\n' '|')"
}

# recorded FILE: check that FILE is a valid stream with AUX data.
recorded()
{
	ok auxrec check "$1"
	ok auxrec info "$1"
	said 'in [1-9][0-9]* AUXTRACE record'
}

modules()
{
	ok modprobe perfaux
	ok modprobe softpt
	ok auxrec -e intel_pt//u -o root.data -- /usr/bin/true
	recorded root.data
}

# member_records: "tester", a member of the group, records his own tasks.
member_records()
{
	sysctl -qw kernel.perf_event_paranoid=2
	ok user tester auxrec -e intel_pt//u -o t.data -- /usr/bin/true
	recorded t.data
}

# next_kernel: install the next kernel, for which DKMS builds the modules.
next_kernel()
{
	# The image pre-depends on the new linux-base, which dpkg does not sort.
	ok dpkg -i /share/upgrade/linux-base_*.deb
	ok dpkg -i /share/upgrade/*.deb
	built "$(basename /usr/lib/modules/7.*)"
}

# postinst: run our part of the installation of perfaux-dkms again, without a build of the modules.
postinst()
{
	sed '/^# Automatically added/,/^# End automatically/d' /var/lib/dpkg/info/perfaux-dkms.postinst >postinst.sh
	ok sh postinst.sh configure
}

# named ERROR: check that the manual page and README.Debian name the error, and the command that
# helps.
named()
{
	local page

	for page in /usr/share/man/man4/perfaux.4.gz /usr/share/doc/perfaux-dkms/README.Debian*; do
		zcat -f "$page" | tr -s '\n ' ' ' >text
		grep -qF "$1" text || note "$page does not name '$1'"
		grep -q 'mokutil .*import' text || note "$page does not say what to do"
	done
}
