# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold after unhold
# found: holds segment . behind a hole
# HOLD does not wait for the number of a segment that is being overwritten
s/PERFAUX_STATE(VAL) != PERFAUX_SEG_CLAIMED);/true);/
