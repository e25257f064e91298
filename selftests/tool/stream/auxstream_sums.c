// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program as another project would write it, with only the public header of libauxstream. It
 * reads a stream and prints what test_stream.py compares with `auxrec info --json`.
 *
 * auxstream_sums <STREAM
 */
#include <auxstream.h>
#include <stdio.h>
#include <unistd.h>

#define CAUSES	32
#define QUEUES	4096

struct cause {
	__u64 gaps, attempts, bytes, first, last;
};

struct queue {
	__u32 tid, cpu;
	__u64 bytes, read;
};

static struct cause causes[CAUSES];
static struct queue queues[QUEUES];
static size_t nr_queues;

static struct queue *queue_of(const struct auxstream_aux *aux)
{
	size_t i;

	for (i = 0; i < nr_queues; i++)
		if (queues[i].tid == aux->tid && queues[i].cpu == aux->cpu)
			return &queues[i];
	if (nr_queues == QUEUES)
		return &queues[0];
	queues[nr_queues] = (struct queue){ .tid = aux->tid, .cpu = aux->cpu };
	return &queues[nr_queues++];
}

static void add_gap(const struct auxstream_gap *gap)
{
	struct cause *c = &causes[gap->cause % CAUSES];

	if (!c->gaps++ || gap->begin < c->first)
		c->first = gap->begin;
	if (gap->end > c->last)
		c->last = gap->end;
	c->attempts += gap->count;
	c->bytes += gap->bytes;
}

static void add_aux(struct auxstream *s, const struct auxstream_aux *aux)
{
	static char buf[1000];
	struct queue *q = queue_of(aux);
	ssize_t n;

	q->bytes += aux->size;
	if (aux->data)
		q->read += aux->size;
	else
		while ((n = auxstream_data(s, buf, sizeof(buf))) > 0)
			q->read += n;
}

int main(void)
{
	struct auxstream *s = auxstream_open_fd(STDIN_FILENO);
	struct auxstream_item item;
	__u64 samples = 0, snapshots = 0, payloads = 0, payload_bytes = 0;
	const char *sep = "";
	size_t i;
	int rc;

	if (!s)
		return 2;
	while ((rc = auxstream_next(s, &item)) > 0) {
		samples += item.kind == AUXSTREAM_SAMPLE;
		snapshots += item.kind == AUXSTREAM_SNAPSHOT;
		if (item.kind == AUXSTREAM_AUX)
			add_aux(s, &item.aux);
		/* The gaps of payloads are counted elsewhere by info. */
		if (item.kind == AUXSTREAM_GAP && item.header->type != PERF_RECORD_SAMPLE)
			add_gap(&item.gap);
		if (item.kind == AUXSTREAM_PAYLOAD && !item.payload.cause) {
			payloads += !item.payload.offset;
			payload_bytes += item.payload.size;
		}
	}
	printf("{\"samples\": %llu, \"snapshots\": %llu, \"payloads\": %llu, ", samples, snapshots,
	       payloads);
	printf("\"payload_bytes\": %llu, \"status\": %d, \"problem\": \"%s\",\n", payload_bytes, rc,
	       auxstream_problem(s) ?: "");
	printf("\"queues\": [");
	for (i = 0; i < nr_queues; i++)
		printf("%s[%d, %d, %llu, %llu]", i ? ", " : "", (int)queues[i].tid,
		       (int)queues[i].cpu, queues[i].bytes, queues[i].read);
	printf("],\n\"causes\": [");
	for (i = 0; i < CAUSES; i++) {
		const struct cause *c = &causes[i];

		if (!c->gaps)
			continue;
		printf("%s[%zu, %llu, %llu, %llu, %llu, %llu, \"%s\"]", sep, i, c->gaps,
		       c->attempts, c->bytes, c->first, c->last, auxstream_cause_name(i));
		sep = ", ";
	}
	printf("]}\n");
	auxstream_close(s);
	return 0;
}
