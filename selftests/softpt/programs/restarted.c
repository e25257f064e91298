// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with a system call that the kernel restarts without a signal: a read()
 * of a pipe while io_uring completes something, for which the kernel interrupts the
 * task. The number of restarts of each call cannot be known. To make sure that each
 * of TIMES calls is restarted, a child writes into the pipe only after the ring has
 * completed. Exits with 4 if the kernel has no io_uring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

#define TIMES	10

MARK(0, reads)
MARK(1, completed)

static struct {
	int fd;
	char *rings;
	struct io_uring_sqe *sqes;
	struct io_uring_params p;
} ring;

static unsigned int *at(unsigned int offset)
{
	return (unsigned int *)(ring.rings + offset);
}

static void ring_open(void)
{
	ring.fd = syscall(SYS_io_uring_setup, 8, &ring.p);
	if (ring.fd < 0 && errno == ENOSYS)
		exit(4);
	CHECK(ring.fd >= 0 && ring.p.features & IORING_FEAT_SINGLE_MMAP);
	ring.rings = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			  ring.fd, IORING_OFF_SQ_RING);
	ring.sqes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			 ring.fd, IORING_OFF_SQES);
	CHECK(ring.rings != MAP_FAILED && ring.sqes != MAP_FAILED);
}

static void submit_timeout(void)
{
	static const struct __kernel_timespec soon = { .tv_nsec = 20000000 };
	unsigned int *tail = at(ring.p.sq_off.tail);
	unsigned int i = *tail & *at(ring.p.sq_off.ring_mask);

	ring.sqes[i] = (struct io_uring_sqe){
		.opcode = IORING_OP_TIMEOUT,
		.addr = (uintptr_t)&soon,
		.len = 1,
	};
	at(ring.p.sq_off.array)[i] = i;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	CHECK(syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, NULL, 0) == 1);
}

/*
 * When the ring has completed, give the kernel time to interrupt the task, which
 * then reads again; then write.
 */
static void write_when_completed(int fd)
{
	const unsigned int n = *at(ring.p.cq_off.tail) + 1;

	while (__atomic_load_n(at(ring.p.cq_off.tail), __ATOMIC_ACQUIRE) != n)
		usleep(1000);
	usleep(20000);
	CHECK(write(fd, "", 1) == 1);
	_exit(0);
}

int main(void)
{
	int fds[2], status;
	long n;
	char c;

	marks_share();
	ring_open();
	CHECK(!pipe(fds));
	for (int i = 0; i < TIMES; i++) {
		pid_t child;

		child = fork();
		if (!child)
			write_when_completed(fds[1]);
		submit_timeout();
		mark_reads();
		asm volatile("restarted_read: syscall"
			     : "=a"(n) : "a"(SYS_read), "D"(fds[0]), "S"(&c), "d"(1)
			     : "rcx", "r11", "memory");
		CHECK(n == 1);
		CHECK(waitpid(child, &status, 0) == child && !status);
		mark_completed();
	}
	marks_print();
	return 0;
}
