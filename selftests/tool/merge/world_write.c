// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a snapshot's stream for the made-up machine, record by record.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "stream/aux_chunk.h"
#include "stream/payload.h"
#include "perfaux.h"
#include "stream/records.h"
#include "stream/snapshot_mark.h"
#include "history/state.h"
#include "trigger/trigger.h"
#include "base/util.h"
#include "world.h"

#define BASE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define PT_TYPE	8
#define NOBODY	((uint32_t)-1)

struct writer {
	struct world *w;
	FILE *f;
	uint64_t begin;
	struct state *state;
	bool samples;		/* the samples have begun */
	uint64_t payload;	/* number of the last payload */
	/* queues of AUXTRACE, by tid or CPU */
	uint32_t owner[64];
	uint64_t offset[64];
	uint32_t nr_queues;
	bool primed;
};

static union {
	struct perf_event_header header;
	uint8_t bytes[65536];
} rec;
static size_t end;

static void start(uint32_t type, uint16_t misc)
{
	memset(&rec, 0, sizeof(rec));
	rec.header.type = type;
	rec.header.misc = misc;
	end = sizeof(rec.header);
}

static void add(const void *data, size_t len)
{
	memcpy(rec.bytes + end, data, len);
	end += len;
}

static void add_u32(uint32_t v) { add(&v, sizeof(v)); }
static void add_u64(uint64_t v) { add(&v, sizeof(v)); }

static void put(const struct writer *wr, const void *data, size_t len)
{
	if (fwrite(data, 1, len, wr->f) != len)
		abort();
}

static void done(const struct writer *wr)
{
	end = ALIGN8(end);
	rec.header.size = end;
	put(wr, &rec, end);
}

/* --- what the recording is ------------------------------------------------- */

static void write_event(const struct writer *wr, uint32_t type, uint64_t config,
			uint64_t sample_type, uint64_t config1, uint64_t config2,
			uint64_t id, unsigned int nr)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config,
		.sample_type = sample_type, .sample_id_all = 1, .config1 = config1,
		.config2 = config2, .sample_period = 1,
	};
	unsigned int i;

	start(REC_ATTR, 0);
	add(&attr, sizeof(attr));
	for (i = 0; i < nr; i++)
		add_u64(id + i);
	done(wr);
}

static void write_name(const struct writer *wr, uint64_t id, const char *name)
{
	start(REC_EVENT_UPDATE, 0);
	add_u64(REC_UPDATE_NAME);
	add_u64(id);
	add(name, strlen(name) + 1);
	done(wr);
}

static void write_index(const struct writer *wr)
{
	const uint64_t first[] = { ID_CLOCK, ID_OUTPUT, ID_AUX };
	const unsigned int nr = wr->w->nr_ids;
	unsigned int i, j;

	start(REC_ID_INDEX, 0);
	add_u64(ARRAY_LEN(first) * nr);
	for (i = 0; i < ARRAY_LEN(first); i++)
		for (j = 0; j < nr; j++) {
			add_u64(first[i] + j);
			add_u64(j);
			add_u64(j);
			add_u64(-1);
		}
	done(wr);
}

static void write_events(const struct writer *wr)
{
	const bool chunks = wr->w->aux == AUX_SAMPLES;
	const uint64_t raw = BASE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
	const uint64_t ip = PERF_SAMPLE_IP, output = PERF_COUNT_SW_BPF_OUTPUT;
	const unsigned int nr = wr->w->nr_ids;

	write_event(wr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
		    BASE | ip | PERF_SAMPLE_PERIOD, 0, 0, ID_CLOCK, nr);
	write_event(wr, PERF_TYPE_SOFTWARE, output, raw | ip, 0, 0, ID_OUTPUT, nr);
	write_event(wr, chunks ? 99 : PT_TYPE, 0, BASE, 0, 0, ID_AUX, nr);
	write_event(wr, PERF_TYPE_SOFTWARE, output, raw, WORLD_KEY, 0, ID_PAYLOAD, 1);
	write_event(wr, PERF_TYPE_SOFTWARE, output, raw, 0, WORLD_RECORDING, ID_SNAPSHOT, 1);
	if (chunks)
		write_event(wr, PERF_TYPE_SOFTWARE, output, raw, 0, 0, ID_CHUNK, 1);
}

