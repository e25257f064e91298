// SPDX-License-Identifier: GPL-2.0-only
/* Take the pages of a running program's code away again and again. See usage. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char usage[] =
"usage: evict pageout PID ADDRESS SIZE | evict open PID FILE\n"
"\n"
"Until the process is gone:\n"
"pageout: has its pages in that range reclaimed (MADV_PAGEOUT), again and again.\n"
"open:    opens FILE and reads a byte of it, again and again; a file system in\n"
"         user space drops the file's page cache when it is opened.\n"
"Prints how often it did that.\n";

static int pidfd;

/* Returns whether the process exists. */
static bool page_out(const struct iovec *range)
{
	if (syscall(SYS_process_madvise, pidfd, range, 1, MADV_PAGEOUT, 0) >= 0)
		return true;
	if (errno != ESRCH)
		err(1, "process_madvise");
	return false;
}

static bool open_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	char byte;

	if (fd < 0 || read(fd, &byte, 1) != 1)
		err(1, "%s", path);
	close(fd);
	return !syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0);
}

int main(int argc, char **argv)
{
	struct iovec range = {};
	unsigned long n = 0;

	if (argc == 5 && !strcmp(argv[1], "pageout")) {
		range.iov_base = (void *)strtoul(argv[3], NULL, 16);
		range.iov_len = strtoul(argv[4], NULL, 0);
	} else if (argc != 4 || strcmp(argv[1], "open")) {
		fputs(usage, stderr);
		return 2;
	}
	pidfd = syscall(SYS_pidfd_open, atoi(argv[2]), 0);
	if (pidfd < 0)
		err(1, "%s", argv[2]);
	while (range.iov_len ? page_out(&range) : open_file(argv[3]))
		n++;
	printf("%lu\n", n);
	return 0;
}
