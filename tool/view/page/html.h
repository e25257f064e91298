/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a page: its fixed parts, and blobs in base64 (format.h).
 */
#ifndef VIEW_PAGE_HTML_H
#define VIEW_PAGE_HTML_H

#include <stdio.h>
#include <zlib.h>

#include "view/page/buf.h"

struct html {
	FILE		*out;
	char		*path;		/* the file's name at the end */
	char		*temporary;	/* its name until then; NULL: it has its name */
	z_stream	deflate;
	bool		deflates;
	struct buf	packed;
	size_t		element;	/* characters in this element */
	unsigned int	nr_elements;
	bool		in_element;
};

/* All return 0 or -errno. */
int html_open(struct html *h, const char *path);
int html_begin(struct html *h);

/* Deflate @in, and write the result as a blob. Set @len to its length in bytes, without base64. */
int html_blob(struct html *h, const struct buf *in, __u32 *len);

/* Begin the element of the index. */
int html_index(struct html *h);

/* Write the end of the page, and give the file its name. */
int html_end(struct html *h);

/* If html_end() did not succeed before, remove the file. */
void html_close(struct html *h);

#endif
