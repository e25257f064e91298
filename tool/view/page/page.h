/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of a time line as one HTML file, which a browser shows without a network.
 *
 * format.h describes the data in the file, and browser/view.js the code.
 */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

struct timeline;

/*
 * Return an output that writes the page @path, or NULL, with errno set. @title is the heading of
 * the page. Only end() gives the file its name: until then a file @path stays as it was, and
 * nothing is left behind if end() is not called. If @path is a device or a pipe, the output writes
 * to it.
 *
 * Memory: PAGE_PENDING bytes (format.h), some bytes for each name and each lane, and 40 bytes for
 * each chunk, that is, for about 8000 calls. The rest is in a temporary file (chunk.h).
 */
struct timeline *page_new(const char *path, const char *title);

#endif
