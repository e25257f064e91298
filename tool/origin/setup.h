/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read, from memory, the records with which each file of a recording begins.
 */
#ifndef AUXREC_ORIGIN_SETUP_H
#define AUXREC_ORIGIN_SETUP_H

#include "stream/read.h"

/*
 * Call @fn for each record in @records, which has @size bytes: whole records, without the 16 bytes
 * before the first record of a stream. Return 0; what @fn returned, if this is not 0; -ENOMEM; or
 * -EBADMSG or -ENODATA if the records are damaged, as they can be after a crash of the machine.
 */
int setup_each(const void *records, size_t size,
	       int (*fn)(void *ctx, const struct read_record *rec), void *ctx);

#endif /* AUXREC_ORIGIN_SETUP_H */
