# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: hostile marks
# found: not released, and becomes FREE
# Segments that were not released become FREE
/^void pa_segments_give_back/,/^}/ s/pa_segment_released(seg, state) &&/PERFAUX_STATE(state) == PERFAUX_SEG_READY \&\&/
