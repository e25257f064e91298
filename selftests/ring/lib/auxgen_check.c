// SPDX-License-Identifier: GPL-2.0-only
/* The check of auxgen's chunks, see auxgen_check.h. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "auxgen_check.h"

/*
 * CLOCK_MONOTONIC is one clock for all CPUs, but a machine whose CPUs are
 * emulated by threads may show small differences.
 */
#define CLOCK_SLACK	20000000ULL

void check_fail(struct check *check, const char *fmt, ...)
{
	va_list ap;

	if (check->errors++)
		return;
	va_start(ap, fmt);
	vsnprintf(check->error, sizeof(check->error), fmt, ap);
	va_end(ap);
}

static const char *stats_path;	/* NULL: auxgen's */

void check_source(const char *path)
{
	stats_path = path;
}

typedef void (*stats_fn)(struct check *check, unsigned int cpu,
			 unsigned int stream, uint64_t chunks, uint64_t lost);

static void check_stats(struct check *check, stats_fn fn)
{
	static char text[65536];
	uint64_t chunks, lost;
	unsigned int cpu, stream;
	char *at = text;
	char path[128];
	int len;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/stats", auxgen_name());
	if (file_read(stats_path ?: path, text, sizeof(text))) {
		check_fail(check, "cannot read %s", stats_path ?: path);
		return;
	}
	while (sscanf(at, "%u %u %" SCNu64 " %" SCNu64 "\n%n", &cpu, &stream,
		      &chunks, &lost, &len) == 4) {
		at += len;
		if (cpu < CHECK_CPUS && stream < AUXGEN_STREAMS)
			fn(check, cpu, stream, chunks, lost);
	}
}

static void stats_start(struct check *check, unsigned int cpu,
			unsigned int stream, uint64_t chunks, uint64_t lost)
{
	struct check_stream *s = &check->stream[cpu][stream];

	s->first = chunks;
	s->first_lost = lost;
	s->next = chunks;
	s->lost = lost;
}

void check_start(struct check *check, const struct ring *ring)
{
	memset(check, 0, sizeof(*check));
	if (ring) {
		check->ctl = ring->ctl;
		check->overwrite = ring->ctl->ring_flags &
				   PERFAUX_RING_OVERWRITE;
	}
	check_stats(check, stats_start);
}

static bool chunk_whole(const struct auxgen_chunk *chunk)
{
	uint32_t i;

	for (i = 0; i < 4; i++)
		if (chunk->check[i] != AUXGEN_CHECK(chunk->seq, chunk->cpu,
						    chunk->stream, i))
			return false;
	return chunk->magic == AUXGEN_MAGIC &&
	       chunk->check_last == chunk->check[0] &&
	       chunk->cpu < CHECK_CPUS && chunk->stream < AUXGEN_STREAMS;
}

static bool chunk_zero(const struct auxgen_chunk *chunk)
{
	static const struct auxgen_chunk zero;

	return !memcmp(chunk, &zero, sizeof(zero));
}

/*
 * A part of the bytes in gaps is padding, not chunks. Returns the number of chunks
 * that are not missing.
 */
static uint64_t check_padding(struct check *check, struct check_stream *s,
			      uint64_t missing, uint64_t lost, uint64_t sunk)
{
	uint64_t rest;

	if (!check->padded || missing < lost || missing >= lost + sunk)
		return sunk;
	rest = lost + sunk - missing;
	if (rest * AUXGEN_CHUNK > s->sunk_count * check->padded)
		return sunk;
	check->padding += rest * AUXGEN_CHUNK;
	return missing - lost;
}

/* Return whether a gap without an entry lies between the last chunk and @to. */
static bool check_merged(const struct check *check,
			 const struct check_stream *s, uint64_t to)
{
	const struct perfaux_control *ctl = check->ctl;

	return ctl && counter(&ctl->lost_count[PERFAUX_CAUSE_NO_GAP]) &&
	       counter(&ctl->merged_begin) <= to &&
	       counter(&ctl->merged_end) >= s->time;
}

/* Return whether the ring has reported a loss between the last chunk and @to. */
static bool check_covered(const struct check *check,
			  const struct check_stream *s, uint64_t to)
{
	if (!check->ctl || check->partly || (s->gap && s->gap_end >= s->time))
		return true;
	return check_merged(check, s, to);
}

