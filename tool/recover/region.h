/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the memory of a kept ring comes from: the module, or a file with a copy of it.
 */
#ifndef AUXREC_RECOVER_REGION_H
#define AUXREC_RECOVER_REGION_H

#include <stddef.h>

struct diag;

struct region {
	void *memory;
	size_t size;
};

/*
 * Map the region, from the module or, if @file is not NULL, from a file. Return 0, -ENODATA
 * (nothing was kept), or another -errno; each with a message.
 */
int region_open(struct region *r, const char *file, struct diag *d);
void region_close(struct region *r);
/* Copy the region to a new file, with mode 0600. Return 0, or -errno with a message. */
int region_save(const struct region *r, const char *file, struct diag *d);
/* Clear the region, so that a new ring can use it. Return 0, or -errno with a message. */
int region_wipe(struct diag *d);

#endif /* AUXREC_RECOVER_REGION_H */
