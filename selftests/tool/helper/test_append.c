// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of append_line(): whole lines of several writers, a line that a crash has cut, a file that
 * has become too large, a disk that takes only a part, and a lock that another process holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tap.h"
#include "helper/append.h"

#define WRITERS	8
#define LINES	200

static char text[APPEND_MAX + 1024];

/* Read a file into @text. Return its size, or -1. */
static ssize_t load(const char *path)
{
	const int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	close(fd);
	return n;
}

static void store(const char *path, const char *data, size_t len)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (write(fd, data, len) != (ssize_t)len)
		abort();
	close(fd);
}

static bool is(const char *path, const char *wanted)
{
	load(path);
	if (!strcmp(text, wanted))
		return true;
	printf("# %s: '%.200s', not '%s'\n", path, text, wanted);
	return false;
}

static void test_lines(void)
{
	struct diag d;
	struct stat st;
	int err = append_line("a", "one", &d) ?: append_line("a", "two", &d);

	tap_report(!err && is("a", "one\ntwo\n") && !stat("a", &st) && (st.st_mode & 0777) == 0600,
		   "each call appends a line, to a file that only its owner reads");
}

static void test_cut(void)
{
	struct diag d;

	store("cut", "one\nha", 6);
	tap_report(!append_line("cut", "two", &d) && is("cut", "one\nha\ntwo\n"),
		   "a line that was cut is ended first");
}

static void test_rotation(void)
{
	char *full = malloc(APPEND_MAX);
	struct diag d;
	bool ok;

	memset(full, 'x', APPEND_MAX);
	full[APPEND_MAX - 1] = '\n';
	store("big", full, APPEND_MAX);
	store("big.old", "older\n", 6);
	ok = !append_line("big", "new", &d) && is("big", "new\n") &&
	     load("big.old") == APPEND_MAX && !memcmp(text, full, APPEND_MAX);
	tap_report(ok, "a file that would be too large is renamed");
	store("fits", full, APPEND_MAX - 100);
	ok = !append_line("fits", "new", &d) && load("fits") == APPEND_MAX - 95 &&
	     access("fits.old", F_OK);
	tap_report(ok, "a file that is not too large stays");
	free(full);
}

static void write_many(int writer)
{
	char line[600];
	struct diag d;
	int i;

	for (i = 0; i < LINES; i++) {
		memset(line, 'a' + writer, sizeof(line));
		line[20 + (i * 37 + writer) % 570] = '\0';
		if (append_line("many", line, &d))
			_exit(1);
	}
	_exit(0);
}

/* Each line has one letter only, so a line that is mixed with another one has two. */
static void test_writers(void)
{
	int i, status, failed = 0, nr[WRITERS] = { 0 }, mixed = 0;
	char *line, *save;

	for (i = 0; i < WRITERS; i++)
		if (!fork())
			write_many(i);
	while (wait(&status) > 0)
		failed += !!status;
	load("many");
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const int writer = *line - 'a';

		if (writer < 0 || writer >= WRITERS ||
		    line[strspn(line, (const char []){ *line, '\0' })])
			mixed++;
		else
			nr[writer]++;
	}
	for (i = 0; i < WRITERS; i++)
		failed += nr[i] != LINES;
	tap_report(!failed && !mixed, "%d writers, whole lines", WRITERS);
}

/* The limit takes the disk's place: a write ends there, and the next one fails. */
static void test_full(void)
{
	const struct rlimit small = { 10, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	struct diag d = { "" };
	int err;

	signal(SIGXFSZ, SIG_IGN);
	store("full", "one\n", 4);
	setrlimit(RLIMIT_FSIZE, &small);
	err = append_line("full", "0123456789", &d);
	setrlimit(RLIMIT_FSIZE, &none);
	tap_report(err < 0 && strstr(d.msg, "full: ") && is("full", "one\n"),
		   "after an error the file is as it was");
	err = append_line("no/such/directory", "x", &d);
	tap_report(err == -ENOENT && strstr(d.msg, "no/such/directory: "), "an error is told");
}

static void test_locked(void)
{
	const int fd = open("locked", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct diag d = { "" };
	int err;

	if (flock(fd, LOCK_EX))
		abort();
	alarm(60);
	err = append_line("locked", "x", &d);
	alarm(0);
	tap_report(err == -EBUSY && !strcmp(d.msg, "locked: another process holds its lock"),
		   "append_line() does not wait for a lock forever");
	close(fd);
}

static const char * const files[] = {
	"a", "cut", "big", "big.old", "fits", "many", "full", "locked"
};

int main(void)
{
	char dir[] = "/tmp/append-XXXXXX";
	size_t i;

	if (!mkdtemp(dir) || chdir(dir))
		return 2;
	test_lines();
	test_cut();
	test_rotation();
	test_writers();
	test_full();
	test_locked();
	for (i = 0; i < ARRAY_LEN(files); i++)
		unlink(files[i]);
	if (chdir("/") || rmdir(dir))
		return 2;
	return tap_end();
}
