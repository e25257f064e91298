// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of producers in the kernel: rawprod writes records with the functions that
 * perfaux exports, from every context.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/produce_lib.h"

#define MAX_CPUS	64
#define KIB		1024U
#define MIB		(1024 * KIB)

/* --- each context, each length --------------------------------------------- */

FIXTURE(context) {
	struct ring ring;
	int dev;
	int cpu;
};

FIXTURE_VARIANT(context) {
	uint32_t context;
};

FIXTURE_VARIANT_ADD(context, task) { .context = RAWPROD_TASK };
FIXTURE_VARIANT_ADD(context, softirq) { .context = RAWPROD_SOFTIRQ };
FIXTURE_VARIANT_ADD(context, hardirq) { .context = RAWPROD_HARDIRQ };
FIXTURE_VARIANT_ADD(context, nmi) { .context = RAWPROD_NMI };

FIXTURE_SETUP(context)
{
	struct perfaux_create create;
	int cpus[MAX_CPUS];

	/* A test that failed may have left the module loaded. */
	module_remove_wait("rawprod");
	ASSERT_EQ(0, module_insert("rawprod", ""));
	ring_params(&create, 2 * MIB, 16);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->dev = rawprod_open(self->ring.fd);
	ASSERT_LE(0, self->dev);
	/* Not the first CPU, which also serves interrupts. */
	self->cpu = cpus[online_cpus(cpus, MAX_CPUS) - 1];
	ASSERT_EQ(0, pin_to(self->cpu));
}

FIXTURE_TEARDOWN(context)
{
	close(self->dev);
	ring_close(&self->ring);
	EXPECT_EQ(0, module_remove_wait("rawprod"));
}

static const struct {
	uint32_t length;
	uint32_t count;
} lengths[] = {
	{ 0, 10 },
	{ 1, 500 },
	{ 7, 500 },
	{ 64, 500 },
	{ 8 * KIB, 200 },
	{ 64 * KIB - 1, 60 },
	{ 64 * KIB, 60 },
	{ MIB, 12 },
};

TEST_F_TIMEOUT(context, every_length, SECONDS)
{
	uint64_t frames = 0, bytes = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct rawprod_run run = {
			.context = variant->context,
			.cpu = self->cpu,
			.length = lengths[i].length,
			.count = lengths[i].count,
			.pause_us = variant->context > RAWPROD_SOFTIRQ ? 200 : 0,
			.step = 1,
			.cookie = (uint64_t)i << 32,
		};
		struct stream s;
		struct streams all = { &s, 1, NULL };

		ASSERT_EQ(0, stream_init(&s, run.cookie, run.count, run.length));
		ASSERT_EQ(0, rawprod_run(self->dev, &run));
		EXPECT_EQ(run.count, run.written);
		ASSERT_EQ(0, ring_flush(&self->ring, 0));
		EXPECT_EQ(run.count, raw_walk(&self->ring, NULL, NULL, false));
		EXPECT_EQ(run.count, raw_read_ready(&self->ring, stream_see,
						    &all));
		EXPECT_STREQ("", streams_wrong(&all));
		EXPECT_EQ(run.count, s.committed);
		EXPECT_TRUE(stream_in_order(&s));
		EXPECT_EQ(self->cpu, s.last->cpu);
		if (variant->context == RAWPROD_TASK) {
			EXPECT_EQ(getpid(), s.last->pid);
			EXPECT_EQ(syscall(SYS_gettid), s.last->tid);
		}
		frames += run.count;
		bytes += (uint64_t)run.count * run.length;
		stream_free(&s);
	}
	EXPECT_EQ(frames, self->ring.ctl->frames);
	EXPECT_EQ(bytes, self->ring.ctl->frame_bytes);
	EXPECT_EQ(0, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_EQ(0, self->ring.ctl->gaps);
}