static void check_chunk(struct check *check, const struct auxgen_chunk *chunk)
{
	struct check_stream *s = &check->stream[chunk->cpu][chunk->stream];
	uint64_t hole, lost, sunk = s->sunk;

	if (chunk->seq < s->next || chunk->lost < s->lost) {
		check_fail(check,
			   "cpu %u stream %u: chunk %" PRIu64 " (lost %" PRIu64
			   ") comes after %" PRIu64 " (lost %" PRIu64 ")",
			   chunk->cpu, chunk->stream, (uint64_t)chunk->seq,
			   (uint64_t)chunk->lost, s->next - 1, s->lost);
		return;
	}
	hole = chunk->seq - s->next;
	lost = chunk->lost - s->lost;
	/* Some gaps found no entry: check_end() looks at their sum. */
	if (hole > lost + sunk && !check->overwrite &&
	    check_merged(check, s, chunk->time))
		sunk = hole - lost;
	sunk = check_padding(check, s, hole, lost, sunk);
	if (hole < lost + sunk ||
	    (hole > lost + sunk && !check->overwrite) ||
	    (hole > lost + sunk && check->tail && s->chunks))
		check_fail(check,
			   "cpu %u stream %u: %" PRIu64 " chunks missing before %"
			   PRIu64 ", but auxgen lost %" PRIu64
			   " and gaps have %" PRIu64,
			   chunk->cpu, chunk->stream, hole,
			   (uint64_t)chunk->seq, lost, sunk);
	if (chunk->time < s->time)
		check_fail(check,
			   "cpu %u stream %u: chunk %" PRIu64 " at %" PRIu64
			   " is earlier than the one before, at %" PRIu64,
			   chunk->cpu, chunk->stream, (uint64_t)chunk->seq,
			   (uint64_t)chunk->time, s->time);
	if (lost && !check_covered(check, s, chunk->time))
		check_fail(check,
			   "cpu %u stream %u: %" PRIu64
			   " chunks lost before %" PRIu64 " (time %" PRIu64
			   "..%" PRIu64 "), no gap covers that",
			   chunk->cpu, chunk->stream, lost,
			   (uint64_t)chunk->seq, s->time,
			   (uint64_t)chunk->time);

	if (hole > lost + sunk)
		check->overwritten += hole - lost - sunk;
	s->sunk = 0;
	s->sunk_count = 0;
	s->sunk_all += sunk;
	s->holes += hole;
	s->next = chunk->seq + 1;
	s->lost = chunk->lost;
	s->time = chunk->time;
	s->gap = false;
	s->chunks++;
	check->chunks++;
	check->switches += chunk->source == AUXGEN_CTX;
	check->timers += chunk->source == AUXGEN_TIMER;
	check->nmis += chunk->source == AUXGEN_NMI;
}

void check_chunks(struct check *check, const void *data, size_t length,
		  const struct perfaux_span *span)
{
	struct auxgen_chunk chunk;
	size_t at;

	if (length % AUXGEN_CHUNK)
		check_fail(check, "%zu bytes are not whole chunks", length);
	for (at = 0; at + AUXGEN_CHUNK <= length; at += AUXGEN_CHUNK) {
		memcpy(&chunk, (const char *)data + at, sizeof(chunk));
		if (check->padded && chunk_zero(&chunk) &&
		    (!span || at + check->padded >= length)) {
			check->padding += AUXGEN_CHUNK;
			continue;
		}
		if (!chunk_whole(&chunk)) {
			check_fail(check,
				   "span %" PRIu64 " (cpu %u, offset %u, length %u): torn chunk at %zu",
				   span ? (uint64_t)span->seq : 0,
				   span ? span->cpu : 0,
				   span ? span->offset : 0,
				   span ? span->length : 0, at);
			return;
		}
		check_chunk(check, &chunk);
		if (!span)
			continue;
		if (chunk.cpu != span->cpu ||
		    chunk.stream != COOKIE_STREAM(span->cookie) ||
		    (span->tid != (uint32_t)-1 && chunk.tid != span->tid))
			check_fail(check,
				   "span %" PRIu64 " of cpu %u tid %d cookie %#" PRIx64
				   " has a chunk of cpu %u tid %u stream %u",
				   (uint64_t)span->seq, span->cpu,
				   (int)span->tid, (uint64_t)span->cookie,
				   chunk.cpu, chunk.tid, chunk.stream);
		if (chunk.time < span->t_begin || chunk.time > span->t_end)
			check_fail(check,
				   "span %" PRIu64 " of %" PRIu64 "..%" PRIu64
				   " has a chunk of %" PRIu64,
				   (uint64_t)span->seq, (uint64_t)span->t_begin,
				   (uint64_t)span->t_end, (uint64_t)chunk.time);
	}
}