static void write_names(const struct writer *wr)
{
	write_name(wr, ID_CLOCK, "cpu-clock");
	write_name(wr, ID_OUTPUT, "output");
	write_name(wr, ID_AUX, "intel_pt//");
	write_name(wr, ID_PAYLOAD, "raw-ring");
	write_name(wr, ID_SNAPSHOT, "snapshot");
	if (wr->w->aux == AUX_SAMPLES)
		write_name(wr, ID_CHUNK, "intel_pt//");
}

static void write_setup(const struct writer *wr)
{
	static const uint64_t header[2] = { REC_MAGIC, REC_HEADER_SIZE };
	char host[64] = "host";
	uint64_t priv[17] = { PT_TYPE };

	put(wr, header, sizeof(header));
	write_events(wr);
	start(REC_FEATURE, 0);
	add_u64(REC_FEAT_HOSTNAME);
	add_u32(sizeof(host));
	add(host, sizeof(host));
	done(wr);
	start(REC_FEATURE, 0);
	add_u64(REC_FEAT_END);
	done(wr);
	write_index(wr);
	if (wr->w->aux != AUX_SAMPLES) {
		priv[9] = wr->w->aux == AUX_CPUS;
		start(REC_AUXTRACE_INFO, 0);
		add_u64(REC_AUX_INTEL_PT);
		add(priv, sizeof(priv));
		done(wr);
	}
	write_names(wr);
	start(REC_THREAD_MAP, 0);
	add_u64(1);
	add_u64(1000);
	add("first\0\0\0\0\0\0\0\0\0\0", 16);
	done(wr);
	start(REC_CPU_MAP, 0);
	add_u32(1 << 16);
	add_u32(0);
	done(wr);
}

/* Write what has become known about files and programs so far. A merged stream has it once. */
static void write_once(const struct writer *wr, uint64_t nr)
{
	uint64_t i;

	for (i = 1; i <= nr; i++) {
		uint8_t id[20] = { i, i >> 8 };
		char name[16];

		start(REC_BUILD_ID, REC_MISC_BUILD_ID_SIZE | PERF_RECORD_MISC_USER);
		add_u32(-1);
		add(id, sizeof(id));
		add_u32(sizeof(id));
		snprintf(name, sizeof(name), "/%llu", (unsigned long long)i);
		add(name, strlen(name) + 1);
		done(wr);
		start(REC_FEATURE, 0);
		add_u64(REC_FEAT_BPF_BTF);
		add_u32(1);
		add_u32(i);
		add_u32(25);
		add_u32(1 << 16 | REC_BTF_MAGIC);
		add_u32(24);
		add_u64(0);
		add_u32(0);
		add_u32(1);
		add("", 1);
		done(wr);
	}
}

/* --- AUX data -------------------------------------------------------------- */

static unsigned int find_queue(struct writer *wr, uint32_t owner)
{
	uint32_t i;

	for (i = 0; i < wr->nr_queues; i++)
		if (wr->owner[i] == owner)
			return i;
	wr->owner[i] = owner;
	wr->offset[i] = 0;
	return wr->nr_queues++;
}

static void write_aux(const struct writer *wr, const struct world_span *s, uint64_t offset,
		      uint64_t size, uint64_t flags)
{
	const struct rec_aux aux = {
		.header = { PERF_RECORD_AUX, 0, sizeof(aux) },
		.offset = offset, .size = size, .flags = flags,
		.id = { .pid = s->tid, .tid = s->tid, .time = s->begin, .cpu = s->cpu,
			.id = ID_AUX + (s->cpu == NOBODY ? 0 : s->cpu) },
	};

	put(wr, &aux, sizeof(aux));
}

