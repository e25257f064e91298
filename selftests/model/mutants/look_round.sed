# SPDX-License-Identifier: GPL-2.0-only
# file: tool/ring/look.c
# case: a reader that looks while the table comes round
# found: the reader does not find it
# A reader that has missed entries goes on after the newest one, without a look at all segments
/__atomic_thread_fence/,/segment_set_add_all/{
/segment_set_add_all/d
}
