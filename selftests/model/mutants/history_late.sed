# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: hold after unhold
# found: holds segment . behind a hole
# A writer notes what it overwrites after it has taken the segment
/^static bool pa_segment_claim/,/^}/ { /^\tif (pa_is_history(seg, from))$/,/pa_history_ends/ d; s/pa_history_hole(seg);/&\n\t\tpa_history_ends(seg);/ }
