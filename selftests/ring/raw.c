// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of PERFAUX_ATTACH_RAW: the raw data of samples is in the ring, and a
 * reference in the sample.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/raw_bpf.h"
#include "lib/raw_lib.h"
#include "lib/raw_seen.h"

#define MAX_CPUS	64
#define MIB		(1U << 20)
#define MAIN_SIZE	(256U << 10)

static struct perf_event_attr output_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
	};
}

/* Hit task:task_rename once. */
static void rename_to(unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "raw-%u", n);
	prctl(PR_SET_NAME, name);
}

/* --- what may be attached -------------------------------------------------- */

FIXTURE(attach) {
	struct ring ring;
	struct raw_event ev;
};

FIXTURE_SETUP(attach)
{
	const struct perf_event_attr attr = raw_rename_attr();
	struct perfaux_create create;

	ring_params(&create, 65536, 4);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	ASSERT_EQ(0, raw_open(&self->ev, &attr, 0, -1, MAIN_SIZE));
}

FIXTURE_TEARDOWN(attach)
{
	raw_close(&self->ev);
	ring_close(&self->ring);
}

static int open_attr(struct perf_event_attr *attr)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	fd = syscall(SYS_perf_event_open, attr, 0, -1, -1, 0UL);
	return fd < 0 ? -errno : fd;
}

TEST_F(attach, needs_raw_samples)
{
	struct perf_event_attr attr = raw_rename_attr();
	struct perf_event_attr output = output_attr();
	int ev;

	ev = open_attr(&attr);
	ASSERT_LE(0, ev);
	EXPECT_EQ(-EOPNOTSUPP, raw_attach(&self->ring, ev, 0));
	attr.sample_period = 0;
	attr.sample_type = PERF_SAMPLE_RAW;
	ev = open_attr(&attr);
	ASSERT_LE(0, ev);
	EXPECT_EQ(-EOPNOTSUPP, raw_attach(&self->ring, ev, 0));
	/* An event without a period has no samples of its own, but BPF programs can write to it. */
	output.sample_period = 0;
	output.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME;
	output.use_clockid = 1;
	output.clockid = CLOCK_MONOTONIC;
	ev = open_attr(&output);
	ASSERT_LE(0, ev);
	EXPECT_EQ(0, raw_attach(&self->ring, ev, 0));
	EXPECT_EQ(0, raw_attach(&self->ring, self->ev.fd, 0));
}

TEST_F(attach, errors)
{
	struct perfaux_info info = { .size = sizeof(info) };
	struct perf_event_attr attr = raw_rename_attr();
	struct perfaux_attach arg = {
		.size = sizeof(arg), .fd = self->ev.fd, .flags = 2,
	};
	struct perfaux_create create;
	struct ring other;
	int ev;

	EXPECT_EQ(0, call(self->ring.dev, PERFAUX_IOC_INFO, &info));
	EXPECT_EQ(PERFAUX_ATTACH_RAW | PERFAUX_ATTACH_TRIGGER,
		  info.attach_flags);
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	EXPECT_EQ(-EINVAL, ring_flush(&self->ring, 4));
	EXPECT_EQ(-EBADF, raw_attach(&self->ring, -1, 0));
	EXPECT_EQ(-EINVAL, raw_attach(&self->ring, self->ring.fd, 0));
	EXPECT_EQ(-ENOENT, ring_detach(&self->ring, self->ev.fd));
	ASSERT_EQ(0, raw_attach(&self->ring, self->ev.fd, 0));
	EXPECT_EQ(-EBUSY, raw_attach(&self->ring, self->ev.fd, 0));
	/* The event has no AUX data. */
	EXPECT_EQ(-EOPNOTSUPP, ring_attach(&self->ring, self->ev.fd, 0));
	ring_params(&create, 65536, 4);
	ASSERT_EQ(0, ring_open(&other, &create));
	EXPECT_EQ(-EBUSY, raw_attach(&other, self->ev.fd, 0));
	ring_close(&other);

	/* The event has another clock. */
	attr.sample_type = RAW_SAMPLE_TYPE;
	ev = open_attr(&attr);
	ASSERT_LE(0, ev);
	EXPECT_EQ(-EINVAL, raw_attach(&self->ring, ev, 0));
	EXPECT_EQ(0, ring_detach(&self->ring, self->ev.fd));
	EXPECT_EQ(POLLHUP, ring_poll(&self->ring, 0));
	EXPECT_EQ(0, raw_attach(&self->ring, self->ev.fd, 0));
}

