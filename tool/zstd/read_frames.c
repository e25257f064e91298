// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decompress a stream that is compressed as a whole, see zstd/read_frames.h.
 */
#include "zstd/read_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* zstd's highest level uses a window of this size. A hostile frame can ask for any size. */
#define WINDOW_LOG_MAX	27
#define INPUT_SIZE	READ_FRAMES_FIRST

struct read_frames {
	read_frames_fill_t fill;
	void *ctx;
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	__u64 offset;		/* in the file, of in.src */
	__u64 frame;		/* in the file, where the current or next frame begins */
	bool in_frame;
	char problem[READ_FRAMES_PROBLEM];
	__u8 input[INPUT_SIZE];
};

bool read_frames_begin(const void *bytes)
{
	__u32 magic;

	memcpy(&magic, bytes, sizeof(magic));
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

struct read_frames *read_frames_new(read_frames_fill_t fill, void *ctx, const void *first,
				    size_t len)
{
	struct read_frames *f = malloc(sizeof(*f));

	if (!f)
		return NULL;
	memset(f, 0, offsetof(struct read_frames, input));
	f->stream = ZSTD_createDStream();
	if (!f->stream) {
		free(f);
		return NULL;
	}
	ZSTD_DCtx_setParameter(f->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	f->fill = fill;
	f->ctx = ctx;
	memcpy(f->input, first, len);
	f->in = (ZSTD_inBuffer) { .src = f->input, .size = len };
	return f;
}

void read_frames_free(struct read_frames *f)
{
	if (!f)
		return;
	ZSTD_freeDStream(f->stream);
	free(f);
}

/* Return 1, 0 at the end of the input, or -errno. */
static int refill(struct read_frames *f)
{
	ssize_t n;

	if (f->in.pos < f->in.size)
		return 1;
	f->offset += f->in.size;
	f->in.pos = 0;
	f->in.size = 0;
	n = f->fill(f->ctx, f->input, sizeof(f->input));
	if (n <= 0)
		return n;
	f->in.size = n;
	return 1;
}

static int refuse(struct read_frames *f, size_t code)
{
	const unsigned long long at = f->frame;

	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	case ZSTD_error_frameParameter_windowTooLarge:
		snprintf(f->problem, sizeof(f->problem),
			 "the zstd frame at offset %llu of the file needs a window above %u MiB: use zstdcat --long=31",
			 at, 1U << (WINDOW_LOG_MAX - 20));
		break;
	case ZSTD_error_prefix_unknown:
		snprintf(f->problem, sizeof(f->problem),
			 "the file is damaged: no zstd frame begins at its offset %llu", at);
		break;
	default:
		snprintf(f->problem, sizeof(f->problem),
			 "the zstd frame at offset %llu of the file is damaged: %s", at,
			 ZSTD_getErrorName(code));
	}
	return -EPROTO;
}

ssize_t read_frames_get(struct read_frames *f, void *buf, size_t len)
{
	ZSTD_outBuffer out = { .dst = buf, .size = len };

	while (!out.pos) {
		/* If no input is left, zstd may still have output that did not fit before. */
		const int rc = refill(f);
		const size_t used = f->in.pos;
		size_t left;

		if (rc < 0)
			return rc;
		if (!rc && !f->in_frame)
			return 0;
		left = ZSTD_decompressStream(f->stream, &out, &f->in);
		if (ZSTD_isError(left))
			return refuse(f, left);
		f->in_frame = left;
		if (!left)
			f->frame = f->offset + f->in.pos;
		if (!rc && !out.pos && f->in.pos == used) {
			snprintf(f->problem, sizeof(f->problem),
				 "the file ends within the zstd frame at its offset %llu; how much is missing is not known",
				 (unsigned long long)f->frame);
			return -ENODATA;
		}
	}
	return out.pos;
}

const char *read_frames_problem(const struct read_frames *f)
{
	return f->problem[0] ? f->problem : NULL;
}
