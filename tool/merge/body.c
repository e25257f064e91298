// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the records of a snapshot, from its own sample on, that no other snapshot has.
 */
#include <errno.h>
#include <stddef.h>
#include <perfaux.h>
#include <string.h>

#include "base/hash.h"
#include "stream/primer.h"
#include "merge/parts.h"
#include "stream/read_raw.h"

#define NOBODY		((__u32)-1)

struct body {
	struct merge *m;
	struct merge_section *s;
	size_t index;			/* index of @s in m->list */
	bool look;			/* for merge_group(): nothing is written */
	struct merge_reader r;
	struct read_map payloads;	/* number in this file -> number in the stream - base */
	__u64 base;
	struct merge_seen counted;	/* see merge/late.c */
	/* Samples with the same payload number: the last number, and whether it is wanted */
	__u64 number;
	int number_wanted;
	/* A frame of a producer, in parts: its number in this file, and whether it was seen */
	__u64 raw;
	bool raw_seen;
	/* The next record may be the AUX of this span */
	bool span, span_new;
	__u64 span_offset;		/* offset in this file */
	__u64 span_moved;		/* difference to the offset in the merged queue */
	/* The AUX of a gap, whose AUXTRACE_ERROR is the next record */
	bool gap;
	struct rec_aux gap_rec;
};

static int no_memory(const struct body *b)
{
	return diag(b->m->d, -ENOMEM, "out of memory");
}

static void write_record(struct body *b, const void *rec, __u64 time)
{
	merge_time(b->s, time);
	merge_out_record(&b->m->out, rec);
}

/* For merge_group(): note which of the sections that have @key begins earliest. */
static int note(struct body *b, const struct merge_key *key)
{
	const __u64 other = merge_seen_get(&b->m->group, key);

	if (other && b->m->list[other - 1]->mark.t_begin <= b->s->mark.t_begin)
		return 1;
	return merge_seen_set(&b->m->group, key, b->index + 1) ? no_memory(b) : 1;
}

/* Return 1 if @key was written already or will be written later, 0, or -errno. */
static int seen(struct body *b, const struct merge_key *key, __u64 time)
{
	int rc;

	if (b->look)
		return note(b, key);
	if (merge_seen_get(&b->m->group, key) > b->index + 1)
		return 1;
	rc = merge_seen_add(&b->m->seen, key, time);
	return rc < 0 ? no_memory(b) : rc;
}

static __u64 two(__u32 high, __u32 low)
{
	return (__u64)high << 32 | low;
}

/* --- AUX data -------------------------------------------------------------- */

static struct merge_queue *find_queue(const struct merge *m, __u32 tid, __u32 cpu)
{
	__u32 i;

	return read_map_get(&m->queue_by_owner, two(tid, cpu), &i) ?
	       &m->queues[i] : NULL;
}

static struct merge_queue *queue(struct merge *m, __u32 tid, __u32 cpu)
{
	struct merge_queue *q = find_queue(m, tid, cpu);

	if (q)
		return q;
	if (grow((void **)&m->queues, m->nr_queues, sizeof(*m->queues)) ||
	    read_map_set(&m->queue_by_owner, two(tid, cpu), m->nr_queues))
		return NULL;
	q = &m->queues[m->nr_queues];
	*q = (struct merge_queue){ .idx = m->nr_queues++ };
	return q;
}

/* Return where the data of a task, or of a CPU, ends so far. Gaps are placed there. */
static __u64 queue_end(const struct merge *m, __u32 tid, __u32 cpu)
{
	const struct merge_queue *q = find_queue(m, tid, NOBODY);

	if (!q)
		q = find_queue(m, NOBODY, cpu);
	return q && cpu != NOBODY ? q->offset : 0;
}

static void write_auxtrace(struct body *b, const struct read_record *rec,
			   struct merge_queue *q)
{
	struct rec_auxtrace a = *(const struct rec_auxtrace *)rec->hdr;

	a.idx = q->idx;
	if (!b->m->primed) {
		struct rec_auxtrace first = a;

		first.size = PRIMER_SIZE;
		first.offset = q->offset;
		q->offset += PRIMER_SIZE;
		merge_out_record(&b->m->out, &first);
		merge_out_add(&b->m->out, primer, PRIMER_SIZE);
		b->m->primed = true;
	}
	b->span_moved = q->offset - a.offset;
	a.offset = q->offset;
	q->offset += a.size;
	write_record(b, &a, a.reference);
}

