# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by the set-up scripts: messages, and the cache of things that are
# fetched or made. Sourced, never run.

shopt -s inherit_errexit
# A command that fails without a word of its own is still found; die's status
# says that it was not without a word.
set -E
trap 'on_error $? "${BASH_SOURCE[0]}:$LINENO: $BASH_COMMAND"' ERR

DIED=3
# A package is no longer where the package lists say: they are read afresh the next time.
STALE=4

# The artefact that is being made
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

# How old (minutes) the answer "this is the current version" may be before
# the package index is asked again.
MAX_AGE=${PERFAUX_MAX_AGE:-1440}

PROG=${PROG:-setup/$(basename "$0")}

# Seconds between two reports of what takes long
PROGRESS=${PERFAUX_PROGRESS:-10}

# With less than this a failure is most likely for want of space.
MIN_FREE_MB=300

say() {
	printf '%s: %s\n' "$PROG" "$*" >&2
}

die() {
	say "$*"
	advise
	exit "$DIED"
}

# Megabytes that are free where directory $1 is, or will be.
free_mb() {
	local dir=$1
	while [[ ! -d $dir ]]; do
		dir=$(dirname "$dir")
	done
	df -Pm "$dir" | awk 'NR == 2 { print $4 }'
}

# What to do after a failure.
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

# ticker WHAT [DIR [MB]]: tells every PROGRESS seconds how far WHAT is, by the size of DIR.
# The ticker ends with the process that started it, and holds none of that one's locks and pipes.
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

# What is in DIR, in megabytes. Files may vanish meanwhile.
size_mb() {
	{ du -sm -- "$1" 2>/dev/null || true; } | awk '{ n = $1 } END { print n + 0 }'
}

# Files that a child must not hold open: flock() lasts until the last copy is closed.
close_locks() {
	local fd
	for fd in /proc/"$BASHPID"/fd/*; do
		[[ $(readlink "$fd") != "$CACHE"/lock/* ]] || eval "exec ${fd##*/}>&-"
	done
}

# A path that is young enough to be believed without another look.
is_young() {
	[[ -n $(find "$1" -maxdepth 0 -mmin "-$MAX_AGE" 2>/dev/null) ]]
}

# lock NAME FD: wait for the cache-wide lock NAME, held until FD is closed or
# the process ends.
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
# Prints the directory that holds artefact NAME, making it first if needed.
# RESOLVE prints what it is made from (package versions, file hashes), MAKE DIR
# INPUTS fills the empty directory DIR. The directory's name is a hash of the
# recipe files and of those inputs: a changed recipe or a new package version
# makes a new one, beside the old, which a running VM may still use. What
# clone of the tree wants which is remembered per recipe, for MAX_AGE, so that
# the usual call asks no package index. What is made from another artefact has that
# one's directory in ARTEFACT_OF, or it would be believed when that is a newer one already.
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

# Drop what was made for recipes of NAME that nobody has asked for these two
# days: it is large, and made again in seconds.
prune() {
	local dir used
	find "$CACHE/current" -maxdepth 1 -name "$1.????????????" -mtime +1 -delete
	used=$(find "$CACHE/current" -maxdepth 1 -name "$1.????????????" -printf '%l\n')
	for dir in "$CACHE/store/$1"-????????????????; do
		[[ ! -d $dir ]] || grep -qxF -- "$dir" <<<"$used" || rm -rf -- "$dir"
	done
}
