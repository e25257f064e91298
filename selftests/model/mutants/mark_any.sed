# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: hostile marks
# found: not released, and becomes FREE
# Any mark releases a segment
/^bool pa_segment_released/,/^}/ s/READ_ONCE(\*seg->mark) == PERFAUX_SEQ(state)/READ_ONCE(*seg->mark)/