/* A clock that waits for the task that sets it, which an NMI may have interrupted. */
TEST_F(attach, clock_that_waits)
{
	static const int clocks[] = { CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct perf_event_attr attr = output_attr();
		int ev;

		attr.sample_type = RAW_SAMPLE_TYPE;
		attr.use_clockid = 1;
		attr.clockid = clocks[i];
		ev = open_attr(&attr);
		ASSERT_LE(0, ev);
		EXPECT_EQ(-EINVAL, raw_attach(&self->ring, ev, 0));
		close(ev);
	}
}

static void count_record(void *ctx, const struct record *record)
{
	*(uint64_t *)ctx += !!record->span;
}

/* An AUX event and raw samples share a ring, and their data is not mixed up. */
TEST_F(attach, beside_aux)
{
	const struct auxgen_config config = { AUXGEN_F_CTX | 1 << 24, 0 };
	struct seen seen = { .ring = &self->ring, .cookie = 2 };
	int aux = auxgen_open(&config, 0, -1, 0), i;
	uint64_t spans = 0;

	ASSERT_LE(0, aux);
	ASSERT_EQ(0, ring_attach(&self->ring, aux, 1));
	ASSERT_EQ(0, raw_attach(&self->ring, self->ev.fd, 2));
	ASSERT_EQ(0, event_enable(aux));
	ASSERT_EQ(0, event_enable(self->ev.fd));
	for (i = 0; i < 100; i++) {
		rename_to(i);
		sched_yield();
	}
	ASSERT_EQ(0, event_disable(aux));
	ASSERT_EQ(0, event_disable(self->ev.fd));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	ASSERT_EQ(0, raw_read(&self->ev, see, &seen));
	EXPECT_EQ(100, seen.references);
	EXPECT_STREQ("", wrong_of(&seen));
	EXPECT_EQ(100, raw_walk(&self->ring, NULL, NULL, true));
	ring_read(&self->ring, count_record, &spans);
	EXPECT_LT(0, spans);
	EXPECT_EQ(self->ring.ctl->spans, spans);
	EXPECT_EQ(100, self->ring.ctl->frames);
	EXPECT_EQ(seen.bytes, self->ring.ctl->frame_bytes);
	close(aux);
}

/*
 * The raw data has the same bytes as without the ring, also for an event that is
 * not attached.
 */
TEST_F(attach, same_as_without)
{
	const struct perf_event_attr attr = raw_rename_attr();
	struct raw_event plain, odd, odd_ring;
	struct seen seen[4] = {
		{ .ring = &self->ring }, { .ring = &self->ring },
		{ .ring = &self->ring }, { .ring = &self->ring, .cookie = 3 },
	};
	struct raw_event *evs[4] = { &self->ev, &plain, &odd, &odd_ring };
	int i, n;

	for (i = 0; i < 4; i++) {
		seen[i].room = MAIN_SIZE;
		seen[i].copy = calloc(1, MAIN_SIZE);
		ASSERT_NE(NULL, seen[i].copy);
		if (i)
			ASSERT_EQ(0, raw_open(evs[i], &attr, 0, -1, MAIN_SIZE));
	}
	ASSERT_EQ(0, ioctl(odd.fd, PERF_EVENT_IOC_SET_FILTER,
			   "newcomm ~ \"raw-1*\""));
	ASSERT_EQ(0, ioctl(odd_ring.fd, PERF_EVENT_IOC_SET_FILTER,
			   "newcomm ~ \"raw-1*\""));
	ASSERT_EQ(0, raw_attach(&self->ring, self->ev.fd, 0));
	ASSERT_EQ(0, raw_attach(&self->ring, odd_ring.fd, 3));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, event_enable(evs[i]->fd));
	for (n = 0; n < 200; n++)
		rename_to(n);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, event_disable(evs[i]->fd));
		ASSERT_EQ(0, raw_read(evs[i], see, &seen[i]));
		EXPECT_STREQ("", wrong_of(&seen[i]));
	}
	EXPECT_EQ(200, seen[0].references);
	EXPECT_EQ(200, seen[1].kept);
	/* 1, 10 to 19, 100 to 199 */
	EXPECT_EQ(111, seen[2].kept);
	EXPECT_EQ(111, seen[3].references);
	EXPECT_EQ(seen[1].copied, seen[0].copied);
	EXPECT_EQ(0, memcmp(seen[0].copy, seen[1].copy, seen[1].copied));
	EXPECT_EQ(seen[2].copied, seen[3].copied);
	EXPECT_EQ(0, memcmp(seen[2].copy, seen[3].copy, seen[3].copied));

	/* Detached, the event has its data in the sample again. */
	ASSERT_EQ(0, ring_detach(&self->ring, self->ev.fd));
	memset(&seen[0], 0, sizeof(seen[0]));
	seen[0].ring = &self->ring;
	ASSERT_EQ(0, event_enable(self->ev.fd));
	rename_to(1);
	ASSERT_EQ(0, raw_read(&self->ev, see, &seen[0]));
	EXPECT_EQ(1, seen[0].kept);
	for (i = 1; i < 4; i++)
		raw_close(evs[i]);
}

