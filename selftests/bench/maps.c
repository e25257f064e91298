// SPDX-License-Identifier: GPL-2.0-only
/* maps N FILE...: make N executable mappings of the files, in turn. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned int n = argc > 2 ? atoi(argv[1]) : 0, i;
	int fds[1024], nr = 0;

	for (; nr < argc - 2 && nr < 1024; nr++) {
		fds[nr] = open(argv[nr + 2], O_RDONLY);
		if (fds[nr] < 0) {
			perror(argv[nr + 2]);
			return 1;
		}
	}
	if (!nr) {
		fprintf(stderr, "usage: maps N FILE...\n");
		return 2;
	}
	for (i = 0; i < n; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			       fds[i % nr], 0);

		if (p == MAP_FAILED || munmap(p, 4096)) {
			perror("mmap");
			return 1;
		}
	}
	return 0;
}
