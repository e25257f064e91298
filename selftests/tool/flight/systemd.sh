#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# systemd.sh [AUXREC]: a test of packaging/auxrec-flight.service under a real systemd. The service
# comes up, does its work within its sandbox, is restarted when it hangs, and stops; and a
# daemon's messages arrive in the journal. Runs in a VM that was started with --systemd. Prints
# TAP.
#
# A stand-in (standin.c), built from auxrec's own parts, tells what the sandbox allows. After that
# the recorder itself is the service.

# shellcheck disable=SC2317 # called by trap
# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "$0")/../record/record.sh"
TOP=$HERE/../../..
STANDIN=$B/selftests/tool/flight/standin
UNIT=auxrec-flight
SOCKET=/run/$UNIT/control
STATE=/var/lib/$UNIT
UNITS=/run/systemd/system

[[ -d /run/systemd/private || -S /run/systemd/private ]] || {
	echo "1..0 # SKIP no systemd here: selftests/vm/run --systemd"
	exit 4
}

clean()
{
	systemctl stop "$UNIT"
	rm -f "$UNITS/auxrec-daemon.service"
	rm -rf "$UNITS/$UNIT.service" "$UNITS/$UNIT.service.d" "/etc/default/$UNIT"
	systemctl daemon-reload
	rm -rf "$T"
}
trap clean EXIT

read -r version < <(systemctl --version)
echo "# $version"

property() { systemctl show -P "$1" "$UNIT"; }
is() { [[ $(property "$1") == "$2" ]] || note "$1 is $(property "$1"), not $2"; }
ctl() { want 0 "$AUXREC" ctl --timeout=60 "$@" >out; }

# line KEY VALUE: check that the last status has VALUE for KEY
line() { grep -qx "$1: $2" out || note "not '$1: $2' but: $(grep "^$1:" out)"; }

# restarted N: wait until the Nth restart is up, or until systemd gives up
restarted()
{
	local state
	while state=$(property ActiveState); do
		[[ $state == active && $(property NRestarts) -ge $1 ]] && return
		[[ $state == failed ]] && note "failed: $(property Result)" && return
	done
}

# kernel_symbols FILE: check that samples in the kernel have the names of its functions
kernel_symbols()
{
	local nr

	nr=$("${PERFS##* }" script -i "$1" -F ip,sym,dso 2>/dev/null |
		awk '$NF == "([kernel.kallsyms])" && $2 != "[unknown]"' | wc -l)
	((nr > 0)) || note "$1: no sample has a symbol of the kernel"
}

# crash: let a program crash, which is a trigger; $f is the snapshot of that
crash()
{
	local nr end=$((SECONDS + 60))

	ctl $SOCKET status
	nr=$(sed -n 's/^snapshots: //p' out)
	{ bash -c 'ulimit -c 0; kill -SEGV $$'; } 2>/dev/null
	until "$AUXREC" ctl --timeout=60 $SOCKET status >out 2>err &&
		grep -qx "snapshots: $((nr + 1))" out; do
		((SECONDS < end)) || { note "no snapshot: $(cat out err | tr '\n' '|')" && break; }
	done
	f=$(sed -n 's/^last: //p' out)
}

# chunks FILE: check that FILE has chunks of auxgen, and that no byte of them is wrong
chunks()
{
	local nr

	valid "$1"
	"$B/selftests/tool/record/aux_verify" -g "$1" >verify 2>verr ||
		note "$1: $(head -n 3 verr | tr '\n' '|')"
	read -r _ _ _ _ _ nr _ <verify
	((nr > 0)) || note "$1: nothing of the raw ring"
}

# drop_in TEXT: make TEXT the unit's drop-in
drop_in()
{
	mkdir -p "$UNITS/$UNIT.service.d"
	printf '%s\n' "$1" >"$UNITS/$UNIT.service.d/test.conf"
	systemctl daemon-reload
}

cp "$TOP/packaging/$UNIT.service" "$UNITS/"
mkdir -p /etc/default
cp "$TOP/packaging/$UNIT.default" /etc/default/$UNIT
systemd-analyze verify --man=no "$TOP/packaging/$UNIT.service" 2>&1 |
	grep -v '/usr/local/bin/auxrec is not executable' >complaints
