// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the headers of chunks of AUX data and of payloads in samples.
 */
#include <string.h>

#include "stream/read_raw.h"
#include "stream/snapshot_mark.h"

bool read_is_chunk_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       !is_payload_event(attr) && !is_snapshot_event(attr);
}

bool read_chunk(const struct read_sample *s, struct auxrec_chunk *h)
{
	if (!(s->has & PERF_SAMPLE_RAW) || s->raw_size < sizeof(*h) ||
	    !read_is_chunk_event(&s->event->attr))
		return false;
	memcpy(h, s->raw, sizeof(*h));
	return h->magic == AUXREC_CHUNK_MAGIC && h->version == 1 &&
	       h->header_size >= sizeof(*h) && h->header_size <= s->raw_size &&
	       h->length <= s->raw_size - h->header_size;
}

bool read_payload(const struct read_sample *s, struct auxrec_payload *h)
{
	if (!(s->has & PERF_SAMPLE_RAW) || s->raw_size < sizeof(*h))
		return false;
	memcpy(h, s->raw, sizeof(*h));
	return h->magic == AUXREC_PAYLOAD_MAGIC && h->version == 1 && h->key &&
	       h->header_size >= sizeof(*h) && h->header_size <= s->raw_size &&
	       h->length <= s->raw_size - h->header_size;
}

__u32 read_raw_size(const struct read_record *rec, const struct read_sample *s)
{
	struct auxrec_length end;

	if (s->rest != sizeof(end))
		return s->raw_size;
	memcpy(&end, (const char *)rec->hdr + rec->size - sizeof(end), sizeof(end));
	return end.magic == AUXREC_LENGTH_MAGIC && end.length <= s->raw_size ?
	       end.length : s->raw_size;
}
