/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decompress a stream that is compressed as a whole, as --compress and zstd(1) do: one or more
 * zstd frames, and skippable frames, one after the other.
 */
#ifndef AUXREC_READ_FRAMES_H
#define AUXREC_READ_FRAMES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A file with fewer bytes cannot begin with a zstd frame. */
#define READ_FRAMES_MAGIC	4
#define READ_FRAMES_FIRST	(128 * 1024)	/* most bytes that read_frames_new() takes */
#define READ_FRAMES_PROBLEM	160	/* bytes of the text of read_frames_problem() */

/* Gets input, as read_fill_t of stream/read.h */
typedef ssize_t (*read_frames_fill_t)(void *ctx, void *buf, size_t len);

/* Do these first READ_FRAMES_MAGIC bytes begin a frame? */
bool read_frames_begin(const void *bytes);

struct read_frames;

/*
 * Decompress the input that @fill reads. @first: the @len bytes that the caller has already read,
 * READ_FRAMES_FIRST at most.
 * Return NULL if there is no memory.
 */
struct read_frames *read_frames_new(read_frames_fill_t fill, void *ctx, const void *first,
				    size_t len);
void read_frames_free(struct read_frames *f);

/*
 * Decompress up to @len bytes to @buf. Return: the number of bytes; 0: the input ends after a whole
 * frame; -ENODATA: it ends within a frame; -EPROTO: zstd refuses a frame; -ENOMEM; or
 * -errno of @fill. read_frames_problem() tells more about -ENODATA and -EPROTO.
 */
ssize_t read_frames_get(struct read_frames *f, void *buf, size_t len);
const char *read_frames_problem(const struct read_frames *f);

#endif /* AUXREC_READ_FRAMES_H */
