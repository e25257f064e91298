// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: the memory that a crash of the machine leaves, for `auxrec recover`.
 *
 * Mutations of memory that has sums would only test the sums. So an input is a list of operations
 * (ops.h) that fill the memory, and some of them write wrong fields with valid sums.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tool/recover/make_region.h"
#include "../scratch.h"
#include "check/main.h"
#include "history/journal.h"
#include "info/main.h"
#include "ops.h"
#include "recover/main.h"

/* The exit statuses of check and info, and of recover */
enum { GOOD, BAD, ERROR, CUT };
enum { RECOVERED, NOTHING, FAILED };

struct input {
	struct kept_region m;
	struct journal journal;
	const __u8 *at;
	size_t left;
};

/* Copy the operation's bytes, at most @size, over @to. */
static void put(const struct op *op, const __u8 *bytes, void *to, size_t size)
{
	memcpy(to, bytes, op->size < size ? op->size : size);
}

static __u64 word(const struct op *op, const __u8 *bytes, unsigned int i)
{
	__u64 value = 0;

	if (op->size >= (i + 1) * sizeof(value))
		memcpy(&value, bytes + i * sizeof(value), sizeof(value));
	return value;
}

static __u64 start_of(const struct kept_region *m, __u32 segment, __u32 index)
{
	return perfaux_kept_start(m->head->key, PERFAUX_SEQ(m->segments[segment].state), segment,
				  index);
}

static void put_span(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	const unsigned int segment = op->a % MADE_SEGMENTS, index = op->b % MADE_SPANS;
	struct perfaux_span *span = &m->spans[segment * MADE_SPANS + index];

	put(op, bytes, span, sizeof(*span));
	span->reserved = perfaux_kept_sum(start_of(m, segment, index), span, 7);
	m->segments[segment].nr_spans = index + 1;
}

static void put_open(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	const unsigned int segment = op->a % MADE_SEGMENTS;
	struct perfaux_open *open = &m->opens[segment];

	put(op, bytes, open, sizeof(*open));
	open->sum = perfaux_kept_sum(start_of(m, segment, open->index), open, 7);
}

static void put_gap(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	const unsigned int i = op->a % MADE_GAPS;
	struct perfaux_gap *gap = &m->gaps[i];

	put(op, bytes, gap, sizeof(*gap));
	m->gap_sums[i] = perfaux_kept_sum(perfaux_kept_start(m->head->key, gap->seq, i, 0), gap, 8);
}

static void put_segment(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	struct perfaux_segment *segment = &m->segments[op->a % MADE_SEGMENTS];
	const __u64 state = segment->state;

	put(op, bytes, segment, sizeof(*segment));
	segment->state = state;
}

static void put_stop(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	put(op, bytes, m->stop, sizeof(*m->stop));
	m->stop->sum = perfaux_kept_sum(m->head->key, m->stop, offsetof(typeof(*m->stop), sum) / 8);
}

static void put_header(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	const __u64 value = word(op, bytes, 0);
	const size_t i = op->a % (sizeof(*m->head) / sizeof(value));

	memcpy((__u64 *)m->head + i, &value, sizeof(value));
	kept_sum(m);
}

static void poke(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	__u32 offset;

	if (op->size < sizeof(offset))
		return;
	memcpy(&offset, bytes, sizeof(offset));
	offset %= m->size;
	bytes += sizeof(offset);
	memcpy(m->region + offset, bytes, op->size - sizeof(offset) < m->size - offset ?
	       op->size - sizeof(offset) : m->size - offset);
}

static void in_journal(struct input *in, const struct op *op, const __u8 *bytes)
{
	switch (op->kind % OP_NR_KINDS) {
	case OP_ENTRY:
		journal_add(&in->journal, op->a, bytes, op->size);
		break;
	case OP_BEGIN:
		journal_begin(&in->journal);
		break;
	case OP_SEAL:
		journal_seal(&in->journal, word(op, bytes, 0), word(op, bytes, 1));
		break;
	case OP_LOSE:
		journal_lose(&in->journal, word(op, bytes, 0));
		break;
	}
}

static void in_ring(struct kept_region *m, const struct op *op, const __u8 *bytes)
{
	const unsigned int segment = op->a % MADE_SEGMENTS;

	switch (op->kind % OP_NR_KINDS) {
	case OP_CLAIM:
		kept_claim(m, segment, op->b);
		break;
	case OP_SPAN:
		put_span(m, op, bytes);
		break;
	case OP_OPEN:
		put_open(m, op, bytes);
		break;
	case OP_GAP:
		put_gap(m, op, bytes);
		break;
	case OP_READY:
		kept_ready(m, segment);
		break;
	case OP_SEGMENT:
		put_segment(m, op, bytes);
		break;
	case OP_DATA:
		put(op, bytes, m->data + segment * MADE_SIZE + op->b * 16, MADE_SIZE - op->b * 16);
		break;
	case OP_STOP:
		put_stop(m, op, bytes);
		break;
	case OP_HEADER:
		put_header(m, op, bytes);
		break;
	case OP_POKE:
		poke(m, op, bytes);
		break;
	}
}

static void fill(struct input *in)
{
	struct op op;

	while (in->left >= sizeof(op)) {
		memcpy(&op, in->at, sizeof(op));
		in->at += sizeof(op);
		in->left -= sizeof(op);
		if (op.size > in->left)
			op.size = in->left;
		in_journal(in, &op, in->at);
		in_ring(&in->m, &op, in->at);
		in->at += op.size;
		in->left -= op.size;
	}
}

static void run(const struct input *in)
{
	char region[SCRATCH_PATH], out[160];
	const int fd = scratch_file(region, in->m.region, in->m.size);
	int status;

	snprintf(out, sizeof(out), "%s/x", scratch_dir());
	status = scratch_main(auxrec_recover_main, "--region", region, "-o", out, NULL);
	if (status == RECOVERED) {
		must(scratch_main(auxrec_check_main, out, NULL) != ERROR);
		must(scratch_main(auxrec_info_main, "--json", out, NULL) != ERROR);
	} else {
		must(status == NOTHING || status == FAILED);
	}
	unlink(out);
	close(fd);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct input in = { .at = data, .left = size };

	must(!kept_init(&in.m));
	journal_init(&in.journal, in.m.user, MADE_USER);
	fill(&in);
	run(&in);
	kept_free(&in.m);
	return 0;
}
