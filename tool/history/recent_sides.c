// SPDX-License-Identifier: GPL-2.0-only
/*
 * The newest sideband records, in order of time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history/recent_sides.h"
#include "base/util.h"

void recent_sides_init(struct recent_sides *s, struct packer *packer, size_t chunk)
{
	const size_t block = packer ? packer_block(packer) : chunk;

	*s = (struct recent_sides){ .packer = packer };
	blocks_init(&s->packed, chunk);
	recent_log_init(&s->log, block < chunk ? block : chunk);
}

void recent_sides_free(struct recent_sides *s)
{
	recent_log_free(&s->log);
	blocks_free(&s->packed);
	free(s->first);
}

/* --- records that are not packed ------------------------------------------- */

static size_t side_size(const struct perf_event_header *rec)
{
	return sizeof(struct side) + ALIGN8(rec->size);
}

static struct side *older_side(const struct recent_sides *s, const struct side *side)
{
	return side == s->oldest ? NULL : side->older;
}

const struct side *recent_sides_older(const struct recent_sides *s, const struct side *side)
{
	return older_side(s, side);
}

/* Return the record behind which a record of this time goes, or NULL if it goes first. */
static struct side *find_place(const struct recent_sides *s, __u64 time)
{
	struct side *at = s->newest;

	if (s->added && at && at->kept.time > time)
		for (at = s->added; at->newer && at->newer->kept.time <= time;)
			at = at->newer;
	while (at && at->kept.time > time)
		at = older_side(s, at);
	return at;
}

/*
 * Usually the record is the newest one, or it comes from the same ring as the record that was added
 * last, and its place is near that record. It goes behind records of the same time, which came
 * earlier.
 */
int recent_sides_add(struct recent_sides *s, const struct perf_event_header *rec, __u64 time)
{
	struct side *side = recent_log_add(&s->log, side_size(rec)), *at;

	if (!side)
		return -ENOMEM;
	side->chunk = s->log.newest;
	side->kept.time = time;
	memcpy(side->kept.rec, rec, rec->size);
	at = find_place(s, time);
	side->older = at;
	side->newer = at ? at->newer : s->oldest;
	*(at ? &at->newer : &s->oldest) = side;
	*(side->newer ? &side->newer->older : &s->newest) = side;
	s->added = side;
	s->nr++;
	if (time < s->cut)
		s->cut_bytes += side_size(rec);
	return 0;
}

static void drop_unpacked(struct recent_sides *s)
{
	struct side *side = s->oldest;

	s->oldest = side->newer;
	if (!s->oldest)
		s->newest = NULL;
	if (s->added == side)
		s->added = NULL;
	if (side->kept.time < s->cut)
		s->cut_bytes -= side_size(side->kept.rec);
	s->nr--;
	recent_log_drop(&s->log, side->chunk);
}

/* --- packed records -------------------------------------------------------- */

/* Return the size of the oldest records that make a block, or 0 if too few of them are settled. */
static size_t size_of_block(const struct recent_sides *s, __u64 settled)
{
	const struct side *side;
	size_t size = 0;

	for (side = s->oldest; side && side->kept.time < settled; side = side->newer) {
		size += kept_size(side->kept.rec);
		if (size >= packer_block(s->packer))
			return size;
	}
	return 0;
}

static void gather(const struct recent_sides *s, __u8 *to, size_t size)
{
	const struct side *side;
	size_t at = 0;

	for (side = s->oldest; at < size; side = side->newer) {
		memcpy(to + at, &side->kept, sizeof(side->kept) + side->kept.rec->size);
		at += kept_size(side->kept.rec);
	}
}

