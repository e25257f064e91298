// SPDX-License-Identifier: GPL-2.0-only
/*
 * Close what a child process inherited and does not need.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "helper/close_fds.h"

static int by_value(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

void close_fds(int *keep, size_t nr)
{
	int first = STDERR_FILENO + 1;
	size_t i;

	if (nr)
		qsort(keep, nr, sizeof(*keep), by_value);
	for (i = 0; i < nr; i++) {
		if (keep[i] > first)
			close_range(first, keep[i] - 1, 0);
		if (keep[i] >= first)
			first = keep[i] + 1;
	}
	close_range(first, ~0U, 0);
}
