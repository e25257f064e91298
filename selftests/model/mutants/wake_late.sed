# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: a reader that waits for two segments
# found: the reader sleeps, and . segments are READY
# A reader is woken one segment after the watermark
s/nr >= READ_ONCE(ring->wake_at)/nr > READ_ONCE(ring->wake_at)/
