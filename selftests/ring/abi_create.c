// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of every promise and every errno of uapi/perfaux.h: the device, CREATE, and
 * the control page of a new ring.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "lib/abi.h"
#include "lib/ring_lib.h"

/* CREATE a ring and close it. Returns 0 or -errno. */
static int create_only(int dev, const void *arg)
{
	int fd = call(dev, PERFAUX_IOC_CREATE, arg);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Return a read-only page that holds @arg. */
static void *read_only(const void *arg, size_t size)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, arg, size);
	mprotect(page, 4096, PROT_READ);
	return page;
}

FIXTURE(dev) {
	int fd;
	struct perfaux_create create;
};

FIXTURE_SETUP(dev)
{
	self->fd = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ring_params(&self->create, 4096, 2);
}

FIXTURE_TEARDOWN(dev)
{
	close(self->fd);
}

TEST_F(dev, mode)
{
	struct stat st;

	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(S_IFCHR | 0666, st.st_mode);
	EXPECT_EQ(0, st.st_uid);
}

TEST_F(dev, info)
{
	struct perfaux_info info = { .size = sizeof(info) };

	EXPECT_EQ(0, call(self->fd, PERFAUX_IOC_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(PERFAUX_ABI, info.abi);
	EXPECT_EQ(PERFAUX_RING_OVERWRITE | PERFAUX_RING_KEPT, info.create_flags);
	EXPECT_EQ(sysconf(_SC_PAGESIZE), info.min_segment_size);
	EXPECT_EQ(1U << 30, info.max_segment_size);
	EXPECT_EQ(2, info.min_segments);
	EXPECT_EQ(4096, info.max_segments);
	EXPECT_EQ(65536, info.max_spans);
	EXPECT_EQ(PERFAUX_ATTACH_RAW | PERFAUX_ATTACH_TRIGGER,
		  info.attach_flags);
}

TEST_F(dev, info_size)
{
	LONG(perfaux_info) longer = { .arg.size = sizeof(longer) };
	struct perfaux_info info = { .size = PERFAUX_INFO_SIZE_V0 - 1 };
	struct perfaux_info *edge = at_the_edge(sizeof(*edge));

	EXPECT_EQ(-EINVAL, call(self->fd, PERFAUX_IOC_INFO, &info));
	info.size = 0;
	EXPECT_EQ(-EINVAL, call(self->fd, PERFAUX_IOC_INFO, &info));
	info.size = 4097;
	EXPECT_EQ(-E2BIG, call(self->fd, PERFAUX_IOC_INFO, &info));
	info.size = UINT32_MAX;
	EXPECT_EQ(-E2BIG, call(self->fd, PERFAUX_IOC_INFO, &info));

	EXPECT_EQ(0, call(self->fd, PERFAUX_IOC_INFO, &longer));
	EXPECT_EQ(PERFAUX_ABI, longer.arg.abi);
	longer.arg.size = sizeof(longer);
	longer.tail[1] = 1ULL << 63;
	EXPECT_EQ(-E2BIG, call(self->fd, PERFAUX_IOC_INFO, &longer));

	EXPECT_EQ(-EFAULT, call(self->fd, PERFAUX_IOC_INFO, NULL));
	EXPECT_EQ(-EFAULT, call(self->fd, PERFAUX_IOC_INFO, (void *)-4096L));
	edge->size = sizeof(*edge);
	EXPECT_EQ(0, call(self->fd, PERFAUX_IOC_INFO, edge));
	memset(edge, 0, sizeof(*edge));
	edge->size = sizeof(*edge) + 8;
	EXPECT_EQ(-EFAULT, call(self->fd, PERFAUX_IOC_INFO, edge));
	info.size = sizeof(info);
	EXPECT_EQ(-EFAULT, call(self->fd, PERFAUX_IOC_INFO,
				read_only(&info, sizeof(info))));
}

TEST_F(dev, unknown_ioctl)
{
	struct perfaux_attach attach = { .size = sizeof(attach) };
	int ring = call(self->fd, PERFAUX_IOC_CREATE, &self->create);

	ASSERT_LE(0, ring);
	EXPECT_EQ(-ENOTTY, call(self->fd, _IO(PERFAUX_IOC_MAGIC, 200), &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, _IO(PERFAUX_IOC_MAGIC, 255), NULL));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_ATTACH, &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_DETACH, &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_FLUSH, &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_IDS_STATS, &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_HANDLE, &attach));
	EXPECT_EQ(-ENOTTY, call(ring, _IO(PERFAUX_IOC_MAGIC, 200), &attach));
	EXPECT_EQ(-ENOTTY, call(ring, PERFAUX_IOC_IDS, &attach));
	EXPECT_EQ(-ENOTTY, call(ring, PERFAUX_IOC_INFO, &attach));
	EXPECT_EQ(-ENOTTY, call(ring, PERFAUX_IOC_CREATE, &self->create));
	EXPECT_EQ(-ENOTTY, call(ring, PERF_EVENT_IOC_ENABLE, NULL));
	close(ring);
}

