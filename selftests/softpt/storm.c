// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a recorder in a storm of signals: storm SEED SECONDS CMD ARG...
 *
 * It runs CMD, the recorder, and sends signals at random moments to random threads
 * and processes below it until CMD ends. The signals are
 *
 * - signals that the tasks have handlers for, to the process or the thread, queued
 *   or not;
 * - signals that are ignored;
 * - SIGSTOP, and some time later SIGCONT;
 * - in some runs one signal that kills.
 *
 * A random number limits the signals, because a slow machine would be busy with
 * them forever.
 *
 * It prints how many of each were sent. The exit status is CMD's, or 128 + its
 * signal; after SECONDS it kills everything and the status is 124.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_TASKS	256

struct task {
	pid_t pid;
	pid_t tid;
};

static struct task tasks[MAX_TASKS];
static int nr_tasks;
static unsigned int seed;
static unsigned long handled, queued, ignored, stops, fatal;
static pid_t recorder, stopped;

static unsigned int below(unsigned int n)
{
	return rand_r(&seed) % n;
}

/*
 * Return whether @pid runs the recorder's program: then it has not become the
 * command yet.
 */
static bool is_recorder(pid_t pid)
{
	char path[64];
	struct stat a, b;

	snprintf(path, sizeof(path), "/proc/%d/exe", recorder);
	if (stat(path, &a))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return stat(path, &b) || (a.st_ino == b.st_ino && a.st_dev == b.st_dev);
}

/* Find the processes below @pid, and their threads; @pid itself only if @own. */
static void find_tasks(pid_t pid, bool own)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name), child;
		FILE *file;

		if (!tid)
			continue;
		if (own && nr_tasks < MAX_TASKS)
			tasks[nr_tasks++] = (struct task){ pid, tid };
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
		file = fopen(path, "r");
		while (file && fscanf(file, "%d", &child) == 1)
			find_tasks(child, !is_recorder(child));
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
}

/* Return a signal that @pid has a handler for; 0: none. */
static int caught(pid_t pid)
{
	uint64_t mask = 0, allowed = 0;
	char path[64], line[256];
	int signals[64], n = 0, i;
	FILE *file;

	for (i = 0; i < 4; i++)
		allowed |= 1ULL << (SIGRTMIN + i - 1);
	allowed |= 1ULL << (SIGUSR1 - 1) | 1ULL << (SIGUSR2 - 1) |
		   1ULL << (SIGALRM - 1) | 1ULL << (SIGVTALRM - 1) |
		   1ULL << (SIGIO - 1);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "SigCgt: %" SCNx64, &mask);
	if (file)
		fclose(file);
	for (i = 0; i < 64; i++)
		if (mask & allowed & 1ULL << i)
			signals[n++] = i + 1;
	return n ? signals[below(n)] : 0;
}

/* Returns false if the task handles no signal. */
static bool send_handled(const struct task *task)
{
	int sig = caught(task->pid);
	siginfo_t info = {
		.si_signo = sig, .si_code = SI_QUEUE, .si_pid = getpid(),
	};

	if (!sig)
		return false;
	info.si_value.sival_int = below(1000);
	switch (below(4)) {
	case 0:
		handled += !kill(task->pid, sig);
		break;
	case 1:
		handled += !syscall(SYS_tgkill, task->pid, task->tid, sig);
		break;
	case 2:
		queued += !syscall(SYS_rt_sigqueueinfo, task->pid, sig, &info);
		break;
	case 3:
		queued += !syscall(SYS_rt_tgsigqueueinfo, task->pid, task->tid,
				   sig, &info);
		break;
	}
	return true;
}

static bool send_one(const struct task *task, bool kills)
{
	static const int deadly[] = { SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGQUIT };
	static const int nothing[] = { SIGWINCH, SIGURG, SIGCHLD, SIGCONT };
	unsigned int kind = below(100);

	if (kills) {
		fatal += !kill(task->pid, deadly[below(5)]);
	} else if (kind < 75) {
		return send_handled(task);
	} else if (kind < 85) {
		ignored += !kill(task->pid, nothing[below(4)]);
	} else if (!stopped && !kill(task->pid, SIGSTOP)) {
		stopped = task->pid;
		stops++;
	}
	return true;
}

/*
 * Wait from 20 us to 20 or 200 ms; each power of ten is equally likely. Returns
 * false if the recorder has ended.
 */
static bool wait_random(unsigned int powers, int *status)
{
	struct timespec wait = { .tv_nsec = 20000 + below(180000) };
	unsigned int tens = below(powers);
	sigset_t set;

	while (tens--)
		wait.tv_nsec *= 10;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &wait);
	return waitpid(recorder, status, WNOHANG) != recorder;
}

/* Print on stderr what a task was doing. */
static void tell(const struct task *task)
{
	static const char * const files[] = { "stat", "syscall", "wchan" };
	char path[64], line[512];
	size_t i;

	for (i = 0; i < 3; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", task->pid,
			 task->tid, files[i]);
		file = fopen(path, "r");
		if (file && fgets(line, sizeof(line), file))
			fprintf(stderr, "%s%s", line, strchr(line, '\n') ? "" : "\n");
		if (file)
			fclose(file);
	}
}

static void kill_all(void)
{
	int i;

	nr_tasks = 0;
	find_tasks(recorder, true);
	for (i = 0; i < nr_tasks; i++)
		tell(&tasks[i]);
	for (i = 0; i < nr_tasks; i++)
		kill(tasks[i].pid, SIGKILL);
}

static pid_t start(char **cmd)
{
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid = fork();
	if (pid)
		return pid;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	execvp(cmd[0], cmd);
	perror(cmd[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	unsigned int sent = 0, powers, limit, end, deadly;
	bool late = false;
	int status;

	if (argc < 4) {
		fprintf(stderr, "usage: storm SEED SECONDS CMD ARG...\n");
		return 2;
	}
	seed = atoi(argv[1]);
	end = time(NULL) + atoi(argv[2]);
	/* In one of three runs a task is killed. */
	deadly = below(3) ? -1U : below(60);
	limit = 16 << below(6);
	powers = 3 + below(2);
	recorder = start(argv + 3);
	if (recorder < 0)
		return 2;
	while (wait_random(powers, &status)) {
		if (stopped && below(2)) {
			kill(stopped, SIGCONT);
			stopped = 0;
		}
		nr_tasks = 0;
		find_tasks(recorder, false);
		if (nr_tasks && sent < limit)
			sent += send_one(&tasks[below(nr_tasks)], sent == deadly);
		if (!late && time(NULL) >= end) {
			late = true;
			kill_all();
		}
	}
	printf("handled %lu queued %lu ignored %lu stops %lu fatal %lu\n",
	       handled, queued, ignored, stops, fatal);
	if (late)
		return 124;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
