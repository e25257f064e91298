// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queues of AUXTRACE records. Readers decode each queue as one uninterrupted
 * stream, so each thread has its own queue, or with -a each CPU. Queues are numbered
 * in the order in which they appear, because readers keep an array. There are no more
 * queues than possible thread ids.
 */
#include <stdlib.h>

#include "session/session.h"

struct queue *queue_get(struct queues *q, __u32 tid)
{
	__u32 i;

	if (read_map_get(&q->by_tid, tid, &i))
		return &q->list[i];
	if (grow((void **)&q->list, q->nr, sizeof(*q->list)) ||
	    read_map_set(&q->by_tid, tid, q->nr))
		return NULL;
	q->list[q->nr] = (struct queue){ .tid = tid, .idx = q->nr };
	return &q->list[q->nr++];
}

void queues_free(struct queues *q)
{
	free(q->list);
	read_map_free(&q->by_tid);
	*q = (struct queues){ .list = NULL };
}