/* Nobody reads: records without room are counted, and are a gap. */
TEST_F_TIMEOUT(context, loss, SECONDS)
{
	struct rawprod_run run = {
		.context = variant->context,
		.cpu = self->cpu,
		.length = MIB / 2,
		.count = 100,
		.pause_us = variant->context > RAWPROD_SOFTIRQ ? 200 : 0,
		.cookie = 5,
	};
	struct lost lost = { .cookie = 5, .count_cookies = 1 };
	struct stream s;
	struct streams all = { &s, 1, NULL };
	uint64_t n;

	ASSERT_EQ(0, stream_init(&s, run.cookie, 1, run.length));
	s.same_cookie = true;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	n = run.count - run.written;
	/* Three records fit into a segment. */
	EXPECT_EQ(3 * 16, run.written);
	EXPECT_EQ(n, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_EQ(n * run.length,
		  self->ring.ctl->lost_bytes[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(run.written, raw_read_ready(&self->ring, stream_see, &all));

	/* There is room again, which ends the gap. */
	run.count = 1;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(1, run.written);
	ring_read(&self->ring, lost_see, &lost);
	EXPECT_EQ(NULL, lost.wrong);
	EXPECT_LE(1, lost.gaps);
	EXPECT_EQ(n, lost.count[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(n * run.length, lost.bytes[PERFAUX_CAUSE_FULL]);
	EXPECT_STREQ("", streams_wrong(&all));
	EXPECT_EQ(48, s.committed);
	stream_free(&s);
}

TEST_F(context, discard)
{
	struct rawprod_run run = {
		.context = variant->context,
		.cpu = self->cpu,
		.length = 100,
		.count = 20,
		.pause_us = variant->context > RAWPROD_SOFTIRQ ? 200 : 0,
		.end = RAWPROD_DISCARD,
		.step = 1,
	};
	struct stream s;
	struct streams all = { &s, 1, NULL };

	ASSERT_EQ(0, stream_init(&s, 0, 40, run.length));
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(run.count, run.written);
	run.end = RAWPROD_COMMIT;
	run.cookie = 20;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(40, raw_read_ready(&self->ring, stream_see, &all));
	EXPECT_STREQ("", streams_wrong(&all));
	EXPECT_EQ(20, s.discarded);
	EXPECT_EQ(20, s.committed);
	EXPECT_EQ(20, self->ring.ctl->frames);
	EXPECT_EQ(2000, self->ring.ctl->frame_bytes);
	stream_free(&s);
}

/* --- lifetime -------------------------------------------------------------- */

FIXTURE(held) {
	struct ring ring;
	int dev;
};

FIXTURE_SETUP(held)
{
	struct perfaux_create create;

	module_remove_wait("rawprod");
	ASSERT_EQ(0, module_insert("rawprod", ""));
	ring_params(&create, 16 * KIB, 2);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->dev = rawprod_open(self->ring.fd);
	ASSERT_LE(0, self->dev);
	ASSERT_EQ(0, pin_to(0));
}

FIXTURE_TEARDOWN(held)
{
	close(self->dev);
	ring_close(&self->ring);
	EXPECT_EQ(0, module_remove_wait("rawprod"));
}

static int64_t refcount(const char *module)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", module);
	return file_read(path, text, sizeof(text)) ? -1 : atoi(text);
}

TEST_F(held, errors)
{
	int dev = rawprod_open(self->ring.fd);

	/* A ring has any number of producers. */
	EXPECT_LE(0, dev);
	close(dev);
	EXPECT_EQ(-EBADF, rawprod_open(-1));
	EXPECT_EQ(-EINVAL, rawprod_open(self->ring.dev));
	EXPECT_EQ(0, ioctl(self->dev, RAWPROD_IOC_CLOSED));
}

/* A frame longer than a segment */
TEST_F(held, too_large)
{
	const uint32_t most = 16 * KIB - sizeof(struct perfaux_frame);
	struct rawprod_run run = { .length = most + 1, .count = 3, .cookie = 9 };
	struct lost lost = { .cookie = 9, .count_cookies = 1 };

	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(0, run.written);
	run.length = -1;
	run.count = 1;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(0, run.written);
	EXPECT_EQ(4, ring_lost(&self->ring, PERFAUX_CAUSE_TOO_LARGE));
	EXPECT_EQ(4, ring_fdinfo(self->ring.fd, "lost_too_large"));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ring_read(&self->ring, lost_see, &lost);
	EXPECT_EQ(4, lost.count[PERFAUX_CAUSE_TOO_LARGE]);
	EXPECT_EQ(3ULL * (most + 1) + UINT32_MAX,
		  lost.bytes[PERFAUX_CAUSE_TOO_LARGE]);
	EXPECT_EQ(lost.bytes[PERFAUX_CAUSE_TOO_LARGE],
		  self->ring.ctl->lost_bytes[PERFAUX_CAUSE_TOO_LARGE]);
	run.length = most;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(1, run.written);
}

/* A reserved record holds up its segment, but no other. */
TEST_F(held, holds_up)
{
	struct rawprod_run run = {
		.length = 1000, .count = 1, .end = RAWPROD_HOLD, .cookie = 1,
	};
	struct stream s;
	struct streams all = { &s, 1, NULL };

	ASSERT_EQ(0, stream_init(&s, 1, 4, run.length));
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(1, run.written);
	run.end = RAWPROD_COMMIT;
	run.count = 2;
	run.cookie = 2;
	run.step = 1;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(2, run.written);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(0, raw_walk(&self->ring, NULL, NULL, false));
	/* The segment is closed, so the next record goes to the other segment. */
	run.count = 1;
	run.cookie = 4;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(1, raw_walk(&self->ring, NULL, NULL, false));

	EXPECT_EQ(1, ioctl(self->dev, RAWPROD_IOC_END, RAWPROD_COMMIT));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(4, raw_read_ready(&self->ring, stream_see, &all));
	EXPECT_STREQ("", streams_wrong(&all));
	EXPECT_EQ(4, s.committed);
	EXPECT_EQ(4, self->ring.ctl->frames);
	stream_free(&s);
}

/*
 * When a record is given up, the reader continues. The late commit does nothing, but until then
 * nobody else gets the memory.
 */
TEST_F(held, abandoned)
{
	struct rawprod_run run = {
		.length = 1000, .count = 1, .end = RAWPROD_HOLD, .cookie = 1,
		.step = 1,
	};
	struct stream s;
	struct streams all = { &s, 1, NULL };
	uint64_t state[2], n;
	uint32_t first;

	ASSERT_EQ(0, stream_init(&s, 1, 1000, run.length));
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	first = PERFAUX_STATE(ring_state(&self->ring, 0)) != PERFAUX_SEG_BUSY;
	run.end = RAWPROD_COMMIT;
	run.count = 2;
	run.cookie = 2;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_ABANDON));
	EXPECT_EQ(1, ring_lost(&self->ring, PERFAUX_CAUSE_ABANDONED));
	EXPECT_EQ(1000, self->ring.ctl->lost_bytes[PERFAUX_CAUSE_ABANDONED]);
	state[0] = ring_state(&self->ring, first);
	EXPECT_EQ(PERFAUX_SEG_READY, PERFAUX_STATE(state[0]));
	EXPECT_EQ(3, raw_read_ready(&self->ring, stream_see, &all));
	EXPECT_STREQ("", streams_wrong(&all));
	EXPECT_EQ(1, s.abandoned);
	EXPECT_EQ(2, s.committed);
	EXPECT_EQ(2, self->ring.ctl->frames);
	/* The reader has released everything, so nothing wakes it. */
	EXPECT_EQ(0, ring_poll(&self->ring, 0));
	EXPECT_EQ(0, ring_fdinfo(self->ring.fd, "ready"));

	/* Only the other segment can be written to. */
	run.count = 100;
	run.cookie = 4;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	n = run.written;
	EXPECT_EQ(16 * KIB / (1000 + sizeof(struct perfaux_frame)), n);
	EXPECT_EQ(100 - n, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	EXPECT_EQ(state[0], ring_state(&self->ring, first));

	EXPECT_EQ(1, ioctl(self->dev, RAWPROD_IOC_END, RAWPROD_COMMIT));
	/* The segment may be FREE by now: see pa_segments_give_back(). */
	EXPECT_EQ(PERFAUX_SEQ(state[0]), PERFAUX_SEQ(ring_state(&self->ring, first)));
	EXPECT_EQ(1, ring_lost(&self->ring, PERFAUX_CAUSE_ABANDONED));
	run.count = 1;
	run.cookie = 200;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(1, run.written);
	state[1] = ring_state(&self->ring, first);
	EXPECT_LT(PERFAUX_SEQ(state[0]), PERFAUX_SEQ(state[1]));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(n + 1, raw_read_ready(&self->ring, stream_see, &all));
	EXPECT_STREQ("", streams_wrong(&all));
	EXPECT_EQ(n + 3, self->ring.ctl->frames);
	EXPECT_EQ(n + 3, s.committed);
	stream_free(&s);
}

/*
 * The reader sleeps while late records keep all segments from everybody. When one
 * of these records has ended, its segment has been written in part and has no room
 * for the next record. Then the reader must make room.
 */
TEST_F(held, starved_again)
{
	struct rawprod_run run = {
		.length = 9000, .count = 1, .end = RAWPROD_HOLD,
	};
	/* Only wake-ups count that come after the last epoll_wait(). */
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int poller = epoll_create1(EPOLL_CLOEXEC), other, i, n = 0;
	int cpus[MAX_CPUS];

	if (online_cpus(cpus, MAX_CPUS) < 2)
		SKIP(return, "one CPU: a write ends its gap");
	other = rawprod_open(self->ring.fd);
	ASSERT_LE(0, other);
	/* One record in each segment: FLUSH closes the first segment. */
	ASSERT_EQ(0, rawprod_run(other, &run));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	ASSERT_EQ(1, run.written);
	ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_ABANDON));
	ASSERT_EQ(2, raw_read_ready(&self->ring, NULL, NULL));
	run.end = RAWPROD_COMMIT;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	ASSERT_EQ(0, run.written);
	ASSERT_EQ(0, epoll_ctl(poller, EPOLL_CTL_ADD, self->ring.fd, &event));

	ASSERT_EQ(1, ioctl(self->dev, RAWPROD_IOC_END, RAWPROD_COMMIT));
	/* From here on poll() is called again only if somebody wakes the reader. */
	ASSERT_EQ(0, epoll_wait(poller, &event, 1, 0));
	ASSERT_EQ(0, pin_to(cpus[1]));
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	ASSERT_EQ(1, run.written);
	/* If the work of the loss above is late, it publishes this segment and wakes the reader. */
	epoll_wait(poller, &event, 1, 0);
	/*
	 * Losses wake the reader at most once a jiffy. The first loss here may be in the
	 * same jiffy as the last wake-up, so try again.
	 */
	ASSERT_EQ(0, pin_to(cpus[0]));
	for (i = 0; !n && i < 100; i++) {
		ASSERT_EQ(0, rawprod_run(self->dev, &run));
		ASSERT_EQ(0, run.written);
		n = epoll_wait(poller, &event, 1, 20);
	}
	EXPECT_EQ(1, n);
	EXPECT_EQ(1, raw_read_ready(&self->ring, NULL, NULL));
	close(other);
	close(poller);
}

/* Return whether the reader was woken since the last call. */
static bool woken(int poller)
{
	struct epoll_event event;

	return epoll_wait(poller, &event, 1, 0) == 1;
}

/*
 * The reader does not read, and each record is lost. The first loss wakes the reader.
 * Later losses wake it again, because segments may have come back meanwhile, but at most
 * once a jiffy.
 */
TEST_F(held, starved_storm)
{
	struct rawprod_run run = { .length = 9000, .count = 2 };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int poller = epoll_create1(EPOLL_CLOEXEC), i, wakes = 0;
	uint64_t begin, ticks = 0;
	struct timespec tick;

	/* The resolution of this clock is a jiffy. */
	ASSERT_EQ(0, clock_getres(CLOCK_MONOTONIC_COARSE, &tick));
	/* One record in each segment */
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	ASSERT_EQ(2, run.written);
	ASSERT_EQ(0, epoll_ctl(poller, EPOLL_CTL_ADD, self->ring.fd, &event));
	while (woken(poller))
		;
	run.count = 1;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	ASSERT_EQ(0, run.written);
	EXPECT_EQ(1, epoll_wait(poller, &event, 1, 5000));
	/*
	 * poll() publishes the gap of the losses before it, and a new gap wakes the reader,
	 * too. From here on no gap finds an entry.
	 */
	for (i = 0; !ring_lost(&self->ring, PERFAUX_CAUSE_NO_GAP); i++) {
		ASSERT_GE(self->ring.ctl->nr_gaps, i);
		ASSERT_EQ(0, rawprod_run(self->dev, &run));
		EXPECT_LE(0, ring_poll(&self->ring, 0));
	}
	while (woken(poller))
		;
	begin = now_ns();
	for (i = 0; i < 1000 || ticks < 10; i++) {
		ASSERT_EQ(0, rawprod_run(self->dev, &run));
		ASSERT_EQ(0, run.written);
		wakes += woken(poller);
		ticks = (now_ns() - begin) / tick.tv_nsec;
	}
	EXPECT_LE(1, wakes);
	EXPECT_GE(ticks + 2, wakes);
	TH_LOG("woken %d times in %lu jiffies", wakes, ticks);
	close(poller);
}

/*
 * All segments are READY and could be overwritten, but a late record is still being
 * written to each, so none may be. If an event finds this, the module must not
 * restart the event again and again.
 */
TEST_F(held, starved_of_overwriting)
{
	const struct auxgen_config config = { .config = AUXGEN_F_CTX | 1 };
	struct rawprod_run run = { .length = 1000, .count = 1, .end = RAWPROD_HOLD };
	struct perfaux_create create;
	struct pollfd never = { .fd = -1 };
	int dev, event, i;
	struct ring ring;
	uint64_t lost;

	ring_params(&create, 16 * KIB, 2);
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&ring, &create));
	/* The producer uses the clock of the ring's events. */
	event = auxgen_open(&config, -1, 0, 0);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, ring_attach(&ring, event, 1));
	dev = rawprod_open(ring.fd);
	ASSERT_LE(0, dev);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, rawprod_run(dev, &run));
		ASSERT_EQ(1, run.written);
		ASSERT_EQ(0, ring_flush(&ring, PERFAUX_FLUSH_ABANDON));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(PERFAUX_SEG_READY, PERFAUX_STATE(ring_state(&ring, i)));

	ASSERT_EQ(0, event_enable(event));
	lost = ring_lost(&ring, PERFAUX_CAUSE_FULL);
	EXPECT_LT(0, lost);
	/* An event that looks again and again would have thousands of losses. */
	poll(&never, 1, 200);
	EXPECT_GE(lost + 20, ring_lost(&ring, PERFAUX_CAUSE_FULL));

	/* Now segments may be overwritten, and the module restarts the event. */
	EXPECT_EQ(2, ioctl(dev, RAWPROD_IOC_END, RAWPROD_COMMIT));
	for (i = 0; i < 100 && !ring_lost(&ring, PERFAUX_CAUSE_OVERWRITTEN); i++)
		poll(&never, 1, 20);
	EXPECT_EQ(1, ring_lost(&ring, PERFAUX_CAUSE_OVERWRITTEN));
	ASSERT_EQ(0, event_disable(event));
	close(event);
	close(dev);
	ring_close(&ring);
}