static int take_auxtrace(struct body *b, const struct read_record *rec)
{
	const struct rec_auxtrace *a = (const void *)rec->hdr;
	const struct merge_key key = { {
		MERGE_SPAN, two(a->tid, a->cpu), a->reference, a->size,
	} };
	__u8 head[PRIMER_SIZE];
	struct merge_queue *q;
	int rc;

	if (read_primer(b->r.stream, rec, head))
		return 0;
	rc = seen(b, &key, a->reference);
	if (rc < 0)
		return rc;
	b->span = true;
	b->span_new = !rc;
	b->span_offset = a->offset;
	if (rc) {
		b->m->repeated += !b->look;
		return 0;
	}
	b->m->spans++;
	q = queue(b->m, a->tid, a->cpu);
	if (!q)
		return no_memory(b);
	write_auxtrace(b, rec, q);
	/* read_primer() has read these bytes already. */
	if (a->size != PRIMER_SIZE)
		return merge_reader_copy(b->m, &b->r, rec, a->size);
	merge_out_add(&b->m->out, head, sizeof(head));
	return 0;
}

/*
 * Take the AUX record of a gap or of a span. The AUX of the last span is written only if that span
 * was written.
 */
static int take_aux(struct body *b, const struct rec_aux *from)
{
	struct rec_aux aux = *from;
	const struct merge_key key = { {
		MERGE_AUX, two(aux.id.tid, aux.id.cpu), aux.id.time, aux.size, aux.flags,
	} };
	int rc;

	if (!aux.size && aux.flags & PERF_AUX_FLAG_TRUNCATED) {
		b->gap = true;
		b->gap_rec = aux;
		return 0;
	}
	if (b->span && aux.size && aux.offset == b->span_offset) {
		if (!b->span_new)
			return 0;
		aux.offset += b->span_moved;
		write_record(b, &aux, aux.id.time);
		return 0;
	}
	rc = seen(b, &key, aux.id.time);
	if (rc)
		return rc < 0 ? rc : 0;
	aux.offset = queue_end(b->m, aux.id.tid, aux.id.cpu);
	write_record(b, &aux, aux.id.time);
	return 0;
}

/*
 * Is this the sum of all losses so far, see auxdata_summary()? The sum of the last snapshot
 * includes those of all others. Other gaps without a thread and CPU belong to several threads, see
 * ring/gaps.c.
 */
static bool is_sum(const struct rec_auxtrace_error *e)
{
	const __u32 cause = e->code - REC_GAP_CODE;

	return e->cpu == NOBODY && e->tid == NOBODY &&
	       (cause == PERFAUX_CAUSE_NONE || cause == PERFAUX_CAUSE_NO_GAP ||
		cause == PERFAUX_CAUSE_OVERRUN);
}

static int take_gap(struct body *b, const struct read_record *rec)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;
	const size_t len = rec->size - offsetof(struct rec_auxtrace_error, msg);
	const struct merge_key key = { {
		MERGE_GAP | (__u64)b->gap << 8, e->time, two(e->tid, e->cpu),
		two(e->pid, e->code), hash_bytes(0, e->msg, len),
	} };
	int rc;

	if (is_sum(e) && b->index + 1 < b->m->nr_list) {
		b->gap = false;
		return 0;
	}
	rc = seen(b, &key, e->time);
	if (rc < 0)
		return rc;
	if (!rc && b->gap) {
		b->gap_rec.offset = queue_end(b->m, b->gap_rec.id.tid,
					      b->gap_rec.id.cpu);
		write_record(b, &b->gap_rec, b->gap_rec.id.time);
	}
	if (!rc)
		write_record(b, e, 0);
	b->gap = false;
	return 0;
}

static int take_chunk(struct body *b, const struct read_record *rec,
		      const struct read_sample *s, const struct auxrec_chunk *h)
{
	const struct merge_key key = { {
		MERGE_CHUNK, h->seq, h->cookie, two(h->offset, h->length), h->t_begin,
	} };
	const int rc = seen(b, &key, h->t_begin);

	if (rc < 0)
		return rc;
	if (rc) {
		b->m->repeated += !h->offset && !b->look;
		return 0;
	}
	b->m->spans += !h->offset;
	write_record(b, rec->hdr, s->time);
	return 0;
}