/* Packing records that a child shares would free no memory while the child lives. */
int recent_sides_pack(struct recent_sides *s, __u64 settled)
{
	const struct packed *block;
	size_t size;
	__u64 i;
	__u8 *raw;

	if (!s->packer || !s->oldest || s->oldest->chunk->shared)
		return 0;
	size = size_of_block(s, settled);
	if (!size)
		return 0;
	raw = packer_buffer(s->packer);
	if (!s->first)
		s->first = malloc(packer_block(s->packer) + KEPT_MAX);
	if (!raw || !s->first)
		return -ENOMEM;
	gather(s, raw, size);
	block = packer_pack(s->packer, &s->packed, raw, size);
	if (!block)
		return -ENOMEM;
	for (i = 0; i < block->nr; i++)
		drop_unpacked(s);
	s->nr += block->nr;
	if (block->begin < s->cut)
		s->cut_bytes += block->raw;
	if (s->packed.nr == 1)
		s->first_time = block->begin;
	return 1;
}

static const struct kept *first_packed(struct recent_sides *s)
{
	const struct packed *block = blocks_oldest(&s->packed);

	if (block && !s->unpacked)
		s->unpacked = packer_unpack(s->packer, block, s->first);
	return s->unpacked ? (const void *)(s->unpacked + s->first_at) : NULL;
}

static void drop_block(struct recent_sides *s, const struct packed *block)
{
	if (block->begin < s->cut)
		s->cut_bytes -= block->raw;
	blocks_drop_oldest(&s->packed);
	s->unpacked = NULL;
	s->first_at = 0;
	block = blocks_oldest(&s->packed);
	if (block)
		s->first_time = block->begin;
}

/* @kept is the oldest record of @block. */
static void drop_packed(struct recent_sides *s, const struct packed *block,
			const struct kept *kept)
{
	s->nr--;
	s->first_at += kept_size(kept->rec);
	if (s->first_at == block->raw)
		drop_block(s, block);
	else
		s->first_time = ((const struct kept *)(s->unpacked + s->first_at))->time;
}

/* --- both ------------------------------------------------------------------ */

__u64 recent_sides_time(const struct recent_sides *s)
{
	if (s->packed.nr)
		return s->first_time;
	return s->oldest ? s->oldest->kept.time : ~0ULL;
}

const struct perf_event_header *recent_sides_oldest(struct recent_sides *s)
{
	const struct kept *kept;

	if (!s->packed.nr)
		return s->oldest ? s->oldest->kept.rec : NULL;
	kept = first_packed(s);
	return kept ? kept->rec : NULL;
}

void recent_sides_drop(struct recent_sides *s)
{
	const struct packed *block = blocks_oldest(&s->packed);
	const struct kept *kept = first_packed(s);

	if (block && kept)
		drop_packed(s, block, kept);
	else
		drop_unpacked(s);
}

void recent_sides_cut(struct recent_sides *s, __u64 time)
{
	struct blocks_at at = blocks_begin(&s->packed);
	const struct packed *block;
	const struct side *side;

	s->cut = time;
	s->cut_bytes = 0;
	while ((block = blocks_next(&at)))
		s->cut_bytes += block->begin < time ? block->raw : 0;
	for (side = s->oldest; side && side->kept.time < time; side = side->newer)
		s->cut_bytes += side_size(side->kept.rec);
}

static int emit_block(struct packer *p, const struct packed *block, size_t from, state_fn fn,
		      void *ctx)
{
	const __u8 *data = packer_unpack(p, block, packer_buffer(p));
	int err = data ? 0 : -ENOMEM;

	while (!err && from < block->raw) {
		const struct kept *kept = (const void *)(data + from);

		err = fn(ctx, kept->rec);
		from += kept_size(kept->rec);
	}
	return err;
}

int recent_sides_emit(const struct recent_sides *s, state_fn fn, void *ctx)
{
	struct blocks_at at = blocks_begin(&s->packed);
	const struct packed *block;
	const struct side *side;
	size_t from = s->first_at;
	int err = 0;

	while (!err && (block = blocks_next(&at))) {
		err = emit_block(s->packer, block, from, fn, ctx);
		from = 0;
	}
	for (side = s->oldest; !err && side; side = side->newer)
		err = fn(ctx, side->kept.rec);
	return err;
}
