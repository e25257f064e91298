/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the names of snapshots from a pattern, and recognise names that the pattern can make.
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
	char tail[2 * NAME_MAX + 1];	/* the part behind the last '/', with %t %n %s %% */
};

/* The parts of a name. Nobody needs the trigger's name. */
struct snapfile_parts {
	bool has_time;
	__u64 time;		/* ns of CLOCK_REALTIME, to the centisecond */
	__u64 number;		/* 0: the name has no number */
	unsigned int again;	/* N of "-N"; 1: there is no "-N" */
};

/*
 * Return 0, -EINVAL (as snapfile_check(), or because snapshots would not all be in one
 * directory) or -ENAMETOOLONG, with a message.
 */
int snapfile_name_init(struct snapfile_name *n, const char *pattern,
		       const char *base, struct diag *d);

/*
 * Make a name. @time: ns of CLOCK_REALTIME; @again: if this is above 1, "-N" is added. The name
 * always fits, because snapfile_name_init() refuses patterns whose names could be too long.
 */
void snapfile_name_make(const struct snapfile_name *n, const char *trigger,
			__u64 number, __u64 time, unsigned int again,
			char name[NAME_MAX + 1]);

/* Can snapfile_name_make() make @name, which has no directory, from @n? */
bool snapfile_name_match(const struct snapfile_name *n, const char *name,
			 struct snapfile_parts *parts);

#endif /* AUXREC_SNAPFILE_NAME_H */
