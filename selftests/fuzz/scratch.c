// SPDX-License-Identifier: GPL-2.0-only
/*
 * Helpers of auxrec's fuzz targets: files, a scratch directory, and calls of subcommands.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../words.h"
#include "scratch.h"

/* Number of buffers in a pipe. Each packet uses one. */
#define PIPE_BUFFERS	64
#define SMALL_PIECES	24
/* The maximum size of a packet */
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

void scratch_enter(struct scratch_cwd *cwd)
{
	cwd->fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(cwd->fd >= 0 && !chdir(scratch_dir()));
}

void scratch_leave(struct scratch_cwd *cwd)
{
	must(!fchdir(cwd->fd));
	close(cwd->fd);
}

unsigned int scratch_clear(const char *path)
{
	DIR *dir = opendir(path);
	char below[PATH_MAX];
	const struct dirent *d;
	unsigned int nr = 0;

	if (!dir)
		return 0;
	while ((d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		nr++;
		if (!unlinkat(dirfd(dir), d->d_name, 0))
			continue;
		must(errno == EISDIR);
		snprintf(below, sizeof(below), "%s/%s", path, d->d_name);
		scratch_clear(below);
		must(!rmdir(below));
	}
	closedir(dir);
	return nr;
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

void scratch_write(const char *path, const void *data, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0);
	write_all(fd, data, size);
	close(fd);
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

int scratch_call(int (*main)(int argc, char **argv), int argc, char **argv)
{
	char *none[2] = { argv[0] };

	/*
	 * Reset getopt(3). Otherwise it could go on in a word of the previous call, if that call
	 * did not parse the whole word.
	 */
	optind = 0;
	must(getopt(1, none, "") == -1);
	return main(argc, argv);
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
	return scratch_call(main, argc, argv);
}

char *scratch_string(const void *data, size_t size)
{
	char *s = malloc(size + 1);

	must(s);
	memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

int scratch_split(const char *line, char *argv[SCRATCH_WORDS + 1])
{
	const char *word;
	int argc = 0;
	size_t len;

	argv[argc++] = scratch_string("auxrec", strlen("auxrec"));
	while (argc < SCRATCH_WORDS && (word = next_word(&line, &len)))
		argv[argc++] = scratch_string(word, len);
	argv[argc] = NULL;
	return argc;
}

void scratch_free(char **argv)
{
	while (*argv)
		free(*argv++);
}
