// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that checks that nobody steps it any more: runon FILE
 *
 * It counts until FILE exists. From then on nobody steps it: it does work that
 * would take minutes with steps, and has no TF.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

#define WORK	5000000

MARK(0, before)
MARK(1, after)

int main(int argc, char **argv)
{
	struct timespec begin, end;

	CHECK(argc == 2);
	signal(SIGTRAP, SIG_DFL);
	while (access(argv[1], F_OK))
		mark_before();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (volatile int i = 0; i < WORK; i++)
		if (i % 100000 == 0) {
			CHECK(!(__builtin_ia32_readeflags_u64() & 0x100));
			CHECK(getppid() > 0);
			mark_after();
		}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%ld s\n", (long)(end.tv_sec - begin.tv_sec));
	marks_print();
	return 0;
}