static void write_gap(const struct writer *wr, const struct world_span *s, uint64_t offset)
{
	struct rec_auxtrace_error e = {
		.header = { REC_AUXTRACE_ERROR, 0, sizeof(e) },
		.type = REC_ERROR_ITRACE, .code = REC_GAP_CODE + PERFAUX_CAUSE_FULL,
		.cpu = s->cpu, .pid = s->tid, .tid = s->tid, .fmt = REC_ERROR_FMT_TIME,
		.time = s->begin,
	};
	struct world_span gap = *s;

	if (s->nobody) {
		gap.tid = NOBODY;
		gap.cpu = NOBODY;
		e.cpu = NOBODY;
		e.pid = NOBODY;
		e.tid = NOBODY;
		offset = 0;
	}
	write_aux(wr, &gap, offset, 0, PERF_AUX_FLAG_TRUNCATED);
	snprintf(e.msg, sizeof(e.msg), "perfaux: until 0.%09llu, 1x, 0 bytes: full",
		 (unsigned long long)s->end);
	put(wr, &e, sizeof(e));
}

static void write_data(const struct writer *wr, size_t nr, uint32_t at, uint32_t length)
{
	uint32_t i;

	for (i = 0; i < length; i++) {
		const uint8_t byte = world_byte(nr, at + i);

		put(wr, &byte, 1);
	}
}

static void write_auxtrace(struct writer *wr, size_t nr)
{
	const struct world_span *s = &wr->w->span[nr];
	const bool cpus = wr->w->aux == AUX_CPUS;
	const uint32_t q = find_queue(wr, cpus ? s->cpu : s->tid);
	struct rec_auxtrace a = {
		.header = { REC_AUXTRACE, 0, sizeof(a) },
		.size = 16, .offset = wr->offset[q], .reference = s->begin, .idx = q,
		.tid = cpus ? NOBODY : s->tid, .cpu = cpus ? s->cpu : NOBODY,
	};

	if (!s->length) {
		write_gap(wr, s, wr->offset[q]);
		return;
	}
	if (!wr->primed) {
		const uint64_t empty = 8ULL << 48 | REC_EVENT_TYPE;

		wr->primed = true;
		put(wr, &a, sizeof(a));
		put(wr, &empty, 8);
		put(wr, &empty, 8);
		wr->offset[q] += 16;
		a.offset += 16;
	}
	a.size = s->length;
	put(wr, &a, sizeof(a));
	write_data(wr, nr, 0, s->length);
	if (s->flags)
		write_aux(wr, s, a.offset, s->length, s->flags);
	wr->offset[q] += s->length;
}

