/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zstd as COMPRESSED records use it: one stream over all of them, flushed but
 * not ended at each record. (history/recent_pack.c uses zstd for memory.)
 */
#ifndef AUXREC_READ_ZSTD_H
#define AUXREC_READ_ZSTD_H

#include <linux/types.h>
#include <stddef.h>
#include <sys/types.h>

struct read_zstd;

struct read_zstd *read_zstd_new(void);
void read_zstd_free(struct read_zstd *z);

/* Gives it the next compressed bytes; they must stay until used up. */
void read_zstd_feed(struct read_zstd *z, const void *data, size_t len);

/*
 * Writes up to @len bytes to @buf.
 * Return: how many; 0 when what was fed is used up; -EPROTO; -ENOMEM.
 */
ssize_t read_zstd_get(struct read_zstd *z, void *buf, size_t len);

#endif /* AUXREC_READ_ZSTD_H */
