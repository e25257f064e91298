// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight_churn N [EVERY PROGRAM [ARG...]]: start N processes, one after the other. Each
 * ends immediately, but every EVERY-th one executes PROGRAM. vfork() makes a process as
 * cheap as possible. For a recorder, the process is like any other.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const long nr = argc > 1 ? atol(argv[1]) : 0;
	const long every = argc > 3 ? atol(argv[2]) : 0;
	long i;

	if (nr <= 0) {
		fprintf(stderr, "usage: flight_churn N [EVERY PROGRAM [ARG...]]\n");
		return 2;
	}
	for (i = 1; i <= nr; i++) {
		const pid_t pid = vfork();

		if (!pid) {
			if (every && !(i % every))
				execv(argv[3], argv + 3);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid) {
			perror("flight_churn");
			return 1;
		}
	}
	return 0;
}
