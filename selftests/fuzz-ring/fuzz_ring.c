// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_ring: make a number of random calls as an ordinary user or as root, in one thread or
 * several. The TAP output tells whether all calls returned, whether all errors are
 * documented, and whether the calls left a ring or locked memory. The program does not read
 * the kernel's log; whoever runs the machine must do that.
 *
 * With one thread, the same seed makes the same calls in the same order. Messages contain the
 * number of the call. --log writes each call to a file before making it. --replay makes the
 * calls of such a file, from which lines can be removed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "../rounds.h"
#include "../tap.h"
#include "fuzz.h"

#define FILES		256
#define LONG_RUN	5000
/* Calls in the short form: `make check` has a quarter of an hour for everything. */
#define SHORT_RUN	6000

struct options opt = { .seed = 1, .calls = 100000, .threads = 1, .log_fd = -1 };
struct shared *shared;

static void usage(FILE *to)
{
	fprintf(to, "usage: fuzz_ring [--seed S] [--calls N] [--from N] [--threads T]\n"
		    "                 [--user] [--hotplug] [--log FILE] [--replay FILE]\n");
	exit(to == stdout ? 0 : 2);
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seed", 1, NULL, 's' }, { "calls", 1, NULL, 'n' },
		{ "from", 1, NULL, 'f' }, { "threads", 1, NULL, 't' },
		{ "user", 0, NULL, 'u' }, { "hotplug", 0, NULL, 'c' },
		{ "log", 1, NULL, 'l' }, { "replay", 1, NULL, 'r' },
		{ "help", 0, NULL, 'h' }, { 0 },
	};
	const char *log = NULL;
	int o;

	while ((o = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (o == 's')
			opt.seed = strtoull(optarg, NULL, 0);
		else if (o == 'n')
			opt.calls = strtoull(optarg, NULL, 0);
		else if (o == 'f')
			opt.from = strtoull(optarg, NULL, 0);
		else if (o == 't')
			opt.threads = strtoul(optarg, NULL, 0);
		else if (o == 'u')
			opt.user = true;
		else if (o == 'c')
			opt.hotplug = true;
		else if (o == 'l')
			log = optarg;
		else if (o == 'r')
			opt.replay = optarg;
		else
			usage(o == 'h' ? stdout : stderr);
	}
	if (optind < argc || !opt.threads || opt.threads > THREADS_MAX)
		usage(stderr);
	if (log) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

		/* A high number, which the descriptors of the calls do not reach */
		opt.log_fd = fcntl(fd, F_DUPFD_CLOEXEC, FILES - 1);
		if (opt.log_fd < 0) {
			perror(log);
			exit(2);
		}
		close(fd);
	}
}

static void run_child(void)
{
	struct rlimit files = { FILES, FILES }, core = { 0, 0 };
	unsigned int i;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &core);
	pool_init();
	event_prepare();
	other_task_start();
	if (files_prepare()) {
		perror("cannot open what the calls use");
		exit(2);
	}
	for (i = 0; opt.user && i < 8; i++)
		slots[KIND_EVENT][i].fd = event_of_root(i);
	if (opt.user)
		become_user(USER_CALLS);
	else
		become_limited_root();
	run_all();
	exit(0);
}

/* Change a setting of the machine for this run. @old gets the old value. */
static void set(const char *path, const char *value, char *old, size_t size)
{
	if (file_read(path, old, size))
		old[0] = 0;
	file_write(path, value);
}

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define EXPEDITED	"/sys/kernel/rcu_expedited"

int main(int argc, char **argv)
{
	char paranoid[32], expedited[32];
	pid_t pid;

	parse(argc, argv);
	if (is_short() && !opt.replay && opt.calls > SHORT_RUN)
		opt.calls = SHORT_RUN;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	if (use_count() < 0) {
		printf("Bail out! perfaux is not inserted\n");
		return 1;
	}
	/* The last ring of another test may still be going away: wait for that. */
	if (!is_unused()) {
		printf("Bail out! perfaux is in use: end what has a ring or a session\n");
		return 1;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	ops_init();
	if (opt.replay)
		replay_load(opt.replay);
	printf("# seed %llu, %llu calls, %u threads, %s%s\n", (unsigned long long)opt.seed,
	       (unsigned long long)opt.calls, opt.threads, opt.user ? "user" : "root",
	       opt.hotplug ? ", CPU 1 goes and comes" : "");
	fflush(stdout);

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Without this, the run would mostly wait for grace periods. */
	set(EXPEDITED, "1", expedited, sizeof(expedited));
	set(PARANOID, "1", paranoid, sizeof(paranoid));
	perf_locked_init();
	pid = fork();
	if (!pid)
		run_child();
	tap_report(pid > 0 && watch(pid), "all calls return");
	file_write(PARANOID, paranoid);
	file_write(EXPEDITED, expedited);
	if (opt.hotplug)
		file_write(CPU1, "1");
	rmdir(OTHER_CGROUP);
	print_stats();
	/* With --replay, the file may lack the calls that these checks count. */
	if (opt.hotplug && !opt.replay)
		tap_report(shared->offline, "CPU 1 went offline %u times", shared->offline);
	if (!opt.replay && opt.calls >= LONG_RUN) {
		tap_report(enough_worked(), "valid calls succeed");
		tap_report(enough_was_tried(), "fewer than half are refused immediately");
	}
	tap_report(!shared->unexpected, "all errors are documented");
	tap_report(is_unused(), "no ring is left");
	tap_report(nothing_is_locked(), "no memory stays locked");
	return tap_end();
}
