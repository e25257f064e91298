#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rights_test.sh [AUXREC]: test what auxrec does and says with limited rights: for ordinary users,
# without access to the device, and without the module. The test needs root. It is meant for a VM
# with the modules, and it removes perfaux for the last cases. Elsewhere, only the cases that do not
# need the device run, and no AUX data is recorded. The test prints TAP.

# shellcheck disable=SC2317,SC2086 # called by trap and want(); names without blanks
# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/record.sh"
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
DEVICE=/dev/perfaux
TRACE=/sys/kernel/tracing
PARANOID=/proc/sys/kernel/perf_event_paranoid
# the advice if the module is not loaded
LOAD='as root, modprobe perfaux (or insmod perfaux.ko)'
before=$(<$PARANOID)

# restore: undo all changes to the machine
restore()
{
	cd / && umount -R "$T"/fs/* 2>/dev/null
	rm -rf "$T"
	[[ $(<$PARANOID) == "$before" ]] || echo "$before" >$PARANOID
	[[ ! -e $DEVICE ]] || chmod 666 $DEVICE
	[[ -z ${removed-} ]] || insmod "$MODULES/perfaux.ko"
}
trap restore EXIT

# user CMD...: run CMD as the ordinary user "nobody". This user can write here, but can perhaps not
# read the tree, so auxrec is copied.
chmod 777 "$T"
cp "$AUXREC" "$T/auxrec"
AUXREC=$T/auxrec
user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

# paranoid LEVEL: set perf_event_paranoid to LEVEL if this is a VM. Succeed if it has that value.
paranoid()
{
	[[ ! -e $DEVICE ]] || echo "$1" >$PARANOID
	[[ $(<$PARANOID) == "$1" ]]
}

# refused PATTERN ARGS...: a user's recording must fail to start. Its message must match PATTERN and
# must name the requested event, not an event that auxrec adds.
refused()
{
	local pattern=$1
	shift
	rm -f g
	want 125 user "$AUXREC" "$@" -o g -- true
	said "$pattern"
	grep -q dummy err && note "not asked for: $(cat err)"
	[[ ! -e g ]] || note "a file for nothing: $*"
}

# lines N: auxrec must have printed N lines besides the summary's lines about the amount of data
lines()
{
	local other
	other=$(grep -v -e 'MiB in f: ' -e 'MiB of AUX data' err)
	[[ $(grep -c . <<<"$other") == "$1" ]] || note "not $1 lines but: $other"
}

# A process of another user
sleep 1000 &
other=$!
# A program without a build-id: auxrec reports missing ids only if a map has none.
cp "$B/selftests/ids/elf/no-id-static" no-id
unsaid_ids() { ! grep -q 'only the kernel itself looked' err || note "$* says: $(cat err)"; }

# denied ARGS...: auxrec list must not say that a file is missing if it cannot read the file.
denied()
{
	want 1 user "$AUXREC" list --tracefs tree "$@" >out
	said 'no permission to read tree, so tracepoints are not listed: .* as root'
	grep -q -e 'has no' -e 'nothing matches' err && note "$*: $(cat err)"
	[[ $(wc -l <err) == 1 ]] || note "$*: more than a line: $(cat err)"
	[[ ! -s out ]] || note "$*: $(head -n 1 out)"
}
mkdir -p tree/events/sched/sched_switch
echo 1 >tree/events/sched/sched_switch/id
chmod 600 tree/events/sched/sched_switch/id
denied tracepoint
denied 'sched:*'
chmod 700 tree
denied tracepoint
denied tracepoint 'sched:*'
chmod -R a+rX tree
want 0 user "$AUXREC" list --tracefs tree tracepoint >out
grep -q sched:sched_switch out || note "readable: $(cat out)"
want 1 user "$AUXREC" list --tracefs tree 'sched:nosuch*'
said "nothing matches 'sched:nosuch\*'"
check "a list without rights"

if paranoid 3; then
	refused 'cpu-clock:u: no permission: perf_event_paranoid is 3.*paranoid=2' -e cpu-clock:u
	refused 'page-faults: .*is 3' -e page-faults,cpu-clock:u
	refused 'cpu-clock: .*is 3' -e cpu-clock -a
	check "paranoid 3, as Debian has it"
else
	skip "paranoid 3, as Debian has it" "it is $(<$PARANOID)"
fi

if paranoid 2; then
	refused 'cpu-clock:u: .*whole CPUs.*is 0 or less, and it is 2' -e cpu-clock:u -a
	refused 'cpu-clock:u: .*whole CPUs' -e cpu-clock:u -C 0
	refused "cpu-clock:u: .*thread $other is another user's" -e cpu-clock:u -p $other
	refused 'cpu-clock:k: .*the kernel.*1 or less, and it is 2.*with :u' -e cpu-clock:k
	refused 'cpu-clock: .*the kernel.*leave --kernel out' -e cpu-clock --kernel
	refused '--namespaces: no permission: .*root or CAP_PERFMON' --namespaces -e cpu-clock:u
	rm -f f
	want 0 user "$AUXREC" -q --all-cgroups -e cpu-clock:u -o f -- true
	valid f
	if cgroups=$(findmnt -n -f -o TARGET -t cgroup2); then
		mkdir -m 700 "$cgroups/closed" "$cgroups/closed/inner"
		rm -f f
		want 0 user "$AUXREC" --all-cgroups -e cpu-clock:u -o f -- true
		said 'without a name, in 1 places .* first is /closed/\* (Permission denied)'
		"$AUXREC" info --records f | grep -o 'CGROUP .*' >list
		grep -q ' /closed$' list || note "/closed has no name: $(<list)"
		rmdir "$cgroups/closed/inner" "$cgroups/closed"
	fi
	rm -f f
	want 0 user "$AUXREC" -e cpu-clock -o f -- true
	said 'cpu-clock: no right to record the kernel, so only user space is recorded: record as root, or give :u'
	valid f
	# One line tells for all events that the kernel is not recorded. No line is about things
	# that only samples of the kernel need.
	rm -f f
	want 0 user "$AUXREC" -e cpu-clock,page-faults -o f -- true
	lines 1
	for event in cpu-clock:u page-faults:u,cpu-clock:u; do
		rm -f f
		want 0 user "$AUXREC" -e $event -o f -- true
		lines 0
	done
	rm -f f
	want 0 user "$AUXREC" --user -e cpu-clock,page-faults -o f -- true
	lines 0
	# Other users must not be able to read a recording.
	[[ $(stat -c '%a %u' f) == "600 65534" ]] || note "f: $(stat -c '%a %u' f)"
	check "paranoid 2"

	rm -f f j
	before_umask=$(umask)
	umask 026
	want 0 user "$AUXREC" -q --json=j -e cpu-clock:u -o f -- true
	umask "$before_umask"
	[[ $(stat -c '%a' f j | xargs) == "600 640" ]] || note "$(stat -c '%n %a' f j)"
	check "figures are as the umask says, what is recorded is not"
else
	skip "paranoid 2" "it is $(<$PARANOID)"
	skip "figures are as the umask says" "it is $(<$PARANOID)"
fi

if paranoid 1; then
	refused 'cpu-clock:u: .*whole CPUs.*it is 1' -e cpu-clock:u -a
	# The tracepoint is given by its number, because users cannot read names in tracefs.
	refused 'tracepoints unless perf_event_paranoid is -1, and it is 1' \
		-e "2:$(<$TRACE/events/sched/sched_switch/id)"
	check "paranoid 1"
else
	skip "paranoid 1" "it is $(<$PARANOID)"
fi
kill $other
wait $other 2>/dev/null

# root without the capabilities
want 125 setpriv --bounding-set=-perfmon,-sys_admin "$AUXREC" -a -e cpu-clock -o g -- true
said 'cpu-clock: no permission, though you are root: CAP_PERFMON is missing'
check "root without rights"

# hidden PATTERN CMD...: record with auxrec started by CMD. The recording must have no kernel
# symbols, and the reason in auxrec's message must match PATTERN.
hidden()
{
	local pattern=$1
	shift
	rm -f f
	want 0 "$@" "$AUXREC" -e cpu-clock -o f -- true
	said "no kernel symbols in this stream: $pattern"
	valid f
}

if [[ -e $DEVICE ]]; then
	restrict=/proc/sys/kernel/kptr_restrict
	before_restrict=$(<$restrict)
	hidden '/proc/kallsyms is hidden by a mount' \
		unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' sh
	echo 2 >$restrict
	hidden "$restrict is 2" env
	echo 1 >$restrict
	hidden "$restrict is 1: .*CAP_SYSLOG" setpriv --bounding-set=-syslog
	echo 0 >$restrict
	paranoid 2
	hidden "$PARANOID is 2: .*CAP_SYSLOG" setpriv --bounding-set=-syslog
	echo "$before_restrict" >$restrict
	rm -f f
	want 0 "$AUXREC" -e cpu-clock -o f -- true
	grep -q 'kernel symbols' err && note "root: $(cat err)"
	check "why the kernel's symbols are hidden"
else
	skip "why the kernel's symbols are hidden" "not in a VM of ours"
fi

# limited KIB CMD...: run CMD with a limit of KIB for locked memory
limited() { (ulimit -l "$1" && shift && exec "$@"); }
if [[ -e /sys/bus/event_source/devices/$AUXGEN && -e $DEVICE ]]; then
	paranoid 2
	for kib in 4096 1024 256; do
		rm -f f
		want 0 limited $kib setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$AUXREC" -e "$AUXGEN"//u -o f -- sh -c "$work"
		said 'raw ring of [0-9]* KiB ([0-9]*Kx[0-9]*): .*ulimit -l'
		size=$(sed -n 's/.*raw ring of \([0-9]*\) KiB.*/\1/p' err)
		((size <= kib && size * 4 >= kib)) || note "ring of $size KiB, limit $kib"
		lines 1
		valid f
		rm -f g
		want 125 limited $kib setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$AUXREC" -m ,256Kx64 -e "$AUXGEN"//u -o g -- true
		said 'raw ring of 16384 KiB exceeds the locked memory limit'
	done
	rm -f f
	want 0 limited 8192 "$AUXREC" -e "$AUXGEN"// -o f -- true
	grep -q 'ulimit' err && note "root: $(cat err)"
	rm -f f
	want 0 limited 65536 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$AUXREC" -e "$AUXGEN"//u -o f -- true
	grep -q 'ulimit' err && note "enough: $(cat err)"
	want 125 limited 0 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$AUXREC" -e "$AUXGEN"//u -o g -- true
	said 'exceeds the locked memory limit'
	check "the default of the raw ring, with little memory to lock"
else
	skip "the default of the raw ring" "no PMU of ours"
fi

# A user without the right to record the kernel records AUX data and does not give :u.
if [[ -e /sys/bus/event_source/devices/$AUXGEN && -e $DEVICE ]]; then
	paranoid 2
	rm -f f
	want 0 limited 65536 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$AUXREC" -e "$AUXGEN"// -o f -- sh -c "$work"
	said "$AUXGEN//: no right to record the kernel, so only user space is recorded"
	said '[1-9][0-9]* spans'
	lines 1
	valid f
	rm -f f
	want 0 limited 2048 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$AUXREC" -e "$AUXGEN"// -o f -- sh -c "$work"
	said "$AUXGEN//: no right .* raw ring of [0-9]* KiB .*Record as root, or give :u and -m ,"
	said '[1-9][0-9]* spans'
	lines 1
	check "AUX data of a user"
else
	skip "AUX data of a user" "no PMU of ours"
fi

rm -f g
want 125 "$AUXREC" -m ,1M -e cpu-clock -o g -- true
said '-m ,RAW: nothing here goes to a raw ring: leave it out'
[[ ! -e g ]] || note "a file for nothing"
rm -f f
want 0 "$AUXREC" -m 64K -e cpu-clock -o f -- true
check "a raw ring that nothing uses"

if [[ -e $DEVICE ]]; then
	paranoid 2
	rm -f f j
	want 0 user "$AUXREC" -e dummy:u -o f -- true
	unsaid_ids "with the device"
	rm -f f
	chmod 600 $DEVICE
	want 0 user "$AUXREC" -e dummy:u -o f -- true
	lines 0
	rm -f f
	want 0 user "$AUXREC" -e dummy:u -o f -- ./no-id >out
	said "1 of [0-9]* file maps have no .*only the kernel itself looked for build-ids (no access to $DEVICE): record as root"
	lines 1
	valid f
	rm -f f
	want 0 user "$AUXREC" --json=j -e dummy:u -o f -- true
	grep -q "\"no_build_ids\":\"no access to $DEVICE\"" j || note "$(cat j)"
	rm -f f
	want 0 user "$AUXREC" --no-buildid -e dummy:u -o f -- ./no-id >out
	unsaid_ids --no-buildid
	rm -f f
	want 125 user "$AUXREC" -e "$AUXGEN"//u -o f -- true
	said "no access to $DEVICE: record as root"
	chmod 666 $DEVICE
	check "a device that refuses"

	rmmod perfaux 2>err && removed=1
	[[ $removed ]] || note "cannot remove perfaux: $(cat err)"
else
	skip "a device that refuses" "no $DEVICE"
fi

# Without the right to use /proc/PID/map_files, auxrec looks for a file by its path. Another file
# system can be mounted over it, in which a different file has the same path and inode number.

# sleeper PROG: start PROG, a copy of sleep(1), as the user. Set sleeper to its process id.
sleeper()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$1" 1000 &
	sleeper=$!
	until [[ $(readlink /proc/$sleeper/exe) == */prog ]]; do
		kill -0 $sleeper || return
	done
}

