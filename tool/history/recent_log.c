// SPDX-License-Identifier: GPL-2.0-only
/*
 * A log: records in the order in which they came, in chunks of memory.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "history/recent_log.h"
#include "base/util.h"

#define PAGE	4096UL

void recent_log_init(struct recent_log *log, size_t chunk)
{
	*log = (struct recent_log){ .chunk = ALIGN_UP(chunk, PAGE) };
}

static void remove_oldest(struct recent_log *log)
{
	struct log_chunk *c = log->oldest;
	const size_t bytes = ALIGN_UP(c->used, PAGE);

	log->oldest = c->next;
	if (!c->next)
		log->newest = NULL;
	log->bytes -= bytes;
	log->fresh -= bytes - c->shared;
	munmap(c->data, c->size);
	free(c);
}

void recent_log_free(struct recent_log *log)
{
	while (log->oldest)
		remove_oldest(log);
}

static struct log_chunk *add_chunk(struct recent_log *log, size_t size)
{
	struct log_chunk *c = calloc(1, sizeof(*c));
	void *data;

	if (!c)
		return NULL;
	c->size = size > log->chunk ? ALIGN_UP(size, PAGE) : log->chunk;
	data = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED) {
		free(c);
		return NULL;
	}
	c->data = data;
	*(log->newest ? &log->newest->next : &log->oldest) = c;
	log->newest = c;
	return c;
}

void *recent_log_add(struct recent_log *log, size_t size)
{
	struct log_chunk *c = log->newest;
	size_t before;
	void *place;

	if (!c || c->size - c->used < size)
		c = add_chunk(log, size);
	if (!c)
		return NULL;
	before = ALIGN_UP(c->used, PAGE);
	place = c->data + c->used;
	c->used += size;
	c->live++;
	log->bytes += ALIGN_UP(c->used, PAGE) - before;
	log->fresh += ALIGN_UP(c->used, PAGE) - before;
	return place;
}

/* The newest chunk is freed, too, if no record in it is wanted. */
void recent_log_drop(struct recent_log *log, struct log_chunk *chunk)
{
	chunk->live--;
	while (log->oldest && !log->oldest->live)
		remove_oldest(log);
}

/* A page that is used in part is fresh: adding a record to it makes a copy of it. */
void recent_log_share(struct recent_log *log)
{
	struct log_chunk *c;

	log->fresh = 0;
	for (c = log->oldest; c; c = c->next) {
		c->shared = c->used & ~(PAGE - 1);
		log->fresh += ALIGN_UP(c->used, PAGE) - c->shared;
	}
}
