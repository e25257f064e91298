// SPDX-License-Identifier: GPL-2.0-only
/*
 * churn SECONDS SEED [ACT]: a program that starts processes and threads which take a name, run
 * a little and exit. It does so in every way that has perf records of its own. The way is
 * chosen at random for each process, or it is always ACT. At the end the program prints the
 * number of processes.
 *
 * A task that takes a name takes "k" and its thread id.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS	8
#define MAPS	200
#define RUNNING	4

static unsigned int seed;

static unsigned int rnd(unsigned int n)
{
	return (unsigned int)rand_r(&seed) % n;
}

static void take_name(void)
{
	char name[16];

	snprintf(name, sizeof(name), "k%ld", syscall(SYS_gettid));
	prctl(PR_SET_NAME, name);
}

static void run(void)
{
	volatile unsigned int i;

	for (i = rnd(200000); i; i--)
		;
	sched_yield();
}

static void *run_named(void *arg)
{
	(void)arg;
	take_name();
	run();
	return NULL;
}

/* Execute "churn run". The new program then takes a name, as every program of this test does. */
static void exec_self(void)
{
	execl("/proc/self/exe", "churn", "run", NULL);
	_exit(1);
}

static void *exec_thread(void *arg)
{
	(void)arg;
	take_name();
	exec_self();
	return NULL;
}

static void *run_behind(void *arg)
{
	(void)arg;
	take_name();
	run();
	_exit(0);
}

/* --- what a child does ------------------------------------------------------ */

static void do_run(void)
{
	take_name();
	run();
}

static void do_exec(void)
{
	take_name();
	exec_self();
}

static void do_script(void)
{
	execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 50 ]; do i=$((i+1)); done; true",
	      NULL);
	_exit(1);
}

static void do_threads(void)
{
	pthread_t t[THREADS];
	int i, nr = 0;

	take_name();
	for (i = 0; i < THREADS; i++)
		nr += !pthread_create(&t[nr], NULL, run_named, NULL);
	/* Threads that are not joined end with this process, or before. */
	for (i = rnd(2) ? nr : 0; i > 0; i--)
		pthread_join(t[i - 1], NULL);
}

/* The thread that executes takes over the id of the first thread, which ends (de_thread()). */
static void do_thread_exec(void)
{
	pthread_t t;

	take_name();
	if (!pthread_create(&t, NULL, exec_thread, NULL))
		pthread_join(t, NULL);
}

/* The first thread ends before the others. */
static void do_leave(void)
{
	pthread_t t;

	take_name();
	if (!pthread_create(&t, NULL, run_behind, NULL))
		pthread_exit(NULL);
}

static void do_maps(void)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	int i;

	take_name();
	for (i = 0; i < MAPS; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (p != MAP_FAILED && i % 8)
			munmap(p, 4096);
	}
	run();
}

static void do_namespaces(void)
{
	take_name();
	unshare(CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWIPC);
	run();
}

static void do_orphan(void)
{
	take_name();
	if (!fork())
		do_run();
}

static void do_vfork(void)
{
	take_name();
	if (!vfork())
		exec_self();
}

static void do_crash(void)
{
	const struct rlimit none = { 0, 0 };

	take_name();
	setrlimit(RLIMIT_CORE, &none);
	run();
	raise(rnd(2) ? SIGKILL : SIGSEGV);
}

static const struct act {
	const char *name;
	void (*act)(void);
} acts[] = {
	{ "run", do_run }, { "run", do_run }, { "exec", do_exec }, { "exec", do_exec },
	{ "script", do_script }, { "threads", do_threads }, { "thread-exec", do_thread_exec },
	{ "leave", do_leave }, { "maps", do_maps }, { "namespaces", do_namespaces },
	{ "orphan", do_orphan }, { "vfork", do_vfork }, { "crash", do_crash },
};

#define NR_ACTS	(sizeof(acts) / sizeof(*acts))

/* Do a random act, or the act @only if it is not NULL. */
static void child(unsigned int its_seed, const char *only)
{
	const struct act *act;

	seed = its_seed;
	do {
		act = &acts[rnd(NR_ACTS)];
	} while (only && strcmp(act->name, only));
	act->act();
	_exit(0);
}

static bool is_act(const char *name)
{
	size_t i;

	for (i = 0; i < NR_ACTS; i++)
		if (!strcmp(name, acts[i].name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	unsigned long nr = 0, running = 0;
	time_t end;

	if (argc == 2 && !strcmp(argv[1], "run")) {
		seed = getpid();
		do_run();
		return 0;
	}
	if ((argc != 3 && argc != 4) || (argc == 4 && !is_act(argv[3]))) {
		fputs("usage: churn SECONDS SEED [ACT]\n", stderr);
		return 2;
	}
	end = time(NULL) + atol(argv[1]);
	seed = atol(argv[2]);
	while (time(NULL) < end) {
		const unsigned int its_seed = rnd(1U << 30), most = rnd(RUNNING);
		const pid_t pid = fork();

		if (!pid)
			child(its_seed, argv[3]);
		if (pid < 0) {
			perror("fork");
			return 1;
		}
		nr++;
		/* Let up to @most processes run at the same time. */
		for (running++; running && waitpid(-1, NULL, running > most ? 0 : WNOHANG) > 0;)
			running--;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("%lu\n", nr);
	return 0;
}
