/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options and commands of perf that auxrec does not have.
 */
#ifndef AUXREC_CLI_OPTIONS_PERF_H
#define AUXREC_CLI_OPTIONS_PERF_H

#include "base/util.h"

/*
 * Handle an option that auxrec does not have: @letter, or, if that is 0, @arg with its
 * dashes. Return 0 if perf record has the option and it changes nothing here, -EINVAL with
 * a message that tells what to give instead, or -ENOENT.
 */
int options_of_perf(char letter, const char *arg, struct diag *d);
/* Return whether @cmd is a command of perf. If so, @d tells what to use. */
bool options_of_perf_command(const char *cmd, struct diag *d);

#endif /* AUXREC_CLI_OPTIONS_PERF_H */
