#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# packages_test.sh FROM TO: build the Debian packages, check them with lintian, and install them in a
# VM of kernel FROM, with Debian 13 and systemd. DKMS builds the modules there, users record, kernel
# TO is installed, and the machine boots TO with the same root file system, and then FROM again. At
# the end, kernel TO and the packages are removed and purged. guest.sh runs in the VMs. Prints
# TAP.
#
# The VMs compile the modules twice, which takes most of the test's minutes.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
FROM=${1:?usage: packages_test.sh FROM TO} TO=${2:?usage: packages_test.sh FROM TO}
OUT=$PWD/build/packages
GUEST=guest.sh
. selftests/packages/lib.sh

prepare "$FROM" "$TO"
lintian --allow-root --fail-on error,warning "$OUT"/deb/*.changes >"$OUT/lintian" 2>&1
report $? "lintian has no errors and no warnings" "$OUT/lintian"
vm "$FROM" install
vm "$TO" upgraded
vm "$FROM" back
finish
