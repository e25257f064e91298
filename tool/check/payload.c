// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check raw data that the stream has as samples of the payload event (stream/payload.h).
 */
#include <string.h>

#include "check/check.h"

static bool check_header(struct check *c, const struct read_record *rec,
			 const struct read_sample *s,
			 const struct auxrec_payload *h)
{
	const char *bad = NULL;

	if (s->raw_size < sizeof(*h) || h->magic != AUXREC_PAYLOAD_MAGIC)
		bad = "magic";
	else if (h->version != 1 || h->header_size != sizeof(*h))
		bad = "version or header_size";
	else if (h->key != s->event->attr.config1)
		bad = "key, which is not the event's config1";
	else if (!h->number)
		bad = "number 0";
	if (bad)
		check_fail(c, rec, RULE_PAYLOAD, "a payload header", "%s", bad);
	return !bad;
}

static void check_length(struct check *c, const struct read_record *rec,
			 const struct read_sample *s,
			 const struct auxrec_payload *h)
{
	const __u32 room = s->raw_size - sizeof(*h);
	__u32 i;

	if (h->length > room || room - h->length >= 8) {
		check_fail(c, rec, RULE_PAYLOAD_LENGTH,
			   check_expect(c, "length of the %u bytes in RAW, without padding",
					room),
			   "%u", h->length);
		return;
	}
	for (i = h->length; i < room; i++) {
		if (s->raw[sizeof(*h) + i]) {
			check_fail(c, rec, RULE_PAYLOAD_LENGTH,
				   "zeros after the data", "%#x",
				   s->raw[sizeof(*h) + i]);
			break;
		}
	}
	if (h->length > AUXREC_PART_MAX)
		check_fail(c, rec, RULE_PAYLOAD_LENGTH,
			   check_expect(c, "at most %u bytes", AUXREC_PART_MAX),
			   "%u", h->length);
	if (s->period != h->length)
		check_fail(c, rec, RULE_PAYLOAD_LENGTH,
			   check_expect(c, "PERIOD %u, the length", h->length),
			   "%llu", s->period);
	if (h->flags & AUXREC_PAYLOAD_GAP && (!h->offset || h->length || h->id))
		check_fail(c, rec, RULE_PAYLOAD_LENGTH,
			   "a gap of a producer, in which something was lost",
			   "%llu payloads, %u bytes, id %llu", h->offset,
			   h->length, h->id);
	else if (h->flags & AUXREC_PAYLOAD_GAP)
		return;
	else if (h->offset > h->total || h->length > h->total - h->offset)
		check_fail(c, rec, RULE_PAYLOAD_LENGTH,
			   check_expect(c, "a part of the payload's %llu bytes",
					h->total),
			   "%u bytes at %llu", h->length, h->offset);
	else if (h->cause && h->length)
		check_fail(c, rec, RULE_PAYLOAD_LENGTH, "no data that is lost",
			   "%u bytes", h->length);
	else if (!h->cause && !h->length && h->total)
		check_fail(c, rec, RULE_PAYLOAD_LENGTH, "data", "an empty part");
}

static void check_part(struct check *c, const struct read_record *rec,
		       const struct auxrec_payload *h)
{
	const struct auxrec_payload *l = &c->payload;
	const __u64 next = l->offset + l->length;

	if (c->payload_open && h->number == l->number) {
		if (h->id != l->id || h->time != l->time || h->total != l->total)
			check_fail(c, rec, RULE_PAYLOAD_PART,
				   "id, time and total of the first part",
				   "others");
		if (h->offset != next)
			check_fail(c, rec, RULE_PAYLOAD_PART,
				   check_expect(c, "offset %llu", next), "%llu",
				   h->offset);
		return;
	}
	if (c->payload_open)
		check_fail(c, rec, RULE_PAYLOAD_PART,
			   check_expect(c, "the rest of payload %llu, from %llu of %llu",
					l->number, next, l->total),
			   "payload %llu", h->number);
	if (h->offset && !(h->flags & AUXREC_PAYLOAD_GAP))
		check_fail(c, rec, RULE_PAYLOAD_PART,
			   "offset 0 in a new payload", "%llu", h->offset);
	if (h->number <= l->number)
		check_fail(c, rec, RULE_PAYLOAD_PART,
			   check_expect(c, "a number above %llu", l->number),
			   "%llu", h->number);
}

void check_payload(struct check *c, const struct read_record *rec,
		   const struct read_sample *s)
{
	struct auxrec_payload h = { 0 };

	/*
	 * RAW is at a multiple of 8 plus 4, where the struct would not be aligned. In an
	 * invalid stream the event may have no RAW.
	 */
	if (s->has & PERF_SAMPLE_RAW)
		memcpy(&h, s->raw, s->raw_size < sizeof(h) ? s->raw_size : sizeof(h));
	if (!check_header(c, rec, s, &h))
		return;
	check_length(c, rec, s, &h);
	check_part(c, rec, &h);
	c->payload = h;
	c->payload_open = !h.cause && !(h.flags & AUXREC_PAYLOAD_GAP) &&
			  h.offset + h.length < h.total;
}
