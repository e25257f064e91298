// SPDX-License-Identifier: GPL-2.0-only
/* The file of a page: base64 of deflated blobs, between the fixed parts of the page. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view/page/assets.h"
#include "view/page/html.h"

/*
 * Characters of an element, after which another one begins. A browser keeps the text of an element
 * as one string, and limits the length of a string (512 MiB in Chromium).
 */
#define ELEMENT_MOST	(32U << 20)

static int failed(void)
{
	return errno ? -errno : -EIO;
}

static int put(struct html *h, const char *s, size_t len)
{
	return fwrite(s, 1, len, h->out) == len ? 0 : failed();
}

static int put_text(struct html *h, const char *s)
{
	return put(h, s, strlen(s));
}

static int open_temporary(struct html *h)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(&h->temporary, "%s.XXXXXX", h->path) < 0) {
		h->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(h->temporary, O_CLOEXEC);
	if (fd < 0) {
		int err = -errno;

		free(h->temporary);
		h->temporary = NULL;
		return err;
	}
	/* The file gets the mode that open() would give it. mkostemp() makes it private. */
	if (fchmod(fd, 0666 & ~mask)) {
		int err = -errno;

		close(fd);
		return err;
	}
	h->out = fdopen(fd, "w");
	if (!h->out) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

int html_open(struct html *h, const char *path)
{
	struct stat st;
	int err;

	*h = (struct html){ .path = strdup(path) };
	if (!h->path)
		return -ENOMEM;
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		h->out = fopen(path, "we");
		err = h->out ? 0 : -errno;
	} else {
		err = open_temporary(h);
	}
	if (!err && deflateInit(&h->deflate, 6) != Z_OK)
		err = -ENOMEM;
	h->deflates = !err;
	return err;
}

int html_begin(struct html *h)
{
	const struct asset *a;
	int err = 0;

	for (a = assets_head; a->begin && !err; a++)
		err = put(h, a->begin, a->end - a->begin);
	return err;
}

static int end_element(struct html *h)
{
	if (!h->in_element)
		return 0;
	h->in_element = false;
	return put_text(h, "</script>\n");
}

static int begin_element(struct html *h, const char *id)
{
	char tag[80];
	int err = end_element(h);

	if (err)
		return err;
	h->in_element = true;
	h->element = 0;
	snprintf(tag, sizeof(tag), "<script type=\"text/plain\" id=\"%s\">", id);
	return put_text(h, tag);
}

static int put_base64(struct html *h, const __u8 *p, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4096];
	size_t at = 0;
	int err = 0;

	while (len && !err) {
		__u32 three = p[0] << 16 | (len > 1 ? p[1] << 8 : 0) | (len > 2 ? p[2] : 0);

		text[at++] = digits[three >> 18];
		text[at++] = digits[three >> 12 & 63];
		text[at++] = len > 1 ? digits[three >> 6 & 63] : '=';
		text[at++] = len > 2 ? digits[three & 63] : '=';
		p += 3;
		len -= len > 2 ? 3 : len;
		if (at == sizeof(text) || !len) {
			err = put(h, text, at);
			at = 0;
		}
	}
	return err;
}

static int pack(struct html *h, const struct buf *in)
{
	size_t bound = deflateBound(&h->deflate, in->len);
	__u8 *p;

	if (h->packed.size < bound) {
		p = realloc(h->packed.p, bound);
		if (!p)
			return -ENOMEM;
		h->packed.p = p;
		h->packed.size = bound;
	}
	deflateReset(&h->deflate);
	h->deflate.next_in = in->p;
	h->deflate.avail_in = in->len;
	h->deflate.next_out = h->packed.p;
	h->deflate.avail_out = h->packed.size;
	if (deflate(&h->deflate, Z_FINISH) != Z_STREAM_END)
		return -EIO;
	h->packed.len = h->deflate.total_out;
	return 0;
}

int html_blob(struct html *h, const struct buf *in, __u32 *len)
{
	char id[32];
	int err;

	if (in->failed)
		return -ENOMEM;
	err = pack(h, in);
	if (!err && (!h->in_element || h->element > ELEMENT_MOST)) {
		snprintf(id, sizeof(id), "data-%u", h->nr_elements++);
		err = begin_element(h, id);
	}
	if (err)
		return err;
	*len = h->packed.len;
	h->element += h->packed.len / 3 * 4;
	return put_base64(h, h->packed.p, h->packed.len);
}

int html_index(struct html *h)
{
	return begin_element(h, "index");
}

/* fclose() frees the file even if it fails. */
static int close_file(struct html *h)
{
	FILE *out = h->out;

	h->out = NULL;
	return fclose(out) ? failed() : 0;
}

int html_end(struct html *h)
{
	int err = end_element(h);
	const struct asset *a;

	for (a = assets_tail; a->begin && !err; a++)
		err = put(h, a->begin, a->end - a->begin);
	if (!err && fflush(h->out))
		err = failed();
	if (!err)
		err = close_file(h);
	if (!err && h->temporary && rename(h->temporary, h->path))
		err = -errno;
	if (!err) {
		free(h->temporary);
		h->temporary = NULL;
	}
	return err;
}

void html_close(struct html *h)
{
	if (h->out)
		fclose(h->out);
	if (h->temporary)
		unlink(h->temporary);
	free(h->temporary);
	free(h->path);
	buf_free(&h->packed);
	if (h->deflates)
		deflateEnd(&h->deflate);
}
