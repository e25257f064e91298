// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model has no kept rings: writers call these functions of module/ring/keep.c only if there
 * is one.
 */
#include <stdlib.h>

#include "ring/keep.h"

void pa_keep_clear(const struct pa_segment *seg)
{
	abort();
}

void pa_keep_begin(const struct pa_segment *seg)
{
	abort();
}

u64 pa_keep_span_sum(const struct pa_segment *seg, const struct perfaux_span *span)
{
	abort();
}

void pa_keep_gap(struct pa_ring *ring, unsigned int i, u64 seq)
{
	abort();
}
