// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flow of jobs that waits in a temporary file for the consumer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "view/decode/pool.h"
#include "view/temporary/temporary.h"

#define WINDOW	64	/* elements that are read at a time */

int keep_open(struct pool *p)
{
	p->keep_fd = temporary_open();
	return p->keep_fd < 0 ? p->keep_fd : 0;
}

void keep_close(struct pool *p)
{
	if (p->keep_fd > 0)
		close(p->keep_fd);
	/* track_free() comes later, when the descriptor can be that of another file. */
	p->keep_fd = -1;
}

int keep_write(struct pool *p, struct job *j)
{
	const size_t bytes = j->out.nr * sizeof(*j->out.list);
	int rc;

	j->place = p->keep_size;
	p->keep_size += bytes;
	pthread_mutex_unlock(&p->lock);
	rc = temporary_write(p->keep_fd, j->out.list, bytes, j->place);
	free(j->out.list);
	j->out.list = NULL;
	j->in_file = true;
	pthread_mutex_lock(&p->lock);
	return rc;
}

const struct flow *keep_read(struct track *t)
{
	struct kept_window *w = &t->window;
	const struct job *j = t->first;

	if (t->at - w->first < w->nr)
		return &w->list[t->at - w->first];
	if (!w->list)
		w->list = calloc(WINDOW, sizeof(*w->list));
	if (!w->list)
		return NULL;
	w->first = t->at;
	w->nr = j->out.nr - t->at < WINDOW ? j->out.nr - t->at : WINDOW;
	if (!temporary_read(t->pool->keep_fd, w->list, w->nr * sizeof(*w->list),
			    j->place + w->first * sizeof(*w->list)))
		return w->list;
	w->nr = 0;
	return NULL;
}

void keep_free(struct track *t)
{
	const struct job *j = t->first;

	/* If the file system cannot do this, the file becomes as large as the flow of all jobs. */
	fallocate(t->pool->keep_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, j->place,
		  j->out.nr * sizeof(*j->out.list));
	free(t->window.list);
	t->window = (struct kept_window) { .list = NULL };
}
