// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the AUXTRACE_ERROR records that describe the gaps of the raw ring.
 */
#include <stdio.h>
#include <string.h>

#include "stream/read_gap.h"
#include "stream/records.h"

/* Parse when the gap ended, how many attempts to write failed, and the lost bytes. */
static void parse_message(const struct rec_auxtrace_error *e, size_t room,
			  struct read_gap *gap)
{
	unsigned long long s, ns, count, bytes;
	char msg[65];

	if (room > sizeof(e->msg))
		room = sizeof(e->msg);
	memcpy(msg, e->msg, room);
	msg[room] = 0;
	if (sscanf(msg, "perfaux: until %18llu.%9llu, %18llux, %18llu bytes",
		   &s, &ns, &count, &bytes) != 4)
		return;
	gap->end = s * 1000000000 + ns;
	if (gap->end < gap->begin)
		gap->end = gap->begin;
	gap->count = count;
	gap->bytes = bytes;
}

bool read_gap(const struct read_record *rec, struct read_gap *gap)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;

	if (rec->size <= offsetof(struct rec_auxtrace_error, msg) ||
	    e->code < REC_GAP_CODE || e->code >= REC_GAP_CODE_END)
		return false;
	*gap = (struct read_gap) {
		.begin = e->time, .end = e->time, .tid = e->tid, .cpu = e->cpu,
		.cause = e->code - REC_GAP_CODE,
	};
	parse_message(e, rec->size - offsetof(struct rec_auxtrace_error, msg),
		      gap);
	return true;
}
