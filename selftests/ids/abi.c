// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of PERFAUX_IOC_IDS and of its descriptor: errors, and the counters of
 * PERFAUX_IOC_IDS_STATS and fdinfo.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "../ring/lib/abi.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

FIXTURE(abi) {
	struct elf_set set;
	struct map_ring ring;
	int dev;
	int fd;
};

FIXTURE_SETUP(abi)
{
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->dev);
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(abi)
{
}

/* Open a session and close it again. Returns 0 or -errno. */
static int open_only(int dev, const void *arg)
{
	int fd = call(dev, PERFAUX_IOC_IDS, arg);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

TEST_F(abi, open_errors)
{
	LONG(perfaux_ids) longer = { .arg.size = sizeof(longer) };
	struct perfaux_ids good = { .size = sizeof(good) }, arg;
	struct rlimit limit, none = { 0, 0 };

	EXPECT_EQ(0, open_only(self->dev, &good));
	EXPECT_EQ(0, open_only(self->dev, &longer));
	longer.tail[1] = 1;
	EXPECT_EQ(-E2BIG, open_only(self->dev, &longer));
	EXPECT_EQ(-EFAULT, open_only(self->dev, NULL));

	arg = good;
	arg.size = PERFAUX_IDS_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg = good;
	arg.flags = 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg = good;
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));

	arg = good;
	arg.queue_size = 8191;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg.queue_size = 8192;
	EXPECT_EQ(0, open_only(self->dev, &arg));
	arg.queue_size = 1 << 20;
	EXPECT_EQ(0, open_only(self->dev, &arg));
	arg.queue_size = (1 << 20) + 1;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));
	arg.queue_size = UINT32_MAX;
	EXPECT_EQ(-EINVAL, open_only(self->dev, &arg));

	getrlimit(RLIMIT_NOFILE, &limit);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &none);
	EXPECT_EQ(-EMFILE, open_only(self->dev, &good));
	setrlimit(RLIMIT_NOFILE, &limit);
	EXPECT_EQ(0, open_only(self->dev, &good));
}

TEST_F(abi, descriptor)
{
	struct perfaux_info info = { .size = sizeof(info) };
	char c = 0;

	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd, F_GETFD));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_INFO, &info));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_IDS, &info));
	EXPECT_EQ(-ENOTTY, call(self->dev, PERFAUX_IOC_IDS_STATS, &info));
	EXPECT_EQ(-1, write(self->fd, &c, 1));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd,
				   0));
	EXPECT_EQ(ENODEV, errno);
}

TEST_F(abi, stats_errors)
{
	LONG(perfaux_ids_stats) longer = { .arg.size = sizeof(longer) };
	struct perfaux_ids_stats stats = { 0 };

	stats.size = PERFAUX_IDS_STATS_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, call(self->fd, PERFAUX_IOC_IDS_STATS, &stats));
	EXPECT_EQ(-EFAULT, call(self->fd, PERFAUX_IOC_IDS_STATS, NULL));
	EXPECT_EQ(0, call(self->fd, PERFAUX_IOC_IDS_STATS, &longer));
	EXPECT_EQ(sizeof(longer.arg), longer.arg.size);
	longer.arg.size = sizeof(longer);
	longer.tail[0] = 1;
	EXPECT_EQ(-E2BIG, call(self->fd, PERFAUX_IOC_IDS_STATS, &longer));
}

/* Each cause has its counter, also in fdinfo, and no other counter changes. */
TEST_F(abi, causes)
{
	static const struct {
		const char *file;
		enum perfaux_no_id cause;
		const char *name;
	} cases[] = {
		{ "lib.so", PERFAUX_ID_FOUND, "ids_found" },
		{ "no-id.so", PERFAUX_ID_NO_NOTE, "ids_no_note" },
		{ "text", PERFAUX_ID_NOT_ELF, "ids_not_elf" },
		{ "empty", PERFAUX_ID_NOT_ELF, "ids_not_elf" },
		{ "truncated-id", PERFAUX_ID_TRUNCATED, "ids_truncated" },
		{ "truncated-63", PERFAUX_ID_TRUNCATED, "ids_truncated" },
	};
	struct perfaux_ids_stats a, b;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t before = ring_fdinfo(self->fd, cases[i].name);

		ASSERT_EQ(0, ids_stats(self->fd, &a));
		map_elf(&self->ring, &self->set, cases[i].file);
		ASSERT_EQ(0, ids_stats(self->fd, &b));
		for (k = 0; k < ARRAY_SIZE(a.results); k++)
			EXPECT_EQ(a.results[k] + (k == cases[i].cause),
				  b.results[k])
				TH_LOG("%s: [%zu]", cases[i].file, k);
		EXPECT_EQ(before + 1, ring_fdinfo(self->fd, cases[i].name));
		EXPECT_EQ(0, memcmp(a.late, b.late, sizeof(a.late)));
	}
	EXPECT_EQ(0, ring_fdinfo(self->fd, "late_found"));
	EXPECT_EQ(0, ring_fdinfo(self->fd, "pending"));
	EXPECT_EQ(0, ring_fdinfo(self->fd, "notices_lost"));
	EXPECT_EQ(b.cached, (uint64_t)ring_fdinfo(self->fd, "cached"));
}

/*
 * The parser would have to look at more than is allowed while the file is mapped: a
 * worker reports the result, or the result is cached already.
 */
TEST_F(abi, too_large)
{
	struct perfaux_ids_stats stats;

	map_elf(&self->ring, &self->set, "notes-70000");
	ASSERT_TRUE(late_settled(self->fd));
	ASSERT_EQ(0, ids_stats(self->fd, &stats));
	EXPECT_EQ(1, stats.results[PERFAUX_ID_TOO_LARGE] +
		  stats.late[PERFAUX_ID_TOO_LARGE]);
	EXPECT_EQ(stats.results[PERFAUX_ID_DEFERRED],
		  stats.late[PERFAUX_ID_TOO_LARGE]);
}

TEST_HARNESS_MAIN