# id_of PROG: print the id that the user records for the sleeper's map of PROG, or none
id_of()
{
	rm -f f
	want 0 user "$AUXREC" -e dummy:u -p $sleeper -o f -- true
	valid f
	"$HERE/stream_ids.py" f | sed -n "s|^map $T/$1 ||p" | sort -u
}

# small DIR: mount an empty file system that the user may read
small() { mount -t tmpfs none "$1" && chmod 755 "$1"; }

mkdir -p fs/one fs/layers fs/merged
if small fs/one; then
	cp "$(command -v sleep)" fs/one/prog
	ino=$(stat -c %i fs/one/prog)
	sleeper fs/one/prog
	id=$(id_of fs/one/prog)
	[[ $id =~ ^[0-9a-f]{16,}$ ]] || note "no id: $id"
	small fs/one
	cp "$B/selftests/ids/elf/exe-static" fs/one/prog
	[[ $(stat -c %i fs/one/prog) == "$ino" ]] || note "another inode"
	got=$(id_of fs/one/prog)
	[[ $got == none ]] || note "id of the file that hides it: $got"
	said '1 maps from before the recording have no readable build-id'
	umount fs/one
	[[ $(id_of fs/one/prog) == "$id" ]] || note "no id any more"
	kill $sleeper
	check "a mapped file that another one hides"

	# On overlayfs, stat(2) and /proc/PID/maps can give different device numbers (Linux 6.1).
	small fs/layers
	mkdir fs/layers/{lower,upper,work}
	small fs/layers/lower
	cp "$(command -v sleep)" fs/layers/lower/prog
	if mount -t overlay -o lowerdir=fs/layers/lower,upperdir=fs/layers/upper,workdir=fs/layers/work \
		none fs/merged 2>err; then
		sleeper fs/merged/prog
		got=$(id_of fs/merged/prog)
		[[ $got == "$id" ]] || note "not $id but: $got; $(stat -c '%d %i' fs/merged/prog), $(grep prog /proc/$sleeper/maps)"
		kill $sleeper
		check "a mapped file of overlayfs"
	else
		skip "a mapped file of overlayfs" "$(<err)"
	fi
else
	skip "a mapped file that another one hides" "no right to mount"
fi

rm -f f j
want 0 "$AUXREC" --json=j -e cpu-clock -o f -- sh -c "$work"
valid f
grep -q '"module":false.*"no_build_ids":"perfaux module not loaded"' j ||
	note "$(cat j)"
want 0 "$AUXREC" -e cpu-clock -o f -- ./no-id >out
said '1 of [0-9]* file maps have no build-id.*only the kernel itself looked for build-ids (perfaux module not loaded): '"$LOAD"
want 0 "$AUXREC" --no-buildid -e cpu-clock -o f -- ./no-id >out
unsaid_ids --no-buildid
check "without the module"

if [[ -e /sys/bus/event_source/devices/$AUXGEN ]]; then
	rm -f g
	want 125 "$AUXREC" -e "$AUXGEN"// -o g -- true
	said 'AUX events and --raw-ring need the perfaux module, and /dev/perfaux is not there'
	said "$LOAD"
	[[ ! -e g ]] || note "a file for nothing"
	check "AUX data without the module"
else
	skip "AUX data without the module" "no PMU of ours"
fi

finish
