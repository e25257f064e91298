// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the mappings of a ring: what can be mapped and how, and what works on
 * mappings.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

#define PAGE	4096

/* Map and unmap again. Returns 0 or -errno. */
static int try_map(size_t size, int prot, int flags, int fd, off_t offset)
{
	void *at = mmap(NULL, size, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, size);
	return 0;
}

/* Return whether a child that calls @fn dies of @sig. */
static bool dies(void (*fn)(volatile uint8_t *), volatile uint8_t *at, int sig)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fn(at);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == sig;
}

static void touch_read(volatile uint8_t *at)
{
	(void)*at;
}

FIXTURE(memory) {
	struct ring ring;
	struct check check;
	int ev;
};

/* A ring that contains data */
FIXTURE_SETUP(memory)
{
	struct auxgen_config config = { AUXGEN_F_CTX | 1 << 24, 0 };
	struct perfaux_create create;

	ring_params(&create, 16384, 4);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
	self->ev = auxgen_open(&config, 0, -1, 0);
	ASSERT_LE(0, self->ev);
	ASSERT_EQ(0, ring_attach(&self->ring, self->ev, COOKIE(1)));
	check_start(&self->check, &self->ring);
	ASSERT_EQ(0, event_enable(self->ev));
	while (ring_fdinfo(self->ring.fd, "ready") < 2)
		ASSERT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	ASSERT_EQ(0, event_disable(self->ev));
	ASSERT_EQ(0, ring_flush(&self->ring, 0));
}

FIXTURE_TEARDOWN(memory)
{
	close(self->ev);
	ring_close(&self->ring);
}

/* Nobody can read the earlier contents of the pages, not even those of the full ring. */
TEST_F(memory, starts_empty)
{
	struct perfaux_create create;
	const uint64_t *words;
	size_t i, sum = 0;
	struct ring ring;

	ring_close(&self->ring);
	ring_params(&create, 16384, 4);
	ASSERT_EQ(0, ring_open(&ring, &create));
	words = (const void *)ring.data;
	for (i = 0; i < 4 * 16384 / sizeof(*words); i++)
		sum += words[i] != 0;
	words = (const void *)ring.spans;
	for (i = 0; i < 4 * ring.ctl->spans_per_segment * sizeof(*ring.spans) /
			sizeof(*words); i++)
		sum += words[i] != 0;
	EXPECT_EQ(0, sum);
	self->ring = ring;
}

