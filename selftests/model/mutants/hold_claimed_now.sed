# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of two beside a fast writer
# found: HOLD says to have all up to
# HOLD does not wait for writers that are about to note a hole
s/PERFAUX_STATE(VAL) != PERFAUX_SEG_CLAIMED);/true);/
