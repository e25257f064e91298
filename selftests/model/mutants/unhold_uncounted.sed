# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all, again and again, beside unhold
# found: is still READY
# HOLD does not look again at a segment that UNHOLD has given back
/^\tatomic64_inc(&seg->ring->unholds);$/d
