/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of functions' names in a time line.
 */
#ifndef VIEW_NAMES_H
#define VIEW_NAMES_H

#include "view/code/object.h"
#include "view/timeline/timeline.h"

struct names {
	struct timeline *out;
	__u32	nr;
	__u32	nowhere;	/* of code that is not mapped; FUNCTION_NO_NUMBER: not told */
};

void names_init(struct names *n, struct timeline *out);

/*
 * Find the number of a function's name, and tell the name when it is first needed. @f can be
 * NULL.
 */
int names_find(struct names *n, struct function *f, __u32 *number);

#endif /* VIEW_NAMES_H */
