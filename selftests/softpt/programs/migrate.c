// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with threads that move from one processor to another all the time:
 * migrate TIMES.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "mark.h"

#define THREADS	4

MARK(0, moved)
MARK(1, thread)
MARK(2, joined)

static int times;

static void *thread(void *arg)
{
	long nr = (long)arg, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	mark_thread();
	for (int i = 0; i < times; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET((i + nr) % cpus, &set);
		CHECK(!sched_setaffinity(0, sizeof(set), &set));
		CHECK((unsigned int)sched_getcpu() == (i + nr) % cpus);
		mark_moved();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[THREADS];

	times = argc > 1 ? atoi(argv[1]) : 50;
	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&ids[i], NULL, thread, (void *)i));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(ids[i], NULL);
		mark_joined();
	}
	marks_print();
	return 0;
}
