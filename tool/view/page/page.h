/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of a time line as one HTML file, which a browser shows without a network.
 *
 * format.h describes the file, and the comment at the top of browser/view.js the code in it.
 */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

struct timeline;

/*
 * Return an output that writes the page @path, or NULL, with errno set. @title is the heading of
 * the page. end() gives the file its name, so an output that ends early leaves no file, nor does it
 * change one that exists. If @path is no regular file, the output writes to it directly.
 *
 * Memory: PAGE_PENDING bytes (format.h), some bytes for each name and each lane, and 40 bytes for
 * about 8000 calls. The rest is in a temporary file without a name, beside @path or in TMPDIR.
 */
struct timeline *page_new(const char *path, const char *title);

#endif