TEST_F(dev, read_write)
{
	int ring = call(self->fd, PERFAUX_IOC_CREATE, &self->create);
	char c;

	EXPECT_EQ(-1, read(ring, &c, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(ring, &c, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED,
				   self->fd, 0));
	EXPECT_EQ(ENODEV, errno);
	close(ring);
}

TEST_F(dev, create_cloexec)
{
	int ring = call(self->fd, PERFAUX_IOC_CREATE, &self->create);

	ASSERT_LE(0, ring);
	EXPECT_EQ(FD_CLOEXEC, fcntl(ring, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(ring, F_GETFL) & O_ACCMODE);
	close(ring);
}

TEST_F(dev, create_sizes_out)
{
	struct perfaux_create create = self->create;
	long page = sysconf(_SC_PAGESIZE), online = sysconf(_SC_NPROCESSORS_ONLN);
	int ring = call(self->fd, PERFAUX_IOC_CREATE, &create);

	ASSERT_LE(0, ring);
	EXPECT_EQ(sizeof(create), create.size);
	EXPECT_LE((2 + 1) * 8, create.marks_size);
	EXPECT_EQ(0, create.marks_size % page);
	EXPECT_LT(2 * 4096, create.ring_size);
	EXPECT_EQ(0, create.ring_size % page);
	EXPECT_EQ((create.marks_size + create.ring_size) / page +
		  (online < 64 ? online : 64), ring_fdinfo(ring, "locked_pages"));
	close(ring);
}

TEST_F(dev, create_size)
{
	LONG(perfaux_create) longer = { .arg = self->create };
	struct perfaux_create *edge = at_the_edge(sizeof(*edge));
	struct perfaux_create create = self->create;

	create.size = PERFAUX_CREATE_SIZE_V0 - 1;
	EXPECT_EQ(-EINVAL, create_only(self->fd, &create));
	create.size = 0;
	EXPECT_EQ(-EINVAL, create_only(self->fd, &create));
	create.size = 4097;
	EXPECT_EQ(-E2BIG, create_only(self->fd, &create));
	create.size = UINT32_MAX;
	EXPECT_EQ(-E2BIG, create_only(self->fd, &create));

	longer.arg.size = sizeof(longer);
	EXPECT_EQ(0, create_only(self->fd, &longer));
	longer.arg = self->create;
	longer.arg.size = sizeof(longer);
	longer.tail[0] = 1;
	EXPECT_EQ(-E2BIG, create_only(self->fd, &longer));

	EXPECT_EQ(-EFAULT, create_only(self->fd, NULL));
	EXPECT_EQ(-EFAULT, create_only(self->fd, (void *)-4096L));
	*edge = self->create;
	EXPECT_EQ(0, create_only(self->fd, edge));
	*edge = self->create;
	edge->size += 8;
	EXPECT_EQ(-EFAULT, create_only(self->fd, edge));
}

/* If CREATE cannot write its answer, it leaves no ring behind. */
TEST_F(dev, create_read_only_argument)
{
	const struct perfaux_create *arg = read_only(&self->create,
						     sizeof(self->create));
	int before = dup(self->fd), after;

	close(before);
	EXPECT_EQ(-EFAULT, create_only(self->fd, arg));
	after = dup(self->fd);
	EXPECT_EQ(before, after);
	close(after);
}

/* Each case gives the fields that differ from valid arguments. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

TEST_F(dev, create_values)
{
	static const struct {
		const char *what;
		struct perfaux_create create;
		int ret;
	} cases[] = {
#define CASE(ret, ...) { #__VA_ARGS__, { \
	.size = sizeof(struct perfaux_create), .segment_size = 4096, \
	.nr_segments = 2, __VA_ARGS__ }, ret }
		CASE(0, .flags = 0),
		CASE(0, .flags = PERFAUX_RING_OVERWRITE),
		CASE(-EINVAL, .flags = 4),
		CASE(-EINVAL, .user_size = 4096),
		CASE(-EINVAL, .flags = 1U << 31),
		CASE(-EINVAL, .flags = UINT32_MAX),
		CASE(-EINVAL, .reserved = 1),
		CASE(-EINVAL, .reserved = 1ULL << 63),
		CASE(-EINVAL, .marks_size = 4096),
		CASE(-EINVAL, .ring_size = 4096),
		CASE(-EINVAL, .segment_size = 0),
		CASE(-EINVAL, .segment_size = 1),
		CASE(-EINVAL, .segment_size = 2048),
		CASE(-EINVAL, .segment_size = 4095),
		CASE(-EINVAL, .segment_size = 4097),
		CASE(-EINVAL, .segment_size = 12288),
		CASE(-EINVAL, .segment_size = (1U << 30) + 4096),
		CASE(-EINVAL, .segment_size = 1U << 31),
		CASE(-EINVAL, .segment_size = UINT32_MAX),
		CASE(-EINVAL, .nr_segments = 0),
		CASE(-EINVAL, .nr_segments = 1),
		CASE(0, .nr_segments = 3),
		CASE(0, .nr_segments = 4096, .spans_per_segment = 1),
		CASE(-EINVAL, .nr_segments = 4097),
		CASE(-EINVAL, .nr_segments = UINT32_MAX),
		CASE(0, .spans_per_segment = 1),
		CASE(0, .spans_per_segment = 65536),
		CASE(-EINVAL, .spans_per_segment = 65537),
		CASE(-EINVAL, .spans_per_segment = UINT32_MAX),
		CASE(0, .watermark = 2),
		CASE(-EINVAL, .watermark = 3),
		CASE(-EINVAL, .watermark = UINT32_MAX),
		/* 4 TiB: fits the address space, but not the machine's memory */
		CASE(-ENOMEM, .segment_size = 1U << 30, .nr_segments = 4096),
		CASE(-ENOMEM, .segment_size = 1U << 30, .nr_segments = 4096,
		     .spans_per_segment = 65536),
#undef CASE
	};
	struct perfaux_create create;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		create = cases[i].create;
		EXPECT_EQ(cases[i].ret, create_only(self->fd, &create))
			TH_LOG("case %zu: %s", i, cases[i].what ?: "");
	}
}

