// SPDX-License-Identifier: GPL-2.0-only
/*
 * feed FILE: make a trace of Perfetto of a time line that stdin tells. Each line is a call of
 * an output's function: its letter and its arguments, separated by tabs.
 *
 *	l LANE KIND PID TID CPU NAME		n NAME FUNCTION OBJECT ADDRESS
 *	+ LANE TIME NAME FLAGS			- LANE TIME FLAGS
 *	s LANE TIME WEIGHT NAME...		p LANE TIME VALUE WHAT
 *	m LANE KIND BEGIN END VALUE TEXT
 *
 * feed FILE SLICES SEED: make a trace with SLICES random calls in four lanes, and print how much
 * memory that took, in KiB.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "view/perfetto/perfetto.h"

#define MAX_ARGS	300

static char *args[MAX_ARGS];
static unsigned int nr_args;

static __u64 number(unsigned int i)
{
	return i < nr_args ? strtoull(args[i], NULL, 0) : 0;
}

static int tell(struct timeline *t)
{
	__u32 names[MAX_ARGS];
	unsigned int i;

	switch (args[0][0]) {
	case 'l':
		return t->ops->lane(t, number(1), &(struct tl_lane){
			number(2), number(3), number(4), number(5), args[6] });
	case 'n':
		return t->ops->name(t, number(1), &(struct tl_name){
			args[2], args[3], number(4) });
	case '+':
		return t->ops->enter(t, number(1), number(2), number(3), number(4));
	case '-':
		return t->ops->leave(t, number(1), number(2), number(3));
	case 's':
		for (i = 4; i < nr_args; i++)
			names[i - 4] = number(i);
		return t->ops->stack(t, number(1), number(2), names, nr_args - 4, number(3));
	case 'p':
		return t->ops->point(t, number(1), &(struct tl_point){
			number(2), strtod(args[3], NULL), args[4] });
	case 'm':
		return t->ops->mark(t, number(1), &(struct tl_mark){
			number(2), number(3), number(4), number(5), args[6] });
	}
	return -EINVAL;
}

static int tell_all(struct timeline *t)
{
	static char line[1 << 20];
	int err = 0;

	while (!err && fgets(line, sizeof(line), stdin)) {
		char *rest = line, *word;

		line[strcspn(line, "\n")] = 0;
		nr_args = 0;
		while (nr_args < MAX_ARGS && (word = strsep(&rest, "\t")))
			args[nr_args++] = word;
		err = tell(t);
	}
	return err;
}

static int tell_random(struct timeline *t, unsigned long slices, unsigned int seed)
{
	enum { LANES = 4, NAMES = 1000, DEPTH = 30 };
	unsigned int depth[LANES] = { 0 }, i;
	char function[32];
	__u64 time = 1000;
	int err = 0;

	for (i = 0; !err && i < LANES; i++)
		err = t->ops->lane(t, i, &(struct tl_lane){
			TL_LANE_THREAD, 100, 100 + i, TL_NOBODY, "random" });
	for (i = 0; !err && i < NAMES; i++) {
		snprintf(function, sizeof(function), "function_%u", i);
		err = t->ops->name(t, i, &(struct tl_name){ function, "/bin/random", i * 16 });
	}
	while (!err && slices) {
		const unsigned int lane = (seed = seed * 1103515245 + 12345) >> 16 & 3;

		time += seed >> 24;
		if (depth[lane] < DEPTH && (!depth[lane] || seed >> 20 & 1)) {
			depth[lane]++;
			slices--;
			err = t->ops->enter(t, lane, time, seed % NAMES, 0);
		} else {
			depth[lane]--;
			err = t->ops->leave(t, lane, time, 0);
		}
	}
	return err;
}

int main(int argc, char **argv)
{
	struct timeline *t = argc > 1 ? perfetto_new(argv[1], "a recording") : NULL;
	struct rusage usage;
	int err;

	if (!t) {
		perror("perfetto_new");
		return 1;
	}
	err = argc > 3 ? tell_random(t, strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0)) :
			 tell_all(t);
	if (!err)
		err = t->ops->end(t);
	t->ops->free(t);
	if (err)
		fprintf(stderr, "%s\n", strerror(-err));
	getrusage(RUSAGE_SELF, &usage);
	if (argc > 3)
		printf("%ld\n", usage.ru_maxrss);
	return err ? 1 : 0;
}
