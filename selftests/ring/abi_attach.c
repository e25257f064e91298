// SPDX-License-Identifier: GPL-2.0-only
/* Tests of every promise and every errno of uapi/perfaux.h: ATTACH, DETACH and FLUSH. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/auxgen_check.h"

FIXTURE(raw) {
	struct ring ring;
	struct ring other;
	struct auxgen_config config;
	int ev;
};

FIXTURE_SETUP(raw)
{
	struct perfaux_create create;

	ring_params(&create, 16384, 4);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	ASSERT_EQ(0, ring_open(&self->other, &create));
	self->config = (struct auxgen_config){ AUXGEN_F_CTX | 1 << 24, 0 };
	self->ev = auxgen_open(&self->config, 0, -1, 0);
	ASSERT_LE(0, self->ev);
}

FIXTURE_TEARDOWN(raw)
{
	close(self->ev);
	ring_close(&self->ring);
	ring_close(&self->other);
}

TEST_F(raw, attach_size)
{
	LONG(perfaux_attach) longer = { };
	struct perfaux_attach *edge = at_the_edge(sizeof(*edge));
	struct perfaux_attach arg = { .fd = self->ev };

	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.size = PERFAUX_ATTACH_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.size = 4097;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_ATTACH, NULL));
	*edge = (struct perfaux_attach){
		.size = sizeof(*edge) + 1, .fd = self->ev,
	};
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_ATTACH, edge));

	longer.arg = (struct perfaux_attach){
		.size = sizeof(longer), .fd = self->ev,
	};
	longer.tail[1] = 1;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_ATTACH, &longer));
	longer.tail[1] = 0;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_ATTACH, &longer));
}

TEST_F(raw, attach_values)
{
	struct perfaux_attach arg = { .size = sizeof(arg), .fd = self->ev };

	arg.flags = 2;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.flags = 1U << 31;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.flags = 0;
	arg.post = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.post = 0;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	EXPECT_EQ(auxgen_type(), self->ring.ctl->pmu_type);
	EXPECT_EQ(auxgen_type(), ring_fdinfo(self->ring.fd, "pmu_type"));
}

TEST_F(raw, attach_not_an_event)
{
	int pipes[2], fd, path;

	EXPECT_EQ(-EBADF, ring_attach(&self->ring, -1, 0));
	EXPECT_EQ(-EBADF, ring_attach(&self->ring, INT32_MAX, 0));
	fd = dup(self->ev);
	close(fd);
	EXPECT_EQ(-EBADF, ring_attach(&self->ring, fd, 0));
	path = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	EXPECT_EQ(-EBADF, ring_attach(&self->ring, path, 0));

	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, pipes[0], 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, pipes[1], 0));
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, fd, 0));
	/* An anonymous inode like perf's, but not a perf event. */
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, eventfd(0, 0), 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, epoll_create1(0), 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, self->ring.dev, 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, self->ring.fd, 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, self->other.fd, 0));
	EXPECT_EQ(-ENOENT, ring_detach(&self->ring, self->ev));
	EXPECT_EQ(0, ring_attach(&self->ring, self->ev, 0));
}

static int event_open(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	return syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
}

TEST_F(raw, attach_event_without_aux)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int ev = event_open(&clock);

	ASSERT_LE(0, ev);
	EXPECT_EQ(-EOPNOTSUPP, ring_attach(&self->ring, ev, 0));
	EXPECT_EQ(0, self->ring.ctl->pmu_type);
	close(ev);
}

TEST_F(raw, attach_second_clock)
{
	struct perf_event_attr attr = {
		.type = auxgen_type(), .config = AUXGEN_F_CTX,
	};
	int perf_clock = event_open(&attr), raw;

	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC_RAW;
	raw = event_open(&attr);
	ASSERT_LE(0, perf_clock);
	ASSERT_LE(0, raw);
	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, perf_clock, 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->ring, raw, 0));
	EXPECT_EQ(0, ring_attach(&self->other, raw, 0));
	EXPECT_EQ(-EINVAL, ring_attach(&self->other, perf_clock, 0));
	close(perf_clock);
	close(raw);
}

