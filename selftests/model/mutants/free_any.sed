# SPDX-License-Identifier: GPL-2.0-only
# file: ring/free.c
# case: hostile marks
# found: not released, and becomes FREE
# Segments that were not released become FREE
/^void pa_free_released/,/^}/ s/pa_segment_released(seg, state) &&/PERFAUX_STATE(state) == PERFAUX_SEG_READY \&\&/
