// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_model: explore the cases of the model.
 *
 * test_model [--quiet] [CASE]         explore all cases, or one. Prints TAP. For an error,
 *                                     prints the schedule and each access that leads to it.
 *                                     With SHORT, all but the large cases
 * test_model --replay CASE SCHEDULE   run one interleaving, whose schedule was printed
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cases.h"
#include "../rounds.h"
#include "../tap.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static const struct model_case *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < model_nr_cases; i++)
		if (!strcmp(model_cases[i].name, name))
			return &model_cases[i];
	fprintf(stderr, "test_model: there is no case \"%s\"\n", name);
	exit(2);
}

static void replay(const struct model_case *c, const char *schedule, bool quiet)
{
	struct model_result result;

	world_case = c;
	model_replay(schedule, quiet, &result);
	printf("# %s%s\n", result.failed ? "wrong: " : "nothing is wrong", result.what);
	tap_report(!result.failed, "%s, replayed", c->name);
}

static void explore(const struct model_case *c, bool quiet)
{
	struct model_result result, replayed;
	double begin = now();

	world_case = c;
	model_explore(&result);
	printf("# %llu states, %llu steps, %.2g interleavings, %u deep, %u stops, %.1f s\n",
	       result.states, result.steps, result.paths, result.depth, result.stops,
	       now() - begin);
	if (result.failed) {
		printf("# wrong: %s\n# --replay \"%s\" %s\n", result.what, c->name,
		       result.schedule);
		if (!quiet)
			model_replay(result.schedule, false, &replayed);
	} else if (!quiet) {
		model_access_print();
	}
	tap_report(!result.failed, "%s", c->name);
}

int main(int argc, char **argv)
{
	bool quiet = argc > 1 && !strcmp(argv[1], "--quiet");
	const char *name = argv[1 + quiet];
	unsigned int i;

	printf("TAP version 13\n");
	if (argc == 4 && !strcmp(name, "--replay")) {
		replay(find(argv[2]), argv[3], false);
		return tap_end();
	}
	for (i = 0; i < model_nr_cases; i++) {
		const struct model_case *c = &model_cases[i];

		if (name ? find(name) == c : !c->large || !is_short())
			explore(c, quiet);
		else if (!name)
			printf("# not with SHORT: %s\n", c->name);
	}
	return tap_end();
}
