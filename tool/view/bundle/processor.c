// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether libipt knows a processor.
 */
#include "view/bundle/bundle.h"

#if VIEW_HAS_LIBIPT

#include <intel-pt.h>

bool bundle_knows_processor(const struct source_pt *pt)
{
	const struct pt_cpu cpu = { pcv_intel, pt->family, pt->model, pt->stepping };
	struct pt_errata errata;

	return pt->family && !pt_cpu_errata(&errata, &cpu);
}

#else

bool bundle_knows_processor(const struct source_pt *pt)
{
	return pt->family;
}

#endif