/* Nobody reads the ring: samples and counters report the loss. */
TEST_F(attach, full)
{
	struct seen seen = { .ring = &self->ring };
	uint64_t before;
	int i, n = 0;

	ASSERT_EQ(0, raw_attach(&self->ring, self->ev.fd, 0));
	ASSERT_EQ(0, event_enable(self->ev.fd));
	for (i = 0; i < 100; i++, n += 100) {
		int k;

		for (k = 0; k < 100; k++)
			rename_to(n + k);
		ASSERT_EQ(0, raw_read(&self->ev, see, &seen));
	}
	EXPECT_STREQ("", wrong_of(&seen));
	EXPECT_EQ(10000, seen.references);
	EXPECT_LT(0, seen.lost[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(ring_lost(&self->ring, PERFAUX_CAUSE_FULL),
		  seen.lost[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(counter(&self->ring.ctl->lost_bytes[PERFAUX_CAUSE_FULL]),
		  seen.lost_bytes);
	EXPECT_EQ(POLLIN, ring_poll(&self->ring, 1000));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(10000, self->ring.ctl->frames +
			 seen.lost[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(self->ring.ctl->frames,
		  raw_walk(&self->ring, NULL, NULL, true));
	/* There is room again. */
	before = seen.lost[PERFAUX_CAUSE_FULL];
	rename_to(1);
	ASSERT_EQ(0, raw_read(&self->ev, see, &seen));
	EXPECT_EQ(before, seen.lost[PERFAUX_CAUSE_FULL]);
	EXPECT_EQ(10001, seen.references);
	EXPECT_STREQ("", wrong_of(&seen));
}

struct overwritten {
	uint64_t frames;
	uint64_t bytes;
};

static void count_frame(void *ctx, const struct perfaux_frame *frame)
{
	struct overwritten *o = ctx;

	o->frames++;
	o->bytes += frame->length;
}

/* The ring has the newest data; references to older data lead nowhere. */
TEST_F(attach, overwrite)
{
	struct overwritten left = { };
	struct perfaux_create create;
	struct seen seen = { };
	struct ring ring;
	int n;

	ring_params(&create, 16384, 4);
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&ring, &create));
	seen.ring = &ring;
	ASSERT_EQ(0, raw_attach(&ring, self->ev.fd, 0));
	ASSERT_EQ(0, event_enable(self->ev.fd));
	for (n = 0; n < 2000; n++)
		rename_to(n);
	ASSERT_EQ(0, event_disable(self->ev.fd));
	ASSERT_EQ(0, ring_flush(&ring, 0));
	ASSERT_EQ(0, raw_read(&self->ev, see, &seen));
	EXPECT_STREQ("", wrong_of(&seen));
	EXPECT_EQ(2000, seen.references);
	EXPECT_LT(0, seen.stale);
	EXPECT_LT(0, raw_walk(&ring, count_frame, &left, false));
	EXPECT_EQ(seen.bytes, left.bytes);
	EXPECT_EQ(2000, left.frames + seen.stale);
	EXPECT_EQ(2000, ring.ctl->frames);
	EXPECT_EQ(ring.ctl->frame_bytes,
		  left.bytes +
		  ring.ctl->lost_bytes[PERFAUX_CAUSE_OVERWRITTEN]);
	ring_close(&ring);
}

/* --- payloads of every size from programs, on every CPU -------------------- */

FIXTURE(bpf) {
	struct ring ring;
	struct raw_bpf bpf;
	struct raw_event ev[MAX_CPUS];
	struct raw_event tracepoint;
	struct seen seen[MAX_CPUS];
	int cpus[MAX_CPUS];
	int nr;
};

FIXTURE_VARIANT(bpf) {
	uint32_t size;
	int each;		/* on each CPU */
};

FIXTURE_VARIANT_ADD(bpf, bytes_1) { .size = 1, .each = 500 };
FIXTURE_VARIANT_ADD(bpf, bytes_7) { .size = 7, .each = 500 };
FIXTURE_VARIANT_ADD(bpf, bytes_64) { .size = 64, .each = 500 };
FIXTURE_VARIANT_ADD(bpf, kib_8) { .size = 8192, .each = 300 };
FIXTURE_VARIANT_ADD(bpf, kib_64_less_1) { .size = 65535, .each = 100 };
FIXTURE_VARIANT_ADD(bpf, kib_64) { .size = 65536, .each = 100 };
/* The u16 header.size of perf's own record would overflow to that of a small record. */
FIXTURE_VARIANT_ADD(bpf, kib_64_and_100) { .size = 65536 + 100, .each = 100 };
FIXTURE_VARIANT_ADD(bpf, mib_1) { .size = MIB, .each = 20 };

FIXTURE_SETUP(bpf)
{
	const struct perf_event_attr rename = raw_rename_attr();
	const struct perf_event_attr output = output_attr();
	struct perfaux_create create;
	int i;

	ring_params(&create, variant->size > 8192 ? 2 * MIB : 65536, 16);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	ASSERT_EQ(0, raw_bpf_load(&self->bpf, variant->size));
	self->nr = online_cpus(self->cpus, MAX_CPUS);
	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, raw_open(&self->ev[i], &output, -1,
				      self->cpus[i], MAIN_SIZE));
		ASSERT_EQ(0, raw_bpf_event(&self->bpf, self->cpus[i],
					   self->ev[i].fd));
		self->seen[i] = (struct seen){
			.ring = &self->ring,
			.cookie = 100 + i,
			.check = raw_bpf_check,
			.size = variant->size,
		};
		ASSERT_EQ(0, raw_attach(&self->ring, self->ev[i].fd, 100 + i));
		ASSERT_EQ(0, event_enable(self->ev[i].fd));
	}
	ASSERT_EQ(0, raw_open(&self->tracepoint, &rename, 0, -1, 0));
	ASSERT_EQ(0, raw_bpf_run_at(&self->bpf, self->tracepoint.fd));
}

FIXTURE_TEARDOWN(bpf)
{
	int i;

	raw_close(&self->tracepoint);
	for (i = 0; i < self->nr; i++)
		raw_close(&self->ev[i]);
	raw_bpf_close(&self->bpf);
	ring_close(&self->ring);
}

/* Read the data as it comes: nothing may be missing. */
TEST_F_TIMEOUT(bpf, all, SECONDS)
{
	uint64_t sum = 0;
	int i, n;

	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, pin_to(self->cpus[i]));
		for (n = 0; n < variant->each; n++) {
			rename_to(n);
			if (n % 8 && n != variant->each - 1)
				continue;
			ASSERT_EQ(0, raw_read(&self->ev[i], see,
					      &self->seen[i]));
			sum += raw_walk(&self->ring, NULL, NULL, true);
		}
		EXPECT_STREQ("", wrong_of(&self->seen[i]));
		EXPECT_EQ(variant->each, self->seen[i].references);
		EXPECT_EQ((uint64_t)variant->each * variant->size,
			  self->seen[i].bytes);
		EXPECT_EQ(0, self->seen[i].stale);
		if (variant->size >= 8)
			EXPECT_EQ(variant->each, self->seen[i].last_n);
	}
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ((uint64_t)variant->each * self->nr, self->ring.ctl->frames);
	EXPECT_EQ((uint64_t)variant->each * self->nr * variant->size,
		  self->ring.ctl->frame_bytes);
}

