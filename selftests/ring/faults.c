// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests in which every allocation of every call fails once. A call that fails
 * returns ENOMEM (or EFAULT, where the kernel makes copies of user memory fail,
 * too), frees everything, and works when it is made again. Leaks show in the
 * module's use count, its vmalloc()ed memory, and the user's locked memory.
 * kmemleak finds other leaks (guest-leaks.list).
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault/calls.h"
#include "fault/inject.h"
#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/raw_lib.h"

#define EACH_SECONDS	1200
#define POINTS_MAX	20000

/* --- faults ------------------------------------------------------------------------ */

FIXTURE(faults) {
	struct fault_place p;
};

FIXTURE_VARIANT(faults) {
	int (*call)(struct fault_place *p);		/* returns 0 or -errno */
	void (*undo)(struct fault_place *p);		/* runs after a call that worked; or NULL */
	/* Runs before and after each call, with enough memory; or NULL. */
	int (*prepare)(struct fault_place *p);
	void (*clean)(struct fault_place *p);
	void (*end)(struct fault_place *p);		/* runs after all calls */
	/* Returns how much a failed call has left; or NULL */
	int (*left)(struct fault_place *p);
	unsigned int allocations;	/* the least number of allocations that the call needs */
	/*
	 * Without $FULL, only every @step-th of the last @last allocations fails.
	 * If @step is 0, each allocation fails.
	 */
	unsigned int step, last;
	/*
	 * If the call allocates single pages: how many more times it is called, to
	 * see that the pages come back; else 0
	 */
	unsigned int rounds;
	bool needs_btf;
};

FIXTURE_VARIANT_ADD(faults, open) {
	.call = call_open,
	.undo = close_ring,
};

FIXTURE_VARIANT_ADD(faults, info) {
	.call = call_info,
};

FIXTURE_VARIANT_ADD(faults, create) {
	.call = call_create,
	.undo = close_ring,
	.rounds = 16,
};

FIXTURE_VARIANT_ADD(faults, create_many) {
	.call = call_create_many,
	.undo = close_ring,
};

FIXTURE_VARIANT_ADD(faults, ids) {
	.call = call_ids,
	.undo = close_ids,
};

FIXTURE_VARIANT_ADD(faults, ids_stats) {
	.prepare = prepare_ids,
	.call = call_ids_stats,
	.clean = close_ids,
};

FIXTURE_VARIANT_ADD(faults, ids_read) {
	.prepare = prepare_ids,
	.call = call_ids_read,
	.clean = close_ids,
};

FIXTURE_VARIANT_ADD(faults, ids_notice) {
	.prepare = prepare_notice,
	.call = call_notice,
	.clean = close_notice,
	.allocations = 1,
};

FIXTURE_VARIANT_ADD(faults, ids_late) {
	.prepare = prepare_late,
	.call = call_map_late,
	.clean = close_late,
	/* Memory for the file, and for the mapping that waits for it */
	.allocations = 2,
};

FIXTURE_VARIANT_ADD(faults, ids_fdinfo) {
	.prepare = prepare_ids_info,
	.call = call_info_read,
	.clean = close_info,
};

FIXTURE_VARIANT_ADD(faults, ring_fdinfo) {
	.prepare = prepare_ring_info,
	.call = call_info_read,
	.clean = close_info,
};

FIXTURE_VARIANT_ADD(faults, ids_close) {
	.prepare = prepare_ids,
	.call = call_close_ids,
};

FIXTURE_VARIANT_ADD(faults, map_marks) {
	.prepare = call_create,
	.call = call_map_marks,
	.undo = unmap,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, map_ring) {
	.prepare = call_create,
	.call = call_map_ring,
	.undo = unmap,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, munmap) {
	.prepare = prepare_mapped,
	.call = call_unmap,
	.clean = unmap_and_close,
};

FIXTURE_VARIANT_ADD(faults, attach) {
	.prepare = call_create,
	.call = call_attach,
	.clean = close_ring,
	.rounds = 16,
};

