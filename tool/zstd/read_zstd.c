// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decompress the zstd stream of COMPRESSED records.
 */
#include "zstd/read_zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/*
 * A zstd frame can ask for a window of any size. This limit is the window of zstd's highest
 * level.
 */
#define WINDOW_LOG_MAX	27

struct read_zstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
};

struct read_zstd *read_zstd_new(void)
{
	struct read_zstd *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return NULL;
	}
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return z;
}

void read_zstd_free(struct read_zstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void read_zstd_feed(struct read_zstd *z, const void *data, size_t len)
{
	z->in = (ZSTD_inBuffer) { .src = data, .size = len };
}

ssize_t read_zstd_get(struct read_zstd *z, void *buf, size_t len)
{
	ZSTD_outBuffer out = { .dst = buf, .size = len };
	size_t rc, used;

	/* Call zstd also if no input is left: it may still have output that did not fit before. */
	do {
		used = z->in.pos;
		rc = ZSTD_decompressStream(z->stream, &out, &z->in);
		if (ZSTD_isError(rc))
			return -EPROTO;
	} while (!out.pos && z->in.pos != used);
	return out.pos;
}