static void check_thread(struct check *check, const struct perfaux_span *span)
{
	size_t i;

	if (span->tid == (uint32_t)-1)
		return;
	for (i = 0; i < ARRAY_SIZE(check->thread); i++) {
		if (!check->thread[i].tid)
			check->thread[i].tid = span->tid;
		if (check->thread[i].tid != span->tid)
			continue;
		if (span->t_end + CLOCK_SLACK < check->thread[i].t_end)
			check_fail(check,
				   "span %" PRIu64 " of thread %u ended at %" PRIu64
				   ", one before it at %" PRIu64,
				   (uint64_t)span->seq, span->tid,
				   (uint64_t)span->t_end,
				   check->thread[i].t_end);
		check->thread[i].t_end = span->t_end;
		return;
	}
}

static void check_span(struct check *check, const struct record *record)
{
	const struct perfaux_span *span = record->span;
	struct check_stream *s;

	check->spans++;
	check->bytes += span->length;
	if (span->cpu >= CHECK_CPUS || span->t_begin > span->t_end ||
	    span->reserved || (span->cookie & ~0xfULL) != COOKIE(0)) {
		check_fail(check,
			   "span %" PRIu64 " makes no sense: cpu %u time %" PRIu64
			   "..%" PRIu64 " cookie %#" PRIx64,
			   record->seq, span->cpu, (uint64_t)span->t_begin,
			   (uint64_t)span->t_end, (uint64_t)span->cookie);
		return;
	}
	s = &check->stream[span->cpu][COOKIE_STREAM(span->cookie)];
	/* One stream on one CPU has one writer at a time. */
	if (span->t_begin < s->t_end)
		check_fail(check,
			   "cpu %u: span %" PRIu64 " begins at %" PRIu64
			   " in one that ended at %" PRIu64, span->cpu,
			   record->seq, (uint64_t)span->t_begin, s->t_end);
	s->t_end = span->t_end;
	check_thread(check, span);
	check_chunks(check, record->data, span->length, span);
	if (span->flags & PERF_AUX_FLAG_TRUNCATED) {
		s->gap = true;
		s->gap_end = span->t_end;
	}
}

static void check_gap(struct check *check, const struct record *record)
{
	const struct perfaux_gap *gap = record->gap;
	struct check_stream *s;

	check->gaps++;
	if (gap->cpu >= CHECK_CPUS || gap->t_begin > gap->t_end ||
	    gap->bytes % AUXGEN_CHUNK || !gap->count ||
	    (gap->bytes && gap->cause != PERFAUX_CAUSE_FULL) ||
	    (gap->cause != PERFAUX_CAUSE_FULL &&
	     gap->cause != PERFAUX_CAUSE_TRUNCATED) ||
	    (gap->cookie & ~0xfULL) != COOKIE(0)) {
		check_fail(check,
			   "gap %" PRIu64 " makes no sense: cpu %u time %" PRIu64
			   "..%" PRIu64 " cause %u count %" PRIu64 " cookie %#"
			   PRIx64, record->seq, gap->cpu,
			   (uint64_t)gap->t_begin, (uint64_t)gap->t_end,
			   gap->cause, (uint64_t)gap->count,
			   (uint64_t)gap->cookie);
		return;
	}
	check->gap_count[gap->cause] += gap->count;
	check->gap_bytes += gap->bytes;
	s = &check->stream[gap->cpu][COOKIE_STREAM(gap->cookie)];
	if (gap->t_begin < s->t_end)
		check_fail(check,
			   "cpu %u: gap %" PRIu64 " begins at %" PRIu64
			   ", in a span that ended at %" PRIu64, gap->cpu,
			   record->seq, (uint64_t)gap->t_begin, s->t_end);
	s->gap = true;
	s->gap_end = gap->t_end;
	s->sunk += gap->bytes / AUXGEN_CHUNK;
	s->sunk_count += gap->count;
}

void check_record(void *ctx, const struct record *record)
{
	struct check *check = ctx;

	if (record->seq <= check->seq)
		check_fail(check, "number %" PRIu64 " comes after %" PRIu64,
			   record->seq, check->seq);
	else
		check->missing += record->seq - check->seq - 1;
	check->seq = record->seq;
	if (record->span)
		check_span(check, record);
	else
		check_gap(check, record);
}