FIXTURE_VARIANT_ADD(faults, attach_raw) {
	.prepare = call_create,
	.call = call_attach_raw,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, attach_raw_pieces) {
	.prepare = prepare_pieces,
	.call = call_attach_raw,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, attach_trigger) {
	.prepare = call_create,
	.call = call_attach_trigger,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, detach) {
	.prepare = prepare_all,
	.call = call_detach,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, detach_all) {
	.prepare = prepare_all,
	.call = call_detach_all,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, flush) {
	.prepare = prepare_all,
	.call = call_flush,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, hold) {
	.prepare = prepare_all,
	.call = call_hold,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, hold_ready) {
	.prepare = prepare_ready,
	.call = call_hold,
	.clean = unmap_and_close,
	.left = left_held,
};

/* HOLD has two rounds, and some segments were READY before. */
FIXTURE_VARIANT_ADD(faults, hold_spans) {
	.prepare = prepare_rounds,
	.call = call_hold_spans,
	.clean = unmap_and_close,
	.left = left_held,
};

FIXTURE_VARIANT_ADD(faults, hold_thaw) {
	.prepare = prepare_rounds_frozen,
	.call = call_hold_thaw,
	.clean = unmap_and_close,
	.left = left_held,
};

FIXTURE_VARIANT_ADD(faults, hold_many) {
	.prepare = prepare_many,
	.call = call_hold,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, unhold) {
	.prepare = prepare_all,
	.call = call_unhold,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, thaw) {
	.prepare = prepare_frozen,
	.call = call_thaw,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, poll) {
	.prepare = prepare_all,
	.call = call_poll,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, epoll) {
	.prepare = call_create,
	.call = call_epoll,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, close) {
	.prepare = prepare_all,
	.call = call_close,
};

/* A module without BTF returns EOPNOTSUPP, so it does not have this call. */
FIXTURE_VARIANT_ADD(faults, handle) {
	.prepare = prepare_pieces,
	.call = call_handle,
	.clean = close_ring,
	.needs_btf = true,
};

/* The first session of all puts hooks into the kernel. */
FIXTURE_VARIANT_ADD(faults, first_ids) {
	.prepare = insert_anew,
	.call = call_ids,
	.undo = close_ids,
};

FIXTURE_VARIANT_ADD(faults, first_attach_raw) {
	.prepare = insert_and_create,
	.call = call_attach_raw,
	.clean = close_ring,
};

/*
 * Each insmod takes more than a second. The first 200 allocations are the kernel's
 * own, which places the module and makes its files. The module's init() comes last.
 * With kmemleak there are twice as many allocations, of which every other one is
 * not the module's; therefore the step is odd.
 */
FIXTURE_VARIANT_ADD(faults, insert) {
	.prepare = prepare_removed,
	.call = call_insert,
	.end = end_inserted,
	.left = left_inserted,
	.allocations = 1,
	.step = 11,
	.last = 130,
};

FIXTURE_SETUP(faults)
{
	int ret = fault_init();

	if (ret == -ENOENT)
		SKIP(return, "no /proc/thread-self/fail-nth (CONFIG_FAULT_INJECTION)");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, fault_place_open(&self->p));
}

FIXTURE_TEARDOWN(faults)
{
	EXPECT_STREQ("", fault_place_close(&self->p));
}

/* Check what the call returned when number @n failed. */
static void check_failed(struct __test_metadata *_metadata, struct fault_place *p,
			 const FIXTURE_VARIANT(faults) *v, unsigned int n, int ret)
{
	int again;

	EXPECT_TRUE(ret == -ENOMEM || ret == -EFAULT) {
		TH_LOG("%s when number %u fails", strerror(-ret), n);
	}
	again = v->call(p);
	EXPECT_EQ(0, again) {
		TH_LOG("again, after number %u failed", n);
	}
	if (!again && v->undo)
		v->undo(p);
}

/* Calls that failed, and how many of them had no memory */
struct tally {
	unsigned int failed;
	unsigned int no_memory;
};

/*
 * Make one call in which allocation number @n fails. Returns whether the call has
 * that many allocations.
 */
