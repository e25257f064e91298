// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of several readers of one descriptor of PERFAUX_IOC_IDS. The first one
 * reads into memory whose page fault waits for the owner, which any user can arrange.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "../ring/lib/abi.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

#define PAGE	4096

FIXTURE(readers) {
	struct elf_set set;
	struct map_ring ring;
	int fd;
};

FIXTURE_SETUP(readers)
{
	char path[256];
	int fd;

	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
	/* The id is too long for a record, so there is a notice. */
	snprintf(path, sizeof(path), "%s/id-32.so", self->set.dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_EQ(0, map_and_read(&self->ring, fd, WAY_PRIVATE, &(struct map_record){ 0 }));
	close(fd);
}

FIXTURE_TEARDOWN(readers)
{
}

struct reader {
	int fd;
	void *to;
	size_t size;
	pid_t tid;
	ssize_t n;
};

static void *read_thread(void *arg)
{
	struct reader *r = arg;

	__atomic_store_n(&r->tid, gettid(), __ATOMIC_RELEASE);
	r->n = read(r->fd, r->to, r->size);
	return NULL;
}

static void read_fn(void *arg)
{
	read_thread(arg);
}

/*
 * Return a page whose page fault waits until page_comes(), or NULL. @uffd: -1 with
 * ENOSYS if this kernel does not support that.
 */
static void *page_that_waits(int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);

	*uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)page;
	range.range.len = PAGE;
	if (*uffd < 0 || ioctl(*uffd, UFFDIO_API, &api) ||
	    ioctl(*uffd, UFFDIO_REGISTER, &range))
		return NULL;
	return page;
}

static int page_comes(int uffd, void *page)
{
	struct uffdio_zeropage zero = { .range = { .start = (uintptr_t)page, .len = PAGE } };

	return ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
}

/* Wait until the task sleeps in read(@fd), see proc_pid_syscall(). */
static void wait_in_read(pid_t tid, int fd)
{
	char path[64], line[128], wanted[32];

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	snprintf(wanted, sizeof(wanted), "%d 0x%x ", SYS_read, fd);
	do {
		sched_yield();
		if (file_read(path, line, sizeof(line)))
			line[0] = 0;
	} while (strncmp(line, wanted, strlen(wanted)));
}

/*
 * A reader that waits for the first one can be killed, and a reader that does not
 * want to wait is not held up.
 */
TEST_F_TIMEOUT(readers, first_one_waits, 60)
{
	struct reader first = { .fd = self->fd, .size = PAGE }, second = first;
	struct child child;
	uint64_t buf[PAGE / 8];
	pthread_t thread;
	int uffd;

	first.to = page_that_waits(&uffd);
	/*
	 * Debian's kernels support it, and a skip on them is a failure, see
	 * selftests/check.
	 */
	if (uffd < 0 && errno == ENOSYS)
		SKIP(return, "this kernel has no CONFIG_USERFAULTFD");
	ASSERT_NE(NULL, first.to);
	second.to = buf;
	ASSERT_EQ(0, child_start(&child, read_fn, &second));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_thread, &first));
	while (!__atomic_load_n(&first.tid, __ATOMIC_ACQUIRE))
		sched_yield();
	wait_in_read(first.tid, self->fd);

	child_go(&child);
	wait_in_read(child.pid, self->fd);
	child_kill(&child);

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);

	ASSERT_EQ(0, page_comes(uffd, first.to));
	pthread_join(thread, NULL);
	EXPECT_LT(0, first.n);
	EXPECT_EQ(first.n, ((struct perfaux_notice *)first.to)->size);
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
}

/* Return the memory that the kernel itself uses, in KiB. */
static long kernel_memory(void)
{
	static const char *const names[] = { "VmallocUsed:", "SUnreclaim:" };
	long sum = 0, kib;
	char text[8192];
	size_t i;

	if (file_read("/proc/meminfo", text, sizeof(text)))
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (sscanf(strstr(text, names[i]) + strlen(names[i]), "%ld", &kib) == 1)
			sum += kib;
	return sum;
}

#define WAITING	64

/*
 * Waiting readers take no memory, however many they are and however large their
 * buffers are.
 */
TEST_F_TIMEOUT(readers, who_waits_takes_no_memory, 60)
{
	static struct reader readers[WAITING];
	const size_t size = 1 << 20;
	pthread_t threads[WAITING];
	long before;
	int i, fd;

	close(self->fd);
	fd = ids_open(size);
	ASSERT_LE(0, fd);
	before = kernel_memory();
	for (i = 0; i < WAITING; i++) {
		readers[i] = (struct reader){ .fd = fd, .to = malloc(size), .size = size };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, read_thread, &readers[i]));
	}
	for (i = 0; i < WAITING; i++) {
		while (!__atomic_load_n(&readers[i].tid, __ATOMIC_ACQUIRE))
			sched_yield();
		wait_in_read(readers[i].tid, fd);
	}
	EXPECT_GT(before + WAITING / 2 * 1024, kernel_memory());
}

TEST_HARNESS_MAIN
