// SPDX-License-Identifier: GPL-2.0-only
/*
 * The made-up machine of world.h: what happens on its CPUs, and what the recorder reads of it.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "stream/aux_chunk.h"
#include "stream/payload.h"
#include "perfaux.h"
#include "stream/records.h"
#include "base/util.h"
#include "world.h"

#define RING	60		/* spans that the raw ring has room for */

/* A sample. Not every event has all of these fields. */
struct sample {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;		/* the sample's number; only clock and output have it */
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
	uint32_t raw_size;
	uint8_t raw[2000];
} __attribute__((packed, aligned(8)));

#define RAW_AT	offsetof(struct sample, raw)

/* A sample of an event without ip */
struct made {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
	uint32_t raw_size;
	uint8_t raw[65000];
} __attribute__((packed, aligned(8)));

/* Records that a CPU has written and the recorder has not read yet */
struct pending {
	struct perf_event_header *rec[BATCH * 16];
	uint64_t time[BATCH * 16];
	int nr;
};

static struct pending ring[CPUS], held;

uint8_t world_byte(size_t span, uint32_t at)
{
	return (span * 131 + at * 7) ^ at >> 8;
}

/* --- what happens ---------------------------------------------------------- */

static void write_ring(struct world *w, uint32_t cpu, const void *rec)
{
	const struct perf_event_header *h = rec;
	struct pending *p = &ring[cpu];

	if (p->nr == ARRAY_LEN(p->rec))
		abort();
	p->rec[p->nr] = malloc(h->size);
	memcpy(p->rec[p->nr], rec, h->size);
	p->time[p->nr++] = w->now;
}

static void make_sample(struct world *w, uint32_t cpu)
{
	struct sample s = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, RAW_AT - 4 },
		.id = ID_CLOCK + cpu, .ip = ++w->nr_samples, .pid = 1000, .tid = 1000,
		.time = w->now, .cpu = cpu, .period = 1,
	};

	w->sample_time[w->nr_samples] = w->now;
	write_ring(w, cpu, &s);
}

static struct auxrec_payload payload_of(const struct world *w, uint64_t total)
{
	return (struct auxrec_payload){
		.magic = AUXREC_PAYLOAD_MAGIC, .version = 1,
		.header_size = sizeof(struct auxrec_payload), .key = WORLD_KEY,
		.id = ID_OUTPUT, .time = w->now, .total = total,
	};
}

/* Write a sample whose data follows in other samples, in parts. */
static void write_payload(struct world *w, uint32_t cpu)
{
	const uint32_t length = 8 * (1 + history_rnd(40)), parts = 1 + history_rnd(3);
	struct auxrec_payload h = payload_of(w, length * parts);
	const size_t pad = -(4 + sizeof(h)) % 8;
	struct sample s = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
			    RAW_AT + sizeof(h) + pad },
		.id = ID_OUTPUT + cpu, .ip = ++w->nr_samples, .pid = 1000, .tid = 1000,
		.time = w->now, .cpu = cpu, .period = 1, .raw_size = sizeof(h),
	};
	uint32_t i, j;

	w->sample_time[w->nr_samples] = w->now;
	memcpy(s.raw, &h, sizeof(h));
	write_ring(w, cpu, &s);
	for (i = 0; i < parts; i++) {
		static struct made p;
		const size_t size = ALIGN8(offsetof(struct made, raw) + sizeof(h) + length);

		memset(&p, 0, sizeof(p));
		p.header = (struct perf_event_header){
			PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, size
		};
		p.id = ID_PAYLOAD;
		p.pid = 1000;
		p.tid = 1000;
		p.time = w->now;
		p.cpu = cpu;
		p.period = length;
		p.raw_size = size - offsetof(struct made, raw);
		h.offset = i * length;
		h.length = length;
		memcpy(p.raw, &h, sizeof(h));
		for (j = 0; j < length; j++)
			p.raw[sizeof(h) + j] = w->nr_samples + h.offset + j;
		write_ring(w, cpu, &p);
	}
}

/*
 * Give each payload a time of its own: merge cannot tell two payloads of one CPU, time and event
 * from each other, see tool/merge/late.c.
 */
static void make_payload(struct world *w, uint32_t cpu)
{
	if (w->now == w->payload_time)
		w->now++;
	w->payload_time = w->now;
	write_payload(w, cpu);
}

/* The record's number is in its sample id, where no reader looks. */
static void make_side(struct world *w, uint32_t cpu)
{
	static union record rec;
	const struct perf_event_header *h;
	struct rec_sample_id *id;

	/* Different times keep these records in the order in which they happened. */
	if (w->nr_sides && w->side_time[w->nr_sides] == w->now)
		w->now++;
	history_something(&w->all);
	h = history_done(w->now);
	memcpy(&rec, h, h->size);
	id = (void *)(rec.bytes + h->size - sizeof(*id));
	id->id = ID_CLOCK + cpu;
	id->cpu = cpu;
	id->pid = ++w->nr_sides;
	w->side_time[w->nr_sides] = w->now;
	write_ring(w, cpu, &rec);
	history_learn(&w->all, h);
}

