// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of folded stacks beyond the limits of their output: no time is lost, and the output and the
 * memory stay small.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../tap.h"
#include "view/folded/folded.h"

#define DEEP		100000
#define SHOWN		1024
#define HIDDEN		"[not shown]"
#define FILE_LIMIT	(64ULL << 20)
/* A tree of calls has 2^LEVELS - 1 different stacks. */
#define LEVELS		22
#define MEMORY_LIMIT	(160ULL << 10)	/* KiB */

static __u64 now;

static int begin(struct timeline *t, unsigned int names)
{
	int rc = t->ops->lane(t, 0, &(struct tl_lane) { .kind = TL_LANE_THREAD, .name = "p" });
	unsigned int i;

	for (i = 0; i < names && !rc; i++)
		rc = t->ops->name(t, i, &(struct tl_name) {
				.function = i ? "g" : "f", .object = "" });
	now = 1;
	return rc;
}

/* Return the number of the functions in a line. Add its time to @sum. */
static unsigned int read_line(const char *line, __u64 *sum)
{
	const char *end = strrchr(line, ' ');
	unsigned int nr = 0;

	for (; *line; line++)
		nr += *line == ';';
	*sum += end ? strtoull(end, NULL, 10) : 0;
	return nr;
}

/* Check the lines of a recursion whose times add up to @time. */
static void check_lines(const char *path, unsigned int depth, __u64 time)
{
	const unsigned int shown = depth > SHOWN ? SHOWN + 1 : depth;
	unsigned int nr, lines = 0, most = 0, hidden = 0;
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	__u64 sum = 0;

	while (file && getline(&line, &size, file) > 0) {
		nr = read_line(line, &sum);
		most = nr > most ? nr : most;
		hidden += !!strstr(line, ";" HIDDEN " ");
		lines++;
	}
	tap_report(lines == shown && most == shown && hidden == (depth > SHOWN) && sum == time,
		   "recursion, %u deep: %u lines, %u functions in the longest, %u of what is not shown, %llu of %llu ns",
		   depth, lines, most, hidden, sum, time);
	free(line);
	if (file)
		fclose(file);
}

/* Each call and each return takes 1 ns. In the second round, all nodes exist already. */
static int recurse(struct timeline *t, unsigned int depth)
{
	unsigned int i, k;
	int rc = 0;

	for (k = 0; k < 2; k++) {
		for (i = 0; i < depth && !rc; i++)
			rc = t->ops->enter(t, 0, now++, 0, 0);
		for (i = 0; i < depth && !rc; i++)
			rc = t->ops->leave(t, 0, now++, 0);
	}
	return rc;
}

static int recurse_samples(struct timeline *t, unsigned int depth)
{
	__u32 *names = calloc(depth, sizeof(*names));
	unsigned int i;
	int rc = names ? 0 : -ENOMEM;

	/* Samples of all depths would take long, and all depths beyond the limit share a line. */
	for (i = 1; i <= depth && !rc; i += i < SHOWN + 1 ? 1 : depth / 16)
		rc = t->ops->stack(t, 0, now++, names, i, 1);
	free(names);
	return rc;
}

static void test_recursion(unsigned int depth, bool samples)
{
	const int fd = memfd_create("folded", MFD_CLOEXEC);
	struct timeline *t;
	char path[64];
	__u64 time;
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	t = fd >= 0 ? folded_new(path, "test") : NULL;
	if (!t) {
		perror("folded_new()");
		exit(1);
	}
	rc = begin(t, 1);
	rc = rc ?: samples ? recurse_samples(t, depth) : recurse(t, depth);
	/* No function runs for 1 ns between the two rounds, and for 1 ns after the last return. */
	time = samples ? now - 1 : 4ULL * depth - 2;
	rc = rc ?: t->ops->end(t);
	tap_report(!rc, "recursion, %u deep%s: status %d, of a file of less than %llu MiB", depth,
		   samples ? ", samples" : "", rc, FILE_LIMIT >> 20);
	t->ops->free(t);
	if (!rc)
		check_lines(path, depth, time);
	close(fd);
}

/* Call both functions from each call. */
static int call_all(struct timeline *t, unsigned int level)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; i < 2 && level && !rc; i++) {
		rc = t->ops->enter(t, 0, now++, i, 0);
		rc = rc ?: call_all(t, level - 1);
		rc = rc ?: t->ops->leave(t, 0, now++, 0);
	}
	return rc;
}

static void test_memory(void)
{
	struct timeline *t = folded_new("/dev/null", "test");
	struct rusage used;
	int rc;

	if (!t) {
		perror("folded_new()");
		exit(1);
	}
	rc = begin(t, 2);
	rc = rc ?: call_all(t, LEVELS - 1);
	rc = rc ?: t->ops->end(t);
	t->ops->free(t);
	getrusage(RUSAGE_SELF, &used);
	tap_report(!rc && (__u64)used.ru_maxrss <= MEMORY_LIMIT,
		   "%u different stacks: status %d, %ld KiB", (1U << LEVELS) - 2, rc,
		   used.ru_maxrss);
}

int main(void)
{
	const struct rlimit limit = { FILE_LIMIT, FILE_LIMIT };

	/* A write beyond the limit is an error. */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	test_recursion(1, false);
	test_recursion(SHOWN, false);
	test_recursion(SHOWN + 1, false);
	test_recursion(DEEP, false);
	test_recursion(DEEP, true);
	test_memory();
	return tap_end();
}
