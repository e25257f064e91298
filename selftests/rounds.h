/* SPDX-License-Identifier: GPL-2.0-only */
/* The number of rounds of a test that does the same at random moments or with many seeds. */
#ifndef _SELFTESTS_ROUNDS_H
#define _SELFTESTS_ROUNDS_H

#include <stdlib.h>

/* Should the suite run in its short form? */
static inline __attribute__((unused)) int is_short(void)
{
	const char *set = getenv("SHORT");

	return set && *set;
}

/*
 * rounds() - number of rounds of a test that has @n rounds in its whole form
 *
 * In the short form (SHORT in the environment), return a quarter of @n, because `make check`
 * has a quarter of an hour for everything.
 */
static inline __attribute__((unused)) unsigned int rounds(unsigned int n)
{
	return is_short() && n > 4 ? n / 4 : n;
}

#endif