TEST_F(raw, attach_twice)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 2 << 24, 0 };
	int copy = dup(self->ev), second = auxgen_open(&config, 0, -1, 0);

	ASSERT_LE(0, second);
	EXPECT_EQ(0, ring_attach(&self->ring, self->ev, 1));
	EXPECT_EQ(-EBUSY, ring_attach(&self->ring, self->ev, 1));
	EXPECT_EQ(-EBUSY, ring_attach(&self->other, self->ev, 1));
	EXPECT_EQ(-EBUSY, ring_attach(&self->other, copy, 1));
	EXPECT_EQ(0, ring_attach(&self->ring, second, 2));
	/* Either descriptor names the same event. */
	EXPECT_EQ(0, ring_detach(&self->ring, copy));
	EXPECT_EQ(0, ring_attach(&self->other, self->ev, 1));
	EXPECT_EQ(-EBUSY, ring_attach(&self->ring, self->ev, 1));
	close(copy);
	close(second);
}

/*
 * An attached event outlives its descriptor, so the number of attached events is
 * limited.
 */
TEST_F(raw, attach_too_many)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 2 << 24, 0 };
	int second = auxgen_open(&config, 0, -1, 0);
	int third = auxgen_open(&config, 0, -1, 0);
	struct rlimit old, limit;
	int ret;

	ASSERT_LE(0, second);
	ASSERT_LE(0, third);
	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, 1));
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	limit = (struct rlimit){ .rlim_cur = 2, .rlim_max = old.rlim_max };
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(0, ring_attach(&self->ring, second, 2));
	ret = ring_attach(&self->ring, third, 3);
	EXPECT_EQ(-EMFILE, ret);
	/* For root the limit is per ring only. It counts the events that are attached now. */
	EXPECT_EQ(0, ring_attach(&self->other, third, 3));
	EXPECT_EQ(0, ring_detach(&self->other, third));
	EXPECT_EQ(0, ring_detach(&self->ring, second));
	EXPECT_EQ(0, ring_attach(&self->ring, third, 3));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(0, ring_attach(&self->ring, second, 2));
	close(second);
	close(third);
}

/* An event takes AUX samples of its group's leader. */
TEST_F(raw, attach_aux_sampling)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = auxgen_type(),
		.config = AUXGEN_F_CTX,
		.sample_type = PERF_SAMPLE_AUX,
		.aux_sample_size = 64,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int ev = syscall(SYS_perf_event_open, &attr, 0, -1, self->ev, 0);

	ASSERT_LE(0, ev);
	EXPECT_EQ(-EOPNOTSUPP, ring_attach(&self->ring, ev, 0));
	EXPECT_EQ(0, ring_attach(&self->ring, self->ev, 0));
	close(ev);
}

/*
 * This test needs a second PMU with an AUX area, so it removes auxgen and inserts
 * it again with two PMUs.
 */
TEST_F(raw, attach_second_pmu)
{
	struct perf_event_attr attr = {
		.config = AUXGEN_F_CTX,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	char type[32] = "";
	int second, ret;

	close(self->ev);
	self->ev = -1;
	ASSERT_EQ(0, module_remove_wait("auxgen"));
	ret = module_insert("auxgen", "pmus=2");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, file_read("/sys/bus/event_source/devices/auxgen1/type",
			       type, sizeof(type)));
	attr.type = atoi(type);
	second = event_open(&attr);
	ASSERT_LE(0, second);
	self->ev = auxgen_open(&self->config, 0, -1, 0);
	ASSERT_LE(0, self->ev);

	EXPECT_EQ(0, ring_attach(&self->ring, self->ev, 0));
	EXPECT_EQ(-EXDEV, ring_attach(&self->ring, second, 0));
	EXPECT_EQ(0, ring_attach(&self->other, second, 0));
	EXPECT_EQ(-EXDEV, ring_attach(&self->other, self->ev, 0));
	/* A ring stays with its PMU. */
	EXPECT_EQ(0, ring_detach(&self->ring, self->ev));
	EXPECT_EQ(-EXDEV, ring_attach(&self->ring, second, 0));

	/* Rings and events hold references to the driver. */
	close(second);
	close(self->ev);
	self->ev = -1;
	EXPECT_EQ(-EAGAIN, module_remove("auxgen"));
	ring_close(&self->ring);
	ring_close(&self->other);
	ASSERT_EQ(0, module_remove_wait("auxgen"));
	ASSERT_EQ(0, module_insert("auxgen", ""));
}

/*
 * The PMUs that are allowed. auxgen takes the names of these drivers, and then does
 * not declare that it may write to a ring.
 */
static const struct {
	const char *name;
	int ret;
} named_pmus[] = {
	{ "intel_pt", 0 },
	{ "intel_pt_0", -EOPNOTSUPP },
	{ "intel_pt2", -EOPNOTSUPP },
	{ "intel_bts", -EOPNOTSUPP },
	{ "arm_spe_0", -EOPNOTSUPP },
	{ "cs_etm", -EOPNOTSUPP },
	{ "hisi_ptt0_2", -EOPNOTSUPP },
	{ "cpum_sf", -EOPNOTSUPP },
	/* a driver of a later kernel, which nobody has read */
	{ "newtrace", -EOPNOTSUPP },
	{ "auxgenx", -EOPNOTSUPP },
};