[[ ! -s complaints ]] || note "$(cat complaints)"
check "the unit is valid"

# The sandbox hides nothing of /perfaux, but PrivateTmp= and similar options would hide $T.
drop_in "[Service]
ExecStart=
ExecStart=$STANDIN %t/$UNIT/control $AUXREC"
want 0 systemctl start $UNIT
is ActiveState active
is SubState running
is StatusText "recording, watchdog every 15000 ms"
[[ $(stat -c %a $SOCKET) == 600 ]] || note "socket: $(stat -c %A $SOCKET)"
[[ $(stat -c %a $STATE) == 700 ]] || note "snapshots: $(stat -c %A $STATE)"
check "comes up once it says so"

ctl $SOCKET status
line event yes
line bpf yes
[[ ! -e /dev/perfaux ]] || line device yes
line maps yes
line 'write here' yes
line 'write etc' 'Read-only file system'
line memory '.*not permitted'
for what in sysctl sysrq sys tracing; do
	line "write $what" 'Read-only file system'
done
line 'kernel memory' '.*not permitted'
ctl $SOCKET snapshot first
[[ $(<out) == "$STATE/first" ]] || note "the name is $(<out)"
valid $STATE/first
check "may do what it is for, and no more"

journalctl -u $UNIT -o cat >journal
grep -qx 'auxrec: snapshot first' journal || note "the journal: $(cat journal)"
check "its messages are in the journal"

pid=$(property MainPID)
want 125 "$AUXREC" ctl --timeout=60 $SOCKET snapshot crash
restarted 1
[[ $(property MainPID) != "$pid" ]] || note "the same process"
ctl $SOCKET status
check "is restarted when it crashes"

drop_in "[Service]
ExecStart=
ExecStart=$STANDIN %t/$UNIT/control
WatchdogSec=2"
want 0 systemctl restart $UNIT
is StatusText "recording, watchdog every 1000 ms"
pid=$(property MainPID)
ctl $SOCKET snapshot hang
restarted 1
[[ $(property MainPID) != "$pid" ]] || note "the same process"
journalctl -u $UNIT -o cat >journal
grep -q 'Watchdog timeout' journal || note "the journal: $(tail -n 5 journal)"
check "is restarted when it hangs"

# Wait for twice the watchdog's time.
pid=$(property MainPID)
end=$((SECONDS + 5))
until ((SECONDS >= end)); do ctl $SOCKET status; done
[[ $(property MainPID) == "$pid" ]] || note "was restarted all the same"
check "is left alone when it does not"

ctl $SOCKET stop
until [[ $(property ActiveState) != active ]]; do :; done
is ActiveState inactive
is Result success
[[ ! -e $SOCKET ]] || note "$SOCKET is left"
want 0 systemctl start $UNIT
want 0 systemctl stop $UNIT
is Result success
journalctl -u $UNIT -o cat | tail -n 20 >journal
grep -qx 'auxrec: stopped' journal || note "not in order: $(cat journal)"
check "stops by ctl and by SIGTERM"

