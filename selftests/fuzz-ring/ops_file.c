// SPDX-License-Identifier: GPL-2.0-only
/* Calls that work on any descriptor: open, close, dup, send, poll, read, and so on. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"

static enum kind some_kind(struct caller *c)
{
	static const enum kind kinds[] = {
		KIND_RING, KIND_RING, KIND_RING, KIND_IDS, KIND_EVENT, KIND_DEVICE,
	};

	return kinds[below(c, ARRAY_SIZE(kinds))];
}

static int op_device(struct caller *c)
{
	static const int flags[] = { O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_NONBLOCK };
	unsigned int to = slot_of(c, KIND_DEVICE);
	int fd = open(PERFAUX_DEVICE, O_CLOEXEC | flags[below(c, ARRAY_SIZE(flags))]);

	if (fd < 0)
		return -errno;
	slot_put(KIND_DEVICE, to, fd);
	return 0;
}

static int op_close(struct caller *c)
{
	static const enum kind kinds[] = { KIND_RING, KIND_RING, KIND_EVENT, KIND_IDS };
	enum kind kind = kinds[below(c, ARRAY_SIZE(kinds))];

	slot_put(kind, slot_of(c, kind), -1);
	return 0;
}

static void slot_copy(enum kind kind, unsigned int to, unsigned int from, int fd)
{
	slots[kind][to].marks_size = slots[kind][from].marks_size;
	slots[kind][to].ring_size = slots[kind][from].ring_size;
	slots[kind][to].nr_segments = slots[kind][from].nr_segments;
	slot_put(kind, to, fd);
}

static int op_dup(struct caller *c)
{
	enum kind kind = some_kind(c);
	unsigned int from = slot_of(c, kind), to = slot_of(c, kind);
	int fd = slot_fd(kind, from), old = slot_fd(kind, to);

	if (one_in(c, 2)) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return -errno;
		slot_copy(kind, to, from, fd);
		return 0;
	}
	/* Replace a descriptor that is open, or was open a moment ago. */
	if (fd < 0 || old < 0 || fd == old)
		return -EBADF;
	if (dup3(fd, old, O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

/* Descriptors in transit. Only the socket holds a descriptor that is never received. */
static int pair[2] = { -1, -1 };

static int op_send(struct caller *c)
{
	enum kind kind = some_kind(c);
	unsigned int i = slot_of(c, kind);
	uint8_t what[2] = { kind, i };
	struct iovec iov = { what, sizeof(what) };
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf, .msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	int fd = slot_fd(kind, i);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(pair[0], &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int op_receive(struct caller *c)
{
	uint8_t what[2] = { 0 };
	struct iovec iov = { what, sizeof(what) };
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf, .msg_controllen = sizeof(control.buf),
	};
	uint32_t to = draw(c);
	struct cmsghdr *cmsg;
	int fd;

	if (recvmsg(pair[1], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS || what[0] >= KINDS)
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	slot_copy(what[0], to % nr_slots[what[0]], what[1] % SLOTS_MAX, fd);
	return 0;
}

static int epoll_fd = -1;

static int op_poll(struct caller *c)
{
	struct pollfd fds[4];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i].fd = some_fd(c, some_kind(c), NULL);
		fds[i].events = below(c, 64);
	}
	return poll(fds, ARRAY_SIZE(fds), 0) < 0 ? -errno : 0;
}

static int op_epoll(struct caller *c)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLPRI | (one_in(c, 2) ? EPOLLET : 0),
	};
	static const int what[] = { EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL };
	int fd = some_fd(c, some_kind(c), NULL);

	if (one_in(c, 3))
		return epoll_wait(epoll_fd, &event, 1, 0) < 0 ? -errno : 0;
	return epoll_ctl(epoll_fd, what[below(c, 4)], fd, &event) ? -errno : 0;
}

/* Read into valid or invalid memory. */
static int op_read(struct caller *c)
{
	int fd = some_fd(c, one_in(c, 2) ? KIND_IDS : some_kind(c), NULL);
	uint8_t buf[2048];
	void *at = buf;
	size_t size = one_in(c, 8) ? some_value(c) : below(c, sizeof(buf));

	if (one_in(c, 4))
		at = window_at(below(c, WINDOWS));
	else if (one_in(c, 8))
		at = c->read_only;
	if (at != buf && size > WINDOW_SIZE)
		size = WINDOW_SIZE;
	if (at == buf && size > sizeof(buf))
		size = sizeof(buf);
	return read(fd, at, size) < 0 ? -errno : 0;
}

static int op_write(struct caller *c)
{
	enum kind kind = some_kind(c);
	int fd = some_fd(c, kind, NULL);
	uint8_t buf[64] = { 0 };

	return write(fd, buf, below(c, sizeof(buf))) < 0 ? -errno : 0;
}

