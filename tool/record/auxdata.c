// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the data of the raw ring to the stream. Spans become AUXTRACE records or samples
 * with chunks, gaps become records that tell what is missing.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "record/auxdata.h"
#include "record/payloads.h"
#include "stream/aux_chunk.h"
#include "stream/cause.h"
#include "stream/primer.h"
#include "stream/records.h"
#include "session/session.h"

/* Write out and release after this many bytes, so that the ring gets room again. */
#define FLUSH_BYTES	(1U << 20)

static const struct sev *cookie_sev(const struct session *s, __u64 cookie)
{
	const __u64 index = session_cookie_index(s, cookie);
	size_t i;

	if (index != SESSION_COOKIE_NONE && s->sev[index].aux)
		return &s->sev[index];
	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].aux)
			return &s->sev[i];
	return NULL;
}

static struct queue *span_queue(struct session *s, __u32 tid, __u32 cpu)
{
	return queue_get(&s->queues, session_per_task(s) ? tid : cpu);
}

/*
 * Return the id of the descriptor that a span came from. When tasks are recorded, the id of the
 * event's first descriptor will do.
 */
static __u64 sev_id(const struct session *s, const struct sev *sev, __u32 cpu)
{
	size_t i;

	for (i = 0; !session_per_task(s) && i < sev->nr_fds; i++)
		if (sev->fds[i].cpu == (int)cpu)
			return sev->fds[i].id;
	return sev->nr_fds ? sev->fds[0].id : 0;
}

static int write_aux(struct session *s, const struct sev *sev, __u64 offset,
		     __u64 size, __u64 flags, __u64 time, __u32 pid, __u32 tid,
		     __u32 cpu)
{
	struct rec_aux rec = {
		.header = { PERF_RECORD_AUX, 0, sizeof(rec) },
		.offset = offset,
		.size = size,
		.flags = flags,
		.id = {
			.pid = pid,
			.tid = tid,
			/*
			 * A gap is known only when it ends. By then readers may
			 * have been told that no records of its time follow.
			 */
			.time = time > s->flushed_time ? time :
							 s->flushed_time + 1,
			.cpu = cpu,
			.id = sev_id(s, sev, cpu),
		},
	};

	if (rec.id.time > s->main.max_time)
		s->main.max_time = rec.id.time;
	return stream_record(&s->out, &rec);
}

void auxdata_begin_stream(struct session *s)
{
	queues_free(&s->queues);
	s->primed = false;
}

/* Write an AUXTRACE whose data is the primer. */
static int write_primer(struct session *s, struct queue *q,
			const struct rec_auxtrace *first)
{
	struct rec_auxtrace rec = *first;

	rec.size = PRIMER_SIZE;
	rec.offset = q->offset;
	q->offset += rec.size;
	s->primed = true;
	return stream_record_data(&s->out, &rec, sizeof(rec), primer, PRIMER_SIZE, 0);
}

static int write_auxtrace(struct session *s, const struct sev *sev,
			  const struct perfaux_span *span, const void *data)
{
	/* The gap that belongs to the span reports the truncation. */
	const __u64 flags = span->flags & ~PERF_AUX_FLAG_TRUNCATED;
	const __u64 size = ALIGN8((__u64)span->length);
	struct queue *q = span_queue(s, span->tid, span->cpu);
	struct rec_auxtrace rec = {
		.header = { REC_AUXTRACE, 0, sizeof(rec) },
		.size = size,
		.reference = span->t_begin,
	};
	int err;

	if (!q)
		return -ENOMEM;
	rec.idx = q->idx;
	rec.tid = session_per_task(s) ? span->tid : -1U;
	rec.cpu = session_per_task(s) ? -1U : span->cpu;
	if (size && !s->primed) {
		err = write_primer(s, q, &rec);
		if (err)
			return err;
	}
	rec.offset = q->offset;
	q->offset += size;
	if (size) {
		err = stream_record_data(&s->out, &rec, sizeof(rec), data,
					 span->length, size - span->length);
		if (err)
			return err;
	}
	if (!flags)
		return 0;
	return write_aux(s, sev, rec.offset, span->length, flags, span->t_begin,
			 span->pid, span->tid, span->cpu);
}

