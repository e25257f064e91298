// SPDX-License-Identifier: GPL-2.0-only
/*
 * aux_verify [-g] [-m SAID] [-t NS] FILE: check auxgen's data in a stream of auxrec.
 *
 * This program shares no code with auxrec. It reads chunk samples and AUXTRACE records, and checks
 * that
 *
 * - the numbers of spans rise, and the pieces of each span are complete,
 * - auxgen's chunks are intact,
 * - the chunks of each CPU and stream are numbered without holes.
 *
 * A hole is allowed if auxgen reports the chunks as lost or if a gap has reported them before. With
 * -g a gap can also come after the next chunk, as in snapshots, which have all AUX data before the
 * records. With -m a hole is also allowed where auxrec merge reported missing data; SAID is the
 * stderr of auxrec merge.
 *
 * The program prints "spans N bytes N chunks N lost N errors N gaps N in_gaps N between N". The
 * last two are numbers of chunks. With -t it also prints "before N behind N last NS": the number of
 * chunks written up to the given time, the number written later, and the time of the last one. The
 * exit status is 1 on an error.
 */
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/aux_chunk.h"
#include "../../modules/auxgen.h"

#define MAX_CPUS	1024
#define AUXTRACE	71
#define AUXTRACE_ERROR	72
#define TRACING_DATA	66
#define MAX_MESSAGES	20
#define NOBODY		(-1U)
#define MAX_QUEUES	4096
#define MAX_MISSING	1024

static struct {
	unsigned long long next, lost, time;
	bool seen;
} state[MAX_CPUS][AUXGEN_STREAMS];

/* Times (ns) between merged snapshots, for which data is missing */
static struct {
	unsigned long long begin, end;
} missing[MAX_MISSING];
static unsigned int nr_missing;

/* Chunks that a CPU's gaps report and that no hole in the numbers has accounted for yet */
static unsigned long long sunk[MAX_CPUS];

static unsigned long long spans, bytes, chunks, lost, errors, gaps, gap_chunks, last_seq;
/* The part of the lost chunks that is missing between snapshots */
static unsigned long long between;
/* The time of -t, and the numbers and the time that it prints */
static unsigned long long moment, before, behind, last_time;
static unsigned int span_pos;

static void bad(const char *fmt, ...)
{
	va_list ap;

	if (++errors > MAX_MESSAGES)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void read_missing(const char *path)
{
	unsigned long long s[4];
	char line[512];
	FILE *f = fopen(path, "r");

	while (f && nr_missing < MAX_MISSING && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, "data of the raw ring is missing from ");

		if (!at || sscanf(at, "data of the raw ring is missing from %llu.%llu to %llu.%llu",
				  &s[0], &s[1], &s[2], &s[3]) != 4)
			continue;
		missing[nr_missing].begin = s[0] * 1000000000 + s[1];
		missing[nr_missing++].end = s[2] * 1000000000 + s[3];
	}
	if (f)
		fclose(f);
}

static bool is_missing(unsigned long long begin, unsigned long long end)
{
	unsigned int i;

	for (i = 0; i < nr_missing; i++)
		if (begin <= missing[i].end && end >= missing[i].begin)
			return true;
	return false;
}

static void check_chunk(const struct auxgen_chunk *c, unsigned int cpu)
{
	unsigned int i;

	if (c->magic != AUXGEN_MAGIC || c->cpu >= MAX_CPUS ||
	    c->stream >= AUXGEN_STREAMS || (cpu != NOBODY && c->cpu != cpu)) {
		bad("span %llu: not a chunk of CPU %u", last_seq, cpu);
		return;
	}
	cpu = c->cpu;
	for (i = 0; i < 4; i++)
		if (c->check[i] != AUXGEN_CHECK(c->seq, c->cpu, c->stream, i))
			bad("span %llu: chunk %llu torn", last_seq,
			    (unsigned long long)c->seq);
	if (c->check_last != c->check[0])
		bad("span %llu: chunk %llu torn at its end", last_seq,
		    (unsigned long long)c->seq);

	if (state[cpu][c->stream].seen) {
		unsigned long long hole = c->seq -
			state[cpu][c->stream].next;
		unsigned long long said = c->lost -
			state[cpu][c->stream].lost;

		/* The streams of a CPU share the chunks that the CPU's gaps report. */
		if (hole > said && is_missing(state[cpu][c->stream].time, c->time)) {
			between += hole - said;
			sunk[cpu] -= sunk[cpu] < hole - said ? sunk[cpu] : hole - said;
		} else if (hole < said || hole - said > sunk[cpu]) {
			bad("CPU %u stream %u: %lld missing before chunk %llu, auxgen lost %lld, gaps %lld",
			    cpu, c->stream, (long long)hole,
			    (unsigned long long)c->seq, (long long)said,
			    (long long)sunk[cpu]);
		} else {
			sunk[cpu] -= hole - said;
		}
		lost += hole;
	}
	state[cpu][c->stream].seen = true;
	state[cpu][c->stream].next = c->seq + 1;
	state[cpu][c->stream].lost = c->lost;
	state[cpu][c->stream].time = c->time;
	if (c->time > last_time)
		last_time = c->time;
	before += c->time <= moment;
	behind += c->time > moment;
	chunks++;
}

static void check_data(const unsigned char *p, unsigned int len,
		       unsigned int cpu)
{
	struct auxgen_chunk c;

	if (len % sizeof(c)) {
		bad("span %llu: %u bytes", last_seq, len);
		return;
	}
	for (; len; len -= sizeof(c), p += sizeof(c)) {
		memcpy(&c, p, sizeof(c));
		check_chunk(&c, cpu);
	}
}

