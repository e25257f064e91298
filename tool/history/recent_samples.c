// SPDX-License-Identifier: GPL-2.0-only
/*
 * The newest samples, and all other records that are not sideband.
 */
#include <errno.h>
#include <string.h>

#include "history/recent_samples.h"

void recent_samples_init(struct recent_samples *s, struct packer *packer, size_t chunk)
{
	*s = (struct recent_samples){ .packer = packer };
	blocks_init(&s->packed, chunk);
	recent_log_init(&s->log, packer ? packer_block(packer) : chunk);
}

void recent_samples_free(struct recent_samples *s)
{
	recent_log_free(&s->log);
	blocks_free(&s->packed);
}

int recent_samples_add(struct recent_samples *s, const struct perf_event_header *rec,
		       __u64 time)
{
	struct kept *kept = recent_log_add(&s->log, kept_size(rec));

	if (!kept)
		return -ENOMEM;
	kept->time = time;
	memcpy(kept->rec, rec, rec->size);
	s->nr++;
	return 0;
}

void recent_samples_gone(struct recent_samples *s, __u64 time)
{
	if (time > s->last_gone)
		s->last_gone = time;
	s->forgotten++;
}

static const struct kept *oldest_unpacked(const struct recent_samples *s)
{
	return s->log.oldest ? (const void *)(s->log.oldest->data + s->tail) : NULL;
}

__u64 recent_samples_time(const struct recent_samples *s)
{
	const struct packed *block = blocks_oldest(&s->packed);
	const struct kept *oldest = oldest_unpacked(s);

	if (block)
		return block->begin;
	return oldest ? oldest->time : ~0ULL;
}

static void forget_block(struct recent_samples *s, const struct packed *block)
{
	s->nr -= block->nr;
	recent_samples_gone(s, block->end);
	s->forgotten += block->nr - 1;
	blocks_drop_oldest(&s->packed);
}

static void forget_one(struct recent_samples *s, const struct kept *oldest)
{
	struct log_chunk *chunk = s->log.oldest;

	recent_samples_gone(s, oldest->time);
	s->tail += kept_size(oldest->rec);
	s->nr--;
	if (chunk->live == 1)
		s->tail = 0;
	recent_log_drop(&s->log, chunk);
}

void recent_samples_forget(struct recent_samples *s)
{
	const struct packed *block = blocks_oldest(&s->packed);
	const struct kept *oldest = oldest_unpacked(s);

	if (block)
		forget_block(s, block);
	else if (oldest)
		forget_one(s, oldest);
}

void recent_samples_trim(struct recent_samples *s, __u64 begin)
{
	const struct packed *block;
	const struct kept *oldest;

	while ((block = blocks_oldest(&s->packed)) && block->end < begin)
		forget_block(s, block);
	while (!block && (oldest = oldest_unpacked(s)) && oldest->time < begin)
		forget_one(s, oldest);
}

/*
 * Pack the oldest chunk. It is complete if another chunk follows. Packing a chunk that a child
 * shares would free no memory while the child lives.
 */
int recent_samples_pack(struct recent_samples *s)
{
	struct log_chunk *chunk = s->log.oldest;

	if (!s->packer || !chunk || !chunk->next || chunk->shared)
		return 0;
	if (!packer_pack(s->packer, &s->packed, chunk->data + s->tail, chunk->used - s->tail))
		return -ENOMEM;
	s->tail = 0;
	chunk->live = 1;
	recent_log_drop(&s->log, chunk);
	return 1;
}

static int emit(const __u8 *data, size_t from, size_t end, __u64 begin, state_fn fn, void *ctx)
{
	int err = 0;

	while (!err && from < end) {
		const struct kept *kept = (const void *)(data + from);

		/*
		 * A sample of a ring that was read later may be older than @begin. Samples of its
		 * time are incomplete, so it is left out: auxrec merge takes samples of that time
		 * from another snapshot.
		 */
		if (kept->time >= begin)
			err = fn(ctx, kept->rec);
		from += kept_size(kept->rec);
	}
	return err;
}

static int emit_block(struct packer *p, const struct packed *block, __u64 begin, state_fn fn,
		      void *ctx)
{
	const __u8 *data;

	if (block->end < begin)
		return 0;
	data = packer_unpack(p, block, packer_buffer(p));
	return data ? emit(data, 0, block->raw, begin, fn, ctx) : -ENOMEM;
}

int recent_samples_emit(const struct recent_samples *s, __u64 begin, state_fn fn, void *ctx)
{
	struct blocks_at at = blocks_begin(&s->packed);
	const struct log_chunk *chunk;
	const struct packed *block;
	size_t from = s->tail;
	int err = 0;

	while (!err && (block = blocks_next(&at)))
		err = emit_block(s->packer, block, begin, fn, ctx);
	for (chunk = s->log.oldest; !err && chunk; chunk = chunk->next) {
		err = emit(chunk->data, from, chunk->used, begin, fn, ctx);
		from = 0;
	}
	return err;
}
