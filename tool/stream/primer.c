// SPDX-License-Identifier: GPL-2.0-only
/*
 * The primer, the data of a stream's first AUXTRACE.
 */
#include <assert.h>
#include <string.h>

#include "stream/primer.h"

const struct perf_event_header primer[2] = {
	{ REC_EVENT_TYPE, 0, sizeof(primer[0]) },
	{ REC_EVENT_TYPE, 0, sizeof(primer[0]) },
};

static_assert(sizeof(primer) == PRIMER_SIZE, "two records without a body");

bool is_primer(const void *data)
{
	return !memcmp(data, primer, PRIMER_SIZE);
}

bool read_primer(struct read_stream *s, const struct read_record *rec, __u8 head[PRIMER_SIZE])
{
	return rec->blob == PRIMER_SIZE && read_blob(s, head, PRIMER_SIZE) == PRIMER_SIZE &&
	       is_primer(head);
}
