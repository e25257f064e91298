// SPDX-License-Identifier: GPL-2.0-only
/* Tests of overwrite rings: they keep the newest data, and all other data was counted. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

FIXTURE(overwrite) {
	struct ring ring;
	struct check *check;
	int events[CHECK_CPUS];
	int cpus[CHECK_CPUS];
	int nr;
};

FIXTURE_VARIANT(overwrite) {
	uint32_t nr_segments;	/* 0: two for each CPU, plus one */
	uint32_t segment_size;
	uint64_t config;
	uint64_t period;
};

FIXTURE_VARIANT_ADD(overwrite, timer_4k) {
	.segment_size = 4096,
	.config = AUXGEN_F_TIMER | 8, .period = 150,
};

FIXTURE_VARIANT_ADD(overwrite, mixed_16k) {
	.segment_size = 16384,
	.config = AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI | 20,
	.period = 150,
};

FIXTURE_VARIANT_ADD(overwrite, fill_64k) {
	.segment_size = 65536,
	.config = AUXGEN_F_TIMER | AUXGEN_F_FILL | 16, .period = 400,
};

FIXTURE_VARIANT_ADD(overwrite, truncate_skip_16k) {
	.segment_size = 16384,
	.config = AUXGEN_F_TIMER | 3ULL << 48 | 7ULL << 32 | 16, .period = 150,
};

FIXTURE_VARIANT_ADD(overwrite, mixed_256x4k) {
	.nr_segments = 256, .segment_size = 4096,
	.config = AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI | 60,
	.period = 100,
};

FIXTURE_SETUP(overwrite)
{
	struct perfaux_create create;

	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	self->nr = online_cpus(self->cpus, CHECK_CPUS);
	ring_params(&create, variant->segment_size,
		    variant->nr_segments ?: 2 * self->nr + 1U);
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&self->ring, &create));
}

FIXTURE_TEARDOWN(overwrite)
{
	int i;

	for (i = 0; i < self->nr; i++)
		close(self->events[i]);
	ring_close(&self->ring);
	free(self->check);
}

/*
 * The events of CPUs run all the time, so each has a segment of its own. The data
 * that is left of each CPU is an unbroken row of its last chunks.
 */
TEST_F_TIMEOUT(overwrite, cpus, SECONDS)
{
	struct auxgen_config config = {
		variant->config | 3 << 24, variant->period,
	};
	struct check *check = self->check;
	int i;

	for (i = 0; i < self->nr; i++) {
		self->events[i] = auxgen_open(&config, -1, self->cpus[i], 0);
		ASSERT_LE(0, self->events[i]);
		ASSERT_EQ(0, ring_attach(&self->ring, self->events[i],
					 COOKIE(3)));
	}
	check_start(check, &self->ring);
	for (i = 0; i < self->nr; i++)
		ASSERT_EQ(0, event_enable(self->events[i]));
	EXPECT_TRUE(work_until(&self->ring.ctl->lost_count[PERFAUX_CAUSE_OVERWRITTEN],
			       2 * self->ring.ctl->nr_segments));
	for (i = 0; i < self->nr; i++)
		ASSERT_EQ(0, event_disable(self->events[i]));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));

	check->tail = true;
	EXPECT_LT(0, ring_read_still(&self->ring, check_record, check));
	check_end(check);
	EXPECT_STREQ("", check->error)
		TH_LOG("%u errors", check->errors);
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_LT(0, check->overwritten);
	/*
	 * The last data is there, and no more segments were overwritten than
	 * necessary: each CPU may have one that it did not write to.
	 */
	EXPECT_EQ(self->ring.ctl->seq, check->seq);
	EXPECT_LE(self->ring.ctl->nr_segments,
		  ring_fdinfo(self->ring.fd, "ready") + self->nr);
	TH_LOG("%lu chunks kept, %lu overwritten", check->chunks,
	       check->overwritten);
}

/*
 * Tasks that start and exit share segments, so an old span may stay in a segment
 * that was published late. But all data is counted, and the newest data is there.
 */
