# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all, four segments
# found: which HOLD wants
# HOLD takes what is READY before those publish who do not know of it
/^\tpa_ring_kick(ring, 0);$/d
