# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: a reader that waits for what is held
# found: the reader sleeps, and . segments are READY
# UNHOLD does not count the segments that become READY
s,pa_segment_published(seg->ring);,seg->held_by = 0;,