static bool fail_one(struct __test_metadata *_metadata, struct fault_place *p,
		     const FIXTURE_VARIANT(faults) *v, unsigned int n, struct tally *tally)
{
	unsigned int left;
	int files, ret;

	if (v->prepare)
		ASSERT_EQ(0, v->prepare(p));
	files = fault_files();
	fault_arm(n);
	ret = v->call(p);
	left = fault_disarm();
	if (left || !ret) {
		/* No allocation failed, or the call works without it. */
		EXPECT_EQ(0, ret);
		if (!ret && v->undo)
			v->undo(p);
	} else {
		tally->failed++;
		tally->no_memory += ret == -ENOMEM;
		EXPECT_EQ(files, fault_files()) {
			TH_LOG("descriptors, when number %u fails", n);
		}
		if (v->left)
			EXPECT_EQ(0, v->left(p)) {
				TH_LOG("left, when number %u fails", n);
			}
		check_failed(_metadata, p, v, n, ret);
	}
	if (v->clean)
		v->clean(p);
	return !left;
}

/* Return the first allocation to let fail: 1, or the first of the last @v->last ones. */
static unsigned int first(struct fault_place *p, const FIXTURE_VARIANT(faults) *v)
{
	unsigned int nr;

	if (v->prepare(p))
		return 1;
	fault_arm(POINTS_MAX);
	v->call(p);
	nr = POINTS_MAX - fault_disarm();
	return nr > v->last ? nr - v->last + 1 : 1;
}

/*
 * Wait until the cgroup has at least @least and less than @most pages, or a
 * timeout. Return the number of its pages.
 */
static long wait_for_pages(long least, long most)
{
	const uint64_t end = now_ns() + WAIT_NS;
	long pages;

	do {
		sched_yield();
		pages = fault_group_pages();
	} while ((pages < least || pages >= most) && now_ns() < end);
	return pages;
}

/*
 * kmemleak does not know of single pages, but a cgroup is charged with them. A leak
 * of one page each round exceeds the cgroup's stock of precharged pages. The
 * figures of the cgroup are some seconds old (mem_cgroup_flush_stats()); wait until
 * they no longer include a ring that is made after all the others.
 */
static void pages_come_back(struct __test_metadata *_metadata, struct fault_place *p,
			    const FIXTURE_VARIANT(faults) *v)
{
	struct tally tally = { };
	unsigned int i, n;
	long pages;

	ASSERT_EQ(0, fault_group_enter());
	for (i = 0; i < v->rounds; i++)
		for (n = 1; n < POINTS_MAX && fail_one(_metadata, p, v, n, &tally);)
			n++;
	/* 128 segments of a page each */
	ASSERT_EQ(0, call_create_many(p));
	pages = wait_for_pages(128, 128 + v->rounds);
	EXPECT_LE(128, pages);
	close_ring(p);
	pages = wait_for_pages(0, v->rounds);
	EXPECT_LE(0, pages);
	EXPECT_GT(v->rounds, pages) {
		TH_LOG("%ld pages are left of %u calls that failed", pages, tally.failed);
	}
}

TEST_F_TIMEOUT(faults, each, EACH_SECONDS)
{
	struct fault_place *p = &self->p;
	struct tally tally = { };
	const char *full = getenv("FULL");
	unsigned int n = 1, step = 1;
	int ret;

	if (variant->step && !(full && *full)) {
		step = variant->step;
		n = first(p, variant);
	}
	if (variant->needs_btf) {
		ASSERT_EQ(0, variant->prepare(p));
		ret = variant->call(p);
		variant->clean(p);
		if (ret == -EOPNOTSUPP)
			SKIP(return, "perfaux.ko has no BTF");
	}
	while (n < POINTS_MAX && fail_one(_metadata, p, variant, n, &tally))
		n += step;
	if (variant->rounds)
		pages_come_back(_metadata, p, variant);
	if (variant->end)
		variant->end(p);
	EXPECT_GT(POINTS_MAX, n);
	EXPECT_LE(variant->allocations, tally.no_memory);
	TH_LOG("%u can fail, %u of them fail the call, %u for want of memory", n - 1,
	       tally.failed, tally.no_memory);
}