/* @rec is perf's auxtrace_error_event, with the text of a gap. */
static void check_error(const char *rec)
{
	unsigned long long n = 0;
	unsigned int cpu;

	gaps++;
	memcpy(&cpu, rec + 16, sizeof(cpu));
	if (sscanf(rec + 48, "perfaux: until %*u.%*u, %*ux, %llu bytes", &n) != 1)
		bad("a gap without its bytes: %s", rec + 48);
	else if (cpu < MAX_CPUS)
		sunk[cpu] += n / sizeof(struct auxgen_chunk);
	gap_chunks += n / sizeof(struct auxgen_chunk);
}

/* The sample's fields: id, pid, tid, time, cpu, reserved, period, RAW size, auxrec_chunk. */
static void check_sample(const unsigned char *rec, unsigned int size)
{
	const unsigned char *raw = rec + 48;
	struct auxrec_chunk c;
	unsigned int cpu;

	if (size < 52 + sizeof(c))
		return;
	memcpy(&c, raw + 4, sizeof(c));
	if (c.magic != AUXREC_CHUNK_MAGIC)
		return;
	memcpy(&cpu, rec + 32, sizeof(cpu));
	if (c.header_size + c.length > size - 52 || cpu >= MAX_CPUS) {
		bad("chunk longer than its sample");
		return;
	}

	if (!c.offset) {
		if (c.seq <= last_seq)
			bad("span %llu after span %llu",
			    (unsigned long long)c.seq, last_seq);
		last_seq = c.seq;
		span_pos = 0;
		spans++;
	}
	if (c.seq != last_seq || c.offset != span_pos)
		bad("span %llu: a piece at %u is missing",
		    (unsigned long long)c.seq, span_pos);
	span_pos = c.offset + c.length;
	bytes += c.length;
	check_data(raw + 4 + c.header_size, c.length, cpu);
}

/*
 * The record's fields: size, offset, reference, idx, tid, cpu. The data of each queue must be
 * contiguous.
 */
static void check_auxtrace(FILE *f, const unsigned char *rec)
{
	static unsigned long queue_end[MAX_QUEUES];
	unsigned long size, offset;
	unsigned int idx, cpu;
	unsigned char *data;

	memcpy(&size, rec + 8, sizeof(size));
	memcpy(&offset, rec + 16, sizeof(offset));
	memcpy(&idx, rec + 32, sizeof(idx));
	memcpy(&cpu, rec + 40, sizeof(cpu));
	data = malloc(size);
	if (!data || fread(data, 1, size, f) != size) {
		bad("the stream ends in AUX data");
	} else if (idx >= MAX_QUEUES || offset != queue_end[idx]) {
		bad("queue %u goes on at %lu", idx, offset);
	} else {
		queue_end[idx] += size;
		/* A first record of 16 bytes is for perf 6.1, see tool/record/auxdata.c. */
		if (size != 16 || spans) {
			spans++;
			bytes += size;
			check_data(data, size, cpu);
		} else {
			spans++;
		}
	}
	free(data);
}

/* Check the whole stream, or only read its gaps. @gaps_told: the gaps were read before. */
static void check_stream(FILE *f, bool gaps_told, bool only_gaps)
{
	static unsigned char rec[65536];
	struct perf_event_header h;

	while (fread(&h, sizeof(h), 1, f) == 1) {
		memcpy(rec, &h, sizeof(h));
		if (h.size < sizeof(h) ||
		    fread(rec + sizeof(h), 1, h.size - sizeof(h), f) !=
		    h.size - sizeof(h)) {
			bad("the stream ends in a record");
			break;
		}
		if (h.type == AUXTRACE && only_gaps)
			fseek(f, *(unsigned long *)(rec + 8), SEEK_CUR);
		else if (h.type == AUXTRACE)
			check_auxtrace(f, rec);
		else if (h.type == TRACING_DATA)
			fseek(f, *(unsigned int *)(rec + 8), SEEK_CUR);
		else if (h.type == AUXTRACE_ERROR && !gaps_told)
			check_error((const char *)rec);
		else if (h.type == PERF_RECORD_SAMPLE && !only_gaps)
			check_sample(rec, h.size);
	}
}

int main(int argc, char **argv)
{
	bool gaps_first = false, usage = false;
	unsigned char head[16];
	FILE *f;
	int c;

	while ((c = getopt(argc, argv, "gm:t:")) != -1) {
		if (c == 'g')
			gaps_first = true;
		else if (c == 'm')
			read_missing(optarg);
		else if (c == 't')
			moment = strtoull(optarg, NULL, 10);
		else
			usage = true;
	}
	f = !usage && argc == optind + 1 ? fopen(argv[optind], "r") : NULL;
	if (!f || fread(head, sizeof(head), 1, f) != 1 || memcmp(head, "PERFILE2", 8)) {
		fprintf(stderr, "usage: aux_verify [-g] [-m SAID] [-t NS] FILE (of auxrec)\n");
		return 2;
	}
	if (gaps_first) {
		check_stream(f, false, true);
		fseek(f, sizeof(head), SEEK_SET);
	}
	check_stream(f, gaps_first, false);
	printf("spans %llu bytes %llu chunks %llu lost %llu errors %llu gaps %llu in_gaps %llu between %llu",
	       spans, bytes, chunks, lost, errors, gaps, gap_chunks, between);
	if (moment)
		printf(" before %llu behind %llu last %llu", before, behind, last_time);
	putchar('\n');
	return errors ? 1 : 0;
}
