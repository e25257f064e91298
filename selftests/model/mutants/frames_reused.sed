# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: an abandoned frame, and a mark
# found: becomes FREE, and a frame in it
# A segment with abandoned frames is used again while they are written
/^bool pa_segment_released/,/^}/ {
	s/READ_ONCE(\*seg->mark) == PERFAUX_SEQ(state) &&/READ_ONCE(*seg->mark) == PERFAUX_SEQ(state);/
	/!pa_frames_are_open(seg);/d
}
