# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: an abandoned frame, and a mark
# found: has two owners: .* and the writer of a frame
# A segment with abandoned frames is used again while they are written
/^bool pa_segment_released/,/^}/ {
	s/READ_ONCE(\*seg->mark) == PERFAUX_SEQ(state) &&/READ_ONCE(*seg->mark) == PERFAUX_SEQ(state));/
	/!pa_frames_are_open(seg));/d
}
