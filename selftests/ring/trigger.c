// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of PERFAUX_ATTACH_TRIGGER and PERFAUX_IOC_THAW: a trigger stops the
 * overwriting where it happens.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/hold_lib.h"
#include "lib/rawgen_check.h"

/* --- arguments ------------------------------------------------------------- */

FIXTURE(args) {
	struct ring ring;	/* overwrite */
	struct ring other;	/* not overwrite */
	struct raw_event ev;
};

FIXTURE_SETUP(args)
{
	const struct perf_event_attr attr = raw_rename_attr();
	struct perfaux_create create;

	ring_params(&create, 4096, 4);
	ASSERT_EQ(0, ring_open(&self->other, &create));
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	ASSERT_EQ(0, raw_open(&self->ev, &attr, 0, -1, 0));
}

FIXTURE_TEARDOWN(args)
{
	raw_close(&self->ev);
	ring_close(&self->ring);
	ring_close(&self->other);
}

TEST_F(args, attach)
{
	struct perfaux_attach arg = {
		.size = sizeof(arg), .flags = PERFAUX_ATTACH_TRIGGER,
		.fd = self->ev.fd, .post = 1U << 31,
	};
	struct perf_event_attr counts = raw_rename_attr();
	struct raw_event ev;

	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.post = 1;
	arg.flags = 0;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.flags = PERFAUX_ATTACH_RAW;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.flags |= PERFAUX_ATTACH_TRIGGER;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.flags = PERFAUX_ATTACH_TRIGGER;
	EXPECT_EQ(-EINVAL, call(self->other.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.post = (1U << 31) - 1;
	EXPECT_EQ(0, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	EXPECT_EQ(-EBUSY, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	EXPECT_EQ(-EBUSY, raw_attach(&self->ring, self->ev.fd, 0));
	EXPECT_EQ(0, ring_detach(&self->ring, self->ev.fd));
	EXPECT_EQ(-ENOENT, ring_detach(&self->ring, self->ev.fd));
	EXPECT_EQ(0, raw_attach(&self->ring, self->ev.fd, 0));

	counts.sample_period = 0;
	ASSERT_EQ(0, raw_open(&ev, &counts, 0, -1, 0));
	arg.fd = ev.fd;
	EXPECT_EQ(-EOPNOTSUPP, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	raw_close(&ev);
}

TEST_F(args, thaw)
{
	struct perfaux_thaw arg = { };

	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_THAW, &arg));
	arg.size = sizeof(arg);
	EXPECT_EQ(-ENOENT, call(self->ring.fd, PERFAUX_IOC_THAW, &arg));
	arg.flags = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_THAW, &arg));
	arg.flags = 0;
	arg.size = 5000;
	EXPECT_EQ(-E2BIG, call(self->ring.fd, PERFAUX_IOC_THAW, &arg));
	EXPECT_EQ(-EFAULT, call(self->ring.fd, PERFAUX_IOC_THAW, NULL));
}

/* --- a ring that is written to all the time -------------------------------- */

FIXTURE(trigger) {
	struct ring ring;
	int events[CHECK_CPUS];
	int cpus[CHECK_CPUS];
	int nr;
	/* the first CPU's event is a trigger; each event sends NMIs to the next CPU */
	struct rawgen_source nmi[CHECK_CPUS];
	struct raw_event task;
	int ev;			/* the trigger */
	int firing[CHECK_CPUS];
	int nr_firing;
};

FIXTURE_VARIANT(trigger) {
	bool nmi;
	uint32_t post;
};

FIXTURE_VARIANT_ADD(trigger, task_0) { .post = 0 };
FIXTURE_VARIANT_ADD(trigger, task_7) { .post = 7 };
FIXTURE_VARIANT_ADD(trigger, nmi_0) { .nmi = true, .post = 0 };
FIXTURE_VARIANT_ADD(trigger, nmi_100) { .nmi = true, .post = 100 };

FIXTURE_SETUP(trigger)
{
	const struct rawgen_config nmi = {
		.config = RAWGEN_CONTEXT(RAWGEN_NMI),
		.config1 = 2000ULL << 32 | 64,
	};
	struct perf_event_attr rename = raw_rename_attr();
	int i;

	rename.inherit = 1;
	self->nr = online_cpus(self->cpus, CHECK_CPUS);
	ASSERT_EQ(0, open_all(&self->ring, self->events, self->cpus, self->nr));
	ASSERT_EQ(0, raw_open(&self->task, &rename, 0, -1, 0));
	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, rawgen_open(&self->nmi[i], &nmi, -1, self->cpus[i],
					 1U << 16));
		self->firing[i] = self->nmi[i].ev.fd;
	}
	self->nr_firing = self->nr;
	if (!variant->nmi) {
		self->firing[0] = self->task.fd;
		self->nr_firing = 1;
	}
	self->ev = self->firing[0];
	ASSERT_EQ(0, ring_attach_trigger(&self->ring, self->ev, 99,
					 variant->post));
}

FIXTURE_TEARDOWN(trigger)
{
	int i;

	raw_close(&self->task);
	for (i = 0; i < self->nr; i++) {
		raw_close(&self->nmi[i].ev);
		close(self->events[i]);
	}
	ring_close(&self->ring);
}

/* Wait for at least one sample. If the event is that of a task, a child makes the sample. */
static void wait_fired(const struct ring *ring, uint64_t before)
{
	while (counter(&ring->ctl->triggers) == before) {
		if (!fork()) {
			prctl(PR_SET_NAME, "trigger");
			_exit(0);
		}
		wait(NULL);
	}
}

