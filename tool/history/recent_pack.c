// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pack records in blocks, and unpack them.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "history/recent_pack.h"
#include "base/util.h"

/* zstd's lowest ordinary level, because the recorder packs between two looks at its rings. */
#define LEVEL	1

struct packer {
	size_t block;
	ZSTD_CCtx *cctx;
	ZSTD_DCtx *dctx;
	__u8 *raw;		/* unpacked records */
	__u8 *out;		/* packed records */
};

size_t kept_size(const struct perf_event_header *rec)
{
	return sizeof(struct kept) + ALIGN8(rec->size);
}

/* --- blocks ---------------------------------------------------------------- */

void blocks_init(struct blocks *blocks, size_t chunk)
{
	*blocks = (struct blocks){ .nr = 0 };
	recent_log_init(&blocks->log, chunk);
}

void blocks_free(struct blocks *blocks)
{
	recent_log_free(&blocks->log);
}

static size_t block_size(size_t len)
{
	return sizeof(struct packed) + ALIGN8(len);
}

const struct packed *blocks_oldest(const struct blocks *blocks)
{
	return blocks->nr ? (const void *)(blocks->log.oldest->data + blocks->tail) : NULL;
}

void blocks_drop_oldest(struct blocks *blocks)
{
	const struct packed *oldest = blocks_oldest(blocks);
	struct log_chunk *chunk = blocks->log.oldest;

	if (!oldest)
		return;
	blocks->tail += block_size(oldest->len);
	blocks->nr--;
	if (chunk->live == 1)
		blocks->tail = 0;
	recent_log_drop(&blocks->log, chunk);
}

struct blocks_at blocks_begin(const struct blocks *blocks)
{
	return (struct blocks_at){ .chunk = blocks->log.oldest, .at = blocks->tail };
}

const struct packed *blocks_next(struct blocks_at *at)
{
	const struct packed *block;

	while (at->chunk && at->at == at->chunk->used)
		*at = (struct blocks_at){ .chunk = at->chunk->next };
	if (!at->chunk)
		return NULL;
	block = (const void *)(at->chunk->data + at->at);
	at->at += block_size(block->len);
	return block;
}

/* --- packing --------------------------------------------------------------- */

static size_t raw_size(size_t block)
{
	return block + KEPT_MAX;
}

struct packer *packer_new(size_t block)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (p)
		p->block = block;
	return p;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->cctx);
	ZSTD_freeDCtx(p->dctx);
	free(p->raw);
	free(p->out);
	free(p);
}

size_t packer_block(const struct packer *p)
{
	return p->block;
}

/*
 * Memory of zstd's contexts, as selftests/tool/state/test_recent_memory.c measures it, with a
 * quarter to spare
 */
#define CONTEXTS	(512U << 10)

/* This counts two buffers for unpacked records: the packer's, and recent_sides.first. */
size_t packer_memory(size_t block)
{
	return CONTEXTS + 2 * raw_size(block) + ZSTD_compressBound(raw_size(block));
}

__u8 *packer_buffer(struct packer *p)
{
	if (!p->raw)
		p->raw = malloc(raw_size(p->block));
	return p->raw;
}

static int prepare(struct packer *p)
{
	if (!p->out)
		p->out = malloc(ZSTD_compressBound(raw_size(p->block)));
	if (!p->cctx)
		p->cctx = ZSTD_createCCtx();
	if (!p->dctx)
		p->dctx = ZSTD_createDCtx();
	return p->out && p->cctx && p->dctx && packer_buffer(p) ? 0 : -1;
}

static void describe(struct packed *block, const __u8 *raw, size_t len)
{
	size_t at = 0;

	block->begin = ~0ULL;
	block->end = 0;
	block->nr = 0;
	block->raw = len;
	while (at < len) {
		const struct kept *kept = (const void *)(raw + at);

		if (kept->time < block->begin)
			block->begin = kept->time;
		if (kept->time > block->end)
			block->end = kept->time;
		block->nr++;
		at += kept_size(kept->rec);
	}
}

/* Records that do not become smaller stay unpacked in the block. */
const struct packed *packer_pack(struct packer *p, struct blocks *blocks, const void *raw,
				 size_t len)
{
	struct packed *block;
	size_t packed;
	bool smaller;

	if (prepare(p))
		return NULL;
	packed = ZSTD_compressCCtx(p->cctx, p->out, ZSTD_compressBound(raw_size(p->block)),
				   raw, len, LEVEL);
	smaller = !ZSTD_isError(packed) && packed < len;
	if (!smaller)
		packed = len;
	block = recent_log_add(&blocks->log, block_size(packed));
	if (!block)
		return NULL;
	describe(block, raw, len);
	block->len = packed;
	memcpy(block->data, smaller ? p->out : raw, packed);
	blocks->nr++;
	return block;
}

const __u8 *packer_unpack(struct packer *p, const struct packed *block, __u8 *to)
{
	if (block->len == block->raw)
		return block->data;
	if (!to || ZSTD_decompressDCtx(p->dctx, to, block->raw, block->data, block->len) !=
		   block->raw)
		return NULL;
	return to;
}