/* The ring is closed while a record is being written. */
TEST_F(held, closed)
{
	struct rawprod_run run = {
		.length = 1000, .count = 2, .end = RAWPROD_HOLD, .cookie = 1,
	};

	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(2, run.written);
	ring_close(&self->ring);
	EXPECT_EQ(1, ioctl(self->dev, RAWPROD_IOC_CLOSED));
	run.end = RAWPROD_COMMIT;
	run.count = 10;
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(0, run.written);
	EXPECT_EQ(2, ioctl(self->dev, RAWPROD_IOC_END, RAWPROD_COMMIT));
	ASSERT_EQ(0, rawprod_run(self->dev, &run));
	EXPECT_EQ(0, run.written);
	/* The producer's own reference is also one to perfaux. */
	EXPECT_EQ(2, refcount("perfaux"));
	EXPECT_EQ(0, ioctl(self->dev, RAWPROD_IOC_PUT));
}

/* perfaux cannot be removed while a producer exists, even if the ring is closed. */
TEST_F(held, modules)
{
	struct perfaux_create create;
	int ret;

	ring_close(&self->ring);
	ret = module_remove("perfaux");
	EXPECT_TRUE(ret == -EAGAIN || ret == -EWOULDBLOCK);
	EXPECT_EQ(0, ioctl(self->dev, RAWPROD_IOC_PUT));
	EXPECT_EQ(-EAGAIN, module_remove("rawprod"));
	close(self->dev);
	EXPECT_EQ(0, module_remove_wait("rawprod"));
	/* The ring's memory is freed, too: the ring has gone with the reference. */
	EXPECT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, module_insert("perfaux", ""));
	ASSERT_EQ(0, module_insert("rawprod", ""));
	ring_params(&create, 16 * KIB, 2);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->dev = rawprod_open(self->ring.fd);
	EXPECT_LE(0, self->dev);
}