/* --- all allocations of at least some size fail ------------------------------------------ */

/* The size goes up in these steps. */
#define BYTES_STEP	64
#define BYTES_MAX	0x100000

FIXTURE(lasting) {
	struct fault_place p;
};

/* Same as in the fixture faults */
FIXTURE_VARIANT(lasting) {
	int (*call)(struct fault_place *p);
	void (*undo)(struct fault_place *p);
	int (*prepare)(struct fault_place *p);
	void (*clean)(struct fault_place *p);
	unsigned int step;		/* the step, or BYTES_STEP */
};

FIXTURE_VARIANT_ADD(lasting, create) {
	.call = call_create,
	.undo = close_ring,
};

/* This variant and the following ones take long with kmemleak. */
FIXTURE_VARIANT_ADD(lasting, create_many) {
	.call = call_create_many,
	.undo = close_ring,
	.step = 512,
};

FIXTURE_VARIANT_ADD(lasting, create_pieces) {
	.call = prepare_pieces,
	.undo = close_ring,
	.step = 512,
};

FIXTURE_VARIANT_ADD(lasting, attach_raw_pieces) {
	.prepare = prepare_pieces,
	.call = call_attach_raw,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(lasting, ids) {
	.call = call_ids,
	.undo = close_ids,
};

FIXTURE_VARIANT_ADD(lasting, first_ids) {
	.prepare = insert_anew,
	.call = call_ids,
	.undo = close_ids,
	.step = 2048,
};

FIXTURE_SETUP(lasting)
{
	int ret = fault_lasting_init();

	if (ret == -ENOENT)
		SKIP(return, "no /proc/thread-self/fail-nth (CONFIG_FAULT_INJECTION)");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, fault_place_open(&self->p));
}

FIXTURE_TEARDOWN(lasting)
{
	EXPECT_STREQ("", fault_place_close(&self->p));
}

TEST_F_TIMEOUT(lasting, each, EACH_SECONDS)
{
	const unsigned int step = variant->step ?: BYTES_STEP;
	struct fault_place *p = &self->p;
	unsigned int bytes;
	int ret = -ENOMEM;

	for (bytes = 0; ret && bytes < BYTES_MAX; bytes += step) {
		int files;

		if (variant->prepare)
			ASSERT_EQ(0, variant->prepare(p));
		files = fault_files();
		fault_begin(bytes);
		ret = variant->call(p);
		fault_end();
		if (ret) {
			EXPECT_EQ(-ENOMEM, ret) {
				TH_LOG("from byte %u on", bytes);
			}
			EXPECT_EQ(files, fault_files()) {
				TH_LOG("descriptors, from byte %u on", bytes);
			}
			ASSERT_EQ(0, variant->call(p));
		}
		if (variant->undo)
			variant->undo(p);
		if (variant->clean)
			variant->clean(p);
	}
	EXPECT_EQ(0, ret);
	EXPECT_LT(step, bytes);
	TH_LOG("%u bytes are enough", bytes - step);
}

/* --- copies fail without fault injection: arguments end, or cannot be written to ------- */

FIXTURE(copies) {
	struct fault_place p;
};

FIXTURE_SETUP(copies)
{
	ASSERT_EQ(0, fault_place_open(&self->p));
}

FIXTURE_TEARDOWN(copies)
{
	EXPECT_STREQ("", fault_place_close(&self->p));
}

