/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decompress the zstd stream of COMPRESSED records. All of these records together have one
 * zstd stream, which is flushed but not ended at the end of each record.
 * (history/recent_pack.c uses zstd for memory.)
 */
#ifndef AUXREC_READ_ZSTD_H
#define AUXREC_READ_ZSTD_H

#include <linux/types.h>
#include <stddef.h>
#include <sys/types.h>

struct read_zstd;

struct read_zstd *read_zstd_new(void);
void read_zstd_free(struct read_zstd *z);

/* Set the next compressed bytes. They must stay valid until all of them are used up. */
void read_zstd_feed(struct read_zstd *z, const void *data, size_t len);

/*
 * Decompress up to @len bytes to @buf.
 * Return: the number of bytes; 0: the compressed bytes are used up; -EPROTO: zstd refuses them.
 */
ssize_t read_zstd_get(struct read_zstd *z, void *buf, size_t len);

#endif /* AUXREC_READ_ZSTD_H */
