# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# apt.sh: get packages of any Debian release, without a change of the host. Each
# release has its own apt configuration, package lists and download directory in
# the cache. Scripts source this file after lib.sh.

ARCHIVES=$CACHE/apt/archives
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# host_mirror SUITE: print the mirror that the host itself uses: the first
# repository of its configuration that has SUITE.
host_mirror() {
	# shellcheck disable=SC2016 # expanded by apt-get
	apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' |
		awk -v suite="$1" '$2 == "main" && $1 == suite { print $3; exit }'
}

# apt_sources REL: print the sources.list of release REL (a code name).
apt_sources() {
	local host main security suite opt=""

	host=$(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release)
	# Only Debian itself has an -updates suite. The suite of a third party's
	# repository can have the bare code name.
	main=${PERFAUX_MIRROR:-$(host_mirror "$host-updates")}
	main=${main:-$(host_mirror "$host")}
	security=${PERFAUX_SECURITY_MIRROR:-$(host_mirror "$host-security")}
	[[ -n $main ]] ||
		die "no Debian mirror in apt's configuration (no suite '$host' or '$host-updates' with component main): set PERFAUX_MIRROR=URL"
	[[ -e $KEYRING ]] && opt="[signed-by=$KEYRING] "
	for suite in "$1" "$1-updates" "$1-backports"; do
		echo "deb $opt$main $suite main"
	done
	if [[ -n $security ]]; then
		echo "deb $opt$security $1-security main"
	fi
}

# APT REL COMMAND ARG...: run an apt program with the lists of release REL.
APT() {
	local rel=$1
	shift
	"$1" -c "$CACHE/apt/$rel/apt.conf" "${@:2}"
}

# apt_prepare REL: write the configuration of release REL, and bring its package
# lists up to date.
apt_prepare() {
	local rel=$1 dir=$CACHE/apt/$1 fd

	is_young "$dir/updated" && return
	mkdir -p "$CACHE/lock"
	exec {fd}>"$CACHE/lock/apt-$rel"
	flock "$fd"
	if ! is_young "$dir/updated"; then
		mkdir -p "$dir/lists/partial" "$dir/cache" "$ARCHIVES"
		: >"$dir/status"
		apt_sources "$rel" >"$dir/sources.list"
		# #clear: do not run the host's hooks after an update.
		cat >"$dir/apt.conf" <<-EOF
			#clear APT::Update;
			#clear DPkg;
			Dir::Etc::sourcelist "$dir/sources.list";
			Dir::Etc::sourceparts "/dev/null";
			Dir::Etc::preferences "/dev/null";
			Dir::Etc::preferencesparts "/dev/null";
			Dir::State::lists "$dir/lists";
			Dir::State::status "$dir/status";
			Dir::Cache "$dir/cache";
			Dir::Cache::pkgcache "pkgcache.bin";
			Dir::Cache::srcpkgcache "srcpkgcache.bin";
			Acquire::GzipIndexes "false";
			Acquire::Languages "none";
			Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
			Acquire::Retries "${PERFAUX_RETRIES:-3}";
			APT::Update::Error-Mode "any";
			APT::Install-Recommends "false";
			APT::Sandbox::User "root";
		EOF
		say "reading the package lists of $rel"
		if APT "$rel" apt-get -qq update >&2; then
			touch "$dir/updated"
		elif [[ -e $dir/updated ]]; then
			say "cannot update the package lists of $rel: going on with those of $(date -r "$dir/updated" +%F)"
			touch "$dir/updated"
		else
			die "cannot fetch the package lists of $rel (sources: $dir/sources.list): is the network up?"
		fi
	fi
	exec {fd}>&-
}

# apt_closure REL PKG[/SUITE]...: print "name=version" of the packages and of all
# packages that they depend on, as if nothing was installed.
apt_closure() {
	local rel=$1
	shift
	apt_prepare "$rel"
	APT "$rel" apt-get -qq -s install "$@" |
		sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p' | sort -u
}

