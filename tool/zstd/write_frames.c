// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compress a stream as a whole, to zstd frames.
 */
#include "zstd/write_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#define OUTPUT_SIZE	(128 * 1024)

struct write_frames {
	ZSTD_CCtx *ctx;
	char output[OUTPUT_SIZE];
};

struct write_frames *write_frames_new(int level)
{
	struct write_frames *f = malloc(sizeof(*f));

	if (!f)
		return NULL;
	f->ctx = ZSTD_createCCtx();
	if (!f->ctx ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(f->ctx, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(f->ctx, ZSTD_c_checksumFlag, 1))) {
		write_frames_free(f);
		return NULL;
	}
	return f;
}

void write_frames_free(struct write_frames *f)
{
	if (!f)
		return;
	ZSTD_freeCCtx(f->ctx);
	free(f);
}

/* Return 0 when zstd has done what @how asks for. */
static int compress(struct write_frames *f, ZSTD_inBuffer *in, ZSTD_EndDirective how,
		    write_frames_fn fn, void *ctx)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { .dst = f->output, .size = sizeof(f->output) };
		int err;

		left = ZSTD_compressStream2(f->ctx, &out, in, how);
		/* The parameters are valid, so zstd can fail only for lack of memory. */
		if (ZSTD_isError(left))
			return -ENOMEM;
		err = out.pos ? fn(ctx, f->output, out.pos) : 0;
		if (err)
			return err;
	} while (how == ZSTD_e_continue ? in->pos < in->size : left);
	return 0;
}

int write_frames_put(struct write_frames *f, const void *data, size_t len,
		     write_frames_fn fn, void *ctx)
{
	ZSTD_inBuffer in = { .src = data, .size = len };

	return compress(f, &in, ZSTD_e_continue, fn, ctx);
}

int write_frames_flush(struct write_frames *f, bool end, write_frames_fn fn, void *ctx)
{
	ZSTD_inBuffer in = { .src = NULL };

	return compress(f, &in, end ? ZSTD_e_end : ZSTD_e_flush, fn, ctx);
}

static int forget(void *ctx, const void *data, size_t len)
{
	(void)ctx;
	(void)data;
	(void)len;
	return 0;
}

size_t write_frames_memory(int level)
{
	struct write_frames *f = write_frames_new(level);
	size_t size = 0;

	/* zstd takes its memory when it gets the first bytes. */
	if (f && !write_frames_put(f, "", 1, forget, NULL) &&
	    !write_frames_flush(f, false, forget, NULL))
		size = sizeof(*f) + ZSTD_sizeof_CCtx(f->ctx);
	write_frames_free(f);
	return size;
}
