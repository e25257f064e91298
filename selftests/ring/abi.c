// SPDX-License-Identifier: GPL-2.0-only
/* Every promise and every errno of uapi/perfaux.h, ioctls. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "kselftest_harness.h"
#include "auxgen_check.h"

#define SECONDS		60

/* An argument that is longer than what the kernel knows. */
#define LONG(type) struct { struct type arg; __u64 tail[2]; }

static int call(int fd, unsigned long cmd, const void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

/* CREATE, and the ring is closed again: 0 or -errno. */
static int create_only(int dev, const void *arg)
{
	int fd = call(dev, PERFAUX_IOC_CREATE, arg);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* A page that can be read and not written, holding @arg. */
static void *read_only(const void *arg, size_t size)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, arg, size);
	mprotect(page, 4096, PROT_READ);
	return page;
}

/* Where a struct of @size ends at the end of what is mapped. */
static void *at_the_edge(size_t size)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 4096, 4096);
	return pages + 4096 - size;
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

TEST_F(dev, info)
{
	struct perfaux_info info = { .size = sizeof(info) };

	EXPECT_EQ(0, call(self->fd, PERFAUX_IOC_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(PERFAUX_ABI, info.abi);
	EXPECT_EQ(PERFAUX_RING_OVERWRITE, info.create_flags);
	EXPECT_EQ(sysconf(_SC_PAGESIZE), info.min_segment_size);
	EXPECT_EQ(1U << 30, info.max_segment_size);
	EXPECT_EQ(2, info.min_segments);
	EXPECT_EQ(4096, info.max_segments);
	EXPECT_EQ(65536, info.max_spans);
	EXPECT_EQ(0, info.reserved);
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
	EXPECT_EQ(-ENOTTY, call(self->fd, _IO(PERFAUX_IOC_MAGIC, 5), &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, _IO(PERFAUX_IOC_MAGIC, 255), NULL));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_ATTACH, &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_DETACH, &attach));
	EXPECT_EQ(-ENOTTY, call(self->fd, PERFAUX_IOC_FLUSH, &attach));
	EXPECT_EQ(-ENOTTY, call(ring, _IO(PERFAUX_IOC_MAGIC, 5), &attach));
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
	long page = sysconf(_SC_PAGESIZE);
	int ring = call(self->fd, PERFAUX_IOC_CREATE, &create);

	ASSERT_LE(0, ring);
	EXPECT_EQ(sizeof(create), create.size);
	EXPECT_LE((2 + 1) * 8, create.marks_size);
	EXPECT_EQ(0, create.marks_size % page);
	EXPECT_LT(2 * 4096, create.ring_size);
	EXPECT_EQ(0, create.ring_size % page);
	EXPECT_EQ((create.marks_size + create.ring_size) / page,
		  ring_fdinfo(ring, "locked_pages"));
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

/* A ring that could not be answered for is not left behind. */
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

/* A case says what differs from a ring that can be made. */
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
		CASE(-EINVAL, .flags = 2),
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
		/* 4 TiB: fits the address space, not the machine */
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
		  ring.ctl->data_offset);
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

	arg.flags = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.flags = 1U << 31;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.flags = 0;
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, call(self->ring.fd, PERFAUX_IOC_ATTACH, &arg));
	arg.reserved = 0;
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
	/* Anonymous inodes as perf's are. */
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
	/* The same event by whichever descriptor. */
	EXPECT_EQ(0, ring_detach(&self->ring, copy));
	EXPECT_EQ(0, ring_attach(&self->other, self->ev, 1));
	EXPECT_EQ(-EBUSY, ring_attach(&self->ring, self->ev, 1));
	close(copy);
	close(second);
}

