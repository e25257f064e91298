# SPDX-License-Identifier: GPL-2.0-only
# file: ring/gap.c
# case: a thread that loses data moves to another CPU
# found: keeps its gap
# A CPU that finds another one's slot empty does not look again after it has cleared the bit
/^static u64 pa_slot_of/,/^}/ s/^\tif (gap)$/\tif (false)/
