// SPDX-License-Identifier: GPL-2.0-only
/*
 * AUX sampling (attr.aux_sample_size) beside a ring: an event that others
 * sample from keeps perf's own AUX area, attached or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "kselftest_harness.h"
#include "kernel_ring.h"

#define PAGE		4096UL
#define MAIN_PAGES	64
#define AUX_SIZE	65536
#define SAMPLE_SIZE	64

FIXTURE(aux_sample) {
	struct ring ring;
	int leader;
	int sampler;
	struct perf_event_mmap_page *page;
	void *aux;
};

/* It never does sample: auxgen has nothing for it. */
static int open_sampler(int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1ULL << 62,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_AUX,
		.aux_sample_size = SAMPLE_SIZE,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

FIXTURE_SETUP(aux_sample)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | 1 << 24 | 32, 200,
	};
	struct perfaux_create create;

	ring_params(&create, 16384, 8);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->leader = auxgen_open(&config, 0, -1, 0);
	ASSERT_LE(0, self->leader);
	self->page = mmap(NULL, PAGE + MAIN_PAGES * PAGE,
			  PROT_READ | PROT_WRITE, MAP_SHARED, self->leader, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	self->page->aux_offset = PAGE + MAIN_PAGES * PAGE;
	self->page->aux_size = AUX_SIZE;
	/* Not writable: an area that is overwritten, as sampling wants it. */
	self->aux = mmap(NULL, AUX_SIZE, PROT_READ, MAP_SHARED, self->leader,
			 self->page->aux_offset);
	ASSERT_NE(MAP_FAILED, self->aux);
	self->sampler = open_sampler(self->leader);
	ASSERT_LE(0, self->sampler);
	ASSERT_EQ(0, ioctl(self->sampler, PERF_EVENT_IOC_SET_OUTPUT,
			   self->leader));
}

FIXTURE_TEARDOWN(aux_sample)
{
	close(self->sampler);
	munmap(self->aux, AUX_SIZE);
	munmap(self->page, PAGE + MAIN_PAGES * PAGE);
	close(self->leader);
	ring_close(&self->ring);
}

static void run(int leader)
{
	uint64_t end = now_ns() + 50000000ULL;

	event_enable(leader);
	while (now_ns() < end)
		;
	event_disable(leader);
}

TEST_F(aux_sample, stays_with_the_kernel)
{
	ASSERT_EQ(0, ring_attach(&self->ring, self->leader, COOKIE(1)));
	run(self->leader);
	EXPECT_EQ(0, counter(&self->ring.ctl->spans));
	EXPECT_LT(0, self->page->aux_head);

	/* When nobody samples any more the ring has it. */
	close(self->sampler);
	self->sampler = -1;
	run(self->leader);
	EXPECT_LT(0, counter(&self->ring.ctl->spans));
}

TEST_HARNESS_MAIN
