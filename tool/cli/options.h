/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of a recording. It is parsed and checked without looking at the machine's
 * events, tasks and CPUs. Two checks of a flight recorder look at more than the arguments:
 * whether -o names a directory, and whether the group of --control-group exists.
 */
#ifndef AUXREC_CLI_OPTIONS_H
#define AUXREC_CLI_OPTIONS_H

#include "session/options.h"

/*
 * Parse the command line. Strings in @opt point into @argv. Return 0, -EINVAL or -EISDIR
 * (with a message in @d that says what to do) or -ENOMEM. In all cases the caller must
 * call options_free().
 */
int options_parse(struct options *opt, int argc, char **argv, struct diag *d);
void options_free(struct options *opt);

#endif /* AUXREC_CLI_OPTIONS_H */
