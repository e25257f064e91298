// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the lists of switches that auxview keeps in files, beside lists in memory:
 * test_switches [SEED]
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../tap.h"
#include "view/source/switches.h"

#define ENDS	300000ULL
#define CPUS	3
#define TIMES	20000

static unsigned int seed;

/*
 * Some ends come soon. Some come late, when memory does not have their entries any more. Some never
 * come. Check that all ends are read in order.
 */
static void test_ends(void)
{
	__u64 *want = calloc(ENDS, sizeof(*want)), number, time, i, wrong = 0;
	struct ends e;
	int rc = ends_init(&e);

	for (i = 0; i < ENDS && !rc; i++) {
		rc = ends_add(&e, &number);
		wrong += number != i;
		if (i % 10 < 7)
			want[i] = 1 + rand_r(&seed);
		if (i % 10 < 5)
			rc = rc ?: ends_set(&e, i, want[i]);
		/* Set an end that is in a file already, and one that is still in memory. */
		if (i >= 200000 && i % 10 == 5)
			rc = rc ?: ends_set(&e, i - 200000, want[i - 200000]);
		if (i >= 10 && i % 10 == 6)
			rc = rc ?: ends_set(&e, i - 10, want[i - 10]);
	}
	for (i = ENDS - 10; i < ENDS && !rc; i++)
		rc = ends_set(&e, i, want[i]);
	for (i = ENDS - 200000; i < ENDS && !rc; i++)
		if (i % 10 == 5)
			rc = ends_set(&e, i, want[i]);
	rc = rc ?: ends_finish(&e);
	for (i = 0; i < ENDS && !rc; i++) {
		rc = ends_next(&e, &time);
		wrong += time != want[i];
	}
	rc = rc ?: ends_next(&e, &time);
	tap_report(!rc && !wrong && !time, "%llu ends: status %d, %llu are wrong", ENDS, rc, wrong);
	ends_free(&e);
	free(want);
}

/* Switches of several CPUs, with equal times among them. Look up times in between. */
static void test_cpus(size_t nr)
{
	struct cpu_switch *list[CPUS];
	__u64 wrong = 0, time;
	struct cpus c;
	int rc = cpus_init(&c);
	size_t i, k, at;

	for (k = 0; k < CPUS; k++)
		list[k] = calloc(nr, sizeof(*list[k]));
	for (i = 0; i < nr && !rc; i++)
		for (k = 0; k < CPUS; k++) {
			list[k][i].time = (i ? list[k][i - 1].time : 10) + rand_r(&seed) % 4;
			list[k][i].tid = rand_r(&seed) % 1000;
			rc = rc ?: cpus_add(&c, 7 * k, list[k][i].time, list[k][i].tid);
		}
	for (k = 0; k < CPUS; k++)
		for (at = 0, time = 0; time < list[k][nr - 1].time + 10; time++) {
			while (at < nr && list[k][at].time <= time)
				at++;
			wrong += cpus_tid(cpus_find(&c, 7 * k), time) !=
				 (at ? list[k][at - 1].tid : ~0U);
		}
	wrong += cpus_find(&c, 1) || cpus_tid(NULL, 5) != ~0U;
	tap_report(!rc && !wrong, "%zu switches of %d CPUs: status %d, %llu are wrong", nr, CPUS,
		   rc, wrong);
	cpus_free(&c);
	for (k = 0; k < CPUS; k++)
		free(list[k]);
}

int main(int argc, char **argv)
{
	seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	printf("# seed %u\n", seed);
	test_ends();
	test_cpus(1);
	test_cpus(BLOCKS_NR - 1);
	test_cpus(BLOCKS_NR);
	test_cpus(TIMES);
	return tap_end();
}
