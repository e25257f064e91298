// SPDX-License-Identifier: GPL-2.0-only
/*
 * Judge the AUX data that a crash has left: auxgen's chunks, beside auxgen's ledger, which says
 * what had been written.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ring/lib/ring_lib.h"
#include "judge.h"

/* Chunks of a CPU and stream */
struct row {
	uint64_t written;		/* by the ledger: number of the last one + 1, or 0 */
	struct auxgen_chunk *chunks;
	size_t nr;
	uint64_t lost_until;		/* when the last of its gaps ended */
};

struct rows {
	struct row row[KEPT_CPUS][NR_STREAMS];
	uint64_t unwritten;		/* losses of a full ring that are in no gap */
	size_t nr;
	size_t spans, open, torn;
	const char *wrong;
};

static bool is_whole(const struct auxgen_chunk *chunk)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(chunk->check); i++)
		if (chunk->check[i] != AUXGEN_CHECK(chunk->seq, chunk->cpu, chunk->stream, i))
			return false;
	return chunk->magic == AUXGEN_MAGIC && chunk->check_last == chunk->check[0] &&
	       chunk->cpu < KEPT_CPUS && chunk->stream && chunk->stream < NR_STREAMS;
}

static void add_chunk(struct rows *rows, const struct kept_span *span,
		      const struct auxgen_chunk *chunk)
{
	struct row *row = &rows->row[chunk->cpu][chunk->stream];

	if (span->cookie != COOKIE_AUX + chunk->stream || span->cpu != chunk->cpu)
		rows->wrong = "a chunk is in the span of another event or CPU";
	if (chunk->time < span->t_begin || (span->t_end && chunk->time > span->t_end))
		rows->wrong = "the time of a chunk is not that of its span";
	if (!(row->nr & (row->nr - 1)))
		row->chunks = realloc(row->chunks, (row->nr ? 2 * row->nr : 1) * sizeof(*chunk));
	if (!row->chunks)
		abort();
	row->chunks[row->nr++] = *chunk;
	rows->nr++;
}

static void add_span(void *ctx, const struct kept_span *span)
{
	struct rows *rows = ctx;
	struct auxgen_chunk chunk;
	uint32_t length = span->length, at;

	rows->spans++;
	rows->open += !span->t_end;
	/* see_open() cuts off the zeros at the end of an open span, also the zeros of a chunk. */
	if (!span->t_end)
		length = (length + sizeof(chunk) - 1) / sizeof(chunk) * sizeof(chunk);
	for (at = 0; at + sizeof(chunk) <= length; at += sizeof(chunk)) {
		memcpy(&chunk, span->data + at, sizeof(chunk));
		if (is_whole(&chunk))
			add_chunk(rows, span, &chunk);
		else if (!span->t_end && length - at < 2 * sizeof(chunk))
			/*
			 * The crash came while this chunk was written. If the chunk had been
			 * complete, the ledger has it, and judge_row() finds that it is missing.
			 */
			rows->torn++;
		else
			rows->wrong = "a chunk is torn";
	}
}

static int by_seq(const void *a, const void *b)
{
	const uint64_t x = ((const struct auxgen_chunk *)a)->seq;
	const uint64_t y = ((const struct auxgen_chunk *)b)->seq;

	return x < y ? -1 : x > y;
}

static bool read_ledger(struct rows *rows)
{
	unsigned int cpu, stream;
	static char text[65536];
	uint64_t written;
	char *at = text;
	int len;

	if (file_read("/sys/bus/event_source/devices/auxgen/ledger", text, sizeof(text)))
		return false;
	while (sscanf(at, "%u %u %" SCNu64 "\n%n", &cpu, &stream, &written, &len) == 3) {
		at += len;
		if (cpu < KEPT_CPUS && stream < NR_STREAMS)
			rows->row[cpu][stream].written = written;
	}
	return at != text;
}

static void see_gap(void *ctx, const struct perfaux_gap *gap)
{
	const uint64_t stream = gap->cookie - COOKIE_AUX, end = gap->t_end ?: UINT64_MAX;
	struct rows *rows = ctx;
	struct row *row;

	if (gap->cause != PERFAUX_CAUSE_FULL)
		return;
	rows->unwritten -= gap->count;
	if (gap->cpu >= KEPT_CPUS || stream >= NR_STREAMS)
		return;
	row = &rows->row[gap->cpu][stream];
	if (end > row->lost_until)
		row->lost_until = end;
}

