// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decode a part of a queue: find its runs, and decode one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/decode/pool.h"

#define READ_AHEAD	(16 * 1024)

struct job_data {
	const struct job *job;
	int fd;
	__u8 *bytes;
	size_t size;		/* bytes from job->begin on that were read */
};

/* Read up to @size bytes from the job's begin on. Return 0 or -errno. */
static int read_to(struct job_data *d, size_t size)
{
	const __u64 most = d->job->span_end - d->job->begin;
	__u8 *more;
	int rc;

	if (size > most)
		size = most;
	if (size <= d->size)
		return 0;
	more = realloc(d->bytes, size);
	if (!more)
		return -ENOMEM;
	d->bytes = more;
	rc = queue_read(d->job->track->queue, d->fd, d->job->begin + d->size, d->bytes + d->size,
			size - d->size);
	if (!rc)
		d->size = size;
	return rc;
}

static bool is_all(const struct job_data *d)
{
	return d->size == d->job->span_end - d->job->begin;
}

/* Read until the data has the next PSB, with the packets that belong to it, or the end. */
static int find_next(struct job_data *d, size_t from, size_t *found)
{
	int rc = 0;

	for (;;) {
		*found = psb_find(d->bytes, d->size, from);
		if (is_all(d) || *found + PSB_HEAD_MAX <= d->size)
			return 0;
		/* The data that was read can end within a PSB. */
		from = *found < d->size ? *found : d->size - (d->size > PSB_SIZE ? PSB_SIZE : 0);
		rc = read_to(d, 2 * d->size + READ_AHEAD);
		if (rc)
			return rc;
	}
}

static int decode_runs(struct job_data *d, struct run *r)
{
	const size_t end = d->job->end - d->job->begin;
	size_t at, next;
	int rc;

	/* Runs that begin behind the part are those of other jobs, so do not read more here. */
	at = psb_find(d->bytes, d->size < end + PSB_SIZE ? d->size : end + PSB_SIZE, 0);
	if (at >= end)
		return 0;
	psb_read(d->bytes + at, d->size - at, &r->next);
	while (at < end && at < d->size) {
		rc = find_next(d, at + PSB_SIZE, &next);
		if (rc)
			return rc;
		r->psb = r->next;
		r->data = d->bytes + at;
		r->size = next - at;
		psb_read(d->bytes + next, d->size - next, &r->next);
		run_decode(r);
		if (r->out->err)
			return r->out->err;
		at = next;
	}
	return 0;
}

int job_decode(struct job *j, int fd, struct image *image, struct code *code)
{
	struct job_data d = { .job = j, .fd = fd };
	struct run r = {
		.setup = &j->track->setup, .image = image, .code = code, .out = &j->out,
	};
	int rc;

	if (j->after_gap)
		out_add(&j->out, &(struct flow) { .kind = FLOW_CUT });
	rc = read_to(&d, j->end - j->begin + READ_AHEAD);
	if (!rc)
		rc = decode_runs(&d, &r);
	out_end(&j->out);
	free(d.bytes);
	return rc;
}
