# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all, frozen
# found: which says to have all up to
# HOLD does not look for a span that has a number but is not published yet
/writers that have such a number/,/pa_ring_kick/ s/pa_ring_kick(ring, 0);/;/
