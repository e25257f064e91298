// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a bundle, and the AUX data in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_dir.h"
#include "stream/primer.h"
#include "view/bundle/bundle.h"

#define COPY_SIZE	(1 << 16)

/* The primer of a stream is no data of the PMU. */
static __u64 skip_primer(const struct bundle *b, const struct queue *q)
{
	__u8 head[PRIMER_SIZE];

	if (q->first_size == PRIMER_SIZE &&
	    !queue_read(q, b->source->fd, 0, head, sizeof(head)) && is_primer(head))
		return PRIMER_SIZE;
	return 0;
}

static int write_queue(struct bundle *b, const struct queue *q)
{
	__u8 *buf = malloc(COPY_SIZE);
	__u64 at = skip_primer(b, q);
	char name[BUNDLE_NAME];
	FILE *f = NULL;
	int rc = 0, err;

	bundle_name(b->source, q, ".pt", name);
	if (!buf)
		return diag(b->diag, -ENOMEM, "out of memory");
	f = bundle_create(b, name, false);
	while (f && !rc && at < q->size) {
		const size_t size = q->size - at < COPY_SIZE ? q->size - at : COPY_SIZE;

		rc = queue_read(q, b->source->fd, at, buf, size);
		if (rc)
			diag(b->diag, rc, "cannot read AUX data: %s", strerror(-rc));
		else if (fwrite(buf, size, 1, f) != 1)
			break;
		at += size;
	}
	free(buf);
	if (!f)
		return -EIO;
	err = bundle_finish(b, name, f);
	return rc ?: err;
}

int bundle_open(struct bundle *b, struct source *s, const char *path, struct diag *d)
{
	bool made;
	size_t i;
	int rc = 0;

	*b = (struct bundle) { .source = s, .path = path, .diag = d, .dir = -1 };
	if (!s->nr_queues)
		return -ENOENT;
	b->files = calloc(s->objects.nr + 1, sizeof(*b->files));
	b->nr_files = s->objects.nr;
	if (!b->files)
		return diag(d, -ENOMEM, "out of memory");
	b->dir = new_dir(path, &made, d);
	if (b->dir < 0)
		return b->dir;
	for (i = 0; !rc && i < s->nr_queues; i++)
		rc = write_queue(b, s->queues[i]);
	return rc ?: bundle_switches(b);
}

void bundle_close(struct bundle *b)
{
	size_t i;

	for (i = 0; b->files && i < b->nr_files; i++)
		free(b->files[i]);
	free(b->files);
	if (b->dir >= 0)
		close(b->dir);
}
