# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Functions of the suites that record ordinary programs with softpt and have stock
# perf decode them. The suites source this file. They work like
# selftests/tool/record/record.sh.

# shellcheck source=selftests/tool/record/record.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tool/record/record.sh"
SPT=$B/selftests/softpt
MODULES=${PERFAUX_MODULES:-$B/modules/${PERFAUX_KERNEL:-}}
PERF=${PERFS%% *}
PERF=${PERF:-perf}
trap 'cd /; rm -rf "$T"; rmmod softpt' EXIT
ulimit -c 0

clean() { env -i LC_ALL=C PATH=/usr/bin:/bin "$@"; }

insns=0 count=0 errors=0 losses=0

# lossless: check that auxrec, whose stderr is in err, and its stream f report no
# loss
lossless()
{
	valid f
	grep LOST err >lost
	"$AUXREC" info f | sed -n '/^Losses/,/^$/p' | grep -v -e ^Losses -e '^ *none' -e '^$' >>lost
	[[ ! -s lost ]] && return
	losses=$((losses + 1))
	note "$(head -n 3 lost | tr '\n' '|')"
}

# perf's messages about any Intel PT data in pipe format
known=(-e 'Intel PT with pipe mode is not recommended' -e 'The output cannot relied upon'
	-e 'timestamps and the order of events may be incorrect' -e '^ *$')

# decodes ITRACE: check that perf decodes all of f without an error. The samples
# tell how many instructions there were since the last sample; count gets the sum,
# which is added to insns.
decodes()
{
	"$PERF" script -i f --itrace="$1" -F tid,period,ip >got 2>perr ||
		note "perf: status $?"
	grep -v "${known[@]}" perr >rest && note "perf: $(head -n 3 rest | tr '\n' '|')"
	grep -m 3 -iE 'instruction trace error|lost' got >rest &&
		note "perf: $(tr '\n' '|' <rest)"
	errors=$((errors + $(grep -c 'instruction trace error' got)))
	count=$(awk '$2 ~ /^[0-9]+$/ { n += $2 } END { print n + 0 }' got)
	insns=$((insns + count))
}

# shellcheck disable=SC2086 # parameters of the module
insmod "$MODULES/softpt.ko" ${SOFTPT-} || exit 2
