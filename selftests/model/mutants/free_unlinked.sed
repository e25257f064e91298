# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: a reader who gives back the last one first
# found: is FREE, and nobody finds it
# A released segment becomes FREE, and is not put on the stack
/^void pa_segments_give_back/,/^}/ s/pa_free_link(seg);/;/
