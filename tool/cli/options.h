/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of a recording, parsed and checked, without a look at the
 * machine: the same arguments always give the same result.
 */
#ifndef AUXREC_CLI_OPTIONS_H
#define AUXREC_CLI_OPTIONS_H

#include "session/options.h"

/*
 * Strings in @opt point into @argv. Returns 0, -EINVAL (a message that says
 * what to do in @d) or -ENOMEM. The caller frees @opt with options_free() either way.
 */
int options_parse(struct options *opt, int argc, char **argv, struct diag *d);
void options_free(struct options *opt);

#endif /* AUXREC_CLI_OPTIONS_H */
