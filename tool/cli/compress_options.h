/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse and check --compress and the file name that asks for it.
 */
#ifndef AUXREC_COMPRESS_OPTIONS_H
#define AUXREC_COMPRESS_OPTIONS_H

#include "session/options.h"

/* @arg: the level; NULL: the default. Return 0, or -EINVAL with a message. */
int compress_option(struct options *opt, const char *arg, struct diag *d);

/*
 * Call this when all options are known: FILE.zst is compressed, and the default name of a compressed
 * stream ends with .zst.
 */
void compress_complete(struct options *opt);

#endif /* AUXREC_COMPRESS_OPTIONS_H */
