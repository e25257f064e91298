# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lib.sh: functions that the set-up scripts share: messages, and the cache of what
# they fetch or make. Scripts source this file.

shopt -s inherit_errexit
# If a command fails without a message, on_error() reports it. The status DIED tells
# on_error() that die() has already printed a message.
set -E
trap 'on_error $? "${BASH_SOURCE[0]}:$LINENO: $BASH_COMMAND"' ERR

DIED=3
# The status if a package is not where the package lists say. The next run reads the lists
# again.
STALE=4

# The artefact that this script is making
STEP=

on_error() {
	[[ $1 -ne $DIED && $1 -ne $STALE ]] || exit "$1"
	say "failed with status $1: $2"
	advise
	exit "$DIED"
}

# shellcheck disable=SC2034 # used by those who source this
SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck disable=SC2034
TOP=$(cd "$SETUP/../.." && pwd -P)
CACHE=${PERFAUX_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set: set PERFAUX_CACHE to a directory for downloads}/.cache}/perfaux}

# For how many minutes a known version counts as the current one. After that, the
# package lists are read again.
MAX_AGE=${PERFAUX_MAX_AGE:-1440}

PROG=${PROG:-setup/$(basename "$0")}

# Seconds between two reports of a long step
PROGRESS=${PERFAUX_PROGRESS:-10}

# If less space than this is free, the full disk is the most likely reason of a failure.
MIN_FREE_MB=300

say() {
	printf '%s: %s\n' "$PROG" "$*" >&2
}

die() {
	say "$*"
	advise
	exit "$DIED"
}

# free_mb DIR: print how many megabytes are free where DIR is or will be.
free_mb() {
	local dir=$1
	while [[ ! -d $dir ]]; do
		dir=$(dirname "$dir")
	done
	df -Pm "$dir" | awk 'NR == 2 { print $4 }'
}

# advise: print what the user can do after a failure.
advise() {
	local free
	free=$(free_mb "$CACHE")
	if [[ ${free:-0} -lt $MIN_FREE_MB ]]; then
		say "only $free MB are free for $CACHE: free some space, or set PERFAUX_CACHE to another directory"
	fi
	[[ ! $STEP ]] ||
		say "the step \"$STEP\" failed: run the same command again when the cause is gone; what was fetched and made is kept"
}

need_root() {
	[[ $EUID -eq 0 ]] ||
		die "must be run as root (uid is $EUID): it installs packages and mounts"
}

# ticker WHAT [DIR [MB]]: start a process that reports every PROGRESS seconds how far WHAT is, by
# the size of DIR. The process ends with the process that started it, and keeps none of its locks
# and pipes open.
ticker() {
	local parent=$BASHPID
	(
		exec >/dev/null </dev/null
		close_locks
		begin=$SECONDS
		while sleep 1 && kill -0 "$parent" 2>/dev/null; do
			now=$((SECONDS - begin))
			((now % PROGRESS)) || say "$1:${2:+ $(size_mb "$2")${3:+ of $3} MB,} $now s so far"
		done
	) &
	TICKER=$!
}

end_ticker() {
	kill "$TICKER" 2>/dev/null || true
	wait "$TICKER" 2>/dev/null || true
}

# size_mb DIR: print the size of DIR in megabytes. Files can vanish meanwhile.
size_mb() {
	{ du -sm -- "$1" 2>/dev/null || true; } | awk '{ n = $1 } END { print n + 0 }'
}

# close_locks: close the lock files that a child inherited. A flock() lasts until the last copy of
# the descriptor is closed.
close_locks() {
	local fd
	for fd in /proc/"$BASHPID"/fd/*; do
		[[ $(readlink "$fd") != "$CACHE"/lock/* ]] || eval "exec ${fd##*/}>&-"
	done
}

# is_young PATH: is PATH not older than MAX_AGE?
is_young() {
	[[ -n $(find "$1" -maxdepth 0 -mmin "-$MAX_AGE" 2>/dev/null) ]]
}

# lock NAME FD: take the lock NAME of the cache. It is held until FD is closed or the
# process ends.
lock() {
	mkdir -p "$CACHE/lock"
	eval "exec $2>\"\$CACHE/lock/\$1\""
	flock "$2"
}

unlock() {
	eval "exec $1>&-"
}

# artefact NAME RESOLVE MAKE RECIPE-FILE...
#
# Print the directory of artefact NAME, and make the artefact first if needed.
# The function RESOLVE prints its inputs (package versions, file hashes). The
# function MAKE DIR INPUTS fills the empty directory DIR.
#
# The directory's name contains a hash of the recipe files and of the inputs.
# After a change of a recipe or a package, a new directory is made beside the old
# one, which a running VM may still use. For each recipe, "current" remembers the
# directory for MAX_AGE, so most calls do not read package lists.
#
# If an artefact is made from another one, ARTEFACT_OF must have the other one's
# directory. Otherwise the old artefact would be used after the other one changed.
artefact() {
	local name=$1 resolve=$2 make=$3
	shift 3
	local recipe pointer inputs key dir tmp start fd

	recipe=$({ cat -- "$@" && printf '%s' "${ARTEFACT_OF-}"; } | sha256sum | cut -c1-12)
	pointer=$CACHE/current/$name.$recipe
	if is_young "$pointer" && [[ -d $pointer/ ]]; then
		readlink "$pointer"
		return
	fi

	mkdir -p "$CACHE/lock" "$CACHE/current" "$CACHE/store"
	exec {fd}>"$CACHE/lock/$name"
	flock "$fd"
	if is_young "$pointer" && [[ -d $pointer/ ]]; then
		readlink "$pointer"
		exec {fd}>&-
		return
	fi

	start=$SECONDS
	STEP=$name
	inputs=$("$resolve")
	key=$(printf '%s\n%s\n' "$recipe" "$inputs" | sha256sum | cut -c1-16)
	dir=$CACHE/store/$name-$key
	if [[ ! -d $dir ]]; then
		tmp=$CACHE/store/.$name-$key.tmp
		rm -rf -- "$tmp"
		mkdir -p "$tmp"
		ticker "making $name" "$tmp"
		"$make" "$tmp" "$inputs" >&2
		end_ticker
		mv -T -- "$tmp" "$dir"
		say "made $name ($((SECONDS - start)) s, $(size_mb "$dir") MB)"
	fi
	STEP=
	ln -sfn -- "$dir" "$pointer.tmp"
	mv -T -- "$pointer.tmp" "$pointer"
	prune "$name"
	exec {fd}>&-
	printf '%s\n' "$dir"
}

# prune NAME: remove what was made for recipes of NAME that were not used for two
# days. It is large, and can be made again in seconds.
prune() {
	local dir used
	find "$CACHE/current" -maxdepth 1 -name "$1.????????????" -mtime +1 -delete
	used=$(find "$CACHE/current" -maxdepth 1 -name "$1.????????????" -printf '%l\n')
	for dir in "$CACHE/store/$1"-????????????????; do
		[[ ! -d $dir ]] || grep -qxF -- "$dir" <<<"$used" || rm -rf -- "$dir"
	done
}