/* Nobody reads the ring: each sample reports the loss of its data. */
TEST_F_TIMEOUT(bpf, loss, SECONDS)
{
	const uint64_t full = 16ULL * self->ring.ctl->segment_size /
			      (variant->size + sizeof(struct perfaux_frame)) + 1;
	uint64_t n, samples = 0, lost = 0;

	ASSERT_EQ(0, pin_to(self->cpus[0]));
	for (n = 0; n < full + 20; n++) {
		rename_to(n);
		ASSERT_EQ(0, raw_read(&self->ev[0], see, &self->seen[0]));
	}
	EXPECT_STREQ("", wrong_of(&self->seen[0]));
	samples = self->seen[0].samples;
	lost = self->seen[0].lost[PERFAUX_CAUSE_FULL];
	EXPECT_EQ(full + 20, samples);
	EXPECT_LE(20, lost);
	EXPECT_EQ(samples - lost, self->seen[0].bytes / variant->size);
	EXPECT_EQ(lost * variant->size, self->seen[0].lost_bytes);
	EXPECT_EQ(lost, ring_lost(&self->ring, PERFAUX_CAUSE_FULL));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(samples - lost, self->ring.ctl->frames);
}

/* A frame that fits into no segment */
TEST(too_large)
{
	const struct perf_event_attr rename = raw_rename_attr();
	const struct perf_event_attr output = output_attr();
	struct raw_event ev, tracepoint;
	struct perfaux_create create;
	struct seen seen = { };
	struct raw_bpf bpf;
	struct ring ring;

	ring_params(&create, 4096, 4);
	ASSERT_EQ(0, ring_open(&ring, &create));
	seen.ring = &ring;
	ASSERT_EQ(0, pin_to(0));
	ASSERT_EQ(0, raw_bpf_load(&bpf, 4096 - 40));
	ASSERT_EQ(0, raw_open(&ev, &output, -1, 0, MAIN_SIZE));
	ASSERT_EQ(0, raw_bpf_event(&bpf, 0, ev.fd));
	ASSERT_EQ(0, raw_attach(&ring, ev.fd, 0));
	ASSERT_EQ(0, event_enable(ev.fd));
	ASSERT_EQ(0, raw_open(&tracepoint, &rename, 0, -1, 0));
	ASSERT_EQ(0, raw_bpf_run_at(&bpf, tracepoint.fd));
	rename_to(1);
	ASSERT_EQ(0, raw_read(&ev, see, &seen));
	EXPECT_EQ(1, seen.lost[PERFAUX_CAUSE_TOO_LARGE]);
	EXPECT_EQ(4096 - 40, seen.lost_bytes);
	EXPECT_EQ(1, ring_lost(&ring, PERFAUX_CAUSE_TOO_LARGE));
	EXPECT_EQ(1, ring_fdinfo(ring.fd, "lost_too_large"));
	raw_bpf_close(&bpf);
	raw_close(&tracepoint);
	raw_close(&ev);
	ring_close(&ring);
}