struct chunk_sample {
	struct perf_event_header header;
	__u64 id;
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, reserved;
	__u64 period;
	__u32 raw_size;
	struct auxrec_chunk chunk;
} __attribute__((packed, aligned(4)));

static int write_chunk(struct session *s, const struct sev *sev,
		       const struct perfaux_span *span, const __u8 *data,
		       __u64 seq, __u32 offset, __u32 length)
{
	const size_t fixed = sizeof(struct chunk_sample);
	const size_t size = ALIGN8(fixed + length);
	struct chunk_sample rec = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, size },
		.id = sev->chunk_id,
		.pid = span->pid,
		.tid = span->tid,
		.time = span->t_begin,
		.cpu = span->cpu,
		.period = length,
		.raw_size = size - offsetof(struct chunk_sample, chunk),
		.chunk = {
			.magic = AUXREC_CHUNK_MAGIC,
			.version = 1,
			.header_size = sizeof(rec.chunk),
			.seq = seq,
			.t_begin = span->t_begin,
			.t_end = span->t_end,
			.cookie = session_cookie_index(s, span->cookie),
			.flags = span->flags,
			.offset = offset,
			.length = length,
			.span_length = span->length,
		},
	};

	if (span->t_begin > s->main.max_time)
		s->main.max_time = span->t_begin;
	return stream_record_data(&s->out, &rec, fixed, data + offset, length,
				  size - fixed - length);
}

static int write_chunks(struct session *s, const struct sev *sev,
			const struct perfaux_span *span, const void *data)
{
	__u32 offset = 0;
	int err;

	do {
		__u32 n = span->length - offset;

		if (n > AUXREC_CHUNK_MAX)
			n = AUXREC_CHUNK_MAX;
		err = write_chunk(s, sev, span, data, span->seq, offset, n);
		offset += n;
	} while (!err && offset < span->length);
	return err;
}

int auxdata_span(struct session *s, const struct raw_item *item)
{
	const struct perfaux_span *span = item->span;
	const struct sev *sev = cookie_sev(s, span->cookie);

	if (!item->data || !sev) {
		s->bad_spans++;
		return 0;
	}
	s->spans++;
	s->aux_bytes += span->length;
	if (sev->aux == AUX_CHUNKS)
		return write_chunks(s, sev, span, item->data);
	return write_auxtrace(s, sev, span, item->data);
}

/* The cause is at the end of the text and may be cut. The code tells the cause, too. */
static int write_error(struct session *s, const struct perfaux_gap *gap)
{
	struct rec_auxtrace_error rec = {
		.header.type = REC_AUXTRACE_ERROR,
		.type = REC_ERROR_ITRACE,
		.code = REC_GAP_CODE + gap->cause,
		.cpu = gap->cpu,
		.pid = gap->pid,
		.tid = gap->tid,
		.fmt = REC_ERROR_FMT_TIME,
		.time = gap->t_begin,
	};
	int n;

	n = snprintf(rec.msg, sizeof(rec.msg),
		     "perfaux: until %llu.%09llu, %llux, %llu bytes: %s",
		     (unsigned long long)(gap->t_end / NSEC_PER_SEC),
		     (unsigned long long)(gap->t_end % NSEC_PER_SEC),
		     (unsigned long long)gap->count,
		     (unsigned long long)gap->bytes,
		     gap_cause_name(gap->cause));
	if (n >= (int)sizeof(rec.msg))
		n = sizeof(rec.msg) - 1;
	/* In auxrec recover, the session has no mode. */
	if (s->mode && s->mode->gap)
		s->mode->gap(s, gap);
	rec.header.size = ALIGN8(offsetof(struct rec_auxtrace_error, msg) +
				 n + 1);
	return stream_record(&s->out, &rec);
}

