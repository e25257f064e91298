// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that calls functions of the vdso and of the vsyscall page: vsyscall
 * FILE. It writes the vdso's code to FILE.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

MARK(0, vdso)
MARK(1, vsyscall)
MARK(2, end)

static sigjmp_buf out;

static void none(int sig)
{
	siglongjmp(out, 1);
}

/*
 * Cause a fault in the vsyscall page. The code at the return address is not
 * executed then.
 */
static void __attribute__((noinline)) fault(void *in)
{
	asm volatile("sub $128, %%rsp\n\t"
		     "mov $8, %%edi\n\t"
		     "call *%0\n"
		     "mark_never:\n\t"
		     "syscall\n\t"
		     "add $128, %%rsp"
		     : : "r"(in) : "rax", "rcx", "rdi", "r11", "memory");
}

int main(int argc, char **argv)
{
	int (*gettimeofday_)(struct timeval *, void *) = (void *)0xffffffffff600000;
	time_t (*time_)(time_t *) = (void *)0xffffffffff600400;
	const void *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
	struct timespec ts;
	struct timeval tv;

	CHECK(argc == 2);
	for (int i = 0; i < 10; i++) {
		CHECK(!clock_gettime(CLOCK_MONOTONIC, &ts));
		CHECK(!clock_gettime(CLOCK_REALTIME_COARSE, &ts));
		mark_vdso();
	}
	signal(SIGSEGV, none);
	if (!sigsetjmp(out, 1)) {
		for (int i = 0; i < 10; i++) {
			CHECK(!gettimeofday_(&tv, NULL));
			mark_vsyscall();
			CHECK(time_(NULL) >= tv.tv_sec);
			mark_vsyscall();
		}
		if (!sigsetjmp(out, 1))
			fault(gettimeofday_);
	}
	if (vdso) {
		int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);

		for (int at = 0; at < 65536; at += 4096)
			if (write(fd, vdso + at, 4096) < 0)
				break;
		close(fd);
	}
	mark_end();
	marks_print();
	return 0;
}
