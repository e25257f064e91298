/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options and commands of perf that auxrec does not have.
 */
#ifndef AUXREC_CLI_OPTIONS_PERF_H
#define AUXREC_CLI_OPTIONS_PERF_H

#include "base/util.h"

/*
 * An option that auxrec does not have: @letter, or (0) @arg with its dashes.
 * Returns 0 if it is one of perf record's that changes nothing here, -EINVAL
 * with a message that says what to give instead, or -ENOENT.
 */
int options_of_perf(char letter, const char *arg, struct diag *d);
/* Returns whether @cmd is one of perf's commands; @d says what to use then. */
bool options_of_perf_command(const char *cmd, struct diag *d);

#endif /* AUXREC_CLI_OPTIONS_PERF_H */
