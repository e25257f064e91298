// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program that the flight recorder's tests use to act on a recorder, as fast as possible:
 *
 * actor fork N [NAME]		fork N children one after the other, each of which exits
 *				immediately; with NAME, each sets its comm to NAME
 * actor map FILE N		map FILE as code and unmap it, N times
 * actor signal PID SIG N NAME	send SIG to PID N times; set the sender's comm to NAME before
 *				the last time
 * actor catch PID SIG [BYTES]	send SIG to PID and stop the first child that PID forks,
 *				immediately or when the child has written BYTES. Print the
 *				child's pid. Status 1 if PID forks no child or the child
 *				ends before that
 * actor crash SIG [NAME]	send SIG to itself, with the comm NAME
 * actor touch			print the address of a variable, wait for a line of input,
 *				then write to the variable
 * actor fault			for each line of input, a number, write to that many new
 *				pages and print "done"
 * actor hang			for each line of input, print "hung", wait in state D until the
 *				next line comes, print "on", and sleep until the line after that
 * actor terminal CMD...	run CMD on a terminal and type the input on that terminal; at
 *				the end of the input, close it. What CMD writes there is
 *				discarded. Exit with CMD's status
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A debug kernel takes seconds to copy the memory of a recorder. */
#define CATCH_SECONDS	60

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

static bool is_write(long nr)
{
	return nr == SYS_write || nr == SYS_writev || nr == SYS_pwrite64 || nr == SYS_pwritev;
}

/*
 * Return the signal that stopped a traced task, for the caller to deliver. Return 0 if
 * something else stopped the task.
 */
static int stopped_by(int status)
{
	return status >> 16 || WSTOPSIG(status) & 0x80 ? 0 : WSTOPSIG(status);
}

/*
 * Return the first child of the traced @pid as soon as it exists; 0 if @pid ends before, or on
 * SIGALRM
 */
static pid_t first_child(pid_t pid)
{
	unsigned long child;
	int status;

	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_FORK)
			return ptrace(PTRACE_GETEVENTMSG, pid, NULL, &child) ? 0 : child;
		ptrace(PTRACE_CONT, pid, NULL, stopped_by(status));
	}
	return 0;
}

/*
 * Let @pid, which has stopped, run until it has written @bytes. Failed calls do not count: what
 * they return is no size.
 */
static bool let_write(pid_t pid, long long bytes)
{
	struct __ptrace_syscall_info info;
	bool writes = false;
	int status, sig = 0;

	while (bytes > 0) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, sig) ||
		    waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
			return false;
		sig = stopped_by(status);
		if (WSTOPSIG(status) != (SIGTRAP | 0x80) ||
		    ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0)
			continue;
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			writes = is_write(info.entry.nr);
		else if (writes && info.op == PTRACE_SYSCALL_INFO_EXIT && !info.exit.is_error)
			bytes -= info.exit.rval;
	}
	return true;
}

static void on_alarm(int sig)
{
	(void)sig;
}

/*
 * The kernel itself stops the new child (PTRACE_O_TRACEFORK), so the child cannot be too fast
 * for this program. If anything fails, all tasks go on when this program has ended.
 */
static int do_catch(int argc, char **argv)
{
	const struct sigaction alarmed = { .sa_handler = on_alarm };
	const long long bytes = argc > 2 ? atoll(argv[2]) : 0;
	const pid_t pid = argc > 1 ? atoi(argv[0]) : 0;
	pid_t child;
	int status;

	if (!pid)
		return 2;
	if (ptrace(PTRACE_SEIZE, pid, NULL,
		   PTRACE_O_TRACEFORK | PTRACE_O_TRACESYSGOOD))
		return fail("ptrace");
	sigaction(SIGALRM, &alarmed, NULL);
	alarm(CATCH_SECONDS);
	if (kill(pid, atoi(argv[1])))
		return fail("kill");
	child = first_child(pid);
	if (!child || waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_DETACH, pid, NULL, 0) || !let_write(child, bytes))
		return 1;
	/* SIGSTOP keeps the child stopped when it is not traced any more. */
	if (kill(child, SIGSTOP) || ptrace(PTRACE_DETACH, child, NULL, 0))
		return fail("ptrace");
	printf("%d\n", child);
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

/* Write to pages of the smallest size: a huge page would cause a single fault. */
static int do_fault(int argc, char **argv)
{
	const long page = sysconf(_SC_PAGESIZE);
	long n, i;

	(void)argc;
	(void)argv;
	while (scanf("%ld", &n) == 1) {
		char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return fail("mmap");
		madvise(p, n * page, MADV_NOHUGEPAGE);
		for (i = 0; i < n; i++)
			p[i * page] = 1;
		munmap(p, n * page);
		puts("done");
		fflush(stdout);
	}
	return 0;
}

/* Type the available input, and discard what was written. Return whether more can come. */
static bool type_and_read(int terminal)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN }, { .fd = terminal, .events = POLLIN },
	};
	char buf[512];
	ssize_t n;

	if (poll(fds, 2, -1) < 0)
		return false;
	/* EIO: no process has the terminal open any more. */
	if (fds[1].revents && read(terminal, buf, sizeof(buf)) <= 0)
		return false;
	if (!fds[0].revents)
		return true;
	n = read(STDIN_FILENO, buf, sizeof(buf));
	return n > 0 && write(terminal, buf, n) == n;
}

static int do_terminal(int argc, char **argv)
{
	int terminal, status;
	pid_t pid;

	if (argc < 1)
		return 2;
	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0)
		return fail("forkpty");
	while (type_and_read(terminal))
		;
	close(terminal);
	if (waitpid(pid, &status, 0) != pid)
		return fail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The parent of a vfork() is in state D until the child ends, see wait_for_vfork_done(). */
static int do_hang(int argc, char **argv)
{
	char line[16];
	pid_t pid;

	(void)argc;
	(void)argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (read(STDIN_FILENO, line, sizeof(line)) > 0) {
		puts("hung");
		pid = vfork();
		if (!pid) {
			read(STDIN_FILENO, line, sizeof(line));
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return fail("vfork");
		puts("on");
	}
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
		{ "fault", do_fault }, { "hang", do_hang }, { "terminal", do_terminal },
		{ NULL },
	};
	const struct act *act;

	for (act = acts; argc > 1 && act->name; act++)
		if (!strcmp(argv[1], act->name))
			return act->run(argc - 2, argv + 2);
	fputs("usage: actor fork|map|signal|catch|crash|touch|fault|hang|terminal ...\n", stderr);
	return 2;
}
