# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all, frozen
# found: which says to have all up to
# A span that has its number, and is not published yet, is not looked for
/writers that have such a number/,/pa_ring_kick/ s/pa_ring_kick(ring, 0);/;/
