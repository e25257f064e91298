// SPDX-License-Identifier: GPL-2.0-only
/*
 * The switches of each CPU in a bundle, as records of perf in order of time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "view/bundle/bundle.h"

struct switches {
	struct bundle *bundle;
	FILE	**files;	/* of the queues, by their index; NULL: a thread's */
};

static FILE *file_of(const struct switches *w, __u32 cpu)
{
	const struct source *s = w->bundle->source;
	__u32 i;

	return read_map_get(&s->queue_by_key, 1ULL << 32 | cpu, &i) ? w->files[i] : NULL;
}

static int take(void *context, const struct order_record *r)
{
	const struct perf_event_header *h = r->item.header;
	struct read_bytes b = read_bytes_init(h + 1, h->size - sizeof(*h));
	struct bundle_switch s = {
		.header = {
			.type = PERF_RECORD_SWITCH_CPU_WIDE, .size = sizeof(s),
			.misc = h->misc & PERF_RECORD_MISC_SWITCH_OUT,
		},
		.id = { r->item.pid, r->item.tid, r->time },
	};
	FILE *f;

	if ((h->type != PERF_RECORD_SWITCH && h->type != PERF_RECORD_SWITCH_CPU_WIDE) ||
	    r->item.tid == AUXSTREAM_NOBODY)
		return 0;
	f = file_of(context, r->item.cpu);
	if (!f)
		return 0;
	/* A SWITCH record of a task does not tell the other task. Then write 0, the idle task. */
	if (h->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		s.other_pid = read_u32(&b);
		s.other_tid = read_u32(&b);
	}
	fwrite(&s, sizeof(s), 1, f);
	return 0;
}

static int create(struct switches *w)
{
	const struct source *s = w->bundle->source;
	char name[BUNDLE_NAME];
	size_t i;

	for (i = 0; i < s->nr_queues; i++) {
		if (s->queues[i]->tid != AUXSTREAM_NOBODY)
			continue;
		bundle_name(s, s->queues[i], ".pevent", name);
		w->files[i] = bundle_create(w->bundle, name, false);
		if (!w->files[i])
			return -EIO;
	}
	return 0;
}

static int finish(struct switches *w, int rc)
{
	const struct source *s = w->bundle->source;
	char name[BUNDLE_NAME];
	size_t i;
	int err;

	for (i = 0; i < s->nr_queues; i++) {
		if (!w->files[i])
			continue;
		err = bundle_finish(w->bundle, bundle_name(s, s->queues[i], ".pevent", name),
				    w->files[i]);
		rc = rc ?: err;
	}
	return rc;
}

int bundle_switches(struct bundle *b)
{
	struct source *s = b->source;
	struct switches w = { b, calloc(s->nr_queues, sizeof(*w.files)) };
	char *problem = NULL;
	int rc;

	if (!w.files)
		return diag(b->diag, -ENOMEM, "out of memory");
	rc = create(&w);
	if (!rc && lseek(s->fd, 0, SEEK_SET) < 0)
		rc = diag(b->diag, -errno, "cannot read the recording again: %s", strerror(errno));
	if (!rc)
		rc = order_read(s->fd, 1 << AUXSTREAM_KERNEL, take, NULL, &w, &problem);
	free(problem);
	/* source_scan() has accepted that the recording is broken. */
	if (rc == -ENODATA || rc == -EPROTO || rc == -EBADMSG)
		rc = 0;
	if (rc && !b->diag->msg[0])
		diag(b->diag, rc, "cannot read the recording: %s", strerror(-rc));
	rc = finish(&w, rc);
	free(w.files);
	return rc;
}
