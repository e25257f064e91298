// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command that `make demo` records. It starts processes, which start threads, and each
 * thread computes a little. Several threads therefore run on several CPUs.
 *
 * demo_work [PROCESSES [THREADS]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void *compute(void *name)
{
	volatile unsigned long sum = 0;
	unsigned long i;

	prctl(PR_SET_NAME, name);
	for (i = 0; i < 3000000; i++)
		sum += i * i;
	return NULL;
}

static int run_threads(int number, int threads)
{
	char names[16][32];
	pthread_t thread[16];
	int i;

	snprintf(names[0], sizeof(names[0]), "worker-%d", number);
	prctl(PR_SET_NAME, names[0]);
	for (i = 0; i < threads; i++) {
		snprintf(names[i], sizeof(names[i]), "thread-%d.%d", number, i);
		if (pthread_create(&thread[i], NULL, compute, names[i])) {
			perror("pthread_create");
			return 1;
		}
	}
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 3;
	int threads = argc > 2 ? atoi(argv[2]) : 2;
	int i, status, failed = 0;

	if (processes < 1 || processes > 64 || threads < 1 || threads > 16) {
		fprintf(stderr, "usage: demo_work [1-64 processes [1-16 threads]]\n");
		return 2;
	}
	for (i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("fork");
			return 1;
		}
		if (!pid)
			_exit(run_threads(i, threads));
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
