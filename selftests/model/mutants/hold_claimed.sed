# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all beside a writer and its NMI
# found: segment . is READY after HOLD, which says to have all
# HOLD does not wait for a writer that is publishing a segment that HOLD wants
s/PERFAUX_STATE(VAL) != PERFAUX_SEG_CLAIMED ||/true ||/
