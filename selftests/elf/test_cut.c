// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cut: test tool/session/buildid.c with files that become shorter while they are read. In
 * one test, a process truncates and fills a file all the time. Another test cuts a file off at each
 * place, after buildid.c has read the file's size.
 *
 * test_cut FILE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "session/buildid.h"
#include "test_cut.h"

/* A buildid.c that read mapped files got SIGBUS within some hundreds of reads. */
#define READS	20000

static void cut(int fd, const void *data, size_t size)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size)
		;
	_exit(1);
}

static void read_it(const char *path)
{
	struct build_id_cache cache = { .list = NULL };
	struct build_id id;
	int i;

	for (i = 0; i < READS; i++) {
		build_id_file(&cache, path, &id, NULL);
		if (i % 100 == 0)
			build_id_cache_free(&cache);
	}
	_exit(0);
}

/* pread() sees only this number of bytes of each file. */
static off_t left = LONG_MAX;

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at)
{
	if (at >= left)
		return 0;
	return __real_pread(fd, buf, size < (size_t)(left - at) ? size : (size_t)(left - at), at);
}

/*
 * Cut the file off at each place. The result must be the file's id or none. Return how often
 * there was none.
 */
static int cut_everywhere(const char *path, off_t size, bool *wrong)
{
	struct build_id whole, id;
	int none = 0, err;

	*wrong = build_id_file(NULL, path, &whole, NULL);
	for (left = 0; left < size; left += 4) {
		err = build_id_file(NULL, path, &id, NULL);
		none += err && !id.size;
		*wrong |= !err && (id.size != whole.size || memcmp(id.id, whole.id, id.size));
	}
	left = LONG_MAX;
	return none;
}

static void test_everywhere(const char *path, off_t size)
{
	bool wrong;
	int none = cut_everywhere(path, size < 8192 ? size : 8192, &wrong);

	tap_report(!wrong && none, "a file that is cut off anywhere has its id or none, %d times",
		   none);
}

int main(int argc, char **argv)
{
	const int from = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int fd, status = -1;
	pid_t writer, reader;
	struct stat st;
	char path[64];
	void *data;

	if (from < 0 || fstat(from, &st))
		return 2;
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	fd = memfd_create("cut", MFD_CLOEXEC);
	if (data == MAP_FAILED || fd < 0)
		return 2;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	writer = fork();
	if (!writer)
		cut(fd, data, st.st_size);
	reader = fork();
	if (!reader)
		read_it(path);
	waitpid(reader, &status, 0);
	kill(writer, SIGKILL);
	tap_report(!status, "a file that is cut off while its build-id is read: %s",
		   WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "read");
	test_everywhere(argv[1], st.st_size);
	return tap_end();
}
