# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: overwriting, and NMIs that do it first
# found: a writer finds no segment
# A writer gives up soon when others are faster
s/^\(#define PA_TRIES\).*/\1 3/