/* --- with events ----------------------------------------------------------- */

static int tracepoint_event(bool monotonic)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = raw_tracepoint("task", "task_rename"),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
		.use_clockid = monotonic,
		.clockid = monotonic ? CLOCK_MONOTONIC : 0,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* If the producer comes first, the ring has perf's own clock. */
TEST_F(held, default_clock)
{
	int monotonic = tracepoint_event(true), own = tracepoint_event(false);

	ASSERT_LE(0, monotonic);
	ASSERT_LE(0, own);
	EXPECT_EQ(-EINVAL, raw_attach(&self->ring, monotonic, 0));
	EXPECT_EQ(0, raw_attach(&self->ring, own, 0));
	EXPECT_EQ(-EINVAL, raw_attach(&self->ring, monotonic, 0));
	EXPECT_EQ(0, ring_detach(&self->ring, own));
	EXPECT_EQ(-EINVAL, raw_attach(&self->ring, monotonic, 0));
	close(monotonic);
	close(own);
}

/* A producer that comes later uses the clock of the events. */
TEST_F(held, clock_of_events)
{
	struct rawprod_run run = { .length = 8, .count = 1, .step = 1 };
	int event = tracepoint_event(true), dev;
	struct perfaux_create create;
	uint64_t before, after;
	struct stream s;
	struct streams all = { &s, 1, NULL };
	struct ring ring;

	ASSERT_EQ(0, stream_init(&s, 0, 1, run.length));
	ring_params(&create, 16 * KIB, 2);
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, raw_attach(&ring, event, 0));
	dev = rawprod_open(ring.fd);
	ASSERT_LE(0, dev);
	before = now_ns();
	ASSERT_EQ(0, rawprod_run(dev, &run));
	after = now_ns();
	ASSERT_EQ(0, ring_flush(&ring, 0));
	EXPECT_EQ(1, raw_read_ready(&ring, stream_see, &all));
	EXPECT_LE(before, s.times[0]);
	EXPECT_GE(after, s.times[0]);
	close(dev);
	close(event);
	ring_close(&ring);
	stream_free(&s);
}

TEST_HARNESS_MAIN
