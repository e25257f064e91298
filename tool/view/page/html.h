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
	char		*path;		/* what the file becomes at the end */
	char		*temporary;	/* its name until then; NULL: out is @path */
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

/* Write a blob with @in deflated. Set @len to its length in bytes. */
int html_blob(struct html *h, const struct buf *in, __u32 *len);

/* The blob that follows is the index. */
int html_index(struct html *h);

/* Write the end, and give the file its name. */
int html_end(struct html *h);

/* Without html_end() before, the file is removed. */
void html_close(struct html *h);

#endif