static int attach_named(const char *name)
{
	struct auxgen_config config = { AUXGEN_F_CTX, 0 };
	struct perfaux_create create;
	struct ring ring;
	int event, ret;

	ring_params(&create, 16384, 4);
	ret = ring_open(&ring, &create);
	if (ret)
		return ret;
	event = pmu_open(name, &config, 0, -1, 0);
	ret = event < 0 ? event : ring_attach(&ring, event, 0);
	close(event);
	ring_close(&ring);
	return ret;
}

TEST_F_TIMEOUT(raw, attach_named_pmus, SECONDS)
{
	char params[64];
	size_t i;

	close(self->ev);
	self->ev = -1;
	ASSERT_EQ(0, module_remove_wait("auxgen"));
	for (i = 0; i < ARRAY_SIZE(named_pmus); i++) {
		snprintf(params, sizeof(params), "name=%s", named_pmus[i].name);
		ASSERT_EQ(0, module_insert("auxgen", params));
		EXPECT_EQ(named_pmus[i].ret, attach_named(named_pmus[i].name)) {
			TH_LOG("%s", named_pmus[i].name);
		}
		ASSERT_EQ(0, module_remove_wait("auxgen"));
	}
	/* auxgen declares for each of its PMUs that a raw ring can take the data. */
	ASSERT_EQ(0, module_insert("auxgen", "pmus=3"));
	EXPECT_EQ(0, attach_named("auxgen"));
	EXPECT_EQ(0, attach_named("auxgen2"));
	ASSERT_EQ(0, module_remove_wait("auxgen"));
	ASSERT_EQ(0, module_insert("auxgen", ""));
}

TEST_F(raw, detach)
{
	LONG(perfaux_detach) longer = { };
	struct perfaux_detach arg = { .fd = self->ev };
	int fd, pipes[2];

	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	arg.size = PERFAUX_DETACH_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	arg.size = 5000;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	arg.size = sizeof(arg);
	arg.flags = PERFAUX_DETACH_ALL << 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	arg.flags = PERFAUX_DETACH_ALL;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	arg.flags = 0;
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_DETACH, NULL));

	EXPECT_EQ(-ENOENT, ring_detach(&self->ring, self->ev));
	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, 0));
	EXPECT_EQ(-ENOENT, ring_detach(&self->other, self->ev));
	EXPECT_EQ(-EBADF, ring_detach(&self->ring, -1));
	fd = dup(self->ev);
	close(fd);
	EXPECT_EQ(-EBADF, ring_detach(&self->ring, fd));
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-ENOENT, ring_detach(&self->ring, pipes[0]));

	longer.arg = (struct perfaux_detach){
		.size = sizeof(longer), .fd = self->ev,
	};
	longer.tail[0] = 1ULL << 40;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_DETACH, &longer));
	longer.tail[0] = 0;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_DETACH, &longer));
	EXPECT_EQ(-ENOENT, ring_detach(&self->ring, self->ev));
	EXPECT_EQ(0, ring_attach(&self->ring, self->ev, 0));
}

TEST_F(raw, flush)
{
	LONG(perfaux_flush) longer = { .arg.size = sizeof(longer) };
	struct perfaux_flush arg = { };

	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_FLUSH, &arg));
	arg.size = PERFAUX_FLUSH_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_FLUSH, &arg));
	arg.size = 4097;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_FLUSH, &arg));
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_FLUSH, NULL));
	longer.tail[0] = 1;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_FLUSH, &longer));
	longer.tail[0] = 0;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_FLUSH, &longer));
	EXPECT_EQ(-EINVAL, ring_flush(&self->ring, 4));
	EXPECT_EQ(-EINVAL, ring_flush(&self->ring, 1U << 31));
	/* No event is attached, so FLUSH has nothing to do. */
	EXPECT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	EXPECT_EQ(0, self->ring.ctl->seq);
}

/* After FLUSH_SPANS the reader can read everything that an event has written so far. */
TEST_F(raw, flush_spans)
{
	static struct check check;

	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, COOKIE(1)));
	check_start(&check, &self->ring);
	ASSERT_EQ(0, event_enable(self->ev));
	ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	ring_read(&self->ring, check_record, &check);
	EXPECT_LE(1, check.spans);
	EXPECT_LE(32, check.chunks);
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ring_read(&self->ring, check_record, &check);
	check_end(&check);
	EXPECT_STREQ("", check.error);
}

