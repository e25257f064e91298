/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a page that are the same in each page: assets.c has the files of browser/.
 */
#ifndef VIEW_PAGE_ASSETS_H
#define VIEW_PAGE_ASSETS_H

struct asset {
	const char	*begin;		/* NULL: the end of a list */
	const char	*end;
};

/* Each part is the bytes from NAME to NAME_end. */
extern const char page_css[], page_css_end[];
extern const char page_html[], page_html_end[];
extern const char page_js[], page_js_end[];

extern const struct asset assets_head[];	/* before the data */
extern const struct asset assets_tail[];	/* after the data */

#endif