static int write_loss(struct session *s, const struct sev *sev,
		      const struct perfaux_gap *gap)
{
	__u64 offset = 0;
	int err;

	if (sev->aux != AUX_CHUNKS && gap->cpu != -1U) {
		struct queue *q = span_queue(s, gap->tid, gap->cpu);

		if (!q)
			return -ENOMEM;
		offset = q->offset;
	}
	err = write_aux(s, sev, offset, 0, PERF_AUX_FLAG_TRUNCATED,
			gap->t_begin, gap->pid, gap->tid, gap->cpu);
	if (err)
		return err;
	return write_error(s, gap);
}

int auxdata_gap(struct session *s, const struct perfaux_gap *gap)
{
	const struct sev *sev = cookie_sev(s, gap->cookie);
	struct gap_stats *st = &s->gaps[gap->cause % ARRAY_LEN(s->gaps)];

	if (s->have_payloads &&
	    session_cookie_index(s, gap->cookie) == SESSION_COOKIE_NONE)
		return payload_gap(s, gap);
	st->count++;
	st->attempts += gap->count;
	st->time += gap->t_end - gap->t_begin;
	st->bytes += gap->bytes;
	return sev ? write_loss(s, sev, gap) : 0;
}

/* Release items, but only after their data was written out. */
static int flush_items(struct session *s, struct raw_item *items,
		       unsigned int *nr)
{
	unsigned int i;
	int err;

	err = stream_flush(&s->out);
	for (i = 0; !err && i < *nr; i++)
		rawring_release(&s->raw, &items[i]);
	*nr = 0;
	return err;
}

int auxdata_pass(struct session *s, bool last)
{
	struct raw_item items[64];
	unsigned int nr = 0;
	__u64 bytes = 0;
	int err = 0;

	rawring_scan(&s->raw);
	while (!err && rawring_next(&s->raw, &items[nr], last)) {
		const struct raw_item *item = &items[nr];

		if (item->span) {
			bytes += item->span->length;
			err = auxdata_span(s, item);
		} else {
			err = auxdata_gap(s, item->gap);
		}
		/* Other items release nothing. */
		if (item->gap || item->last)
			nr++;
		if (!err && (bytes >= FLUSH_BYTES || nr == ARRAY_LEN(items))) {
			err = flush_items(s, items, &nr);
			bytes = 0;
		}
	}
	if (err)
		return err;
	return flush_items(s, items, &nr);
}

/*
 * Report a loss that has no entry in the gap table. If no event has AUX data, @sev is NULL and
 * the loss is one of producers in the kernel.
 */
static int write_sum(struct session *s, const struct sev *sev,
		     unsigned int cause, __u64 begin, __u64 end, __u64 count,
		     __u64 bytes)
{
	const struct perfaux_gap gap = {
		.cause = cause,
		.t_begin = begin,
		.t_end = end,
		.count = count,
		.bytes = bytes,
		.pid = -1U,
		.tid = -1U,
		.cpu = -1U,
	};

	if (!count)
		return 0;
	return sev ? write_loss(s, sev, &gap) : payload_gap(s, &gap);
}

int auxdata_summary(struct session *s)
{
	const struct perfaux_control *ctl = s->raw.ctl;
	const struct sev *sev = cookie_sev(s, 0);
	__u64 end = s->main.max_time;
	int err;

	if (!sev && !s->have_payloads)
		return 0;
	err = write_sum(s, sev, PERFAUX_CAUSE_NO_GAP,
			ctl->merged_begin, ctl->merged_end,
			ctl->lost_count[PERFAUX_CAUSE_NO_GAP],
			ctl->lost_bytes[PERFAUX_CAUSE_NO_GAP]);
	if (!err)
		err = write_sum(s, sev, PERFAUX_CAUSE_OVERRUN, end, end,
				ctl->lost_count[PERFAUX_CAUSE_OVERRUN],
				ctl->lost_bytes[PERFAUX_CAUSE_OVERRUN]);
	if (!err)
		err = write_sum(s, sev, PERFAUX_CAUSE_NONE, end, end,
				s->raw.missing + s->bad_spans, 0);
	return err;
}
