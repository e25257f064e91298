// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copy the records of a main ring to the output.
 */
#include "record/late_ids.h"
#include "record/losses.h"
#include "record/record.h"
#include "stream/records.h"

struct copying {
	struct session *s;
	struct mainring *r;
};

static int write_record(void *ctx, const void *rec)
{
	const struct perf_event_header *h = rec;
	const struct copying *c = ctx;
	int err;

	if (h->type == PERF_RECORD_LOST)
		return losses_record(c->s, c->r, rec);
	err = session_write(c->s, rec);
	if (!err && h->type == PERF_RECORD_MMAP2)
		ids_map(c->s->ids, rec);
	return err;
}

int session_copy_ring(struct session *s, struct mainring *r)
{
	struct copying c = { s, r };

	return mainring_copy(r, write_record, &c, &s->main, s->ids_in_records);
}
