// SPDX-License-Identifier: GPL-2.0-only
/*
 * When each time of a thread on a CPU ends. The end is known later than the begin, but is told with
 * it: the first pass collects the ends, and the second one reads them in the same order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/source/switches.h"
#include "view/temporary/temporary.h"

/* Most times on a CPU end before this many others have begun, and are written once. */
#define WINDOW		65536ULL
#define PART		(WINDOW / 2)
#define SIZE_OF(nr)	((nr) * sizeof(__u64))

int ends_init(struct ends *e)
{
	*e = (struct ends) { .fd = temporary_open(), .window = calloc(WINDOW, sizeof(__u64)) };
	return e->fd < 0 ? e->fd : e->window ? 0 : -ENOMEM;
}

void ends_free(struct ends *e)
{
	/* A struct of zeros was not initialized. */
	if (e->fd > 0)
		close(e->fd);
	free(e->window);
	*e = (struct ends) { .fd = -1 };
}

static int write_part(struct ends *e)
{
	const int rc = temporary_write(e->fd, e->window, SIZE_OF(PART), SIZE_OF(e->base));

	memmove(e->window, e->window + PART, SIZE_OF(PART));
	memset(e->window + PART, 0, SIZE_OF(PART));
	e->base += PART;
	return rc;
}

int ends_add(struct ends *e, __u64 *number)
{
	*number = e->nr++;
	return e->nr - e->base > WINDOW ? write_part(e) : 0;
}

int ends_set(struct ends *e, __u64 number, __u64 time)
{
	if (number < e->base)
		return temporary_write(e->fd, &time, sizeof(time), SIZE_OF(number));
	e->window[number - e->base] = time;
	return 0;
}

int ends_finish(struct ends *e)
{
	const int rc = temporary_write(e->fd, e->window, SIZE_OF(e->nr - e->base),
				       SIZE_OF(e->base));

	e->next = 0;
	/* The window is empty. */
	e->base = 0;
	return rc;
}

int ends_next(struct ends *e, __u64 *time)
{
	const __u64 at = e->next % WINDOW, left = e->nr - e->next;
	int rc = 0;

	*time = 0;
	if (!left)
		return 0;
	if (!at)
		rc = temporary_read(e->fd, e->window, SIZE_OF(left < WINDOW ? left : WINDOW),
				    SIZE_OF(e->next));
	*time = e->window[at];
	e->next++;
	return rc;
}
