// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the process that runs commands for snapshots: signals, the recorder's output, and a line
 * that is too long.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tap.h"
#include "helper/hook.h"

#define JOBS		(HOOK_RUNNING + 2)
#define WAIT_MS		60000

static char text[4096];

/* Read a file into @text. Return the number of its lines. */
static unsigned int load(const char *path)
{
	const int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	unsigned int lines = 0;
	char *p;

	text[n < 0 ? 0 : n] = '\0';
	close(fd);
	for (p = text; *p; p++)
		lines += *p == '\n';
	return lines;
}

static bool await_lines(const char *path, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < WAIT_MS && load(path) < nr; i++)
		poll(NULL, 0, 1);
	return load(path) == nr;
}

/* Put a file or a pipe in place of @fd. Return a copy of what was there. */
static int replace(int fd, int by)
{
	const int old = fcntl(fd, F_DUPFD_CLOEXEC, 10);

	fflush(stdout);
	if (old < 0 || by < 0 || dup2(by, fd) < 0)
		abort();
	close(by);
	return old;
}

static void put_back(int fd, int old)
{
	fflush(stdout);
	if (dup2(old, fd) < 0)
		abort();
	close(old);
}

static void begin(struct hook *h, const char *cmd)
{
	struct diag d;

	if (hook_open(h, cmd, &d))
		abort();
}

static bool finish(struct hook *h)
{
	bool ended;

	hook_finish(h);
	ended = hook_has_ended(h, WAIT_MS);
	hook_close(h);
	return ended;
}

static void test_signals(int gate)
{
	static const int sigs[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE };
	struct hook h;
	size_t i;
	bool ok;

	begin(&h, "echo >>begun; read _ <gate; echo \"$1\" >>ran");
	for (i = 0; i < JOBS; i++)
		hook_run(&h, "x", "{}");
	ok = await_lines("begun", HOOK_RUNNING);
	for (i = 0; i < ARRAY_LEN(sigs); i++)
		kill(h.pid, sigs[i]);
	for (i = 0; i < JOBS; i++)
		ok &= write(gate, "\n", 1) == 1;
	ok &= finish(&h) && load("ran") == JOBS;
	tap_report(ok, "after signals, commands that wait still run");
}

static void test_output(int gate)
{
	struct pollfd p = { .events = POLLIN };
	struct hook h;
	int fds[2], old;
	bool ok;

	unlink("begun");
	if (pipe2(fds, O_CLOEXEC))
		abort();
	old = replace(STDOUT_FILENO, fds[1]);
	begin(&h, "echo >>begun; read _ <gate");
	put_back(STDOUT_FILENO, old);
	hook_run(&h, "x", "{}");
	ok = await_lines("begun", 1);
	/* The recorder has ended, and no one else has its output. */
	p.fd = fds[0];
	ok &= poll(&p, 1, 5000) == 1 && read(fds[0], text, 1) == 0;
	ok &= write(gate, "\n", 1) == 1;
	ok &= finish(&h);
	close(fds[0]);
	tap_report(ok, "a command that runs does not keep the recorder's output open");
}

static void test_long(void)
{
	const size_t size = PATH_MAX + HOOK_LINE_MAX;
	char *line = malloc(size + 1);
	struct hook h;
	bool ok;
	int old;

	memset(line, 'x', size);
	line[size] = '\0';
	unlink("ran");
	old = replace(STDERR_FILENO, open("err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
	begin(&h, "wc -c >>ran");
	put_back(STDERR_FILENO, old);
	ok = !hook_run(&h, "large", line);
	line[HOOK_LINE_MAX - 1] = '\0';
	ok &= !hook_run(&h, "fits", line);
	ok &= finish(&h) && load("ran") == 1 && atoi(text) == HOOK_LINE_MAX;
	load("err");
	ok &= strstr(text, "--on-snapshot: large: no command: the line is too long\n") &&
	      !strstr(text, "fits");
	free(line);
	tap_report(ok, "a line that is too long is told");
}

static const char * const files[] = { "begun", "ran", "err", "gate" };

int main(void)
{
	char dir[] = "/tmp/hook-XXXXXX";
	int gate;
	size_t i;

	if (!mkdtemp(dir) || chdir(dir) || mkfifo("gate", 0600))
		return 2;
	gate = open("gate", O_RDWR | O_CLOEXEC);
	test_signals(gate);
	test_output(gate);
	test_long();
	close(gate);
	for (i = 0; i < ARRAY_LEN(files); i++)
		unlink(files[i]);
	if (chdir("/") || rmdir(dir))
		return 2;
	return tap_end();
}
