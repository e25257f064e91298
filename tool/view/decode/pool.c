// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that decode ahead of the consumer, within a limit of memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/decode/code.h"
#include "view/decode/pool.h"

#define JOB_SIZE	(64 * 1024)
/*
 * If there were more flow in memory than this, no job is begun ahead of the consumer, and the flow
 * of the jobs that it needs goes to a file.
 */
#ifndef MOST_BYTES
#define MOST_BYTES	(128 << 20)
#endif

/* The lock is held. */
static void wait_for_worker(struct pool *p, struct job *j)
{
	*p->waiting_tail = j;
	p->waiting_tail = &j->next_waiting;
	p->nr_busy++;
	pthread_cond_signal(&p->work);
}

/* The lock is held. @link points to the job. */
static void take_job(struct pool *p, struct job **link)
{
	struct job *j = *link;

	*link = j->next_waiting;
	if (p->waiting_tail == &j->next_waiting)
		p->waiting_tail = link;
	j->next_waiting = NULL;
	j->state = JOB_RUNNING;
}

/* Bytes of a job's flow in memory */
static size_t bytes_of(const struct job *j)
{
	return j->in_file ? 0 : j->out.nr * sizeof(*j->out.list);
}

/* The lock is held, but not while the job is decoded. */
static void do_job(struct pool *p, struct job *j, struct image *image, struct code *code)
{
	size_t bytes;
	int rc;

	pthread_mutex_unlock(&p->lock);
	rc = job_decode(j, p->fd, image, code);
	out_trim(&j->out);
	pthread_mutex_lock(&p->lock);
	bytes = bytes_of(j);
	if (bytes > p->most)
		p->most = bytes;
	if (!rc && bytes && p->bytes + bytes > MOST_BYTES)
		rc = keep_write(p, j);
	j->state = JOB_DONE;
	p->nr_busy--;
	p->bytes += bytes_of(j);
	if (rc && !p->err)
		p->err = rc;
	pthread_cond_broadcast(&p->done);
}

static void *work(void *arg)
{
	struct pool *p = arg;
	struct image image;
	struct code *code;
	struct job *j;
	int rc;

	rc = image_init(&image, p->cache);
	code = code_new(&image);
	if (!code)
		rc = -ENOMEM;
	pthread_mutex_lock(&p->lock);
	if (rc)
		p->err = rc;
	while (!rc && !p->ending) {
		j = p->waiting;
		if (!j) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		take_job(p, &p->waiting);
		do_job(p, j, &image, code);
	}
	pthread_mutex_unlock(&p->lock);
	code_free(code);
	image_free(&image);
	return NULL;
}

int pool_init(struct pool *p, struct image_cache *cache, int fd, unsigned int threads)
{
	int rc;

	*p = (struct pool) { .fd = fd, .cache = cache };
	p->waiting_tail = &p->waiting;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	rc = image_init(&p->image, cache);
	p->code = code_new(&p->image);
	rc = rc ?: keep_open(p);
	p->threads = calloc(threads + 1, sizeof(*p->threads));
	if (!p->threads || !p->code)
		rc = -ENOMEM;
	while (!rc && p->nr_threads < threads) {
		/* Fewer threads decode the same, but more slowly. */
		if (pthread_create(&p->threads[p->nr_threads], NULL, work, p))
			break;
		p->nr_threads++;
	}
	return rc;
}

void pool_free(struct pool *p)
{
	unsigned int i;

	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (i = 0; i < p->nr_threads; i++)
		pthread_join(p->threads[i], NULL);
	free(p->threads);
	keep_close(p);
	code_free(p->code);
	image_free(&p->image);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
}

void track_init(struct track *t, struct pool *p, const struct queue *q,
		const struct run_setup *setup)
{
	*t = (struct track) { .pool = p, .queue = q, .setup = *setup };
}

static void free_first(struct track *t)
{
	struct job *j = t->first;

	if (j->in_file)
		keep_free(t);
	t->first = j->next;
	t->nr_jobs--;
	t->at = 0;
	out_free(&j->out);
	free(j);
}

/* The workers have ended, see pool_free(). */
void track_free(struct track *t)
{
	while (t->first)
		free_first(t);
}

/* Append the next job. The lock is held. Return 0 or -errno. */
static int add_job(struct track *t)
{
	const bool is_first = t->next_begin == t->span_end;
	const int rc = is_first ? queue_span_end(t->queue, t->next_begin, &t->span_end) : 0;
	struct job *j = rc ? NULL : calloc(1, sizeof(*j));

	if (!j)
		return rc ?: -ENOMEM;
	j->track = t;
	j->begin = t->next_begin;
	j->after_gap = is_first && j->begin > 0;
	j->span_end = t->span_end;
	j->end = t->span_end - j->begin > JOB_SIZE ? j->begin + JOB_SIZE : t->span_end;
	t->next_begin = j->end;
	if (t->first)
		t->last->next = j;
	else
		t->first = j;
	t->last = j;
	t->nr_jobs++;
	wait_for_worker(t->pool, j);
	return 0;
}

/* Add jobs until enough are in progress. The lock is held. Return 0 or -errno. */
static int look_ahead(struct track *t)
{
	const struct pool *p = t->pool;
	int rc = 0;

	while (!rc && t->next_begin < t->queue->size &&
	       (!t->first || (t->nr_jobs <= 2 * p->nr_threads && p->nr_busy <= 2 * p->nr_threads &&
			      p->bytes + (p->nr_busy + 1) * p->most < MOST_BYTES)))
		rc = add_job(t);
	return rc;
}

/* Do the first job, or wait until a worker has done it. The lock is held. */
static void finish_first(struct track *t)
{
	struct pool *p = t->pool;
	struct job **link = &p->waiting;

	while (*link && *link != t->first)
		link = &(*link)->next_waiting;
	if (*link) {
		take_job(p, link);
		do_job(p, t->first, &p->image, p->code);
	}
	while (t->first->state != JOB_DONE)
		pthread_cond_wait(&p->done, &p->lock);
}

/* Go to the next job that has flow. Return false at the end, or after an error. */
static bool next_job(struct track *t)
{
	struct pool *p = t->pool;
	bool found = false;

	pthread_mutex_lock(&p->lock);
	while (!found && !p->err) {
		if (t->first && t->first->state == JOB_DONE && t->at == t->first->out.nr) {
			p->bytes -= bytes_of(t->first);
			free_first(t);
		}
		p->err = p->err ?: look_ahead(t);
		if (!t->first || p->err)
			break;
		finish_first(t);
		found = t->first->out.nr;
	}
	found &= !p->err;
	pthread_mutex_unlock(&p->lock);
	return found;
}

static const struct flow *kept(struct track *t)
{
	const struct flow *f = keep_read(t);

	if (!f) {
		pthread_mutex_lock(&t->pool->lock);
		t->pool->err = -EIO;
		pthread_mutex_unlock(&t->pool->lock);
	}
	return f;
}

const struct flow *track_peek(struct track *t)
{
	if ((!t->first || t->first->state != JOB_DONE || t->at == t->first->out.nr) &&
	    !next_job(t))
		return NULL;
	if (t->first->in_file)
		return kept(t);
	return &t->first->out.list[t->at];
}

void track_skip(struct track *t)
{
	t->at++;
}