# The unit as it is packaged, except for auxrec's path and the watchdog's time
drop_in "[Service]
ExecStart=
ExecStart=$AUXREC \$FLIGHT_OPTIONS --trigger socket=%t/$UNIT/control
WatchdogSec=10"
want 0 systemctl start $UNIT
is ActiveState active
ctl $SOCKET snapshot real
valid "$(<out)"
kernel_symbols "$(<out)"
[[ $(<out) == "$STATE"/* ]] || note "the file is $(<out)"
pid=$(property MainPID)
kill -STOP "$pid"
restarted 1
[[ $(property MainPID) != "$pid" ]] || note "the same process"
ctl $SOCKET snapshot again
valid "$(<out)"
ctl $SOCKET stop
until [[ $(property ActiveState) != active ]]; do :; done
is Result success
check "the recorder is such a service"

# An older unit, or one that somebody else wrote
sed -i 's/^WatchdogSec=.*/&\nProtectKernelTunables=yes/' "$UNITS/$UNIT.service.d/test.conf"
systemctl daemon-reload
want 0 systemctl start $UNIT
is ActiveState active
ctl $SOCKET stop
until [[ $(property ActiveState) != active ]]; do :; done
journalctl --sync
journalctl -u $UNIT -o cat | tail -n 20 >journal
grep -qx 'auxrec: no kernel symbols in this stream: .*/proc/kallsyms is hidden by a mount.*' journal ||
	note "the journal: $(cat journal)"
sed -i '/^ProtectKernelTunables=/d' "$UNITS/$UNIT.service.d/test.conf"
systemctl daemon-reload
check "the recorder tells what hides the kernel's symbols"

# The other example in the file of options
sed -i 's/^#\(FLIGHT_OPTIONS=\)/\1/' /etc/default/$UNIT
want 0 systemctl start $UNIT
is ActiveState active
crash
valid "$f"
"$AUXREC" info "$f" | grep -q ' crash (crash) at ' || note "$f: $("$AUXREC" info "$f" | grep -A 2 Snapshots)"
ctl $SOCKET stop
until [[ $(property ActiveState) != active ]]; do :; done
is Result success
check "and makes a snapshot when a program crashes"

# The journal has a field for each fact about a snapshot. auxrec info must find the same facts in
# the file. Main rings of one page lose records, so there are losses, too. The second snapshot
# fails, because it is larger than the limit of the recorder's files.
entry() { journalctl -u $UNIT MESSAGE_ID="$1" -o json | tail -n 1 >entry; }
fact() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" entry; }
told() { "$AUXREC" info --json "$f" | grep '"recording": [0-9]*, "number"' | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"; }
cp /etc/default/$UNIT options
echo "FLIGHT_OPTIONS='-M 16M -m 4K --flight=30s -a -e cpu-clock -F 5000 -e sched:*'" >/etc/default/$UNIT
want 0 systemctl start $UNIT
end=$((SECONDS + 60))
until ctl $SOCKET status && ! grep -qx 'lost records: 0' out; do
	((SECONDS < end)) || { note "nothing is lost" && break; }
done
ctl $SOCKET snapshot lossy
f=$(<out)
journalctl --sync
entry 11263cccdc3f4822b8a0158f87af3f5f
for pair in AUXREC_PATH:"$f" AUXREC_TRIGGER:lossy AUXREC_TRIGGER_KIND:socket AUXREC_TRIGGERS:1 \
	PRIORITY:6 AUXREC_BYTES:"$(stat -c %s "$f")" AUXREC_NUMBER:"$(told number)" \
	AUXREC_RECORDING:"$(printf '%#x' "$(told recording)")" \
	AUXREC_TRIGGER_TIME:"$(told trigger)" AUXREC_COMPLETE_BEGIN:"$(told complete_begin)" \
	AUXREC_COMPLETE_END:"$(told complete_end)"; do
	[[ $(fact "${pair%%:*}") == "${pair#*:}" ]] || note "${pair%%:*} is $(fact "${pair%%:*}"), not ${pair#*:}"
done
(($(fact AUXREC_LOST_RECORDS) > 0 && $(fact AUXREC_COMPLETE_BEGIN) > 0)) ||
	note "no losses: $(<entry)"
journalctl -u $UNIT -o cat >journal
[[ $(grep -c "$f" journal) == 1 ]] || note "the message is there $(grep -c "$f" journal) times"
prlimit --pid "$(property MainPID)" --fsize=1000
want 1 "$AUXREC" ctl --timeout=60 $SOCKET snapshot larger
journalctl --sync
entry b8a7a917edd84657ba31a0b5f675c638
[[ $(fact AUXREC_TRIGGER) == larger && $(fact PRIORITY) == 3 ]] || note "the failure: $(<entry)"
ctl $SOCKET stop
until [[ $(property ActiveState) != active ]]; do :; done
cp options /etc/default/$UNIT
check "the journal has a field for each fact about a snapshot"

echo "FLIGHT_OPTIONS='--flight=30s -a -e cpu-clock --trigger pressure=memory/150ms/1s'" >/etc/default/$UNIT
want 0 systemctl start $UNIT
is ActiveState active
ctl $SOCKET status
ctl $SOCKET stop
until [[ $(property ActiveState) != active ]]; do :; done
is Result success
cp options /etc/default/$UNIT
check "pressure is watched within the sandbox"

# Test the module's device, its rings, and triggers that freeze them.
if [[ -e /sys/bus/event_source/devices/auxgen && -e /dev/perfaux ]]; then
	options="--flight=30s -M 64M -a -e auxgen/timer=1,config1=20000,chunks=8/ -e cpu-clock"
	options+=" --raw-ring -e sched:sched_process_exit --trigger crash"
	echo "FLIGHT_OPTIONS=\"$options\"" >/etc/default/$UNIT
	want 0 systemctl start $UNIT
	is ActiveState active
	ctl $SOCKET status
	line 'raw ring' '[1-9][0-9]* KiB'
	ctl $SOCKET snapshot raw
	chunks "$(<out)"
	crash
	chunks "$f"
	"$AUXREC" info --json "$f" | grep '"kind": "crash"' | grep -q '"frozen": true' ||
		note "not frozen: $("$AUXREC" info "$f" | grep -A 2 Snapshots)"
	ctl $SOCKET stop
	until [[ $(property ActiveState) != active ]]; do :; done
	is Result success
	check "a raw ring is recorded and frozen within the sandbox"
else
	skip "a raw ring is recorded and frozen within the sandbox" "no auxgen here"
fi

want 0 "$STANDIN" --daemon "$T/pid" - "$T/sock"
pid=$(<pid)
ctl "$T/sock" snapshot x
ctl "$T/sock" stop
journalctl --sync
journalctl -t auxrec _PID="$pid" -o cat >journal
grep -qx 'recording' journal || note "the journal: $(cat journal)"
grep -qx 'snapshot x' journal || note "the journal: $(cat journal)"
check "a daemon's messages are in the journal"

# --daemon under a manager, which takes the process in the pid file for the service
systemctl stop $UNIT
UNIT=auxrec-daemon
SOCKET=/run/$UNIT.socket
PID=/run/$UNIT.pid
cat >"$UNITS/$UNIT.service" <<-END
	[Service]
	Type=forking
	PIDFile=$PID
	ExecStart=$AUXREC --flight --daemon --pid-file=$PID --trigger socket=$SOCKET \\
		--trigger signal=USR1,post=1h -o $T/daemon -a -e cpu-clock -F 100
	TimeoutStartSec=60
END
systemctl daemon-reload
want 0 systemctl start $UNIT
is ActiveState active
is SubState running
pid=$(property MainPID)
[[ $pid == "$(<$PID)" && $(<"/proc/$pid/comm") == auxrec ]] || note "$pid, in the file $(<$PID)"
# When the start returns, everything is ready, without waiting.
ctl $SOCKET snapshot forked
valid "$(<out)"
# kill with pid 0 would send the signal to this script's process group.
((pid)) && kill -USR1 "$pid"
end=$((SECONDS + 60))
until "$AUXREC" ctl $SOCKET status | grep -qx 'waiting: 1'; do
	((SECONDS < end)) || { note "no trigger came" && break; }
done
want 0 systemctl stop $UNIT
is ActiveState inactive
is Result success
[[ ! -e $PID && ! -e $SOCKET ]] || note "left: $(echo $PID* $SOCKET*)"
journalctl --sync
journalctl -t auxrec _PID="$pid" -o cat >journal
grep -q '^2 snapshots, ' journal || note "the journal: $(cat journal)"
check "a unit of Type=forking: --daemon and --pid-file"

# Files that a killed recorder leaves do not keep the next one from starting.
want 0 systemctl start $UNIT
pid=$(property MainPID)
((pid)) && kill -9 "$pid"
end=$((SECONDS + 60))
until [[ $(property ActiveState) == failed ]]; do
	((SECONDS < end)) || { note "it is $(property ActiveState)" && break; }
done
want 0 systemctl start $UNIT
is ActiveState active
ctl $SOCKET snapshot anew
valid "$(<out)"
want 0 systemctl stop $UNIT
is Result success
check "and one that is killed can be started again"

# If the recording cannot begin, the unit does not come up.
sed -i 's/cpu-clock/no-such-event/' "$UNITS/$UNIT.service"
systemctl daemon-reload
want 1 systemctl start $UNIT
is Result exit-code
[[ ! -e $PID ]] || note "its pid file is left"
check "and one that cannot record does not come up"

finish
