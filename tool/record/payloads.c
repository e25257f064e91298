// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write samples whose raw data is in the raw ring to the stream, see stream/payload.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "stream/payload.h"
#include "record/payloads.h"
#include "stream/read_sample.h"
#include "stream/records.h"
#include "session/session.h"

/* Write out and release after this many bytes, so that the ring gets room again. */
#define FLUSH_BYTES	(1U << 20)

/* A sample of the payload event, up to its data */
struct part_sample {
	struct perf_event_header header;
	__u64 id;
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, reserved;
	__u64 period;
	__u32 raw_size;
	struct auxrec_payload payload;
} __attribute__((packed, aligned(4)));

/* A sample of a main ring, and where its parts are */
struct source {
	const __u8 *rec;
	size_t raw;		/* offset of the raw data, after its size */
	size_t tail;		/* offset of the fields after the raw data */
	size_t size;		/* of the record */
	const struct sev *sev;
	struct read_sample sample;
};

int payload_init(struct session *s)
{
	struct payloads *p = s->payloads;
	size_t i, j;
	int err;

	err = frames_init(&p->frames, &s->raw);
	if (err)
		return err;
	p->events = calloc(s->nr_sev, sizeof(*p->events));
	if (!p->events)
		return -ENOMEM;
	for (i = 0; i < s->nr_sev; i++) {
		struct sev *sev = &s->sev[i];

		p->events[i].attr = sev->attr;
		if (sev->payloads) {
			sev->attr.config1 = s->raw.ctl->key;
			p->event = sev;
		}
		for (j = 0; !err && sev->raw_ring && j < sev->nr_fds; j++)
			err = read_map_set(&p->ids, sev->fds[j].id, i);
	}
	return err;
}

void payload_free(struct session *s)
{
	struct payloads *p = s->payloads;

	if (!p->frames.ring)
		return;
	frames_free(&p->frames);
	read_map_free(&p->ids);
	free(p->events);
}

/* Count @bytes more that were written. After FLUSH_BYTES, release segments. */
static int flush(struct session *s, __u64 bytes)
{
	struct payloads *p = s->payloads;
	int err;

	p->unflushed += bytes;
	if (p->unflushed < FLUSH_BYTES)
		return 0;
	p->unflushed = 0;
	err = stream_flush(&s->out);
	if (!err)
		frames_release(&p->frames);
	return err;
}

/* Return @time, or a later one if readers were told that no records of @time follow. */
static __u64 in_time(struct session *s, __u64 time)
{
	if (time <= s->flushed_time)
		time = s->flushed_time + 1;
	if (time > s->main.max_time)
		s->main.max_time = time;
	return time;
}

/*
 * Write a payload in as many parts as needed. @to describes the payload, its task, CPU and time.
 * Without @data there is one part, which is empty.
 */
static int write_parts(struct session *s, const struct part_sample *to,
		       const void *data)
{
	const size_t fixed = sizeof(*to);
	struct part_sample rec = *to;
	__u64 left = data ? to->payload.total : 0;
	int err;

	do {
		const __u32 n = left < AUXREC_PART_MAX ? left : AUXREC_PART_MAX;
		const size_t size = ALIGN8(fixed + n);

		rec.header.size = size;
		rec.period = n;
		rec.raw_size = size - offsetof(struct part_sample, payload);
		rec.payload.length = n;
		err = stream_record_data(&s->out, &rec, fixed,
					 data ? (const __u8 *)data +
						rec.payload.offset : NULL,
					 n, size - fixed - n);
		rec.payload.offset += n;
		left -= n;
	} while (!err && left);
	return err;
}

static void begin_part(const struct session *s, struct part_sample *rec,
		       __u64 number, __u64 time)
{
	*rec = (struct part_sample){
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0 },
		.id = s->payloads->event->chunk_id,
		.time = time,
		.payload = {
			.magic = AUXREC_PAYLOAD_MAGIC,
			.version = 1,
			.header_size = sizeof(rec->payload),
			.key = s->raw.ctl->key,
			.number = number,
		},
	};
}

static void part_of_sample(const struct session *s, struct part_sample *rec,
			   const struct source *src)
{
	begin_part(s, rec, s->payloads->number, src->sample.time);
	rec->pid = src->sample.pid;
	rec->tid = src->sample.tid;
	rec->cpu = src->sample.cpu;
	rec->payload.id = src->sample.id;
	rec->payload.time = src->sample.time;
}

