# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all, four segments
# found: which HOLD wants
# HOLD takes READY segments before writers that do not know of it have published
/^\tpa_ring_kick(ring, 0);$/d
