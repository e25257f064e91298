// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send records of main rings, and auxrec's own records of their losses, to the output.
 */
#include "record/record.h"

int session_write(struct session *s, const void *rec)
{
	const struct perf_event_header *h = rec;

	if (s->discard) {
		s->out.lost_samples += h->type == PERF_RECORD_SAMPLE;
		return 0;
	}
	return s->mode->record(s, h);
}