/* --- held ------------------------------------------------------------------ */

#define HELD_RENAMES	300

struct held_seen {
	struct ring *ring;
	unsigned int samples;
	unsigned int found;	/* of the first HELD_RENAMES */
	unsigned int stale;	/* found of the later ones */
	const char *wrong;
};

/* The n-th sample has the n-th name. */
static void see_held(void *ctx, const struct raw_sample *sample)
{
	struct held_seen *seen = ctx;
	const unsigned int n = seen->samples++;
	const struct perfaux_frame *frame;
	struct perfaux_reference ref;
	const char *wrong;
	char name[16];

	if (!raw_is_reference(seen->ring, sample, &ref) || ref.cause) {
		seen->wrong = "no reference";
		return;
	}
	frame = raw_follow(seen->ring, &ref, &wrong);
	if (!frame) {
		seen->stale += n >= HELD_RENAMES;
		if (wrong)
			seen->wrong = wrong;
		return;
	}
	snprintf(name, sizeof(name), "raw-%u", n);
	if (!memmem(frame->data, frame->length, name, strlen(name) + 1))
		seen->wrong = "another sample's data";
	seen->found += n < HELD_RENAMES;
}

/* Samples that are read late find their data in the held segments, and only there. */
TEST_F_TIMEOUT(attach, held, SECONDS)
{
	const struct perf_event_attr attr = raw_rename_attr();
	struct held_seen seen = { };
	struct perfaux_create create;
	struct raw_event ev;
	struct ring ring;
	int n;

	ring_params(&create, 4096, 24);
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, raw_open(&ev, &attr, 0, -1, 2 * MIB));
	seen.ring = &ring;
	ASSERT_EQ(0, raw_attach(&ring, ev.fd, 0));
	ASSERT_EQ(0, event_enable(ev.fd));
	for (n = 0; n < HELD_RENAMES; n++)
		rename_to(n);
	ASSERT_LT(1, ring_hold(&ring, 0, 0));
	for (; n < 20 * HELD_RENAMES; n++)
		rename_to(n);
	ASSERT_EQ(0, event_disable(ev.fd));
	EXPECT_LT(20, ring_lost(&ring, PERFAUX_CAUSE_OVERWRITTEN));
	EXPECT_EQ(0, ring_lost(&ring, PERFAUX_CAUSE_FULL));
	ASSERT_EQ(0, raw_read(&ev, see_held, &seen));
	EXPECT_STREQ("", seen.wrong ?: "");
	EXPECT_EQ(20 * HELD_RENAMES, seen.samples);
	EXPECT_EQ(HELD_RENAMES, seen.found);
	EXPECT_LT(0, seen.stale);
	raw_close(&ev);
	ring_close(&ring);
}