TEST_F(memory, map_offset_and_length)
{
	uint64_t marks = self->ring.create.marks_size;
	uint64_t size = self->ring.create.ring_size;
	int fd = self->ring.fd;

	EXPECT_EQ(0, try_map(marks, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(-EINVAL, try_map(marks + PAGE, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(-EINVAL, try_map(marks - PAGE, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(-EINVAL, try_map(marks + size, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(0, try_map(size, PROT_READ, MAP_SHARED, fd, marks));
	EXPECT_EQ(-EINVAL, try_map(size + PAGE, PROT_READ, MAP_SHARED, fd,
				   marks));
	EXPECT_EQ(-EINVAL, try_map(size - PAGE, PROT_READ, MAP_SHARED, fd,
				   marks));
	EXPECT_EQ(-EINVAL, try_map(PAGE, PROT_READ, MAP_SHARED, fd, marks));
	EXPECT_EQ(-EINVAL, try_map(size, PROT_READ, MAP_SHARED, fd,
				   marks + PAGE));
	EXPECT_EQ(-EINVAL, try_map(size - PAGE, PROT_READ, MAP_SHARED, fd,
				   marks + PAGE));
	EXPECT_EQ(-EINVAL, try_map(PAGE, PROT_READ, MAP_SHARED, fd,
				   marks + size));
	EXPECT_EQ(-EINVAL, try_map(PAGE, PROT_READ, MAP_SHARED, fd,
				   1ULL << 46));
}

/* Return VmPin of /proc/self/status in KiB, or -1. */
static long pinned_kb(void)
{
	char text[8192], *at;

	if (file_read("/proc/self/status", text, sizeof(text)))
		return -1;
	at = strstr(text, "VmPin:");
	return at ? atol(at + 6) : -1;
}

/* Mapped memory counts as pinned until its last part is unmapped. */
TEST_F(memory, mapping_is_pinned)
{
	const uint64_t size = self->ring.create.ring_size;
	const uint64_t marks = self->ring.create.marks_size;
	const long before = pinned_kb();
	uint8_t *at;

	EXPECT_EQ((long)(size + marks) >> 10, before);
	at = mmap(NULL, size, PROT_READ, MAP_SHARED, self->ring.fd, marks);
	ASSERT_NE(MAP_FAILED, (void *)at);
	EXPECT_EQ(before + ((long)size >> 10), pinned_kb());
	ASSERT_EQ(0, munmap(at + PAGE, PAGE));
	ASSERT_EQ(0, munmap(at, PAGE));
	EXPECT_EQ(before + ((long)size >> 10), pinned_kb());
	ASSERT_EQ(0, munmap(at + 2 * PAGE, size - 2 * PAGE));
	EXPECT_EQ(before, pinned_kb());
	/* A refused mapping does not count. */
	EXPECT_EQ(-EINVAL, try_map(size - PAGE, PROT_READ, MAP_SHARED, self->ring.fd, marks));
	EXPECT_EQ(-EACCES, try_map(size, PROT_WRITE, MAP_SHARED, self->ring.fd, marks));
	EXPECT_EQ(before, pinned_kb());
	ring_unmap(&self->ring);
	EXPECT_EQ(0, pinned_kb());
	ASSERT_EQ(0, ring_map(&self->ring));
	EXPECT_EQ(before, pinned_kb());
}

/* A moved mapping still counts. A child without a mapping has no pinned memory. */
TEST_F(memory, moved_and_forked)
{
	const uint64_t size = self->ring.create.ring_size;
	const long before = pinned_kb();
	void *at, *to;
	int status;
	pid_t pid;

	at = mmap(NULL, size, PROT_READ, MAP_SHARED, self->ring.fd,
		  self->ring.create.marks_size);
	ASSERT_NE(MAP_FAILED, at);
	to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, to);
	ASSERT_EQ(to, mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	EXPECT_EQ(before + ((long)size >> 10), pinned_kb());
	pid = fork();
	if (!pid)
		_exit(pinned_kb() != 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, munmap(to, size));
	EXPECT_EQ(before, pinned_kb());
}

TEST_F(memory, map_protection)
{
	uint64_t marks = self->ring.create.marks_size;
	uint64_t size = self->ring.create.ring_size;
	int fd = self->ring.fd, ret;

	/* The error is EPERM if anonymous inodes are on a noexec mount. */
	ret = try_map(marks, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	EXPECT_TRUE(ret == -EACCES || ret == -EPERM);
	ret = try_map(size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, marks);
	EXPECT_TRUE(ret == -EACCES || ret == -EPERM);
	EXPECT_EQ(-EACCES, try_map(size, PROT_READ | PROT_WRITE, MAP_SHARED,
				   fd, marks));
	EXPECT_EQ(-EACCES, try_map(size, PROT_WRITE, MAP_SHARED, fd, marks));
	EXPECT_EQ(-EINVAL, try_map(size, PROT_READ, MAP_PRIVATE, fd, marks));
	EXPECT_EQ(-EINVAL, try_map(marks, PROT_READ | PROT_WRITE, MAP_PRIVATE,
				   fd, 0));
	EXPECT_EQ(0, try_map(size, PROT_NONE, MAP_SHARED, fd, marks));
}

TEST_F(memory, mprotect)
{
	void *ring = (void *)self->ring.ctl, *marks = self->ring.marks;
	uint64_t size = self->ring.create.ring_size;

	EXPECT_EQ(-1, mprotect(ring, size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(ring, PAGE, PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(ring, size, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(marks, PAGE, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(0, mprotect(marks, PAGE, PROT_READ));
	EXPECT_EQ(0, mprotect(marks, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, mprotect(ring, size, PROT_NONE));
	EXPECT_EQ(0, mprotect(ring, size, PROT_READ));
	ring_read(&self->ring, check_record, &self->check);
	check_end(&self->check);
	EXPECT_STREQ("", self->check.error);
}

/* Return the flags of the mapping that begins at @at, as in smaps: "rd mr ...", or "". */
static const char *mapping_flags(const void *at)
{
	static char line[512];
	FILE *f = fopen("/proc/self/smaps", "r");
	bool here = false;
	unsigned long begin;
	char dash;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx%c", &begin, &dash) == 2 && dash == '-')
			here = begin == (unsigned long)at;
		if (here && !strncmp(line, "VmFlags:", 8)) {
			fclose(f);
			return line + 8;
		}
	}
	if (f)
		fclose(f);
	return "";
}

/* A ring's mapping is not in core dumps or in children, and it does not grow. */
TEST_F(memory, mapping_flags)
{
	const void *maps[] = { self->ring.ctl, self->ring.marks };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		const char *flags = mapping_flags(maps[i]);

		if (!flags[0])
			SKIP(return, "no smaps");
		EXPECT_NE(NULL, strstr(flags, " dd ")) /* DONTDUMP */
			TH_LOG("%s", flags);
		EXPECT_NE(NULL, strstr(flags, " dc ")) /* DONTCOPY */
			TH_LOG("%s", flags);
		EXPECT_NE(NULL, strstr(flags, " de ")) /* DONTEXPAND */
			TH_LOG("%s", flags);
		EXPECT_EQ(NULL, strstr(flags, " me ")) /* MAYEXEC */
			TH_LOG("%s", flags);
		EXPECT_EQ(i, !!strstr(flags, " mw ")) /* MAYWRITE */
			TH_LOG("%s", flags);
	}
}

/* A debugger's way around protection: /proc/self/mem forces writes. */
TEST_F(memory, proc_mem_write)
{
	uint64_t seq = self->ring.ctl->seq, value = ~0ULL;
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, pwrite(fd, &value, sizeof(value),
			     (off_t)&self->ring.ctl->seq));
	EXPECT_EQ(seq, self->ring.ctl->seq);
	close(fd);
}

TEST_F(memory, mremap)
{
	uint64_t size = self->ring.create.ring_size;
	void *ring = (void *)self->ring.ctl;

	/* The mapping cannot grow past the ring. */
	EXPECT_EQ(MAP_FAILED, mremap(ring, size, size + PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(MAP_FAILED, mremap(self->ring.marks, PAGE, 2 * PAGE,
				     MREMAP_MAYMOVE));

	/* The mapping can move. */
	ring = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, ring);
	ring = mremap((void *)self->ring.ctl, size, size,
		      MREMAP_MAYMOVE | MREMAP_FIXED, ring);
	ASSERT_NE(MAP_FAILED, ring);
	self->ring.segments = ring +
		((uint8_t *)self->ring.segments - (uint8_t *)self->ring.ctl);
	self->ring.spans = ring +
		((uint8_t *)self->ring.spans - (uint8_t *)self->ring.ctl);
	self->ring.gaps = ring +
		((uint8_t *)self->ring.gaps - (uint8_t *)self->ring.ctl);
	self->ring.data = ring +
		((uint8_t *)self->ring.data - (uint8_t *)self->ring.ctl);
	self->ring.ctl = ring;
	self->check.ctl = ring;
	ring_read(&self->ring, check_record, &self->check);
	check_end(&self->check);
	EXPECT_STREQ("", self->check.error);
}

TEST_F(memory, partial_munmap)
{
	uint64_t size = self->ring.create.ring_size, first;
	uint8_t *at = (uint8_t *)self->ring.ctl;

	first = self->ring.ctl->data_offset;
	/* Unmap a page in the data; the rest stays the same. */
	ASSERT_EQ(0, munmap(at + first + PAGE, PAGE));
	EXPECT_TRUE(dies(touch_read, at + first + PAGE, SIGSEGV));
	EXPECT_EQ(PERFAUX_ABI, self->ring.ctl->abi);
	EXPECT_EQ(AUXGEN_MAGIC, *(uint32_t *)self->ring.data);
	/* A second mapping has all pages. */
	EXPECT_EQ(0, try_map(size, PROT_READ, MAP_SHARED, self->ring.fd,
			     self->ring.create.marks_size));
	/* Unmap the control page first; the ring still works. */
	ASSERT_EQ(0, munmap(at, PAGE));
	self->ring.ctl = NULL;
	EXPECT_EQ(0, ring_flush(&self->ring, PERFAUX_FLUSH_SPANS));
	munmap(at + PAGE, size - PAGE);
}

/* Close the descriptor first: a mapping keeps the ring. */
TEST_F(memory, close_before_munmap)
{
	close(self->ring.fd);
	self->ring.fd = -1;
	ring_read(&self->ring, check_record, &self->check);
	check_end(&self->check);
	EXPECT_STREQ("", self->check.error);
}

static void read_mapping(volatile uint8_t *at)
{
	(void)*at;
}

/* As with perf's own mappings, a forked child has no mapping but can make one. */
TEST_F(memory, fork)
{
	struct ring copy;
	int status;
	pid_t pid;

	EXPECT_TRUE(dies(read_mapping, (uint8_t *)self->ring.ctl, SIGSEGV));
	EXPECT_TRUE(dies(read_mapping, (uint8_t *)self->ring.marks, SIGSEGV));
	EXPECT_EQ(PERFAUX_ABI, self->ring.ctl->abi);

	pid = fork();
	if (!pid) {
		if (ring_adopt(&copy, self->ring.fd, &self->ring.create))
			_exit(1);
		self->check.ctl = copy.ctl;
		ring_read(&copy, check_record, &self->check);
		check_end(&self->check);
		if (self->check.error[0])
			fprintf(stderr, "# %s\n", self->check.error);
		_exit(self->check.error[0] || !self->check.chunks ? 2 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* A release by the child counts. */
	EXPECT_EQ(0, ring_fdinfo(self->ring.fd, "ready"));
}

static int send_fd(int sock, int fd)
{
	char c = 0, control[CMSG_SPACE(sizeof(fd))] = { };
	struct iovec iov = { .iov_base = &c, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int sock)
{
	char c, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { .iov_base = &c, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	int fd;

	if (recvmsg(sock, &msg, 0) != 1)
		return -1;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg)
		return -1;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

/* Pass the descriptor to another user's process, and close our own. */
TEST_F(memory, scm_rights)
{
	int sock[2], status;
	struct ring copy;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	pid = fork();
	if (!pid) {
		int fd;

		close(self->ring.fd);
		close(self->ev);
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			_exit(3);
		fd = receive_fd(sock[1]);
		if (fd < 0 || ring_adopt(&copy, fd, &self->ring.create))
			_exit(1);
		self->check.ctl = copy.ctl;
		ring_read(&copy, check_record, &self->check);
		if (self->check.error[0])
			fprintf(stderr, "# %s\n", self->check.error);
		_exit(self->check.error[0] ||
		      self->check.bytes != copy.ctl->bytes ? 2 : 0);
	}
	ASSERT_EQ(0, send_fd(sock[0], self->ring.fd));
	close(self->ring.fd);
	self->ring.fd = -1;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Return whether the file @fd contains the same bytes as the mapped segments. */
static bool same_in_file(int fd, const void *data, size_t size)
{
	void *copy = malloc(size);
	bool same = pread(fd, copy, size, 0) == (ssize_t)size &&
		    !memcmp(copy, data, size);

	free(copy);
	return same;
}

/* Open a file on a file system with direct I/O (tmpfs has none). */
static int direct_file(char *path)
{
	static const char * const dirs[] = { "/var/tmp", "/root", "/" };
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		sprintf(path, "%s/perfaux-direct.%d", dirs[i], getpid());
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_DIRECT, 0600);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

TEST_F(memory, o_direct_write)
{
	size_t size = 2 * 16384;
	char path[64];
	int fd = direct_file(path), plain;

	if (fd < 0)
		SKIP(return, "no filesystem with O_DIRECT");
	EXPECT_EQ((ssize_t)size, write(fd, self->ring.data, size));
	plain = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	EXPECT_TRUE(same_in_file(plain, self->ring.data, size));
	/* Write the tables, too. */
	EXPECT_EQ((ssize_t)self->ring.ctl->data_offset,
		  pwrite(fd, self->ring.ctl, self->ring.ctl->data_offset, 0));
	EXPECT_TRUE(same_in_file(plain, self->ring.ctl,
				 self->ring.ctl->data_offset));
	/* Nothing can be read into the ring's pages. */
	EXPECT_EQ(-1, pread(fd, (void *)self->ring.data, 4096, 0));
	EXPECT_EQ(EFAULT, errno);
	close(fd);
	close(plain);
}

/* Pages in a pipe outlive the ring. */
TEST_F(memory, vmsplice)
{
	struct iovec iov = {
		.iov_base = (void *)self->ring.data, .iov_len = 16384,
	};
	static uint8_t expected[16384], copy[16384];
	int pipes[2];
	ssize_t n, at = 0;

	memcpy(expected, self->ring.data, sizeof(expected));
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ((ssize_t)sizeof(copy), vmsplice(pipes[1], &iov, 1, 0));
	close(self->ev);
	ring_close(&self->ring);
	close(pipes[1]);
	while ((n = read(pipes[0], copy + at, sizeof(copy) - at)) > 0)
		at += n;
	EXPECT_EQ((ssize_t)sizeof(copy), at);
	EXPECT_EQ(0, memcmp(copy, expected, sizeof(copy)));
	close(pipes[0]);
}

TEST_F(memory, process_vm_readv)
{
	size_t size = 4 * 16384;
	struct iovec remote = {
		.iov_base = (void *)self->ring.data, .iov_len = size,
	};
	struct iovec local = { .iov_base = malloc(size), .iov_len = size };
	pid_t parent = getpid(), pid;
	int status;

	if (process_vm_readv(parent, NULL, 0, NULL, 0, 0) && errno == ENOSYS)
		SKIP(return, "the kernel has no process_vm_readv()");
	pid = fork();
	if (!pid) {
		struct auxgen_chunk *chunk = local.iov_base;

		if (process_vm_readv(parent, &local, 1, &remote, 1, 0) !=
		    (ssize_t)size)
			_exit(1);
		_exit(chunk->magic == AUXGEN_MAGIC ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ((ssize_t)size, process_vm_readv(getpid(), &local, 1, &remote,
						  1, 0));
	EXPECT_EQ(0, memcmp(local.iov_base, self->ring.data, size));
	EXPECT_EQ(-1, process_vm_writev(getpid(), &local, 1, &remote, 1, 0));
	free(local.iov_base);
}

/* Map the ring before the first event is attached, after that, and many times. */
TEST_F(memory, many_mappings)
{
	void *maps[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		maps[i] = mmap(NULL, self->ring.create.ring_size, PROT_READ,
			       MAP_SHARED, self->ring.fd,
			       self->ring.create.marks_size);
		ASSERT_NE(MAP_FAILED, maps[i]);
	}
	EXPECT_EQ(0, memcmp(maps[63], self->ring.ctl,
			    self->ring.create.ring_size));
	for (i = 0; i < ARRAY_SIZE(maps); i++)
		munmap(maps[i], self->ring.create.ring_size);
}

TEST_HARNESS_MAIN