# apt_versions REL[/SUITE] PKG...: print "name=version" of these packages only. If SUITE is
# given, prefer its versions.
apt_versions() {
	local rel=${1%%/*} pkg ver
	local -a of=()
	[[ $1 != */* ]] || of=(-o "APT::Default-Release=${1#*/}")
	shift
	apt_prepare "$rel"
	for pkg in "$@"; do
		ver=$(APT "$rel" apt-cache ${of[@]+"${of[@]}"} policy "$pkg" |
			sed -n 's/^ *Candidate: //p')
		if [[ -z $ver || $ver == "(none)" ]]; then
			die "no package $pkg in $rel: was it renamed? $SETUP/${PROG##*/} asks for it"
		fi
		printf '%s=%s\n' "$pkg" "$ver"
	done
}

# apt_fetch REL NAME=VERSION...: download packages that are missing, and print the
# path of each .deb.
apt_fetch() {
	local rel=$1 item fd
	local -a missing=()
	shift
	mkdir -p "$ARCHIVES"
	exec {fd}>"$CACHE/lock/archives-$rel"
	flock "$fd"
	for item in "$@"; do
		compgen -G "$(deb_glob "$item")" >/dev/null || missing+=("$item")
	done
	[[ ${#missing[@]} -eq 0 ]] || apt_download "$rel" "${missing[@]}"
	exec {fd}>&-
	for item in "$@"; do
		compgen -G "$(deb_glob "$item")" | head -n 1
	done
}

# apt_stale REL MESSAGE: fail with STALE. The package lists of release REL may be older
# than the mirror, so the next run reads them again.
apt_stale() {
	rm -f -- "$CACHE/apt/$1/updated"
	say "$2"
	advise
	say "the next run reads the package lists of $1 afresh"
	exit "$STALE"
}

# apt_download REL NAME=VERSION...: download packages to ARCHIVES. If one fails, the complete
# ones are kept, and not fetched again.
apt_download() {
	local rel=$1 part=$ARCHIVES/.$1.part uris mb
	shift
	mkdir -p "$part"
	uris=$(APT "$rel" apt-get -qq download --print-uris "$@") ||
		apt_stale "$rel" "not in the package lists of $rel, or no longer: $*"
	mb=$(awk '{ n += $3 } END { printf "%d", n / 1048576 + 1 }' <<<"$uris")
	say "downloading $# package(s) of $rel, $mb MB"
	ticker "downloading from $rel" "$part" "$mb"
	(cd "$part" && APT "$rel" apt-get -qq download "$@" >&2) || {
		end_ticker
		keep_whole "$part" <<<"$uris"
		apt_stale "$rel" "cannot download all of $# package(s) of $rel: is the network up?"
	}
	end_ticker
	mv -- "$part"/*.deb "$ARCHIVES/"
	rm -rf -- "$part"
}

# keep_whole DIR: move packages from DIR to ARCHIVES if their checksums are those in apt's list
# on standard input. Remove the others, which are fetched again.
keep_whole() {
	local file sum
	while read -r _ file _ sum; do
		if [[ $(sha256sum 2>/dev/null <"$1/$file" | cut -d' ' -f1) == "${sum#SHA256:}" ]]; then
			mv -- "$1/$file" "$ARCHIVES/"
		fi
	done
	rm -rf -- "$1"
}

# deb_glob NAME=VERSION: print a pattern for the path of the .deb. apt writes the colon of an
# epoch as %3a.
deb_glob() {
	local name=${1%%=*} ver=${1#*=}
	printf '%s/%s_%s_*.deb' "$ARCHIVES" "${name%%:*}" "${ver//:/%3a}"
}

# unpack DIR DEB...: unpack the files of packages to DIR, two packages at a time. No
# maintainer script runs, because these scripts take most of the time of an
# installation.
unpack() {
	local dir=$1 d
	shift
	# Older packages still have files in /bin and /lib. These must go to /usr,
	# in whatever order the packages are unpacked.
	mkdir -p "$dir"/usr/{bin,sbin,lib,lib64}
	for d in bin sbin lib lib64; do
		[[ -L $dir/$d ]] || ln -s "usr/$d" "$dir/$d"
	done
	# shellcheck disable=SC2016
	printf '%s\0' "$@" | xargs -0 -n 1 -P 2 sh -c '
		dpkg-deb --fsys-tarfile "$1" |
		tar -x -C "$0" --keep-directory-symlink --no-same-owner \
			--warning=no-timestamp --exclude=./usr/share/doc \
			--exclude=./usr/share/man --exclude=./usr/share/locale \
			--exclude=./usr/share/info --exclude=./usr/share/lintian \
			--exclude=./usr/share/bug' "$dir"
}
