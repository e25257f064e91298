// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tell the time line the names of functions, each of them once.
 */
#include "view/stack/names.h"

void names_init(struct names *n, struct timeline *out)
{
	*n = (struct names) { .out = out, .nowhere = FUNCTION_NO_NUMBER };
}

int names_find(struct names *n, struct function *f, __u32 *number)
{
	__u32 *known = f ? &f->number : &n->nowhere;
	struct tl_name name = { .function = "[unknown]", .object = "" };
	int rc = 0;

	if (f) {
		name.function = function_name(f);
		name.object = f->object->path;
		name.address = f->symbol ? f->start : 0;
	}
	if (*known == FUNCTION_NO_NUMBER) {
		rc = n->out->ops->name(n->out, n->nr, &name);
		if (!rc)
			*known = n->nr++;
	}
	*number = *known;
	return rc;
}
