// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of rawring_held_run(): which HELD segments are a run without a hole, and which time they
 * cover. The ring is in ordinary memory, and the test takes the kernel's place.
 */
#include <string.h>

#include "../../tap.h"
#include "ring/rawring.h"

#define NR	8
#define SPANS	2

struct segment {
	__u64 number, ready;
	struct { __u64 seq, end; } span[SPANS];	/* seq 0: none */
	bool frames, not_held;
};

struct run_case {
	const char *what;
	struct segment segment[NR];	/* number 0: free */
	__u64 held_seq, begin;
	__u64 claims;
	struct raw_run run;
};

static const struct run_case cases[] = {
	{
		.what = "nothing was written yet: it is before the first one",
		.run = { .first = 1 },
	}, {
		.what = "nothing is HELD of what was written: not known",
		.claims = 3,
		.segment = { { 1, 100, { { 1, 95 } }, .not_held = true } },
	}, {
		.what = "all since the start, in any order",
		.segment = {
			{ 2, 200, { { 2, 150 }, { 3, 190 } } },
			{ 1, 100, { { 1, 95 } } },
		},
		.held_seq = 3,
		.run = { 0, 190, 1, 2 },
	}, {
		.what = "what was overwritten had ended before the oldest was READY",
		.segment = {
			{ 7, 700, { { 8, 650 } } },
			{ 8, 800, { { 9, 790 } } },
		},
		.held_seq = 9,
		.run = { 700, 790, 7, 8 },
	}, {
		.what = "one is late: not the numbers from there on",
		.segment = {
			{ 7, 700, { { 8, 650 } } },
			{ 8, 800, { { 9, 720 } } },
			{ 9, 900, { { 10, 850 }, { 11, 890 } } },
		},
		.held_seq = 10,
		.run = { 700, 720, 7, 8 },
	}, {
		.what = "all are late: not known",
		.segment = { { 7, 700, { { 8, 650 } } } },
		.held_seq = 7,
	}, {
		.what = "a gap: the longer row",
		.segment = {
			{ 5, 500, { { 5, 490 } } },
			{ 901, 9000, { { 800, 8990 } } },
			{ 902, 9100, { { 801, 9090 } } },
			{ 903, 9200, { { 802, 9190 } } },
		},
		.held_seq = 802,
		.run = { 9000, 9190, 901, 903 },
	}, {
		.what = "a gap near the end",
		.segment = {
			{ 1, 100, { { 1, 90 } } },
			{ 2, 200, { { 2, 190 } } },
			{ 4, 400, { { 4, 390 } } },
		},
		.held_seq = 4,
		.run = { 0, 190, 1, 2 },
	}, {
		.what = "rows of the same length: the newer one",
		.segment = {
			{ 3, 300, { { 3, 290 } } },
			{ 5, 500, { { 5, 490 } } },
		},
		.held_seq = 5,
		/* The newest span of this segment ended before the run begins. */
		.run = { 500, 500, 5, 5 },
	}, {
		.what = "cut off before a time: the whole segments begin after that",
		.segment = {
			{ 7, 700, { { 7, 650 }, { 8, 690 } } },
			{ 8, 800, { { 9, 740 }, { 10, 790 } } },
			{ 9, 900, { { 11, 890 } } },
		},
		.held_seq = 11,
		.begin = 750,
		.run = { 750, 890, 9, 9 },
	}, {
		.what = "an old span in the newest: no whole one, but of all that time",
		.segment = {
			{ 1, 410, { { 1, 405 } } },
			{ 2, 500, { { 2, 480 } } },
			{ 3, 600, { { 3, 10 } } },
		},
		.held_seq = 3,
		.begin = 400,
		.run = { 400, 480, 4, 3 },
	}, {
		.what = "an old span in one that is late counts for nothing",
		.segment = {
			{ 1, 100, { { 1, 95 } } },
			{ 2, 200, { { 2, 190 } } },
			{ 4, 400, { { 3, 10 }, { 9, 390 } } },
		},
		.held_seq = 3,
		.begin = 50,
		.run = { 0, 190, 1, 2 },
	}, {
		.what = "frames: up to when they were READY",
		.segment = {
			{ 4, 400, .frames = true },
			{ 5, 500, { { 3, 450 } } },
			{ 6, 600, .frames = true },
		},
		.held_seq = 3,
		.run = { 400, 600, 4, 6 },
	},
};

static bool try(const struct run_case *c)
{
	struct perfaux_control control = {
		.nr_segments = NR, .spans_per_segment = SPANS, .claims = c->claims,
	};
	struct perfaux_segment segments[NR];
	struct perfaux_span spans[NR * SPANS];
	const struct rawring ring = {
		.ctl = &control, .segments = segments, .spans = spans,
		.held_seq = c->held_seq,
	};
	struct raw_run run;
	int i, k;

	memset(segments, 0, sizeof(segments));
	memset(spans, 0, sizeof(spans));
	for (i = 0; i < NR; i++) {
		const struct segment *seg = &c->segment[i];

		segments[i] = (struct perfaux_segment){
			.state = 1 << 8 | (!seg->number ? PERFAUX_SEG_FREE :
					   seg->not_held ? PERFAUX_SEG_READY :
							   PERFAUX_SEG_HELD),
			.ready_seq = seg->number,
			.t_active = seg->ready,
			.kind = seg->frames ? PERFAUX_KIND_FRAMES : PERFAUX_KIND_SPANS,
		};
		for (k = 0; k < SPANS && seg->span[k].seq; k++) {
			spans[i * SPANS + k].seq = seg->span[k].seq;
			spans[i * SPANS + k].t_end = seg->span[k].end;
			segments[i].nr_spans++;
		}
		control.claims += !!seg->number;
	}
	if (rawring_held_run(&ring, c->begin, &run))
		return false;
	printf("# %llu to %llu, numbers %llu to %llu\n", run.begin, run.end, run.first, run.last);
	return run.begin == c->run.begin && run.end == c->run.end &&
	       run.first == c->run.first && run.last == c->run.last;
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_report(try(&cases[i]), "%s", cases[i].what);
	return tap_end();
}