static int op_file(struct caller *c)
{
	int fd = some_fd(c, some_kind(c), NULL);
	struct stat st;

	switch (below(c, 10)) {
	case 0:
		return lseek(fd, some_value(c), below(c, 5)) < 0 ? -errno : 0;
	case 1:
		return fstat(fd, &st) ? -errno : 0;
	case 2:
		return ftruncate(fd, some_value(c)) ? -errno : 0;
	case 3:
		return fsync(fd) ? -errno : 0;
	case 4:
		return fallocate(fd, below(c, 8), some_value(c), some_value(c)) ? -errno : 0;
	case 5:
		return flock(fd, (LOCK_EX << below(c, 3)) | LOCK_NB) ? -errno : 0;
	case 6:
		return posix_fadvise(fd, 0, some_value(c), below(c, 6)) ? -errno : 0;
	case 7:
		return splice(fd, NULL, slot_fd(KIND_OTHER, 1), NULL, PAGE, SPLICE_F_NONBLOCK) <
		       0 ? -errno : 0;
	case 8:
		return fcntl(fd, F_SETPIPE_SZ, PAGE) < 0 ? -errno : 0;
	default:
		return fcntl(fd, F_GETFL) < 0 ? -errno : 0;
	}
}

static int op_fdinfo(struct caller *c)
{
	int fd = some_fd(c, some_kind(c), NULL), info;
	char path[64], text[1024];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return -errno;
	n = read(info, text, sizeof(text));
	close(info);
	return n < 0 ? -EIO : 0;
}

/* Put pages of a ring in a pipe. The pages can stay there after the ring is gone. */
static int op_splice(struct caller *c)
{
	struct iovec iov = {
		(uint8_t *)window_at(below(c, WINDOWS)) + below(c, 8) * PAGE, PAGE,
	};
	uint8_t buf[64];

	if (one_in(c, 2))
		return read(slot_fd(KIND_OTHER, 0), buf, sizeof(buf)) < 0 ? -errno : 0;
	return vmsplice(slot_fd(KIND_OTHER, 1), &iov, 1, SPLICE_F_NONBLOCK) < 0 ? -errno : 0;
}

static int elf_fd = -1;

int elf_with_long_id(void)
{
	return elf_fd;
}

static void elf_prepare(void)
{
	char path[512];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	int up;

	/* From .../fuzz-ring/fuzz_ring to the files that selftests/ids uses: .../ids/elf */
	for (up = 0; n > 0 && up < 2; up++)
		while (n > 0 && path[--n] != '/')
			;
	if (n < 0)
		return;
	strcpy(path + n, "/ids/elf/id-32.so");
	elf_fd = open(path, O_RDONLY | O_CLOEXEC);
}

/* Open descriptors that are not perfaux's, which calls use instead of perfaux's. */
int files_prepare(void)
{
	int fds[2];

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0 || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) ||
	    pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	slot_put(KIND_OTHER, 0, fds[0]);
	slot_put(KIND_OTHER, 1, fds[1]);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds))
		return -errno;
	slot_put(KIND_OTHER, 2, fds[0]);
	slot_put(KIND_OTHER, 3, fds[1]);
	slot_put(KIND_OTHER, 4, memfd_create("fuzz", MFD_CLOEXEC));
	slot_put(KIND_OTHER, 5, open("/dev/null", O_RDWR | O_CLOEXEC));
	slot_put(KIND_OTHER, 6, open("/bin/true", O_RDONLY | O_CLOEXEC));
	slot_put(KIND_OTHER, 7, open("/", O_PATH | O_CLOEXEC));
	bpf_prepare();
	elf_prepare();
	return 0;
}

const struct op ops_file[] = {
	{ .name = "open", .fn = op_device, .weight = 10 },
	{ .name = "close", .fn = op_close, .weight = 30 },
	{ .name = "dup", .fn = op_dup, .weight = 60, .works = 20 },
	{ .name = "send", .fn = op_send, .weight = 40, .works = 20 },
	{ .name = "receive", .fn = op_receive, .weight = 40 },
	{ .name = "poll", .fn = op_poll, .weight = 400 },
	{ .name = "epoll", .fn = op_epoll, .weight = 200 },
	{ .name = "read", .fn = op_read, .weight = 300, .works = 3, .waits = true,
	  .has_waited = true },
	{ .name = "write", .fn = op_write, .weight = 150 },
	{ .name = "file", .fn = op_file, .weight = 200, .waits = true },
	{ .name = "fdinfo", .fn = op_fdinfo, .weight = 8 },
	{ .name = "splice", .fn = op_splice, .weight = 40 },
	{ .name = NULL },
};
