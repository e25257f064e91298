// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the causes for which data of the raw ring can be missing.
 */
#include <assert.h>

#include "base/util.h"
#include "perfaux.h"
#include "stream/cause.h"

static const char * const names[] = {
	[PERFAUX_CAUSE_NONE]		= "unknown",
	[PERFAUX_CAUSE_FULL]		= "raw ring full",
	[PERFAUX_CAUSE_TRUNCATED]	= "lost by the PMU",
	[PERFAUX_CAUSE_OVERWRITTEN]	= "overwritten",
	[PERFAUX_CAUSE_OVERRUN]		= "PMU overran its segment",
	[PERFAUX_CAUSE_NO_GAP]		= "gap table full",
	[PERFAUX_CAUSE_TOO_LARGE]	= "larger than a segment",
	[PERFAUX_CAUSE_ABANDONED]	= "not finished",
	[PERFAUX_CAUSE_FROZEN]		= "raw ring frozen by a trigger",
};

static_assert(ARRAY_LEN(names) == PERFAUX_NR_CAUSES, "each cause has a name");

const char *gap_cause_name(unsigned int cause)
{
	return cause < ARRAY_LEN(names) ? names[cause] : names[PERFAUX_CAUSE_NONE];
}