/*
 * The ring holds the event, as a mapping would: closing the descriptor does not end
 * the event, and the task's time slices are still written.
 */
TEST_F(raw, event_descriptor_closed)
{
	static struct check check;
	uint64_t spans;

	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, COOKIE(1)));
	check_start(&check, &self->ring);
	ASSERT_EQ(0, event_enable(self->ev));
	close(self->ev);
	self->ev = -1;
	ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	spans = counter(&self->ring.ctl->spans);
	EXPECT_LE(1, spans);
	ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	EXPECT_LT(spans, counter(&self->ring.ctl->spans));
	ring_read(&self->ring, check_record, &check);
	EXPECT_STREQ("", check.error);
	EXPECT_EQ(0, ring_poll(&self->ring, 0) & POLLHUP);
}

/*
 * Detach all events of this ring, and no event of another ring. Having none is no
 * error.
 */
TEST_F(raw, detach_all)
{
	struct perfaux_detach arg = {
		.size = sizeof(arg), .flags = PERFAUX_DETACH_ALL, .fd = -1,
	};
	const struct auxgen_config config = { .period = 1000 };
	const int other = auxgen_open(&config, 0, -1, 0);

	ASSERT_LE(0, other);
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, 0));
	ASSERT_EQ(0, ring_attach(&self->ring, other, 1));
	EXPECT_EQ(0, call(self->other.fd, PERFAUX_IOC_DETACH, &arg));
	EXPECT_EQ(-EBUSY, ring_attach(&self->other, self->ev, 0));
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_DETACH, &arg));
	EXPECT_EQ(-ENOENT, ring_detach(&self->ring, self->ev));
	EXPECT_EQ(0, ring_attach(&self->other, self->ev, 0));
	EXPECT_EQ(0, ring_attach(&self->other, other, 1));
	close(other);
}

/* After DETACH nothing more is written, though the event stays enabled. */
TEST_F(raw, detach_stops)
{
	static struct check check;
	uint64_t seq;

	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, COOKIE(1)));
	check_start(&check, &self->ring);
	ASSERT_EQ(0, event_enable(self->ev));
	ASSERT_EQ(0, ring_detach(&self->ring, self->ev));
	seq = counter(&self->ring.ctl->seq);
	EXPECT_LE(1, seq);
	spin(10000000);
	sched_yield();
	EXPECT_EQ(seq, counter(&self->ring.ctl->seq));
	ring_read(&self->ring, check_record, &check);
	EXPECT_EQ(seq, check.seq);
	EXPECT_STREQ("", check.error);

	/* Attach the event again while it is enabled and already running. */
	ASSERT_EQ(0, ring_attach(&self->other, self->ev, COOKIE(1)));
	check_start(&check, &self->other);
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(&self->other, 0));
	ring_read(&self->other, check_record, &check);
	EXPECT_LE(1, check.spans);
}

static void fork_spinner_fn(void *arg)
{
	(void)arg;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			spin(1000000);
	}
	wait(NULL);
}

static uint32_t busy_segments(const struct ring *ring)
{
	uint32_t i, n = 0;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		n += PERFAUX_STATE(ring_state(ring, i)) == PERFAUX_SEG_BUSY;
	return n;
}

/* FLUSH and DETACH of an event also apply to the events inherited from it. */
TEST_F_TIMEOUT(raw, inherited, SECONDS)
{
	const struct perfaux_control *ctl = self->ring.ctl;
	struct child child;
	uint64_t spans;
	int ev, i, k;

	ASSERT_EQ(0, child_start(&child, fork_spinner_fn, NULL));
	ev = auxgen_open(&self->config, child.pid, -1,
			 EV_INHERIT | EV_ENABLED);
	ASSERT_LE(0, ev);
	child_go(&child);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
		/* The waiting task does not have a span open for long. */
		while (!busy_segments(&self->ring))
			;
		spans = counter(&ctl->spans);
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
		EXPECT_LT(spans, counter(&ctl->spans));
		while (!busy_segments(&self->ring))
			;
		spans = counter(&ctl->spans);
		ASSERT_EQ(0, ring_detach(&self->ring, ev));
		EXPECT_EQ(0, busy_segments(&self->ring));
		EXPECT_LT(spans, counter(&ctl->spans));
		/* Nobody reads, so make room for the next round. */
		for (k = 0; k < 4; k++)
			self->ring.marks[k] =
				PERFAUX_SEQ(ring_state(&self->ring, k));
	}
	child_kill(&child);
	close(ev);
}

TEST_HARNESS_MAIN
