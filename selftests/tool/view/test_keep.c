// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the flow that waits in a file for the consumer. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../../tap.h"
#include "view/decode/pool.h"

#define JOBS	3
#define FLOWS	1000

/* The flow of job @k has FLOWS + @k elements. */
static int fill(struct job *j, size_t k)
{
	size_t i;

	for (i = 0; i < FLOWS + k; i++)
		out_add(&j->out, &(struct flow) { .from = 1000000 * k + i });
	out_trim(&j->out);
	return j->out.err;
}

static size_t count_wrong(struct track *t, size_t k)
{
	size_t wrong = 0;

	for (t->at = 0; t->at < t->first->out.nr; t->at++) {
		const struct flow *f = keep_read(t);

		wrong += !f || f->from != 1000000 * k + t->at;
	}
	return wrong;
}

int main(void)
{
	struct pool p = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct job jobs[JOBS] = { { .next = NULL } };
	struct track tracks[JOBS];
	int rc = keep_open(&p);
	size_t k, wrong = 0, i;
	struct stat st;

	pthread_mutex_lock(&p.lock);
	for (k = 0; k < JOBS && !rc; k++) {
		rc = fill(&jobs[k], k);
		rc = rc ?: keep_write(&p, &jobs[k]);
		wrong += !jobs[k].in_file || jobs[k].out.list;
	}
	pthread_mutex_unlock(&p.lock);
	/* Read one element of each track by turns, and then each track as a whole. */
	for (k = 0; k < JOBS; k++)
		tracks[k] = (struct track) { .pool = &p, .first = &jobs[k] };
	for (i = 0; i < FLOWS && !rc; i++)
		for (k = 0; k < JOBS; k++) {
			const struct flow *f = keep_read(&tracks[k]);

			wrong += !f || f->from != 1000000 * k + i;
			tracks[k].at++;
		}
	for (k = 0; k < JOBS && !rc; k++)
		wrong += count_wrong(&tracks[k], k);
	tap_report(!rc && !wrong, "flow of %d jobs: status %d, %zu are wrong", JOBS, rc, wrong);

	for (k = 0; k < JOBS; k++) {
		keep_free(&tracks[k]);
		out_free(&jobs[k].out);
	}
	/* A file system without holes keeps the blocks. */
	rc = fstat(p.keep_fd, &st);
	tap_report(!rc && st.st_size && st.st_blocks * 512 < st.st_size,
		   "the file has %lld bytes of %lld when all was consumed",
		   (long long)st.st_blocks * 512, (long long)st.st_size);
	keep_close(&p);
	return tap_end();
}