/*
 * Needs a second PMU with an AUX area: auxgen is taken out and put in again
 * with one.
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
	ret = module_insert("auxgen", "second=1");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, file_read("/sys/bus/event_source/devices/auxgen2/type",
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

	/* Rings and events hold the driver. */
	close(second);
	close(self->ev);
	self->ev = -1;
	EXPECT_EQ(-EAGAIN, module_remove("auxgen"));
	ring_close(&self->ring);
	ring_close(&self->other);
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
	arg.flags = 1;
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
	EXPECT_EQ(-EINVAL, ring_flush(&self->ring, 2));
	EXPECT_EQ(-EINVAL, ring_flush(&self->ring, 1U << 31));
	/* Nothing attached: nothing to do. */
	EXPECT_EQ(0, ring_flush(&self->ring, 0));
	EXPECT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	EXPECT_EQ(0, self->ring.ctl->seq);
}

/* After FLUSH_SPANS what an event has written so far can be read. */
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
 * The ring holds the event, as a mapping would: closing the descriptor does
 * not end it. The task's slices go on to be written.
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

	/* And on again, where the event is enabled and running already. */
	ASSERT_EQ(0, ring_attach(&self->other, self->ev, COOKIE(1)));
	check_start(&check, &self->other);
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(&self->other, 0));
	ring_read(&self->other, check_record, &check);
	EXPECT_LE(1, check.spans);
}

TEST_F(raw, fdinfo)
{
	static const char * const names[] = {
		"seq", "claims", "spans", "bytes", "skipped", "gaps",
		"merged_begin", "merged_end",
	};
	static const char * const causes[] = {
		"full", "truncated", "overwritten", "overrun", "no_gap",
	};
	const __u64 *values = &self->ring.ctl->seq;
	struct auxgen_config config = {
		AUXGEN_F_CTX | 3ULL << 32 | 2ULL << 48 | 1 << 24, 0,
	};
	char name[64];
	size_t i;
	int ev;

	ev = auxgen_open(&config, 0, -1, EV_ENABLED);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	/* Until the pool is full: all counters but one have a value. */
	while (!ring_lost(&self->ring, PERFAUX_CAUSE_FULL))
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	ASSERT_EQ(0, event_disable(ev));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));

	for (i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_EQ(values[i], ring_fdinfo(self->ring.fd, names[i]))
			TH_LOG("%s", names[i] ?: "");
	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		snprintf(name, sizeof(name), "lost_%s", causes[i]);
		EXPECT_EQ(self->ring.ctl->lost_count[i + 1],
			  ring_fdinfo(self->ring.fd, name))
			TH_LOG("%s", name);
		snprintf(name, sizeof(name), "lost_%s_bytes", causes[i]);
		EXPECT_EQ(self->ring.ctl->lost_bytes[i + 1],
			  ring_fdinfo(self->ring.fd, name))
			TH_LOG("%s", name);
	}
	EXPECT_LT(0, self->ring.ctl->bytes);
	EXPECT_LT(0, self->ring.ctl->skipped);
	EXPECT_LT(0, self->ring.ctl->lost_count[PERFAUX_CAUSE_TRUNCATED]);
	EXPECT_EQ(self->ring.ctl->segment_size,
		  ring_fdinfo(self->ring.fd, "segment_size"));
	EXPECT_EQ(self->ring.ctl->nr_segments,
		  ring_fdinfo(self->ring.fd, "nr_segments"));
	EXPECT_EQ(self->ring.ctl->spans_per_segment,
		  ring_fdinfo(self->ring.fd, "spans_per_segment"));
	EXPECT_EQ(self->ring.ctl->watermark,
		  ring_fdinfo(self->ring.fd, "watermark"));
	EXPECT_EQ(self->ring.ctl->flags, ring_fdinfo(self->ring.fd, "flags"));
	EXPECT_EQ(self->ring.ctl->ring_flags,
		  ring_fdinfo(self->ring.fd, "ring_flags"));
	EXPECT_EQ(PERFAUX_ABI, ring_fdinfo(self->ring.fd, "abi"));
	EXPECT_EQ(self->ring.ctl->pmu_type,
		  ring_fdinfo(self->ring.fd, "pmu_type"));
	EXPECT_EQ(4, ring_fdinfo(self->ring.fd, "ready"));
	close(ev);
}