/*
 * Can the chunks after the last one that is there be lost because the ring was full? Then a gap
 * reports that, or the PMU was writing to a sink at the crash.
 */
static bool is_end_lost(struct rows *rows, const struct row *row)
{
	if (row->lost_until > row->chunks[row->nr - 1].time)
		return true;
	if (!rows->unwritten || rows->unwritten > UINT64_MAX / 2)
		return false;
	rows->unwritten--;
	return true;
}

/*
 * Judge one row. Returns how many chunks auxgen has written that are not there, or -1 if something
 * is wrong. Events of CPUs run all the time, so that the oldest data of each is overwritten first;
 * without overwrite mode, the first data is kept.
 */
static int64_t judge_row(const struct judged *judged, struct rows *rows, unsigned int cpu,
			 unsigned int stream)
{
	struct row *row = &rows->row[cpu][stream];
	const struct auxgen_chunk *c = row->chunks;
	const bool overwrite = judged->overwrite;
	int64_t missing = 0;
	size_t i;

	qsort(row->chunks, row->nr, sizeof(*c), by_seq);
	for (i = 1; i < row->nr; i++) {
		const int64_t hole = c[i].seq - c[i - 1].seq - 1 - (c[i].lost - c[i - 1].lost);

		if (c[i].seq == c[i - 1].seq || hole < 0 || c[i].time < c[i - 1].time)
			rows->wrong = "a chunk is there twice, or out of order";
		if (hole && overwrite && stream != STREAM_CTX)
			rows->wrong = "chunks are missing in the middle";
		missing += hole;
	}
	if (!row->nr)
		return row->written;
	/* auxgen may have completed one more chunk, and not noted it before the crash. */
	if (overwrite && stream != STREAM_CTX &&
	    (c[row->nr - 1].seq > row->written ||
	     (c[row->nr - 1].seq + 1 < row->written && !is_end_lost(rows, row))))
		rows->wrong = "the last chunk is not the ledger's";
	if (!overwrite && c->seq != c->lost)
		rows->wrong = "the first chunk is not there";
	missing += c->seq - c->lost;
	if (row->written > c[row->nr - 1].seq + 1)
		missing += row->written - c[row->nr - 1].seq - 1;
	return missing;
}

void judge_chunks(struct judged *judged)
{
	const struct perfaux_control *ctl = judged->kept.ctl;
	struct rows *rows = calloc(1, sizeof(*rows));
	uint64_t missing = 0, lost, more;
	unsigned int cpu, stream, wrong, nr = 0;

	judge(judged, read_ledger(rows), "the ledger is there");
	wrong = kept_spans(&judged->kept, add_span, rows);
	rows->unwritten = ctl->lost_count[PERFAUX_CAUSE_FULL];
	kept_gaps(&judged->kept, see_gap, rows);
	judge(judged, !wrong, "spans have the right sums (%u have not)", wrong);
	for (cpu = 0; cpu < KEPT_CPUS; cpu++) {
		for (stream = 1; stream < NR_STREAMS; stream++) {
			struct row *row = &rows->row[cpu][stream];

			missing += judge_row(judged, rows, cpu, stream);
			if (!row->nr)
				continue;
			nr++;
			if (row->chunks[row->nr - 1].time > judged->last)
				judged->last = row->chunks[row->nr - 1].time;
			free(row->chunks);
		}
	}
	judge(judged, !rows->wrong && nr, "chunks: %s", rows->wrong ?: nr ? "right" : "none");
	printf("# %zu chunks kept in %zu spans, %zu of them open; %zu chunks torn; %" PRIu64
	       " chunks missing\n", rows->nr, rows->spans, rows->open, rows->torn, missing);
	/* A segment that was being claimed may or may not count as overwritten. */
	lost = ctl->lost_bytes[PERFAUX_CAUSE_OVERWRITTEN] / AUXGEN_CHUNK;
	more = kept_claimed(&judged->kept) * (uint64_t)ctl->segment_size / AUXGEN_CHUNK;
	if (judged->overwrite && !judged->frames && !ctl->lost_count[PERFAUX_CAUSE_FULL])
		judge(judged, missing >= lost && missing <= lost + more,
		      "chunks that are missing were overwritten (%" PRIu64 ")", lost);
	free(rows);
}