/* Write the sample with other raw data, of @length bytes. -E2BIG: this does not fit. */
static int write_with(struct session *s, const struct source *src,
		      const void *data, __u32 length)
{
	const size_t tail = src->size - src->tail;
	const struct auxrec_length end = { AUXREC_LENGTH_MAGIC, length };
	const __u32 padded = tail ? ALIGN8(4ULL + length) - 4 : length;
	const __u64 size = tail ? src->raw + padded + tail + sizeof(end) :
				  ALIGN8(src->raw + (__u64)length);
	static __u64 buf[REC_SIZE_MAX / 8];
	struct perf_event_header *h = (void *)buf;
	__u8 *to = (__u8 *)buf;

	if (size > REC_SIZE_MAX)
		return -E2BIG;
	memcpy(to, src->rec, src->raw);
	h->size = size;
	memcpy(to + src->raw - 4, &padded, 4);
	if (!tail)
		return stream_record_data(&s->out, to, src->raw, data, length,
					  size - src->raw - length);
	memcpy(to + src->raw, data, length);
	memset(to + src->raw + length, 0, padded - length);
	memcpy(to + src->raw + padded, src->rec + src->tail, tail);
	memcpy(to + size - sizeof(end), &end, sizeof(end));
	return stream_record(&s->out, to);
}

/* Readers would take any raw data of a tracepoint's sample for the tracepoint's fields. */
static bool is_tracepoint(const struct source *src)
{
	return src->sev->attr.type == PERF_TYPE_TRACEPOINT;
}

static int write_lost_sample(struct session *s, const struct source *src)
{
	const struct rec_lost_samples lost = {
		.header = { PERF_RECORD_LOST_SAMPLES, 0, sizeof(lost) },
		.lost = 1,
		.id = {
			.pid = src->sample.pid,
			.tid = src->sample.tid,
			.time = src->sample.time,
			.cpu = src->sample.cpu,
			.id = src->sample.id,
		},
	};

	return stream_record(&s->out, &lost);
}

/*
 * Write the sample with a note that its data is elsewhere, or lost. Return -E2BIG if the sample is
 * a tracepoint's, or if the note does not fit.
 */
static int write_stub(struct session *s, const struct source *src,
		      const struct part_sample *part)
{
	if (is_tracepoint(src))
		return -E2BIG;
	return write_with(s, src, &part->payload, sizeof(part->payload));
}

/* Write the data apart from its sample. The sample tells where the data is, or is left out. */
static int write_apart(struct session *s, const struct source *src,
		       const struct perfaux_frame *frame)
{
	struct payloads *p = s->payloads;
	struct part_sample part;
	int err;

	p->stats.apart++;
	p->number++;
	part_of_sample(s, &part, src);
	part.payload.total = frame->length;
	err = write_stub(s, src, &part);
	if (err == -E2BIG) {
		p->stats.left_out++;
		part.payload.flags = AUXREC_PAYLOAD_NO_SAMPLE;
		err = write_lost_sample(s, src);
	}
	return err ?: write_parts(s, &part, frame->data);
}

static int write_whole(struct session *s, const struct source *src,
		       const struct perfaux_frame *frame)
{
	struct payloads *p = s->payloads;
	int err;

	p->stats.count++;
	p->stats.bytes += frame->length;
	err = write_with(s, src, frame->data, frame->length);
	if (err == -E2BIG)
		err = write_apart(s, src, frame);
	return err ?: flush(s, frame->length);
}

static int write_lost(struct session *s, const struct source *src,
		      __u32 cause, __u64 bytes)
{
	struct payload_stats *st = &s->payloads->stats;
	struct part_sample part;
	int err;

	cause %= ARRAY_LEN(st->lost);
	/* The frame is not there any more. That can happen only in an overwrite ring. */
	if (!cause)
		cause = PERFAUX_CAUSE_OVERWRITTEN;
	st->lost[cause]++;
	st->lost_bytes[cause] += bytes;
	if (cause == PERFAUX_CAUSE_TOO_LARGE && bytes > st->too_large)
		st->too_large = bytes;
	s->payloads->number++;
	part_of_sample(s, &part, src);
	part.payload.total = bytes;
	part.payload.cause = cause;
	err = write_stub(s, src, &part);
	if (err != -E2BIG)
		return err;
	err = write_parts(s, &part, NULL);
	return err ?: write_lost_sample(s, src);
}

