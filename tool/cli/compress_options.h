/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse and check --compress, the file name that asks for it, and -z.
 */
#ifndef AUXREC_COMPRESS_OPTIONS_H
#define AUXREC_COMPRESS_OPTIONS_H

#include "session/options.h"

/* @arg: the level; NULL: the default. Return 0, or -EINVAL with a message. */
int compress_option(struct options *opt, const char *arg, struct diag *d);
/* The same for -z */
int pack_option(struct options *opt, const char *arg, struct diag *d);

/*
 * Call this when all options are known. It turns compression on for -o FILE.zst and for such names
 * of snapshots, and chooses the name of the output if only --compress is given.
 */
void compress_complete(struct options *opt);
/* Then call this. Return 0, or -EINVAL with a message. */
int compress_check(const struct options *opt, struct diag *d);

#endif /* AUXREC_COMPRESS_OPTIONS_H */
