/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write the file of a page, when all lanes and names are complete.
 */
#ifndef VIEW_PAGE_WRITE_H
#define VIEW_PAGE_WRITE_H

#include "view/page/html.h"
#include "view/page/lane.h"
#include "view/page/names.h"

struct page_parts {
	const char	*title;
	struct lane	**lanes;
	__u32		nr_lanes;
	struct names	*names;
	struct spill	*spill;
};

/* Return 0 or -errno. */
int page_write(struct html *h, const struct page_parts *parts);

#endif