int payload_sample(struct session *s, const void *rec)
{
	const struct perf_event_header *h = rec;
	const struct read_record record = {
		.hdr = h, .type = h->type, .size = h->size,
	};
	const struct perfaux_frame *frame;
	struct source src = { .rec = rec, .size = h->size };
	struct perfaux_reference ref;
	__u64 id;
	__u32 i;

	if (h->size < sizeof(*h) + sizeof(id))
		return stream_record(&s->out, rec);
	memcpy(&id, h + 1, sizeof(id));
	if (!read_map_get(&s->payloads->ids, id, &i) ||
	    read_sample_of(&s->payloads->events[i], &record, &src.sample) ||
	    !frames_reference(&s->payloads->frames, src.sample.raw,
			      src.sample.raw_size, &ref))
		return stream_record(&s->out, rec);

	src.sev = &s->sev[i];
	src.raw = src.sample.raw - src.rec;
	src.tail = src.raw + src.sample.raw_size;
	if (ref.cause)
		return write_lost(s, &src, ref.cause, ref.lost);
	frame = frames_join(&s->payloads->frames, &ref);
	return frame ? write_whole(s, &src, frame) :
		       write_lost(s, &src, PERFAUX_CAUSE_NONE, ref.length);
}

/* Write a frame that belongs to no sample, or whose sample was lost. */
static int write_frame(void *ctx, const struct perfaux_frame *frame,
		       bool lost_sample)
{
	struct session *s = ctx;
	struct payload_stats *st = &s->payloads->stats;
	struct part_sample part;
	int err;

	st->count++;
	st->apart++;
	st->orphans += lost_sample;
	st->bytes += frame->length;
	begin_part(s, &part, ++s->payloads->number, in_time(s, frame->time));
	part.pid = frame->pid;
	part.tid = frame->tid;
	part.cpu = frame->cpu;
	part.payload.cookie = frame->cookie;
	part.payload.time = frame->time;
	part.payload.total = frame->length;
	if (lost_sample) {
		const __u64 index = session_cookie_index(s, frame->cookie);

		part.payload.flags = AUXREC_PAYLOAD_NO_SAMPLE;
		if (index != SESSION_COOKIE_NONE && s->sev[index].nr_fds)
			part.payload.id = s->sev[index].fds[0].id;
	}
	err = write_parts(s, &part, frame->data);
	return err ?: flush(s, frame->length);
}

int payload_gap(struct session *s, const struct perfaux_gap *gap)
{
	struct payload_stats *st = &s->payloads->stats;
	const __u32 cause = gap->cause % ARRAY_LEN(st->lost);
	struct part_sample part;
	__u64 mean;

	st->lost[cause] += gap->count;
	st->lost_bytes[cause] += gap->bytes;
	/* For several payloads only the sum of their lengths is known. */
	mean = gap->count ? (gap->bytes + gap->count - 1) / gap->count : 0;
	if (cause == PERFAUX_CAUSE_TOO_LARGE && mean > st->too_large)
		st->too_large = mean;
	begin_part(s, &part, ++s->payloads->number, in_time(s, gap->t_end));
	part.pid = gap->pid;
	part.tid = gap->tid;
	part.cpu = gap->cpu;
	part.payload.flags = AUXREC_PAYLOAD_GAP;
	part.payload.cause = cause;
	part.payload.cookie = gap->cookie;
	part.payload.time = gap->t_begin;
	part.payload.total = gap->bytes;
	part.payload.offset = gap->count;
	return write_parts(s, &part, NULL);
}

int payload_begin(struct session *s)
{
	return frames_walk(&s->payloads->frames, write_frame, s);
}

int payload_pass(struct session *s, bool last)
{
	struct payloads *p = s->payloads;
	bool late;
	int err;

	err = frames_walk(&p->frames, write_frame, s);
	late = frames_are_late(&p->frames);
	/* The main rings were read after the flush, so samples that have not come are lost. */
	if (!err && (last || (late && p->flushed)))
		err = frames_orphans(&p->frames, last, write_frame, s);
	p->flushed = !last && late && !p->flushed && !rawring_flush(&s->raw, 0);
	if (!err)
		err = stream_flush(&s->out);
	p->unflushed = 0;
	if (!err)
		frames_release(&p->frames);
	return err;
}