static void write_chunks(const struct writer *wr, size_t nr)
{
	const struct world_span *s = &wr->w->span[nr];
	uint32_t at, n;

	if (!s->length) {
		write_gap(wr, s, 0);
		return;
	}
	for (at = 0; at < s->length; at += n) {
		struct auxrec_chunk h = {
			.magic = AUXREC_CHUNK_MAGIC, .version = 1,
			.header_size = sizeof(h), .seq = nr + 1, .t_begin = s->begin,
			.t_end = s->end, .flags = s->flags, .offset = at,
			.span_length = s->length,
		};
		uint64_t ids;

		n = s->length - at < AUXREC_CHUNK_MAX ? s->length - at : AUXREC_CHUNK_MAX;
		h.length = n;
		ids = (uint64_t)s->tid << 32 | s->tid;
		start(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		add_u64(ID_CHUNK);
		add_u64(ids);
		add_u64(s->begin);
		add_u64(s->cpu);
		add_u64(n);
		add_u32(ALIGN8(end + 4 + sizeof(h) + n) - end - 4);
		add(&h, sizeof(h));
		for (; h.length; h.length--, h.offset++)
			rec.bytes[end++] = world_byte(nr, h.offset);
		done(wr);
	}
}

static void write_spans(struct writer *wr)
{
	struct world *w = wr->w;
	size_t i;

	for (i = w->first_span; i < w->nr_spans; i++) {
		/* Leave out spans that ended before the snapshot begins. */
		if (w->span[i].end < wr->begin)
			continue;
		if (w->aux == AUX_SAMPLES)
			write_chunks(wr, i);
		else
			write_auxtrace(wr, i);
	}
}

/* --- state and records ----------------------------------------------------- */

static uint64_t time_of(const struct perf_event_header *h)
{
	/* The time is in the sample id, or in the sample's fields. */
	const size_t at = h->type != PERF_RECORD_SAMPLE ?
			  h->size - sizeof(struct rec_sample_id) + 8 :
			  ((const uint64_t *)h)[1] < ID_AUX ? 32 : 24;
	uint64_t time;

	memcpy(&time, (const uint8_t *)h + at, sizeof(time));
	return time;
}

static int put_record(void *ctx, const struct perf_event_header *h)
{
	put(ctx, h, h->size);
	return 0;
}

/* Fold records from before the snapshot's begin into the state. */
static int fold(void *ctx, const struct perf_event_header *h)
{
	struct writer *wr = ctx;

	if (h->type != PERF_RECORD_SAMPLE && time_of(h) < wr->begin &&
	    state_fold(wr->state, h))
		abort();
	return 0;
}

/* Each stream numbers its own payloads. */
static void put_sample(struct writer *wr, const struct perf_event_header *h)
{
	const uint64_t id = ((const uint64_t *)h)[1];
	const size_t at = (id < ID_AUX ? 60 : 52) + offsetof(struct auxrec_payload, number);

	memcpy(&rec, h, h->size);
	if (id >= ID_OUTPUT) {
		wr->payload += id < ID_AUX;
		memcpy(rec.bytes + at, &wr->payload, sizeof(wr->payload));
	}
	put(wr, &rec, h->size);
}

static int write_live(void *ctx, const struct perf_event_header *h)
{
	struct writer *wr = ctx;

	if (time_of(h) < wr->begin)
		return 0;
	if (h->type != PERF_RECORD_SAMPLE) {
		put(wr, h, h->size);
		return 0;
	}
	if (!wr->samples)
		write_spans(wr);
	wr->samples = true;
	put_sample(wr, h);
	return 0;
}

/* Write the producers' raw data, in parts of eight bytes. A part contains the index of its data. */
static void write_raws(struct writer *wr)
{
	const struct world *w = wr->w;
	size_t i;

	for (i = w->first_raw; i < w->nr_raws; i++) {
		struct auxrec_payload h = {
			.magic = AUXREC_PAYLOAD_MAGIC, .version = 1,
			.header_size = sizeof(h), .key = WORLD_KEY, .cookie = 1,
			.time = w->raw[i].time, .total = 16, .length = 8,
			.number = ++wr->payload,
		};

		for (; h.offset < h.total; h.offset += 8) {
			start(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
			add_u64(ID_PAYLOAD);
			add_u64(0);
			add_u64(w->raw[i].time);
			add_u64(w->raw[i].cpu);
			add_u64(8);
			add_u32(ALIGN8(end + 4 + sizeof(h) + 8) - end - 4);
			add(&h, sizeof(h));
			add_u64(i);
			done(wr);
		}
	}
}

static void write_mark(const struct writer *wr, const struct world_snapshot *s,
		       const char *name, uint64_t trigger)
{
	static const struct auxrec_snapshot_data data = { .size = 3, .full_size = 3 };
	const struct auxrec_snapshot h = {
		.magic = AUXREC_SNAPSHOT_MAGIC, .version = 3, .header_size = sizeof(h),
		.recording = WORLD_RECORDING, .number = wr->w->nr_snapshots,
		.t_trigger = trigger, .t_begin = s->begin, .t_settled = s->settled,
		.t_end = wr->w->now, .triggers = 1, .kind = TRIGGER_SIGNAL,
		.name_size = strlen(name) + 1, .data_size = sizeof(data) + data.size,
		.raw_begin = s->raw_begin, .raw_end = s->raw_end,
		.raw_first = s->raw_first, .raw_last = s->raw_last,
	};

	start(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	add_u64(ID_SNAPSHOT);
	add_u64(-1);
	add_u64(trigger);
	add_u64(0);
	add_u64(1);
	add_u32(ALIGN8(end + 4 + sizeof(h) + h.name_size + h.data_size) - end - 4);
	add(&h, sizeof(h));
	add(name, h.name_size);
	add(&data, sizeof(data));
	add("abc", data.size);
	done(wr);
}

static void write_all(struct writer *wr, const struct world_snapshot *s)
{
	struct world *w = wr->w;

	write_setup(wr);
	if (recent_emit_state(w->recent, fold, wr) ||
	    recent_emit_sideband(w->recent, fold, wr))
		abort();
	state_end_exited(wr->state, ~0ULL);
	if (state_emit(wr->state, wr->begin ? wr->begin - 1 : 0, put_record, wr))
		abort();
	write_once(wr, s->once);
	start(REC_FINISHED_INIT, 0);
	done(wr);
	write_mark(wr, s, "signal=USR1", s->trigger);
	if (!history_rnd(3))
		write_mark(wr, s, "another", s->trigger + 1);
	if (recent_emit_sideband(w->recent, write_live, wr) ||
	    recent_emit_samples(w->recent, write_live, wr))
		abort();
	if (!wr->samples)
		write_spans(wr);
	write_raws(wr);
	start(REC_FINISHED_ROUND, 0);
	done(wr);
}

/*
 * Set which segments the snapshot has: those after the segments that were overwritten, and after
 * those that ended before its begin.
 */
static void set_raw(const struct world *w, struct world_snapshot *s)
{
	size_t i, first = s->first_span;

	for (i = first; i < s->end_span; i++)
		if (w->span[i].end < s->begin)
			first = i + 1;
	s->raw_first = first + 1;
	s->raw_last = s->end_span;
	s->raw_begin = s->first_span ? w->span[s->first_span - 1].end : 0;
	if (first > s->first_span && s->begin > s->raw_begin)
		s->raw_begin = s->begin;
	s->raw_end = s->raw_begin;
	for (i = s->first_span; i < s->end_span; i++)
		if (w->span[i].end > s->raw_end)
			s->raw_end = w->span[i].end;
}

void world_snapshot(struct world *w, const char *path)
{
	struct world_snapshot *s = &w->snapshot[w->nr_snapshots++];
	struct writer wr = { .w = w, .f = fopen(path, "wb"), .state = state_new() };
	struct recent_stats stats;

	recent_stats(w->recent, &stats);
	*s = (struct world_snapshot){
		.begin = stats.begin, .settled = w->settled,
		.trigger = w->now - history_rnd(100), .once = w->now / 100,
		.first_span = w->first_span, .end_span = w->nr_spans,
		.first_raw = w->first_raw, .end_raw = w->nr_raws,
	};
	/* Half of the snapshots have less history than the others. */
	if (w->pre && history_rnd(2) && s->begin + 150 < w->settled)
		s->begin = w->settled - history_rnd(150);
	set_raw(w, s);
	wr.begin = s->begin;
	if (!wr.f || !wr.state)
		abort();
	write_all(&wr, s);
	if (fclose(wr.f))
		abort();
	state_free(wr.state);
	if (w->release)
		w->first_span = w->nr_spans;
	if (w->release)
		w->first_raw = w->nr_raws;
}
