# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: overwriting, and NMIs that do it first
# found: who writes finds no segment
# A writer tries only the oldest segment
s/for (i = 0; i < oldest.nr; i++) {/for (i = 0; i < 1; i++) {/
s/^\(#define PA_TRIES\).*/\1 3/