static void stats_end(struct check *check, unsigned int cpu,
		      unsigned int stream, uint64_t chunks, uint64_t lost)
{
	struct check_stream *s = &check->stream[cpu][stream];
	uint64_t written = chunks - s->first, holes = lost - s->first_lost;
	/* the loss after the last chunk that was read */
	uint64_t tail = chunks - s->next, tail_lost = lost - s->lost;

	if (!written || check->elsewhere & 1U << stream)
		return;
	if (chunks < s->next || lost < s->lost) {
		check_fail(check,
			   "cpu %u stream %u: chunk %" PRIu64 " read, but %"
			   PRIu64 " written", cpu, stream, s->next - 1, chunks);
		return;
	}
	if (tail_lost && !check_covered(check, s, UINT64_MAX))
		check_fail(check,
			   "cpu %u stream %u: %" PRIu64 " chunks lost at the end, no gap covers that",
			   cpu, stream, tail_lost);
	if (check->overwrite) {
		check->overwritten += tail - tail_lost - s->sunk;
		return;
	}
	if (tail > tail_lost + s->sunk && check_merged(check, s, UINT64_MAX))
		s->sunk = tail - tail_lost;
	s->sunk = check_padding(check, s, tail, tail_lost, s->sunk);
	s->sunk_all += s->sunk;
	if (tail != tail_lost + s->sunk)
		check_fail(check,
			   "cpu %u stream %u: %" PRIu64 " chunks missing at the end, but auxgen lost %"
			   PRIu64 " and gaps have %" PRIu64, cpu, stream, tail,
			   tail_lost, s->sunk);
	if (written != s->chunks + holes + s->sunk_all)
		check_fail(check,
			   "cpu %u stream %u: %" PRIu64 " chunks, %" PRIu64
			   " of them lost, %" PRIu64 " in gaps, but %" PRIu64
			   " read",
			   cpu, stream, written, holes, s->sunk_all, s->chunks);
	if (s->holes + tail != holes + s->sunk_all)
		check_fail(check,
			   "cpu %u stream %u: holes of %" PRIu64
			   " chunks, but auxgen lost %" PRIu64
			   " and gaps have %" PRIu64, cpu, stream,
			   s->holes + tail, holes, s->sunk_all);
	check->sunk += s->sunk_all;
}

#define EQUAL(check, what, a, b) do {					\
	uint64_t _a = (a), _b = (b);					\
	if (_a != _b)							\
		check_fail(check, what ": %" PRIu64 ", should be %" PRIu64, \
			   _a, _b);					\
} while (0)

static void check_sums(struct check *check)
{
	const struct perfaux_control *ctl = check->ctl;
	uint64_t overwritten = ctl->lost_bytes[PERFAUX_CAUSE_OVERWRITTEN];

	EQUAL(check, "last number", check->seq + check->overwrite *
	      (ctl->seq - check->seq), ctl->seq);
	EQUAL(check, "bytes read + overwritten", check->bytes + overwritten,
	      ctl->bytes);
	EQUAL(check, "bytes over the end",
	      ctl->lost_bytes[PERFAUX_CAUSE_OVERRUN], 0);
	EQUAL(check, "bytes in gaps + not entered",
	      check->gap_bytes + ctl->lost_bytes[PERFAUX_CAUSE_NO_GAP],
	      ctl->lost_bytes[PERFAUX_CAUSE_FULL]);
	if (!check->overwrite && !check->elsewhere && !check->padded)
		EQUAL(check, "chunks that went nowhere * 64",
		      check->sunk * AUXGEN_CHUNK,
		      ctl->lost_bytes[PERFAUX_CAUSE_FULL]);
	EQUAL(check, "gaps read + not entered",
	      check->gaps + ctl->lost_count[PERFAUX_CAUSE_NO_GAP], ctl->gaps);
	if (check->overwrite) {
		if (check->padded && overwritten > check->overwritten * AUXGEN_CHUNK) {
			uint64_t rest = overwritten -
					check->overwritten * AUXGEN_CHUNK;

			check->padding += rest;
			overwritten -= rest;
		}
		EQUAL(check, "chunks overwritten * 64",
		      check->overwritten * AUXGEN_CHUNK, overwritten);
		EQUAL(check, "numbers read + missing",
		      check->spans + check->gaps + check->missing, ctl->seq);
		EQUAL(check, "spans missing", check->missing,
		      ctl->spans - check->spans);
	} else {
		EQUAL(check, "numbers missing", check->missing, 0);
		EQUAL(check, "spans read", check->spans, ctl->spans);
		EQUAL(check, "overwritten", overwritten, 0);
	}
	if (!ctl->lost_count[PERFAUX_CAUSE_NO_GAP]) {
		EQUAL(check, "FULL in gaps",
		      check->gap_count[PERFAUX_CAUSE_FULL],
		      ctl->lost_count[PERFAUX_CAUSE_FULL]);
		EQUAL(check, "TRUNCATED in gaps",
		      check->gap_count[PERFAUX_CAUSE_TRUNCATED],
		      ctl->lost_count[PERFAUX_CAUSE_TRUNCATED]);
	} else if (!ctl->merged_begin || ctl->merged_end < ctl->merged_begin) {
		check_fail(check, "gaps without entry, but no time of them");
	}
}

void check_end(struct check *check)
{
	check_stats(check, stats_end);
	if (check->ctl)
		check_sums(check);
}