/* --- records that have a time ---------------------------------------------- */

/* All parts of a payload have one number, which is unique in the stream. */
static int write_numbered(struct body *b, const struct read_record *rec,
			  const struct read_sample *s)
{
	const size_t at = s->raw - (const __u8 *)rec->hdr +
			  offsetof(struct auxrec_payload, number);
	static union {
		struct perf_event_header header;
		__u8 bytes[65536];
	} copy;
	__u64 number;
	__u32 here;

	memcpy(&copy, rec->hdr, rec->size);
	memcpy(&number, copy.bytes + at, sizeof(number));
	if (!read_map_get(&b->payloads, number, &here)) {
		here = b->payloads.nr + 1;
		if (read_map_set(&b->payloads, number, here))
			return no_memory(b);
	}
	number = b->base + here;
	if (number > b->m->payload)
		b->m->payload = number;
	memcpy(copy.bytes + at, &number, sizeof(number));
	write_record(b, &copy, s->time);
	return 0;
}

static bool is_wanted(const struct body *b, const struct read_record *rec, __u64 time)
{
	/* In a merged stream there may be a state between two snapshots. */
	if (!b->s->initial && merge_is_state(rec->type) && time < b->s->since)
		return b->s->state;
	return !b->s->covered && time >= b->s->from && time < b->s->to;
}

/* Return 1 if the record is wanted, 0 if not, or -ENOMEM. */
static int wants(struct body *b, const struct read_record *rec, const struct read_sample *s)
{
	int rc;

	if (is_wanted(b, rec, s->time)) {
		rc = merge_late_note(b->m, rec, s);
		return rc < 0 ? rc : 1;
	}
	return merge_late_take(b->m, b->s, &b->counted, rec, s);
}

/* Like wants(). The parts of a payload are wanted if the first one is. */
static int wants_payload(struct body *b, const struct read_record *rec,
			 const struct read_sample *s)
{
	struct auxrec_payload h;

	memcpy(&h, s->raw, sizeof(h));
	if (!h.number || h.number != b->number) {
		b->number = h.number;
		b->number_wanted = wants(b, rec, s);
	}
	return b->number_wanted;
}

static int take_timed(struct body *b, const struct read_record *rec,
		      const struct read_sample *s)
{
	bool payload;
	int rc;

	if (!(s->has & PERF_SAMPLE_TIME) || !s->time)
		return merge_once(b->m, rec);
	payload = rec->type == PERF_RECORD_SAMPLE && merge_has_payload(s);
	rc = payload ? wants_payload(b, rec, s) : wants(b, rec, s);
	if (rc <= 0)
		return rc < 0 ? no_memory(b) : 0;
	if (payload)
		return write_numbered(b, rec, s);
	write_record(b, rec->hdr, s->time);
	return 0;
}

/*
 * Take a frame of a producer in the kernel. Such a frame is recognized by its content, not by
 * time, because it is in each snapshot as long as the raw ring has it.
 */
static int take_raw(struct body *b, const struct read_record *rec,
		    const struct read_sample *s)
{
	struct auxrec_payload h;
	struct merge_key key = { { MERGE_RAW, two(s->tid, s->cpu) } };
	__u64 number;
	int rc;

	memcpy(&h, s->raw, sizeof(h));
	/* Skip sums of all losses, as take_gap() does. */
	if (h.flags & AUXREC_PAYLOAD_GAP && !h.cookie && s->cpu == NOBODY &&
	    s->tid == NOBODY && b->index + 1 < b->m->nr_list)
		return 0;
	number = h.number;
	/*
	 * The parts of a frame follow each other. If files contradict each other, one part may
	 * have been seen and another one not. No part is useful without the others, so the first
	 * part decides.
	 */
	if (h.offset && number == b->raw)
		return b->raw_seen ? 0 : write_numbered(b, rec, s);
	h.number = 0;
	key.word[2] = h.time;
	key.word[3] = hash_bytes(0, &h, sizeof(h));
	key.word[4] = hash_bytes(0, s->raw + sizeof(h), s->raw_size - sizeof(h));
	rc = seen(b, &key, h.time);
	b->raw = number;
	b->raw_seen = rc;
	if (rc)
		return rc < 0 ? rc : 0;
	return write_numbered(b, rec, s);
}

