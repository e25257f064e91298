// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory PID: a program that prints how much memory a recorder and the processes that write its
 * snapshots use, again and again, until the recorder has ended or this program is killed. Each
 * line has the KiB, the number of files that the recorder has open, and the number of its
 * children.
 *
 * Each process counts with its part of the memory that it shares (Pss). Rings count with their
 * size, because some kernels do not have them in Pss (VM_PFNMAP), and because Pss does not have
 * pages of a ring that nobody has touched yet. Rings of a child do not count: it has no main rings,
 * and it maps the recorder's raw ring.
 *
 * This is not a shell script, because a shell takes longer for one look than most snapshots
 * take.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_US		20000
#define PAUSE_WRITING_US	2000
#define MAX_CHILDREN		8

static FILE *open_proc(int pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "r");
}

/* Return KiB; 0 if the process has ended. */
static unsigned long kib(int pid, bool child)
{
	unsigned long sum = 0, n;
	bool ring = false;
	char line[512];
	FILE *f;

	f = open_proc(pid, "smaps");
	while (f && fgets(line, sizeof(line), f)) {
		/*
		 * The line of a mapping begins with its address, further lines about it with a
		 * capital.
		 */
		if (!isupper((unsigned char)*line))
			ring = strstr(line, "anon_inode:[perf");
		else if (ring && !child && sscanf(line, "Size: %lu", &n) == 1)
			sum += n;
		else if (!ring && sscanf(line, "Pss: %lu", &n) == 1)
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

static unsigned int open_files(int pid)
{
	unsigned int nr = 0;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr > 2 ? nr - 2 : 0;
}

/*
 * Return the number of children. Return -1 if the process has ended, or if the kernel does not
 * tell its children (CONFIG_PROC_CHILDREN).
 */
static int find_children(int pid, int *children)
{
	char name[32];
	int nr = 0;
	FILE *f;

	snprintf(name, sizeof(name), "task/%d/children", pid);
	f = open_proc(pid, name);
	if (!f)
		return -1;
	while (nr < MAX_CHILDREN && fscanf(f, "%d", &children[nr]) == 1)
		nr++;
	fclose(f);
	return nr;
}

int main(int argc, char **argv)
{
	const int pid = argc == 2 ? atoi(argv[1]) : 0;
	int children[MAX_CHILDREN], nr, i;
	unsigned long sum;

	if (pid <= 0) {
		fputs("usage: memory PID\n", stderr);
		return 2;
	}
	setlinebuf(stdout);
	/*
	 * Look for children first. A child that is forked later takes its part of the Pss that
	 * is read here, but is not counted; the other way round its part would count twice.
	 */
	while ((nr = find_children(pid, children)) >= 0) {
		sum = kib(pid, false);
		if (!sum)
			break;
		for (i = 0; i < nr; i++)
			sum += kib(children[i], true);
		printf("%lu %u %d\n", sum, open_files(pid), nr);
		usleep(nr ? PAUSE_WRITING_US : PAUSE_US);
	}
	return 0;
}
