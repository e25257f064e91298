# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: hold of all beside a writer and its NMI
# found: after HOLD, which says to have all
# The segment is not open any more, and not yet in the table
/^static void pa_segment_ready/,/^}/ {
	/^\tpa_open_remove(seg);$/d
	s/^\tpa_order_add(seg, ready_seq);$/\tpa_open_remove(seg);\n&/
}
