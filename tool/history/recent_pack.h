/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that do not change any more, packed in blocks. Records of one kind are much alike, so
 * the same memory has room for several times as many. A block never changes, and the oldest block
 * is dropped as a whole. So nothing writes to blocks that a child still shares.
 */
#ifndef AUXREC_RECENT_PACK_H
#define AUXREC_RECENT_PACK_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stddef.h>

#include "history/recent_log.h"

/* A record with its time, as a log and an unpacked block contain it */
struct kept {
	__u64 time;
	struct perf_event_header rec[];
};

size_t kept_size(const struct perf_event_header *rec);
#define KEPT_MAX	(sizeof(struct kept) + 65536)

struct packed {
	__u64 begin, end;	/* times of the oldest and the newest record */
	__u64 nr;		/* number of records */
	__u32 raw;		/* bytes of the records when they are unpacked */
	__u32 len;		/* bytes in @data; equal to @raw: the records are not packed */
	__u8 data[];
};

/* Blocks in the order in which they were packed */
struct blocks {
	struct recent_log log;
	size_t tail;		/* offset of the oldest block in its chunk */
	__u64 nr;		/* number of blocks */
};

void blocks_init(struct blocks *blocks, size_t chunk);
void blocks_free(struct blocks *blocks);

/* Return NULL if there is no block. */
const struct packed *blocks_oldest(const struct blocks *blocks);
void blocks_drop_oldest(struct blocks *blocks);

/* After blocks_begin(), blocks_next() returns all blocks, the oldest first, and then NULL. */
struct blocks_at {
	const struct log_chunk *chunk;
	size_t at;
};

struct blocks_at blocks_begin(const struct blocks *blocks);
const struct packed *blocks_next(struct blocks_at *at);

/*
 * struct packer - packs and unpacks all blocks
 *
 * The packer allocates its memory when it packs the first block. packer_memory() tells how much.
 */
struct packer;

/* @block: bytes of records in a block; the last record may exceed it. Return NULL: no memory. */
struct packer *packer_new(size_t block);
void packer_free(struct packer *p);
size_t packer_block(const struct packer *p);
size_t packer_memory(size_t block);

/*
 * Return the packer's own buffer, of packer_block() + KEPT_MAX bytes. The caller gathers records in
 * it, or unpacks a block to it. NULL: no memory.
 */
__u8 *packer_buffer(struct packer *p);

/*
 * packer_pack() - pack records, and add the block to @blocks
 * @raw: @len bytes of struct kept, each in kept_size() bytes
 *
 * Return: the block, or NULL: no memory.
 */
const struct packed *packer_pack(struct packer *p, struct blocks *blocks, const void *raw,
				 size_t len);

/*
 * packer_unpack() - unpack the records of a block
 * @to: a buffer of the same size as packer_buffer()
 *
 * Return: the records, in @to or in the block; NULL: no memory.
 */
const __u8 *packer_unpack(struct packer *p, const struct packed *block, __u8 *to);

#endif /* AUXREC_RECENT_PACK_H */
