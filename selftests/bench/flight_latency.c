// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight_latency PID SIGNAL DIR PREFIX: send a signal to a recorder, and print how many
 * milliseconds later a new file whose name begins with PREFIX appears in DIR.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#define SECONDS	60

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int count(const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += !strncmp(e->d_name, prefix, strlen(prefix));
	if (d)
		closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	char buf[4096];
	double begin;
	int fd, nr;

	if (argc != 5) {
		fprintf(stderr, "usage: flight_latency PID SIGNAL DIR PREFIX\n");
		return 2;
	}
	fd = inotify_init1(IN_CLOEXEC);
	if (fd < 0 || inotify_add_watch(fd, argv[3], IN_CREATE | IN_MOVED_TO) < 0) {
		perror(argv[3]);
		return 1;
	}
	nr = count(argv[3], argv[4]);
	alarm(SECONDS);
	begin = now();
	if (kill(atoi(argv[1]), atoi(argv[2]))) {
		perror(argv[1]);
		return 1;
	}
	while (count(argv[3], argv[4]) <= nr)
		if (read(fd, buf, sizeof(buf)) < 0)
			return 1;
	printf("%.1f\n", now() - begin);
	return 0;
}
