// SPDX-License-Identifier: GPL-2.0-only
/*
 * aux_work MS [THREADS [PROCESSES]]: a program to record. It only computes, for MS milliseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS	64

static long ms;

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void *work(void *arg)
{
	const long end = now_ms() + ms;
	unsigned int sum = 0;
	int i;

	do {
		for (i = 0; i < 20000; i++)
			__asm__ __volatile__("" : "+r"(sum) : "r"(i));
	} while (now_ms() < end);
	return arg;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	int processes = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t thread[MAX_THREADS];
	int i;

	ms = argc > 1 ? atol(argv[1]) : 0;
	if (ms <= 0 || threads < 1 || threads > MAX_THREADS) {
		fputs("usage: aux_work MS [THREADS [PROCESSES]]\n", stderr);
		return 2;
	}
	for (i = 1; i < processes; i++)
		if (!fork())
			break;
	for (i = 1; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	work(NULL);
	for (i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
