/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compress the kernel's records of a stream to COMPRESSED records, as perf record -z does. All
 * COMPRESSED records of a file have one zstd stream, which zstd/read_zstd.h reads. A COMPRESSED
 * record contains whole records only, so each prefix of the file that ends with a record is a valid
 * stream.
 */
#ifndef AUXREC_PACK_H
#define AUXREC_PACK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PACK_LEVEL		1	/* perf's default */
#define PACK_LEVEL_MAX		22	/* of zstd, and of perf */
/*
 * Bytes of records in a COMPRESSED record. It can contain them also if they become longer:
 * ZSTD_compressBound().
 */
#define PACK_BYTES		65024
/* A reader needs this much room for the content of a COMPRESSED record: perf's comp_mmap_len. */
#define PACK_ROOM		131072

struct pack;

/* Return a compressor without records, or NULL if there is no memory. */
struct pack *pack_new(int level);
void pack_free(struct pack *p);

/* Is there room for a record of @size bytes? There is none after zstd has failed. */
bool pack_has_room(const struct pack *p, size_t size);

/* Add a part of a record; @data NULL: zeros. There must be room for the whole record. */
void pack_add(struct pack *p, const void *data, size_t len);

/* A sample was added. */
void pack_count(struct pack *p);

/* Return what was added since pack_take(). */
size_t pack_bytes(const struct pack *p);
__u32 pack_samples(const struct pack *p);

/*
 * pack_take() - make a COMPRESSED record of what was added
 * @rec: set to the record, or, if zstd has failed, to the uncompressed records. Valid until the
 *	next call for @p
 *
 * Return: bytes at @rec, 0 if nothing was added
 */
size_t pack_take(struct pack *p, const void **rec);

/* The next COMPRESSED record is the first one of another file. Nothing must be added. */
void pack_restart(struct pack *p);

#endif /* AUXREC_PACK_H */
