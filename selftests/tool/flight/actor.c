// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the flight recorder's tests have others do, as fast as it can be done:
 *
 * actor fork N [NAME]		N children, one after the other, that end at once; with
 *				NAME that is what they call themselves
 * actor map FILE N		maps FILE as code, and unmaps it, N times
 * actor signal PID SIG N NAME	sends it N times; before the last one the sender calls
 *				itself NAME
 * actor catch PID SIG [BYTES]	sends it, and stops the first child that PID makes, once
 *				that has written so many; prints its number. Status 1 if
 *				it was too fast.
 * actor crash SIG [NAME]	sends that to itself, as NAME
 * actor touch			writes to a variable, whose address it prints before it
 *				waits for a line of input
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int do_fork(int argc, char **argv)
{
	long n = argc > 0 ? atol(argv[0]) : 0;
	pid_t pid;

	while (n-- > 0) {
		pid = fork();
		if (!pid) {
			if (argc > 1)
				prctl(PR_SET_NAME, argv[1]);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return fail("fork");
	}
	return 0;
}

static int do_map(int argc, char **argv)
{
	const int fd = argc == 2 ? open(argv[0], O_RDONLY) : -1;
	long n = argc == 2 ? atol(argv[1]) : 0;
	void *p;

	if (fd < 0)
		return fail("open");
	while (n-- > 0) {
		p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED || munmap(p, 4096))
			return fail("mmap");
	}
	return 0;
}

static int do_signal(int argc, char **argv)
{
	const pid_t pid = argc == 4 ? atoi(argv[0]) : 0;
	const int sig = argc == 4 ? atoi(argv[1]) : 0;
	long n = argc == 4 ? atol(argv[2]) : 0;

	if (!pid || !sig)
		return 2;
	while (n-- > 0) {
		if (!n)
			prctl(PR_SET_NAME, argv[3]);
		if (kill(pid, sig))
			return fail("kill");
	}
	return 0;
}

/* What the file has, as text */
static bool slurp(char *text, size_t size, const char *fmt, const char *pid)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), fmt, pid, pid);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static long long written(const char *pid)
{
	char text[512];
	const char *at;

	if (!slurp(text, sizeof(text), "/proc/%s/io", pid))
		return -1;
	at = strstr(text, "wchar: ");
	return at ? atoll(at + 7) : -1;
}

static int do_catch(int argc, char **argv)
{
	const long long bytes = argc > 2 ? atoll(argv[2]) : 0;
	const time_t end = time(NULL) + 10;
	long long n = 0;
	char child[64];

	if (argc < 2 || kill(atoi(argv[0]), atoi(argv[1])))
		return fail("kill");
	while (!slurp(child, sizeof(child), "/proc/%s/task/%s/children", argv[0]))
		if (time(NULL) > end)
			return 1;
	child[strcspn(child, " ")] = '\0';
	while (bytes && n >= 0 && n < bytes)
		n = written(child);
	if (n < 0 || kill(atoi(child), SIGSTOP))
		return 1;
	puts(child);
	return 0;
}

static int do_crash(int argc, char **argv)
{
	if (argc > 1)
		prctl(PR_SET_NAME, argv[1]);
	raise(argc > 0 ? atoi(argv[0]) : SIGSEGV);
	return 1;
}

static volatile int touched;

static int do_touch(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("%p\n", (void *)&touched);
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	touched = 1;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct act {
		const char *name;
		int (*run)(int argc, char **argv);
	} acts[] = {
		{ "fork", do_fork }, { "map", do_map }, { "signal", do_signal },
		{ "catch", do_catch }, { "crash", do_crash }, { "touch", do_touch },
		{ NULL },
	};
	const struct act *act;

	for (act = acts; argc > 1 && act->name; act++)
		if (!strcmp(argv[1], act->name))
			return act->run(argc - 2, argv + 2);
	fputs("usage: actor fork|map|signal|catch|crash|touch ...\n", stderr);
	return 2;
}