TEST_F_TIMEOUT(copies, answers, EACH_SECONDS)
{
	struct fault_place *p = &self->p;
	struct perfaux_create create;
	const struct {
		unsigned int cmd;
		int *fd;
		size_t size;
	} answers[] = {
		{ PERFAUX_IOC_INFO, &p->dev, sizeof(struct perfaux_info) },
		{ PERFAUX_IOC_CREATE, &p->dev, sizeof(create) },
		{ PERFAUX_IOC_HOLD, &p->ring, sizeof(struct perfaux_hold) },
		{ PERFAUX_IOC_IDS_STATS, &p->ids, sizeof(struct perfaux_ids_stats) },
		/* HANDLE comes last: if the module has no BTF, the call fails, and is left out. */
		{ PERFAUX_IOC_HANDLE, &p->ring, sizeof(struct perfaux_handle) },
	};
	unsigned int i, nr = ARRAY_SIZE(answers);
	uint32_t *page;
	int files;

	ASSERT_EQ(0, prepare_ready(p));
	ASSERT_EQ(0, prepare_ids(p));
	if (call_handle(p) == -EOPNOTSUPP)
		nr--;
	files = fault_files();
	for (i = 0; i < nr; i++) {
		page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, (void *)page);
		ring_params(&create, 16384, 3);
		if (answers[i].cmd == PERFAUX_IOC_CREATE)
			memcpy(page, &create, sizeof(create));
		page[0] = answers[i].size;
		mprotect(page, PAGE, PROT_READ);
		EXPECT_EQ(-EFAULT, call(*answers[i].fd, answers[i].cmd, page));
		EXPECT_EQ(files, fault_files());
		munmap(page, PAGE);
	}
	/* Everything is as before. */
	EXPECT_EQ(0, left_held(p));
	EXPECT_EQ(0, call_hold(p));
	EXPECT_LT(0, left_held(p));
	EXPECT_EQ(0, call_detach_all(p));
	close_ids(p);
	unmap_and_close(p);
}

/* A notice that could not be delivered is still there for the next read. */
TEST_F_TIMEOUT(copies, notice, EACH_SECONDS)
{
	struct fault_place *p = &self->p;
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, prepare_notice(p));
	EXPECT_EQ(-1, read(p->ids, page, PAGE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, call_notice(p));
	EXPECT_EQ(-EAGAIN, call_notice(p));
	close_notice(p);
	munmap(page, PAGE);
}

/* The first field of each argument, its size, can be read, but nothing after it. */
TEST_F_TIMEOUT(copies, arguments, EACH_SECONDS)
{
	struct fault_place *p = &self->p;
	const struct {
		unsigned int cmd;
		int *fd;
		uint32_t size;
	} arguments[] = {
		{ PERFAUX_IOC_INFO, &p->dev, sizeof(struct perfaux_info) },
		{ PERFAUX_IOC_CREATE, &p->dev, sizeof(struct perfaux_create) },
		{ PERFAUX_IOC_IDS, &p->dev, sizeof(struct perfaux_ids) },
		{ PERFAUX_IOC_IDS_STATS, &p->ids, sizeof(struct perfaux_ids_stats) },
		{ PERFAUX_IOC_ATTACH, &p->ring, sizeof(struct perfaux_attach) },
		{ PERFAUX_IOC_DETACH, &p->ring, sizeof(struct perfaux_detach) },
		{ PERFAUX_IOC_FLUSH, &p->ring, sizeof(struct perfaux_flush) },
		{ PERFAUX_IOC_HOLD, &p->ring, sizeof(struct perfaux_hold) },
		{ PERFAUX_IOC_UNHOLD, &p->ring, sizeof(struct perfaux_unhold) },
		{ PERFAUX_IOC_THAW, &p->ring, sizeof(struct perfaux_thaw) },
		{ PERFAUX_IOC_HANDLE, &p->ring, sizeof(struct perfaux_handle) },
	};
	uint32_t *edge = at_the_edge(sizeof(*edge));
	unsigned int i;
	int files;

	ASSERT_EQ(0, prepare_all(p));
	ASSERT_EQ(0, prepare_ids(p));
	files = fault_files();
	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		*edge = arguments[i].size;
		EXPECT_EQ(-EFAULT, call(*arguments[i].fd, arguments[i].cmd, edge));
		EXPECT_EQ(-EFAULT, call(*arguments[i].fd, arguments[i].cmd, NULL));
		EXPECT_EQ(files, fault_files());
	}
	EXPECT_EQ(0, call_detach_all(p));
	close_ids(p);
	close_ring(p);
}

TEST_HARNESS_MAIN
