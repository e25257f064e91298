// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sort the records between rounds: a FINISHED_ROUND promises that no record from before the
 * previous FINISHED_ROUND follows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "stream/records.h"
#include "view/source/order.h"

struct order {
	struct order_record **heap;	/* the first one is the earliest */
	size_t	nr;
	__u64	number;
	__u64	latest;		/* the latest time of all records so far */
	__u64	limit;		/* records up to this time can be taken at the next round */
	order_take_t take;
	order_see_t see;
	void	*context;
};

static bool is_before(const struct order_record *a, const struct order_record *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static int push(struct order *o, struct order_record *r)
{
	size_t i = o->nr, parent;

	if (grow((void **)&o->heap, o->nr, sizeof(*o->heap))) {
		free(r);
		return -ENOMEM;
	}
	o->nr++;
	for (; i; i = parent) {
		parent = (i - 1) / 2;
		if (!is_before(r, o->heap[parent]))
			break;
		o->heap[i] = o->heap[parent];
	}
	o->heap[i] = r;
	return 0;
}

static struct order_record *pop(struct order *o)
{
	struct order_record *first = o->heap[0], *last = o->heap[--o->nr];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < o->nr; i = child) {
		if (child + 1 < o->nr && is_before(o->heap[child + 1], o->heap[child]))
			child++;
		if (!is_before(o->heap[child], last))
			break;
		o->heap[i] = o->heap[child];
	}
	if (o->nr)
		o->heap[i] = last;
	return first;
}

static int take_until(struct order *o, __u64 time)
{
	struct order_record *r;
	int rc = 0;

	while (!rc && o->nr && o->heap[0]->time <= time) {
		r = pop(o);
		rc = o->take(o->context, r);
		free(r);
	}
	return rc;
}

/* Return the bytes that belong to an item, see struct order_record. */
static size_t data_of(const struct auxstream_item *item, const void **data)
{
	switch (item->kind) {
	case AUXSTREAM_KERNEL:
	case AUXSTREAM_OTHER:
		*data = item->header;
		return item->header->size;
	case AUXSTREAM_SAMPLE:
		*data = item->sample.chain;
		return item->sample.chain ? item->sample.nr_chain * sizeof(__u64) : 0;
	case AUXSTREAM_SNAPSHOT:
		*data = item->snapshot.name;
		return strlen(item->snapshot.name) + 1;
	default:
		*data = NULL;
		return 0;
	}
}

static __u64 time_of(const struct auxstream_item *item)
{
	if (item->kind == AUXSTREAM_GAP && item->gap.begin)
		return item->gap.begin;
	if (item->kind == AUXSTREAM_SNAPSHOT)
		return item->snapshot.trigger;
	return item->kind == AUXSTREAM_AUX && item->aux.begin ? item->aux.begin : item->time;
}

static struct order_record *copy(const struct auxstream_item *item)
{
	const void *data;
	const size_t size = data_of(item, &data);
	struct order_record *r = malloc(sizeof(*r) + ALIGN8(size + 1));

	if (!r)
		return NULL;
	r->item = *item;
	r->time = time_of(item);
	if (size)
		memcpy(r->data, data, size);
	/* Names at the end of a record end with a NUL, even if the stream is damaged. */
	((char *)r->data)[size] = '\0';
	r->item.header = NULL;
	switch (item->kind) {
	case AUXSTREAM_KERNEL:
	case AUXSTREAM_OTHER:
		r->item.header = (const void *)r->data;
		break;
	case AUXSTREAM_SAMPLE:
		r->item.sample.raw = NULL;
		r->item.sample.chain = size ? r->data : NULL;
		break;
	case AUXSTREAM_SNAPSHOT:
		r->item.snapshot.name = (const char *)r->data;
		break;
	case AUXSTREAM_AUX:
		r->item.aux.data = NULL;
		break;
	case AUXSTREAM_PAYLOAD:
		r->item.payload.data = NULL;
		break;
	case AUXSTREAM_GAP:
		break;
	}
	return r;
}

static int take_item(struct order *o, const struct auxstream_item *item, unsigned int kinds)
{
	struct order_record *r;
	int rc = o->see ? o->see(o->context, item) : 0;

	if (rc)
		return rc;
	if (item->kind == AUXSTREAM_OTHER && item->header->type == REC_FINISHED_ROUND) {
		rc = take_until(o, o->limit);
		o->limit = o->latest;
		return rc;
	}
	if (!(kinds & 1U << item->kind))
		return 0;
	r = copy(item);
	if (!r)
		return -ENOMEM;
	/* A record without a time is taken where it is in the stream. */
	if (item->kind == AUXSTREAM_OTHER) {
		rc = o->take(o->context, r);
		free(r);
		return rc;
	}
	r->number = o->number++;
	if (r->time > o->latest)
		o->latest = r->time;
	return push(o, r);
}

int order_read(int fd, unsigned int kinds, order_take_t take, order_see_t see, void *context,
	       char **problem)
{
	struct order o = { .take = take, .see = see, .context = context };
	struct auxstream *s = auxstream_open_fd(fd);
	struct auxstream_item item;
	int rc = s ? 1 : -ENOMEM, taken = 0;

	*problem = NULL;
	while (rc > 0 && !taken) {
		rc = auxstream_next(s, &item);
		if (rc > 0)
			taken = take_item(&o, &item, kinds);
	}
	if (!taken)
		taken = take_until(&o, ~0ULL);
	if (rc < 0 && s && auxstream_problem(s))
		*problem = strdup(auxstream_problem(s));
	while (o.nr)
		free(pop(&o));
	free(o.heap);
	auxstream_close(s);
	return taken ?: rc;
}