/* Makes @n segments READY, by tiny steps; the event writes 16 chunks a time. */
static void make_ready(struct ring *ring, int n)
{
	while (ring_fdinfo(ring->fd, "ready") < n &&
	       !ring_lost(ring, PERFAUX_CAUSE_FULL))
		ring_flush(ring, PERFAUX_FLUSH_SPANS);
}

TEST_F_TIMEOUT(raw, poll, SECONDS)
{
	struct perfaux_create create;
	static struct check check;
	struct ring ring;

	ring_params(&create, 4096, 8);
	create.watermark = 3;
	ASSERT_EQ(0, ring_open(&ring, &create));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	check_start(&check, &ring);
	ASSERT_EQ(0, event_enable(self->ev));
	make_ready(&ring, 2);
	ASSERT_EQ(2, ring_fdinfo(ring.fd, "ready"));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	make_ready(&ring, 3);
	ASSERT_EQ(3, ring_fdinfo(ring.fd, "ready"));
	EXPECT_EQ(POLLIN, ring_poll(&ring, 0));
	EXPECT_EQ(POLLIN, ring_poll(&ring, -1));

	/* What is released is not READY any more. */
	ring_read(&ring, check_record, &check);
	EXPECT_EQ(0, ring_poll(&ring, 0));

	/* STARVED and a gap are news for the reader. */
	make_ready(&ring, 9);
	ASSERT_EQ(PERFAUX_CTL_STARVED, ring.ctl->flags);
	EXPECT_EQ(POLLIN, ring_poll(&ring, 0));
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(&ring, 0));
	EXPECT_EQ(POLLIN, ring_poll(&ring, 0));
	ring_read(&ring, check_record, &check);
	EXPECT_LE(1, check.gaps);
	EXPECT_EQ(0, ring_poll(&ring, 0) & POLLIN);

	EXPECT_EQ(0, ring_detach(&ring, self->ev));
	EXPECT_EQ(POLLHUP, ring_poll(&ring, 0));
	EXPECT_EQ(POLLHUP, ring_poll(&ring, -1));
	EXPECT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	check_end(&check);
	EXPECT_STREQ("", check.error);
	ring_close(&ring);
}

/* Somebody who sleeps in poll() is woken, for each of the reasons. */
TEST_F_TIMEOUT(raw, poll_wakes, SECONDS)
{
	struct perfaux_create create;
	struct ring ring;
	int status;
	pid_t pid;

	ring_params(&create, 4096, 4);
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	pid = fork();
	if (!pid)
		_exit(ring_poll(&ring, 20000));
	ASSERT_EQ(0, event_enable(self->ev));
	make_ready(&ring, 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(POLLIN, WEXITSTATUS(status));
	ASSERT_EQ(0, event_disable(self->ev));
	ring_close(&ring);

	create.watermark = 4;
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	pid = fork();
	if (!pid)
		_exit(ring_poll(&ring, 20000));
	ASSERT_EQ(0, ring_detach(&ring, self->ev));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(POLLHUP, WEXITSTATUS(status));
	ring_close(&ring);
}

TEST_F_TIMEOUT(raw, poll_overwrite, SECONDS)
{
	struct perfaux_create create;
	struct ring ring;

	ring_params(&create, 4096, 2);
	create.flags = PERFAUX_RING_OVERWRITE;
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, ring_attach(&ring, self->ev, COOKIE(1)));
	ASSERT_EQ(0, event_enable(self->ev));
	while (!ring_lost(&ring, PERFAUX_CAUSE_OVERWRITTEN))
		ASSERT_EQ(0, ring_flush(&ring, PERFAUX_FLUSH_SPANS));
	EXPECT_EQ(0, ring_lost(&ring, PERFAUX_CAUSE_FULL));
	EXPECT_LE(1, ring_fdinfo(ring.fd, "ready"));
	EXPECT_EQ(0, ring_poll(&ring, 0));
	ring_close(&ring);
}

TEST_HARNESS_MAIN