static void end_span(struct world *w, uint32_t cpu)
{
	struct world_span *s = &w->span[w->nr_spans++];

	/* A task stays on its CPU, so that its spans follow one another. */
	*s = (struct world_span){
		.begin = w->open[cpu], .end = w->now, .cpu = cpu,
		.tid = 1000 + cpu + CPUS * history_rnd(3),
		.length = 8 * (1 + history_rnd(20)),
	};
	if (!history_rnd(5))
		s->length = 0;
	else if (!history_rnd(4))
		s->flags = PERF_AUX_FLAG_COLLISION;
	s->nobody = !s->length && w->aux == AUX_TASKS && !history_rnd(3);
	/* Make some spans longer than a chunk. */
	if (w->aux == AUX_SAMPLES && s->length && !history_rnd(20))
		s->length = AUXREC_CHUNK_MAX + 8 * history_rnd(1000);
	w->open[cpu] = w->now;
	if (w->nr_spans - w->first_span > RING)
		w->first_span++;
}

static void happen(struct world *w)
{
	const uint32_t cpu = history_rnd(w->nr_ids);

	switch (history_rnd(8)) {
	case 0:
	case 1:
	case 2:
		make_sample(w, cpu);
		break;
	case 3:
		make_payload(w, cpu);
		break;
	case 4:
		/* CPU 0 has spans that hardly ever end. */
		if (w->now > w->open[cpu] && (cpu || !history_rnd(6)))
			end_span(w, cpu);
		break;
	case 5:
		if (history_rnd(3))
			break;
		w->raw[w->nr_raws++] = (struct world_raw){ w->now, cpu };
		if (w->nr_raws - w->first_raw > RING / 4)
			w->first_raw++;
		break;
	default:
		make_side(w, cpu);
	}
}

/* --- what is read ---------------------------------------------------------- */

static uint64_t id_of(const struct perf_event_header *h)
{
	return ((const struct sample *)h)->id;
}

static void note_read(struct world *w, const struct perf_event_header *h)
{
	const struct rec_sample_id *id = (const void *)((const uint8_t *)h + h->size - sizeof(*id));

	if (h->type != PERF_RECORD_SAMPLE)
		w->side_read[id->pid] = w->nr_snapshots + 1;
	else if (id_of(h) < ID_AUX)
		w->sample_read[((const struct sample *)h)->ip] = w->nr_snapshots + 1;
}

/* Return how many of a stopped CPU's records can be read. A payload is always read as a whole. */
static int readable(const struct pending *p)
{
	int nr = history_rnd(p->nr + 1);

	while (nr && nr < p->nr && p->rec[nr]->type == PERF_RECORD_SAMPLE &&
	       id_of(p->rec[nr]) >= ID_PAYLOAD)
		nr--;
	return nr;
}

static void read_ring(struct world *w, struct pending *p)
{
	const bool stopped = w->stopped && p->nr < BATCH * 4 && !history_rnd(3);
	const int nr = stopped ? readable(p) : p->nr;
	int i;

	for (i = 0; i < nr; i++) {
		if (recent_add(w->recent, p->rec[i], p->time[i]))
			abort();
		note_read(w, p->rec[i]);
		free(p->rec[i]);
	}
	p->nr -= nr;
	memmove(p->rec, p->rec + nr, p->nr * sizeof(*p->rec));
	memmove(p->time, p->time + nr, p->nr * sizeof(*p->time));
}

void world_pass(struct world *w)
{
	const uint64_t begin = w->now;
	uint32_t cpu;

	/* Several things may happen at one time. */
	while (w->now < begin + BATCH) {
		happen(w);
		w->now += history_rnd(3);
	}
	if (w->nr_ids < CPUS && !history_rnd(10))
		w->open[w->nr_ids++] = w->now;
	for (cpu = 0; cpu < (uint32_t)CPUS - w->late; cpu++)
		read_ring(w, &ring[cpu]);
	if (w->late) {
		read_ring(w, &held);
		held = ring[CPUS - 1];
		ring[CPUS - 1].nr = 0;
	}
	/* There may be more records of the time that begins now. */
	w->settled = (w->late ? begin : w->now) - 1;
	if (recent_trim(w->recent, w->now, w->settled + 1, ~0ULL))
		abort();
}

void world_begin(struct world *w)
{
	memset(&w->all, 0, sizeof(w->all));
	w->recent = recent_new(&w->limits);
	w->now = 1000;
	w->nr_ids = 2;
	w->open[0] = w->now;
	w->open[1] = w->now;
}

void world_end(struct world *w)
{
	struct pending *p[] = { &ring[0], &ring[1], &ring[2], &ring[3], &held };
	size_t i;

	for (i = 0; i < ARRAY_LEN(p); i++)
		while (p[i]->nr)
			free(p[i]->rec[--p[i]->nr]);
	recent_free(w->recent);
}