static int fire(const struct ring *ring, const int *firing, int nr)
{
	const uint64_t before = counter(&ring->ctl->triggers);
	int ret = switch_all(firing, nr, event_enable);

	if (ret)
		return ret;
	wait_fired(ring, before);
	return switch_all(firing, nr, event_disable);
}

static bool is_frozen(const struct ring *ring)
{
	const bool frozen = __atomic_load_n(&ring->ctl->flags, __ATOMIC_ACQUIRE) &
			    PERFAUX_CTL_FROZEN;

	return frozen && ring_poll((struct ring *)ring, 0) & POLLPRI;
}

/* Exactly @post more segments are overwritten until the ring is thawed. */
TEST_F_TIMEOUT(trigger, post, SECONDS)
{
	const __u64 *frozen = &self->ring.ctl->lost_count[PERFAUX_CAUSE_FROZEN];
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint64_t before, begin, k, lost;
	uint32_t i, n;

	for (k = 0; k < 3; k++) {
		ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
		ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + nr));
		ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
		EXPECT_FALSE(is_frozen(ring));
		EXPECT_EQ(0, ring_poll(ring, 0) & POLLPRI);
		before = counter(overwritten(ring));
		lost = counter(frozen);
		begin = now_ns();
		ASSERT_EQ(0, fire(ring, self->firing, self->nr_firing));
		EXPECT_TRUE(is_frozen(ring));
		EXPECT_EQ(POLLPRI, ring_poll(ring, 10000) & POLLPRI);
		EXPECT_LE(begin, ring->ctl->frozen_time);
		EXPECT_GE(now_ns(), ring->ctl->frozen_time);
		EXPECT_EQ(99, ring->ctl->frozen_cookie);
		begin = ring->ctl->frozen_time;
		/* A second trigger changes nothing. */
		ASSERT_EQ(0, fire(ring, self->firing, self->nr_firing));
		EXPECT_EQ(begin, ring->ctl->frozen_time);

		ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
		ASSERT_TRUE(work_until(frozen, lost + 20));
		EXPECT_EQ(before + variant->post, counter(overwritten(ring)));
		ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
		EXPECT_EQ(before + variant->post, counter(overwritten(ring)));

		ASSERT_LT(0, ring_hold(ring, 0, 0));
		for (i = 0, n = 0; i < nr; i++) {
			n += is_held(ring, i);
			release(ring, i);
		}
		EXPECT_LT(nr / 2, n);
		EXPECT_EQ(0, ring_thaw(ring));
		EXPECT_EQ(-ENOENT, ring_thaw(ring));
		EXPECT_FALSE(is_frozen(ring));
	}
	EXPECT_EQ(0, ring_lost(ring, PERFAUX_CAUSE_FULL));
	EXPECT_LE(6, ring_fdinfo(ring->fd, "triggers"));
	EXPECT_LT(0, ring_fdinfo(ring->fd, "lost_frozen"));
}

/* HOLD with THAW: writers that continue overwrite no earlier data. */
TEST_F_TIMEOUT(trigger, hold_and_thaw, SECONDS)
{
	const uint32_t nr = self->ring.ctl->nr_segments;
	struct ring *ring = &self->ring;
	uint32_t i, k, left = 0;
	struct use uses[nr];

	for (k = 0; k < rounds(5); k++) {
		ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
		ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + nr));
		ASSERT_EQ(0, fire(ring, self->firing, self->nr_firing));
		for (i = 0; i < nr; i++)
			uses[i] = use_of(ring, i);
		ASSERT_EQ(nr / 2, ring_hold(ring, PERFAUX_FLUSH_SPANS | PERFAUX_HOLD_THAW,
					    nr / 2));
		EXPECT_FALSE(is_frozen(ring));
		EXPECT_EQ(-ENOENT, ring_thaw(ring));
		ASSERT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + nr));
		for (i = 0; i < nr; i++)
			left += is_left(ring, i, &uses[i]);
		ASSERT_EQ(0, switch_all(self->events, self->nr, event_disable));
		ASSERT_EQ(0, ring_unhold_all(ring));
		ring_thaw(ring);
	}
	EXPECT_EQ(0, left);
}

/* Trigger all the time, and thaw, hold and attach all the time. */
TEST_F_TIMEOUT(trigger, storm, SECONDS)
{
	/* Debug kernels are slow. */
	const uint64_t end = now_ns() + 30000000000ULL;
	struct ring *ring = &self->ring;
	uint64_t thaws = 0;
	uint32_t i, n;

	ASSERT_EQ(0, switch_all(self->events, self->nr, event_enable));
	ASSERT_TRUE(work_until(overwritten(ring), ring->ctl->nr_segments));
	ASSERT_EQ(0, switch_all(self->firing, self->nr_firing, event_enable));
	for (n = 0; n < rounds(300) && now_ns() < end; n++) {
		wait_fired(ring, counter(&ring->ctl->triggers));
		ASSERT_LE(0, ring_hold(ring, n % 2 ? PERFAUX_FLUSH_SPANS : 0, n % 5));
		for (i = 0; i < ring->ctl->nr_segments; i++)
			if (is_held(ring, i))
				release(ring, i);
		if (n % 3 == 0) {
			ASSERT_EQ(0, ring_detach(ring, self->ev));
			ASSERT_EQ(0, ring_attach_trigger(ring, self->ev, n,
							 variant->post));
		}
		thaws += !ring_thaw(ring);
	}
	EXPECT_LT(10, n);
	EXPECT_EQ(n, thaws);
	EXPECT_LE(n, counter(&ring->ctl->triggers));
	ASSERT_EQ(0, switch_all(self->firing, self->nr_firing, event_disable));
	ring_thaw(ring);
	EXPECT_TRUE(work_until(overwritten(ring), counter(overwritten(ring)) + 20));
}

TEST_HARNESS_MAIN
