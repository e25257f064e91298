#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# secure_boot_test.sh FROM TO: install the Debian packages on a machine with UEFI Secure Boot and
# kernel FROM, enrol the key of DKMS as the packages say, at the machine's console, and load the
# modules on both kernels. At the end, the kernel is locked down on a machine without Secure Boot.
# secure_boot_guest.sh runs in the VMs. Prints TAP.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
FROM=${1:?usage: secure_boot_test.sh FROM TO} TO=${2:?usage: secure_boot_test.sh FROM TO}
OUT=$PWD/build/secure-boot
GUEST=secure_boot_guest.sh
. selftests/packages/lib.sh

prepare "$FROM" "$TO"
selftests/packages/unpack "$OUT/root.ext4" "$OUT/share" >"$OUT/unpack.out" 2>&1
report $? "DKMS builds the modules for both kernels" "$OUT/unpack.out"
# The same password is in secure_boot_guest.sh.
mkdir "$OUT/machine"
vm "$FROM" not-enrolled --secure-boot "$OUT/machine"
selftests/vm/enrol "$OUT/machine" enrol-8 "$OUT/enrol.console" >"$OUT/enrol.out" 2>&1
report $? "the key is enrolled in MokManager, with the password" "$OUT/enrol.out"
vm "$FROM" enrolled --secure-boot "$OUT/machine"
vm "$TO" upgraded --secure-boot "$OUT/machine"
vm "$FROM" locked-down --append lockdown=integrity
finish
