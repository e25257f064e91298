# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all, again and again, beside unhold
# found: is still READY
# UNHOLD counts before the segment is READY
/^\tatomic64_inc(&seg->ring->unholds);$/d
s/^\tu64 ready_seq = READ_ONCE(seg->shared->ready_seq);$/&\n\n\tatomic64_inc(\&seg->ring->unholds);/
