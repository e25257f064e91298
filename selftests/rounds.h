/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of a test that does the same at random moments, or for many seeds, is done. */
#ifndef _SELFTESTS_ROUNDS_H
#define _SELFTESTS_ROUNDS_H

#include <stdlib.h>

/* Is a short form wanted? */
static inline __attribute__((unused)) int is_short(void)
{
	const char *set = getenv("SHORT");

	return set && *set;
}

/*
 * rounds() - how often a test repeats what it does
 *
 * `make check` has a quarter of an hour for everything: with SHORT in the environment a
 * quarter of @n is enough. The matrix has all of them.
 */
static inline __attribute__((unused)) unsigned int rounds(unsigned int n)
{
	return is_short() && n > 4 ? n / 4 : n;
}

#endif
