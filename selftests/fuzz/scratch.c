// SPDX-License-Identifier: GPL-2.0-only
/*
 * What fuzz targets of auxrec share.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scratch.h"

/* A packet takes a buffer of the pipe, of which there are so many at most. */
#define PIPE_BUFFERS	64
#define SMALL_PIECES	24
/* Nothing longer is one packet. */
#define PACKET		4096
#define MAX_ARGS	8

static char dir[128];

static void remove_dir(void)
{
	rmdir(dir);
}

const char *scratch_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	if (dir[0])
		return dir;
	snprintf(dir, sizeof(dir), "%s/fuzz.XXXXXX", tmp ?: "/dev/shm");
	must(mkdtemp(dir));
	atexit(remove_dir);
	return dir;
}

static void write_all(int fd, const void *data, size_t size)
{
	must(write(fd, data, size) == (ssize_t)size);
}

int scratch_file(char path[SCRATCH_PATH], const void *data, size_t size)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0);
	write_all(fd, data, size);
	snprintf(path, SCRATCH_PATH, "/proc/self/fd/%d", fd);
	return fd;
}

void scratch_pipe(const void *data, size_t size, size_t piece)
{
	const char *at = data;
	int fds[2], i;

	must(!pipe2(fds, O_CLOEXEC | O_DIRECT));
	must(fcntl(fds[1], F_SETPIPE_SZ, PIPE_BUFFERS * PACKET) >= 0);
	for (i = 0; size; i++) {
		size_t n = i < SMALL_PIECES ? piece : PACKET;

		if (n > size)
			n = size;
		write_all(fds[1], at, n);
		at += n;
		size -= n;
	}
	close(fds[1]);
	must(dup2(fds[0], STDIN_FILENO) == STDIN_FILENO);
	close(fds[0]);
}

int scratch_main(int (*main)(int argc, char **argv), ...)
{
	char *argv[MAX_ARGS + 2] = { "auxrec" };
	int argc = 1;
	va_list ap;

	va_start(ap, main);
	while (argc <= MAX_ARGS && (argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	return main(argc, argv);
}

char *scratch_string(const void *data, size_t size)
{
	char *s = malloc(size + 1);

	must(s);
	memcpy(s, data, size);
	s[size] = '\0';
	return s;
}