/* --- tasks ----------------------------------------------------------------- */

#define CHILDREN	8
#define RENAMES		50

/* Children on all CPUs inherit the event, and each sample has its data. */
TEST_F_TIMEOUT(attach, inherited, SECONDS)
{
	struct perf_event_attr attr = raw_rename_attr();
	struct raw_event ev[MAX_CPUS];
	struct seen seen[MAX_CPUS];
	uint64_t samples = 0, bytes = 0;
	int cpus[MAX_CPUS], nr, i, n;

	attr.inherit = 1;
	nr = online_cpus(cpus, MAX_CPUS);
	for (i = 0; i < nr; i++) {
		seen[i] = (struct seen){ .ring = &self->ring, .cookie = i };
		ASSERT_EQ(0, raw_open(&ev[i], &attr, 0, cpus[i], MAIN_SIZE));
		ASSERT_EQ(0, raw_attach(&self->ring, ev[i].fd, i));
		ASSERT_EQ(0, event_enable(ev[i].fd));
	}
	for (i = 0; i < CHILDREN; i++) {
		if (fork())
			continue;
		for (n = 0; n < RENAMES; n++) {
			pin_to(cpus[n % nr]);
			rename_to(n);
		}
		_exit(0);
	}
	for (i = 0; i < CHILDREN; i++)
		ASSERT_LT(0, wait(NULL));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, event_disable(ev[i].fd));
		ASSERT_EQ(0, raw_read(&ev[i], see, &seen[i]));
		EXPECT_STREQ("", wrong_of(&seen[i]));
		EXPECT_EQ(seen[i].samples, seen[i].references);
		EXPECT_EQ(0, seen[i].stale);
		samples += seen[i].samples;
		bytes += seen[i].bytes;
		raw_close(&ev[i]);
	}
	EXPECT_EQ(CHILDREN * RENAMES, samples);
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(samples, self->ring.ctl->frames);
	EXPECT_EQ(bytes, self->ring.ctl->frame_bytes);
}

/*
 * All CPUs write at the same time to a ring with fewer segments than CPUs. They
 * share the segments, and every payload is whole.
 */
TEST_F_TIMEOUT(attach, few_segments, SECONDS)
{
	const struct perf_event_attr attr = raw_rename_attr();
	struct raw_event ev[MAX_CPUS];
	struct seen seen[MAX_CPUS];
	uint64_t samples = 0, frames = 0;
	int cpus[MAX_CPUS], nr, i, n;
	struct perfaux_create create;
	struct ring ring;

	ring_params(&create, MIB, 2);
	ASSERT_EQ(0, ring_open(&ring, &create));
	nr = online_cpus(cpus, MAX_CPUS);
	for (i = 0; i < nr; i++) {
		seen[i] = (struct seen){ .ring = &ring, .cookie = i };
		ASSERT_EQ(0, raw_open(&ev[i], &attr, -1, cpus[i], MAIN_SIZE));
		ASSERT_EQ(0, raw_attach(&ring, ev[i].fd, i));
		ASSERT_EQ(0, event_enable(ev[i].fd));
	}
	for (i = 0; i < nr; i++) {
		if (fork())
			continue;
		pin_to(cpus[i]);
		for (n = 0; n < 1000; n++)
			rename_to(n);
		_exit(0);
	}
	for (i = 0; i < nr; i++)
		ASSERT_LT(0, wait(NULL));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, event_disable(ev[i].fd));
		ASSERT_EQ(0, raw_read(&ev[i], see, &seen[i]));
		EXPECT_STREQ("", wrong_of(&seen[i]));
		EXPECT_EQ(0, seen[i].lost[PERFAUX_CAUSE_FULL]);
		EXPECT_EQ(seen[i].samples, seen[i].references);
		samples += seen[i].samples;
		raw_close(&ev[i]);
	}
	EXPECT_LE(1000 * nr, samples);
	ASSERT_EQ(0, ring_flush(&ring, 0));
	frames = raw_walk(&ring, NULL, NULL, true);
	EXPECT_EQ(samples, frames);
	EXPECT_EQ(samples, ring.ctl->frames);
	ring_close(&ring);
}

TEST_HARNESS_MAIN
