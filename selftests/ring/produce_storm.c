// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of producers in the kernel that write at the same time: rawprod writes on one CPU in
 * contexts that interrupt each other, and on another one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/produce_lib.h"

#define MAX_CPUS	64
#define KIB		1024U

#define WRITERS		6

struct writer {
	pthread_t thread;
	struct rawprod_run run;
	int pin;
	int dev;
	int error;
	bool done;
};

static void *write_all(void *arg)
{
	struct writer *w = arg;

	w->error = pin_to(w->pin) ?: rawprod_run(w->dev, &w->run);
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

struct storm {
	struct ring ring;
	struct writer writer[WRITERS];
	struct stream stream[WRITERS + 1];
	struct streams all;
	int64_t bad;
};

/* Write on one CPU in all contexts, each of which interrupts the others. */
static int storm_start(struct storm *storm, uint32_t count)
{
	static const struct {
		uint32_t context, length, pause;
	} kinds[WRITERS] = {
		{ RAWPROD_TASK, 700, 0 },
		{ RAWPROD_SOFTIRQ, 90, 0 },
		{ RAWPROD_HARDIRQ, 1, 150 },
		{ RAWPROD_NMI, 1500, 170 },
		{ RAWPROD_NMI, 33, 130 },
		{ RAWPROD_TASK, 5000, 0 },
	};
	int cpus[MAX_CPUS], nr = online_cpus(cpus, MAX_CPUS), i, ret = 0;
	const int last = cpus[nr - 1];

	storm->all = (struct streams){ storm->stream, WRITERS, NULL };
	for (i = 0; !ret && i < WRITERS; i++) {
		struct writer *w = &storm->writer[i];

		w->done = false;
		w->pin = i == WRITERS - 1 ? cpus[0] : last;
		w->run = (struct rawprod_run){
			.context = kinds[i].context,
			.cpu = last,
			.length = kinds[i].length,
			.count = kinds[i].pause ? count / 4 : count,
			.pause_us = kinds[i].pause,
			.step = 1,
			.cookie = (i + 1ULL) << 32,
		};
		w->dev = rawprod_open(storm->ring.fd);
		if (w->dev < 0)
			return w->dev;
		ret = stream_init(&storm->stream[i], w->run.cookie,
				  w->run.count, w->run.length);
	}
	for (i = 0; !ret && i < WRITERS; i++)
		ret = -pthread_create(&storm->writer[i].thread, NULL, write_all,
				      &storm->writer[i]);
	return ret;
}

static bool storm_is_over(const struct storm *storm)
{
	int i;

	for (i = 0; i < WRITERS; i++)
		if (!__atomic_load_n(&storm->writer[i].done, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

static int storm_end(struct storm *storm)
{
	int i, ret = 0;

	for (i = 0; i < WRITERS; i++) {
		pthread_join(storm->writer[i].thread, NULL);
		close(storm->writer[i].dev);
		ret = ret ?: storm->writer[i].error;
	}
	return ret;
}

static void storm_take(struct storm *storm)
{
	const int64_t n = raw_read_ready(&storm->ring, stream_see, &storm->all);

	if (n < 0)
		storm->bad = n;
}

/* All writers have ended. Read what they left. Returns 0 or -errno. */
static int storm_finish(struct storm *storm)
{
	int ret = storm_end(storm);

	ret = ret ?: ring_flush(&storm->ring, 0);
	storm_take(storm);
	return ret ?: storm->bad;
}

FIXTURE(storm) {
	struct storm storm;
};

FIXTURE_SETUP(storm)
{
	module_remove_wait("rawprod");
	ASSERT_EQ(0, module_insert("rawprod", ""));
}

FIXTURE_TEARDOWN(storm)
{
	int i;

	ring_close(&self->storm.ring);
	for (i = 0; i <= WRITERS; i++)
		stream_free(&self->storm.stream[i]);
	EXPECT_EQ(0, module_remove_wait("rawprod"));
}

TEST_F_TIMEOUT(storm, read, SECONDS)
{
	struct lost lost = { .count_cookies = -1, .cookie = 0 };
	struct storm *storm = &self->storm;
	struct perfaux_create create;
	uint64_t written = 0, tried = 0;
	int i;

	ring_params(&create, 64 * KIB, 8);
	ASSERT_EQ(0, ring_open(&storm->ring, &create));
	ASSERT_EQ(0, storm_start(storm, 8000));
	while (!storm_is_over(storm)) {
		ring_poll(&storm->ring, 1);
		storm_take(storm);
		ring_read(&storm->ring, lost_see, &lost);
	}
	ASSERT_EQ(0, storm_finish(storm));
	EXPECT_STREQ("", streams_wrong(&storm->all));
	for (i = 0; i < WRITERS; i++) {
		struct writer *w = &storm->writer[i];

		EXPECT_EQ(w->run.written, storm->stream[i].committed);
		EXPECT_TRUE(stream_in_order(&storm->stream[i]));
		written += w->run.written;
		tried += w->run.count;
	}
	TH_LOG("%lu of %lu written, %u segments", written, tried,
	       (unsigned int)storm->ring.ctl->claims);
	EXPECT_LT(0, written);
	EXPECT_EQ(written, storm->ring.ctl->frames);
	EXPECT_EQ(tried - written,
		  ring_lost(&storm->ring, PERFAUX_CAUSE_FULL));
}

/* The reader abandons records that are being written, at any moment. */
TEST_F_TIMEOUT(storm, abandon, SECONDS)
{
	struct storm *storm = &self->storm;
	struct perfaux_create create;
	uint64_t written = 0, seen = 0, held = 0, abandoned, i;
	struct rawprod_run run = {
		.length = 300, .count = 1, .end = RAWPROD_HOLD, .step = 1,
	};
	int dev;

	ring_params(&create, 64 * KIB, 8);
	ASSERT_EQ(0, ring_open(&storm->ring, &create));
	dev = rawprod_open(storm->ring.fd);
	ASSERT_LE(0, dev);
	ASSERT_EQ(0, stream_init(&storm->stream[WRITERS], 0, 1000, run.length));
	ASSERT_EQ(0, storm_start(storm, 8000));
	storm->all.nr++;
	while (!storm_is_over(storm)) {
		/* This record is certainly being written. */
		ASSERT_EQ(0, rawprod_run(dev, &run));
		ASSERT_EQ(0, ring_flush(&storm->ring, PERFAUX_FLUSH_ABANDON));
		storm_take(storm);
		ASSERT_EQ(run.written, ioctl(dev, RAWPROD_IOC_END,
					     RAWPROD_COMMIT));
		held += run.written;
		run.cookie++;
	}
	close(dev);
	ASSERT_EQ(0, storm_finish(storm));
	EXPECT_STREQ("", streams_wrong(&storm->all));
	for (i = 0; i < WRITERS; i++) {
		written += storm->writer[i].run.written;
		seen += storm->stream[i].committed;
	}
	abandoned = ring_lost(&storm->ring, PERFAUX_CAUSE_ABANDONED);
	TH_LOG("%lu of %lu abandoned", abandoned, written + held);
	EXPECT_LT(0, held);
	EXPECT_EQ(held, storm->stream[WRITERS].abandoned);
	EXPECT_EQ(written + held, seen + abandoned);
	EXPECT_EQ(seen, storm->ring.ctl->frames);
}

TEST_HARNESS_MAIN