TEST_F_TIMEOUT(overwrite, tasks, SECONDS)
{
	struct work work = {
		.forks = 3, .threads = 2, .rounds = 15, .spin = 5000,
	};
	struct auxgen_config config = {
		variant->config | AUXGEN_F_CTX | 2 << 24, variant->period,
	};
	struct check *check = self->check;
	struct child child;
	int i;

	self->nr = 0;
	check_start(check, &self->ring);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, child_start(&child, work_fn, &work));
		self->events[0] = auxgen_open(&config, child.pid, -1,
					      EV_INHERIT);
		ASSERT_LE(0, self->events[0]);
		ASSERT_EQ(0, ring_attach(&self->ring, self->events[0],
					 COOKIE(2)));
		/*
		 * Enable the event only now: data that it writes while it is not
		 * attached would be missing.
		 */
		ASSERT_EQ(0, event_enable(self->events[0]));
		child_go(&child);
		child_wait(&child);
		ASSERT_EQ(0, ring_detach(&self->ring, self->events[0]));
		close(self->events[0]);
	}
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_LT(0, ring_read_still(&self->ring, check_record, check));
	check_end(check);
	EXPECT_STREQ("", check->error)
		TH_LOG("%u errors", check->errors);
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	/* The last data is there. */
	EXPECT_EQ(self->ring.ctl->seq, check->seq);
	TH_LOG("%lu chunks kept, %lu overwritten", check->chunks,
	       check->overwritten);
}

struct copy {
	uint8_t *data;
	struct perfaux_span *spans;
	uint32_t nr_spans;
};

static void copy_segment(const struct ring *ring, uint32_t i, struct copy *copy)
{
	uint32_t max = ring->ctl->spans_per_segment;

	copy->nr_spans = __atomic_load_n(&ring->segments[i].nr_spans,
					 __ATOMIC_ACQUIRE);
	if (copy->nr_spans > max)
		copy->nr_spans = max;
	memcpy(copy->spans, ring->spans + (size_t)i * max,
	       copy->nr_spans * sizeof(*copy->spans));
	memcpy(copy->data, ring->data + (size_t)i * ring->ctl->segment_size,
	       ring->ctl->segment_size);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/*
 * While events run, copy a READY segment. If its state is the same before and after
 * the copy, the copy is whole.
 */
TEST_F_TIMEOUT(overwrite, copy_while_running, SECONDS)
{
	struct auxgen_config config = {
		variant->config | 3 << 24, variant->period,
	};
	uint64_t end = now_ns() + 30000000000ULL, valid = 0, invalid = 0;
	const struct perfaux_control *ctl = self->ring.ctl;
	struct copy copy;
	uint32_t i, k;
	int n;

	copy.data = malloc(ctl->segment_size);
	copy.spans = calloc(ctl->spans_per_segment, sizeof(*copy.spans));
	for (n = 0; n < self->nr; n++) {
		self->events[n] = auxgen_open(&config, -1, self->cpus[n],
					      EV_ENABLED);
		ASSERT_LE(0, self->events[n]);
		ASSERT_EQ(0, ring_attach(&self->ring, self->events[n],
					 COOKIE(3)));
	}
	while (valid < 300 ||
	       ring_lost(&self->ring, PERFAUX_CAUSE_OVERWRITTEN) < 100) {
		if (now_ns() > end)
			break;
		for (i = 0; i < ctl->nr_segments; i++) {
			uint64_t state = ring_state(&self->ring, i);

			if (PERFAUX_STATE(state) != PERFAUX_SEG_READY)
				continue;
			copy_segment(&self->ring, i, &copy);
			if (ring_state(&self->ring, i) != state) {
				invalid++;
				continue;
			}
			valid++;
			/* Check each copy alone: whole chunks, rising numbers. */
			memset(self->check, 0, sizeof(*self->check));
			self->check->overwrite = true;
			for (k = 0; k < copy.nr_spans; k++) {
				struct record record = {
					.span = &copy.spans[k],
					.seq = copy.spans[k].seq,
					.data = copy.data +
						copy.spans[k].offset,
				};

				check_record(self->check, &record);
			}
			ASSERT_STREQ("", self->check->error);
		}
	}
	for (n = 0; n < self->nr; n++)
		event_disable(self->events[n]);
	EXPECT_LE(300, valid);
	TH_LOG("%lu copies valid, %lu not", valid, invalid);
	free(copy.data);
	free(copy.spans);
}

TEST_HARNESS_MAIN