#pragma GCC diagnostic pop

TEST_F(dev, create_no_descriptor)
{
	struct rlimit old, limit;
	int ret;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	limit = (struct rlimit){ .rlim_cur = 0, .rlim_max = old.rlim_max };
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ret = create_only(self->fd, &self->create);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(-EMFILE, ret);
	EXPECT_EQ(0, create_only(self->fd, &self->create));
}

TEST_F(dev, control_page)
{
	struct perfaux_create create = self->create;
	struct ring ring;
	uint32_t i;

	create.segment_size = 16384;
	create.nr_segments = 5;
	create.watermark = 3;
	create.spans_per_segment = 7;
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&ring, &create));
	EXPECT_EQ(sizeof(*ring.ctl), ring.ctl->size);
	EXPECT_EQ(PERFAUX_ABI, ring.ctl->abi);
	EXPECT_EQ(0, ring.ctl->flags);
	EXPECT_EQ(PERFAUX_RING_OVERWRITE, ring.ctl->ring_flags);
	EXPECT_EQ(16384, ring.ctl->segment_size);
	EXPECT_EQ(5, ring.ctl->nr_segments);
	EXPECT_EQ(7, ring.ctl->spans_per_segment);
	EXPECT_EQ(3, ring.ctl->watermark);
	EXPECT_EQ(0, ring.ctl->pmu_type);
	EXPECT_LE(sizeof(*ring.ctl), ring.ctl->segments_offset);
	EXPECT_LE(ring.ctl->segments_offset + 5 * sizeof(*ring.segments),
		  ring.ctl->spans_offset);
	EXPECT_LE(ring.ctl->spans_offset + 5 * 7 * sizeof(*ring.spans),
		  ring.ctl->gaps_offset);
	EXPECT_LE(ring.ctl->gaps_offset +
		  ring.ctl->nr_gaps * sizeof(*ring.gaps),
		  ring.ctl->order_offset);
	/* The smallest power of two that is at least twice the number of segments */
	EXPECT_EQ(16, ring.ctl->order_size);
	EXPECT_LE(ring.ctl->order_offset + 16 * 8, ring.ctl->open_offset);
	EXPECT_LE(ring.ctl->open_offset + 8, ring.ctl->data_offset);
	EXPECT_EQ(0, ring.ctl->data_offset % sysconf(_SC_PAGESIZE));
	EXPECT_EQ(ring.create.ring_size, ring.ctl->data_offset + 5 * 16384);
	EXPECT_LE((5 + ring.ctl->nr_gaps) * 8, ring.create.marks_size);
	EXPECT_EQ(0, ring.ctl->seq);
	for (i = 0; i < 5; i++)
		EXPECT_EQ(0, ring.segments[i].state);
	for (i = 0; i < 5 * 16384; i++)
		if (ring.data[i])
			break;
	EXPECT_EQ(5 * 16384, i);
	ring_close(&ring);
}

TEST_HARNESS_MAIN