/* --- records --------------------------------------------------------------- */

static int take_kernel(struct body *b, const struct read_record *rec)
{
	struct read_sample s;
	struct auxrec_chunk h;

	if (read_sample(&b->m->attrs, rec, &s))
		return merge_damaged(b->m, &b->r, rec,
				     "a record that its event does not explain");
	if (rec->type == PERF_RECORD_AUX)
		return take_aux(b, (const void *)rec->hdr);
	if (rec->type != PERF_RECORD_SAMPLE)
		return b->look ? 0 : take_timed(b, rec, &s);
	if (is_snapshot_event(&s.event->attr)) {
		if (!b->look)
			write_record(b, rec->hdr, s.time);
		return 0;
	}
	if (merge_is_raw(&s))
		return take_raw(b, rec, &s);
	if (read_chunk(&s, &h))
		return take_chunk(b, rec, &s, &h);
	return b->look ? 0 : take_timed(b, rec, &s);
}

static int take_record(struct body *b, const struct read_record *rec)
{
	const bool span = b->span;
	int err = 0;

	if (b->gap && rec->type != REC_AUXTRACE_ERROR)
		return merge_damaged(b->m, &b->r, rec,
				     "no AUXTRACE_ERROR behind the AUX of a gap, but another record");
	switch (rec->type) {
	case REC_AUXTRACE:
		return take_auxtrace(b, rec);
	case REC_AUXTRACE_ERROR:
		err = take_gap(b, rec);
		break;
	case REC_FEATURE:
	case REC_BUILD_ID:
		/* merge_covered() writes these records of a covered section. */
		if (!b->s->covered && !b->look)
			err = merge_once(b->m, rec);
		break;
	default:
		if (rec->type < REC_ATTR)
			err = take_kernel(b, rec);
	}
	if (span)
		b->span = false;
	return err;
}

/*
 * Is this a snapshot's own sample? If several triggers share a snapshot, several such samples are
 * at its start.
 */
static bool is_mark(const struct body *b, const struct read_record *rec)
{
	struct read_sample s;

	return rec->type == PERF_RECORD_SAMPLE && !read_sample(&b->m->attrs, rec, &s) &&
	       is_snapshot_event(&s.event->attr);
}

int merge_body(struct merge *m, size_t i)
{
	struct merge_section *s = m->list[i];
	struct body b = { .m = m, .s = s, .index = i, .base = m->payload };
	bool marks = true;
	struct read_record rec;
	int rc;

	rc = merge_reader_open(m, &b.r, s->input, s->start, s->end);
	if (rc)
		return rc;
	for (;;) {
		rc = merge_reader_next(m, &b.r, &rec);
		if (rc <= 0)
			break;
		/* Write the setup of the snapshot's file after the snapshot's own samples. */
		if (marks && !is_mark(&b, &rec)) {
			marks = false;
			rc = merge_late_setup(m, s);
			if (rc)
				break;
		}
		rc = take_record(&b, &rec);
		if (rc)
			break;
	}
	if (!rc && marks)
		rc = merge_late_setup(m, s);
	if (!rc)
		rc = merge_covered(m, i);
	merge_reader_close(&b.r);
	read_map_free(&b.payloads);
	merge_seen_free(&b.counted);
	return rc;
}

static int look(struct merge *m, size_t i)
{
	struct body b = { .m = m, .s = m->list[i], .index = i, .look = true };
	struct read_record rec;
	int rc;

	rc = merge_reader_open(m, &b.r, b.s->input, b.s->start, b.s->end);
	if (rc)
		return rc;
	do {
		rc = merge_reader_next(m, &b.r, &rec);
		if (rc > 0)
			rc = take_record(&b, &rec) ?: 1;
	} while (rc > 0);
	merge_reader_close(&b.r);
	return rc;
}

int merge_group(struct merge *m, size_t i)
{
	int err = 0;

	merge_seen_free(&m->group);
	if (!m->list[i]->covered)
		return 0;
	do {
		err = look(m, i);
	} while (!err && m->list[i++]->covered);
	return err;
}
