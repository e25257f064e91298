/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of snapshots: made of a pattern, and recognised by it.
 */
#ifndef AUXREC_SNAPFILE_NAME_H
#define AUXREC_SNAPFILE_NAME_H

#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>

#include "base/util.h"

/* A pattern and the name of -o, put together */
struct snapfile_name {
	char dir[PATH_MAX];	/* "." if there was none */
	char tail[2 * NAME_MAX + 1];	/* behind the last '/': of %t %n %s %% */
};

/* What is in a name; the trigger's is not needed. */
struct snapfile_parts {
	bool has_time;
	__u64 time;		/* ns of CLOCK_REALTIME, to the centisecond */
	__u64 number;		/* 0: not in it */
	unsigned int again;	/* N of "-N", 1: none */
};

/*
 * Returns 0, -EINVAL (as snapfile_check(), or not all snapshots would be in one
 * directory) or -ENAMETOOLONG, with a message.
 */
int snapfile_name_init(struct snapfile_name *n, const char *pattern,
		       const char *base, struct diag *d);

/*
 * @time: ns of CLOCK_REALTIME; @again: from 1, above that "-N" is added. All that
 * snapfile_name_init() lets pass fits.
 */
void snapfile_name_make(const struct snapfile_name *n, const char *trigger,
			__u64 number, __u64 time, unsigned int again,
			char name[NAME_MAX + 1]);

/* Could @name, without a directory, have been made of @n? */
bool snapfile_name_match(const struct snapfile_name *n, const char *name,
			 struct snapfile_parts *parts);

#endif /* AUXREC_SNAPFILE_NAME_H */
