// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queues of AUXTRACE records. Readers decode each queue as one uninterrupted
 * stream, so each thread has its own queue, or with -a each CPU. Queues are numbered
 * in the order in which they appear, because readers keep an array. There are no more
 * queues than possible thread ids.
 */
#include <stdlib.h>
#include <string.h>

#include "session/session.h"

static size_t slot(const struct queues *q, __u32 tid)
{
	size_t h = (tid * 2654435761U) & (q->hash_size - 1);

	while (q->hash[h] && q->list[q->hash[h] - 1].tid != tid)
		h = (h + 1) & (q->hash_size - 1);
	return h;
}

static int rehash(struct queues *q)
{
	size_t size = q->hash_size ? q->hash_size * 2 : 64, i;
	__u32 *hash = calloc(size, sizeof(*hash));

	if (!hash)
		return -1;
	free(q->hash);
	q->hash = hash;
	q->hash_size = size;
	for (i = 0; i < q->nr; i++)
		q->hash[slot(q, q->list[i].tid)] = i + 1;
	return 0;
}

struct queue *queue_get(struct queues *q, __u32 tid)
{
	size_t h;

	if (q->nr * 2 >= q->hash_size && rehash(q))
		return NULL;
	h = slot(q, tid);
	if (!q->hash[h]) {
		if (grow((void **)&q->list, q->nr, sizeof(*q->list)))
			return NULL;
		q->list[q->nr] = (struct queue){ .tid = tid, .idx = q->nr };
		q->hash[h] = ++q->nr;
	}
	return &q->list[q->hash[h] - 1];
}
