// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls PROCESSES COUNT [DIR]: each process calls sched_get_priority_min() COUNT times.
 *
 * With DIR, which contains FIFOs, the program writes a byte to "ready" when it runs, begins when it
 * can read a byte from "go", writes a byte to "done" after all calls, and exits when it can read a
 * byte from "end".
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fifo(const char *dir, const char *name, int flags)
{
	char path[4096], byte = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags);
	if (fd < 0)
		err(1, "%s", path);
	n = flags == O_RDONLY ? read(fd, &byte, 1) : write(fd, &byte, 1);
	if (n != 1)
		err(1, "%s", path);
	close(fd);
}

static void work(long count)
{
	while (count--)
		syscall(SYS_sched_get_priority_min, 0);
}

int main(int argc, char **argv)
{
	const char *dir = argc > 3 ? argv[3] : NULL;
	int processes, status, failed = 0, i;

	if (argc < 3)
		errx(2, "usage: calls PROCESSES COUNT [DIR]");
	processes = atoi(argv[1]);
	if (dir) {
		fifo(dir, "ready", O_WRONLY);
		fifo(dir, "go", O_RDONLY);
	}
	for (i = 1; i < processes; i++) {
		const pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			work(atol(argv[2]));
			_exit(0);
		}
	}
	work(atol(argv[2]));
	while (wait(&status) > 0)
		failed |= status;
	if (dir) {
		fifo(dir, "done", O_WRONLY);
		fifo(dir, "end", O_RDONLY);
	}
	return failed ? 1 : 0;
}
