/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compress a stream as a whole, to zstd frames with checksums. Each frame can be decompressed
 * alone.
 */
#ifndef AUXREC_WRITE_FRAMES_H
#define AUXREC_WRITE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* zstd's ordinary levels. Higher ones need much memory, also in the reader. */
#define WRITE_FRAMES_LEVEL_MAX	19
#define WRITE_FRAMES_LEVEL	1	/* if none is given */
#define WRITE_FRAMES_SUFFIX	".zst"

/* Does the name of a file ask for compression? */
static inline bool write_frames_name(const char *name)
{
	const size_t len = strlen(name), end = strlen(WRITE_FRAMES_SUFFIX);

	return len > end && !strcmp(name + len - end, WRITE_FRAMES_SUFFIX);
}

struct write_frames;

/* @level: from 1 to WRITE_FRAMES_LEVEL_MAX. Return NULL if there is no memory. */
struct write_frames *write_frames_new(int level);
void write_frames_free(struct write_frames *f);
/* Return the bytes of memory that compression with this level takes; 0: there is no memory. */
size_t write_frames_memory(int level);

/*
 * write_frames_put() - compress data. zstd keeps a part of the result
 * write_frames_flush() - write what zstd keeps. @end: also end the frame
 *
 * @fn: gets the compressed bytes, and returns 0 or -errno
 *
 * Return: 0, -ENOMEM, or what @fn returned. After an error, nothing can be put any more.
 */
typedef int (*write_frames_fn)(void *ctx, const void *data, size_t len);
int write_frames_put(struct write_frames *f, const void *data, size_t len,
		     write_frames_fn fn, void *ctx);
int write_frames_flush(struct write_frames *f, bool end, write_frames_fn fn, void *ctx);

#endif /* AUXREC_WRITE_FRAMES_H */
