# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: overwriting
# found: bytes count as overwritten
# Overwritten bytes are not counted
/^static bool pa_segment_claim/,/^}/ s/pa_lost(seg->ring, PERFAUX_CAUSE_OVERWRITTEN, shared->bytes);/;/
