// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of namespaces, which tasks share.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "stream/records.h"
#include "history/state_namespaces.h"
#include "base/util.h"

/* The list begins behind the header, pid and tid. */
#define LIST_AT		16

static size_t set_bytes(const struct state_namespaces *set)
{
	return sizeof(*set) + set->size + TREE_COST + ALLOC_COST;
}

static int by_content(const void *a, const void *b)
{
	const struct state_namespaces *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return memcmp(x->list, y->list, x->size);
}

struct state_namespaces *state_namespaces_get(void **tree, const struct perf_event_header *rec,
					      size_t *bytes)
{
	const size_t size = rec->size - LIST_AT - sizeof(struct rec_sample_id);
	struct state_namespaces *set = malloc(sizeof(*set) + size), **node;

	if (!set)
		return NULL;
	set->refs = 0;
	set->size = size;
	memcpy(set->list, (const __u8 *)rec + LIST_AT, size);
	node = tsearch(set, tree, by_content);
	if (!node || *node != set)
		free(set);
	else
		*bytes += set_bytes(set);
	if (!node)
		return NULL;
	(*node)->refs++;
	return *node;
}

void state_namespaces_put(void **tree, struct state_namespaces *set, size_t *bytes)
{
	if (!set || --set->refs)
		return;
	tdelete(set, tree, by_content);
	*bytes -= set_bytes(set);
	free(set);
}
