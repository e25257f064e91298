// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/recover/kept.c and ring.c with memory as a crash leaves it, and with damaged
 * memory: what is valid is found, what is damaged is left out and counted, and no byte is wrong.
 *
 * test_ring [SEED]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../rounds.h"
#include "../../tap.h"
#include "base/util.h"
#include "make_region.h"
#include "recover/kept.h"

static __u64 seed;

static __u32 rnd(__u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

/*
 * Segment 0: two spans, READY. 1: a span, and one that has not ended. 2: frames. 3: only a span
 * that has not ended. 4: released. 5: a new use, with the table of the old one. 6, 7: FREE.
 */
static void make(struct kept_region *m)
{
	kept_init(m);
	kept_claim(m, 0, PERFAUX_KIND_SPANS);
	kept_span(m, 0, 100, 1);
	kept_span(m, 0, 200, 2);
	kept_ready(m, 0);
	kept_claim(m, 4, PERFAUX_KIND_SPANS);
	kept_span(m, 4, 64, 3);
	kept_ready(m, 4);
	m->marks[4] = PERFAUX_SEQ(m->segments[4].state);
	kept_claim(m, 5, PERFAUX_KIND_SPANS);
	kept_span(m, 5, 64, 4);
	kept_open(m, 5, 64, 5);
	kept_claim(m, 5, PERFAUX_KIND_SPANS);
	kept_claim(m, 1, PERFAUX_KIND_SPANS);
	kept_span(m, 1, 300, 6);
	kept_open(m, 1, 40, 7);
	kept_claim(m, 2, PERFAUX_KIND_FRAMES);
	kept_frame(m, 2, 20, PERFAUX_FRAME_COMMITTED);
	kept_frame(m, 2, 30, PERFAUX_FRAME_RESERVED);
	kept_frame(m, 2, 40, PERFAUX_FRAME_COMMITTED);
	kept_claim(m, 3, PERFAUX_KIND_SPANS);
	kept_open(m, 3, MADE_SIZE, 8);
	kept_gap(m, 0, 1000);
	kept_gap(m, 1, 2000);
	m->marks[MADE_SEGMENTS + 1] = m->gaps[1].seq;
	kept_open_gap(m, 2, 3000);
	kept_stop(m, PERFAUX_STOP_PANIC, 99999, "something is wrong");
}

static const struct perfaux_span *span_of(const struct kept_ring *r, __u32 segment, __u32 index)
{
	return &r->spans[segment * MADE_SPANS + index];
}

static void test_whole(void)
{
	struct kept_ring r;
	struct kept_region m;
	struct diag d;
	struct kept k;
	int err;

	make(&m);
	err = kept_check(&k, m.region, m.size, &d);
	if (!tap_report(!err, "the header is valid"))
		printf("# %s\n", d.msg);
	tap_report(k.stopped && k.stop.cause == PERFAUX_STOP_PANIC && k.stop.time == 99999 &&
		   !strcmp((char *)k.stop.message, "something is wrong"), "how the machine stopped");
	tap_report(!kept_ring_make(&r, &k), "a ring");
	tap_report(r.nr_spans == 5 && r.open == 2 && !r.damaged, "spans: %llu, %llu had not ended",
		   (unsigned long long)r.nr_spans, (unsigned long long)r.open);
	tap_report(span_of(&r, 0, 1)->length == 200 && span_of(&r, 1, 0)->length == 300,
		   "spans that had ended are as they were");
	tap_report(span_of(&r, 1, 1)->length >= 40 && span_of(&r, 1, 1)->length <= 56 &&
		   span_of(&r, 1, 1)->t_end == 99999,
		   "a span that had not ended goes up to the last byte, and to the stop");
	tap_report(span_of(&r, 3, 0)->length == MADE_SIZE, "it can fill its segment");
	tap_report(span_of(&r, 1, 1)->seq > m.seq && span_of(&r, 3, 0)->seq > m.seq &&
		   span_of(&r, 1, 1)->seq != span_of(&r, 3, 0)->seq,
		   "it has a number of its own, after all others");
	tap_report(PERFAUX_STATE(r.segments[4].state) == PERFAUX_SEG_FREE,
		   "a segment that the reader had released is not there");
	tap_report(PERFAUX_STATE(r.segments[5].state) == PERFAUX_SEG_FREE,
		   "entries of an earlier use of a segment are not there");
	tap_report(r.frames == 2 && r.segments[2].nr_frames == 2, "frames that were committed");
	tap_report(r.nr_gaps == 2 && r.gaps[0].bytes == 1000, "the gap that was not read");
	tap_report(r.gaps[1].bytes == 3000 && r.gaps[1].count == 3 && r.gaps[1].t_end == 99999,
		   "a gap that had not ended goes up to the stop");
	tap_report(r.gaps[1].seq > span_of(&r, 1, 1)->seq &&
		   r.gaps[1].seq > span_of(&r, 3, 0)->seq, "it has a number after all others");
	kept_ring_free(&r);
	kept_free(&m);
}

/* A writer was stopped between its reservation and its frame's header. */
static void test_frames_after_hole(void)
{
	struct kept_ring r;
	struct kept_region m;
	struct diag d;
	struct kept k;

	kept_init(&m);
	kept_claim(&m, 0, PERFAUX_KIND_FRAMES);
	kept_frame(&m, 0, 20, PERFAUX_FRAME_COMMITTED);
	m.segments[0].used += 64;
	kept_frame(&m, 0, 40, PERFAUX_FRAME_COMMITTED);
	kept_frame(&m, 0, 16, PERFAUX_FRAME_RESERVED);
	kept_check(&k, m.region, m.size, &d);
	kept_ring_make(&r, &k);
	tap_report(r.frames == 1 && r.damaged == 1, "a frame after a hole is lost, and told");
	kept_ring_free(&r);
	kept_free(&m);
}

static void refuse(const char *what, struct kept_region *m, size_t size, const char *message)
{
	struct diag d = { "" };
	struct kept k;
	const int err = kept_check(&k, m->region, size, &d);

	if (!tap_report(err == -EBADMSG && strstr(d.msg, message), "%s", what))
		printf("# %d: %s\n", err, d.msg);
	kept_free(m);
	make(m);
}

/*
 * Writers had claimed these segments. Segment 0 had room left, so its spans are of this use.
 * Segment 1 was being overwritten, so its spans and its number of spans are of an earlier use.
 */
static void test_claimed(void)
{
	struct kept_ring r;
	struct kept_region m;
	struct diag d;
	struct kept k;
	bool made;
	__u32 i;

	kept_init(&m);
	for (i = 0; i < 2; i++) {
		kept_claim(&m, i, PERFAUX_KIND_SPANS);
		kept_span(&m, i, 100, 1);
		kept_span(&m, i, 200, 2);
		kept_span(&m, i, 300, 3);
	}
	m.segments[0].state = PERFAUX_SEQ(m.segments[0].state) << 8 | PERFAUX_SEG_CLAIMED;
	m.segments[1].state = ++m.use << 8 | PERFAUX_SEG_CLAIMED;
	made = !kept_check(&k, m.region, m.size, &d) && !kept_ring_make(&r, &k);
	tap_report(made && r.nr_spans == 3 && r.bytes == 600 && !r.damaged && r.taken == 1,
		   "claimed segments: %llu spans, %llu damaged", (unsigned long long)r.nr_spans,
		   (unsigned long long)r.damaged);
	kept_ring_free(&r);
	kept_free(&m);
}

/*
 * Segment 0 had room left and was claimed, and its second span is damaged. The end of gap 0 is
 * stored, but not yet the sum that covers it. The sum of gap 1 is stored, but not yet the number
 * that the sum covers.
 */
static void test_stopped_between(void)
{
	struct kept_ring r;
	struct kept_region m;
	struct diag d;
	struct kept k;
	bool made;

	kept_init(&m);
	kept_claim(&m, 0, PERFAUX_KIND_SPANS);
	kept_span(&m, 0, 100, 1);
	kept_span(&m, 0, 200, 2);
	kept_span(&m, 0, 300, 3);
	m.segments[0].state = PERFAUX_SEQ(m.segments[0].state) << 8 | PERFAUX_SEG_CLAIMED;
	m.spans[1].length++;
	made = !kept_check(&k, m.region, m.size, &d) && !kept_ring_make(&r, &k);
	tap_report(made && r.nr_spans == 1 && r.damaged == 2 && !r.taken,
		   "damaged spans of a claimed segment are told: %llu",
		   (unsigned long long)r.damaged);
	kept_ring_free(&r);

	kept_open_gap(&m, 0, 1000);
	m.gaps[0].t_end = m.gaps[0].t_begin + 5;
	kept_gap(&m, 1, 2000);
	m.gaps[1].seq = 0;
	made = !kept_check(&k, m.region, m.size, &d) && !kept_ring_make(&r, &k);
	tap_report(made && r.nr_gaps == 1 && r.gaps[0].bytes == 1000 && r.damaged == 3,
		   "gaps that were being published: %zu, %llu damaged", r.nr_gaps,
		   (unsigned long long)r.damaged);
	kept_ring_free(&r);
	kept_free(&m);
}

static void test_header(void)
{
	struct kept_region m;

	make(&m);
	refuse("an empty region", &m, 0, "its header has");
	m.region[0] = 'x';
	refuse("a region without the magic", &m, m.size, "does not begin with");
	m.head->key++;
	refuse("a damaged header", &m, m.size, "damaged");
	m.head->abi++;
	kept_sum(&m);
	refuse("a ring of another ABI", &m, m.size, "ABI");
	m.head->nr_segments = 5000;
	kept_sum(&m);
	refuse("too many segments", &m, m.size, "another program made it");
	m.head->data_offset = m.size - 64;
	kept_sum(&m);
	refuse("data beyond the end", &m, m.size, "does not fit");
	m.head->spans_offset = ~7ULL;
	kept_sum(&m);
	refuse("an offset that wraps around", &m, m.size, "does not fit");
	refuse("a region that was cut", &m, m.size - 4096, "does not fit");
	kept_free(&m);
}

/* Is each span of @r one that was made, with its bytes, or a part of one that had not ended? */
static bool is_true(const struct kept_ring *r, const struct kept_region *m)
{
	__u32 i, k;

	for (i = 0; i < MADE_SEGMENTS; i++) {
		for (k = 0; k < r->segments[i].nr_spans; k++) {
			const struct perfaux_span *span = span_of(r, i, k);
			const struct perfaux_span *made = &m->spans[i * MADE_SPANS + k];

			if (span->offset > MADE_SIZE || span->length > MADE_SIZE - span->offset)
				return false;
			if (memcmp(span, made, sizeof(*span)) &&
			    (span->cookie != m->opens[i].cookie ||
			     span->t_begin != m->opens[i].t_begin ||
			     span->offset != m->opens[i].offset))
				return false;
		}
	}
	for (i = 0; i < r->nr_gaps; i++) {
		struct perfaux_gap gap = r->gaps[i];

		if (!memcmp(&gap, &m->gaps[0], sizeof(gap)) ||
		    !memcmp(&gap, &m->gaps[1], sizeof(gap)))
			continue;
		gap.seq = 0;
		gap.t_end = 0;
		if (memcmp(&gap, &m->gaps[2], sizeof(gap)))
			return false;
	}
	return true;
}

/* Overwrite tables, not the data, which has no sum. */
static void test_damage(void)
{
	const unsigned int turns = rounds(4000);
	unsigned int i, n, wrong = 0, less = 0;
	struct kept_region m, copy;
	struct kept_ring r;
	struct diag d;
	struct kept k;

	make(&m);
	for (i = 0; i < turns; i++) {
		make(&copy);
		for (n = 1 + rnd(40); n; n--) {
			const size_t at = rnd(m.head->marks_offset);

			memset(copy.region + at, rnd(256), 1 + rnd(16));
		}
		/* The header is tested above. */
		memcpy(copy.region, m.region, sizeof(*m.head));
		if (kept_check(&k, copy.region, copy.size, &d) || kept_ring_make(&r, &k)) {
			wrong++;
			continue;
		}
		wrong += !is_true(&r, &m);
		less += r.nr_spans < 5;
		kept_ring_free(&r);
		kept_free(&copy);
	}
	tap_report(!wrong && less > turns / 10,
		   "damaged tables: no span or gap that was not there (%u times fewer)", less);
	kept_free(&m);
}

int main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	printf("# seed %llu\n", (unsigned long long)seed);
	test_whole();
	test_frames_after_hole();
	test_claimed();
	test_stopped_between();
	test_header();
	test_damage();
	return tap_end();
}
