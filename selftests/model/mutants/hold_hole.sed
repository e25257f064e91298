# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold after unhold
# found: holds segment . behind a hole
# HOLD takes segments that are older than a hole
s/list\[i\].ready_seq < overwritten/((void)overwritten, false)/
