// SPDX-License-Identifier: GPL-2.0-only
/*
 * All steps of tool/snapfile/keep.h in one call, for tests.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keep_now.h"

char told[4096];

void tell(void *ctx, const char *path, const char *why, int err)
{
	const size_t len = strlen(told);

	(void)ctx;
	snprintf(told + len, sizeof(told) - len, "%s %s%s%s;", path, why,
		 err ? ": " : "", err ? strerror(-err) : "");
}

/* Do what the recorder's thread does with its copy of @k. */
static int look(struct keep *k, int *lock, struct diag *d)
{
	struct keep copy;
	int err;

	if (keep_copy(&copy, k))
		return diag(d, -ENOMEM, "out of memory");
	*lock = keep_lock(&copy);
	err = keep_look(&copy, d);
	if (!err) {
		keep_take(k, &copy);
		return 0;
	}
	keep_free(&copy);
	if (*lock >= 0)
		close(*lock);
	return err;
}

int keep_now_plan(struct keep *k, const char *committed, struct keep_plan *p, struct diag *d)
{
	int err = 0, lock;

	*p = (struct keep_plan){ .lock = -1 };
	if (!keep_has_limits(k))
		return 0;
	if (committed)
		err = keep_note(k, committed, d);
	return err ?: look(k, &lock, d) ?: keep_plan(k, lock, p, d);
}

int keep_now(struct keep *k, const char *committed, struct diag *d)
{
	struct keep_plan p;
	int err;

	err = keep_now_plan(k, committed, &p, d);
	if (err)
		return err;
	keep_remove(&p);
	return keep_removed(k, &p, tell, NULL);
}
