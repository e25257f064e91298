/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse and check --switch-output and --switch-max-files. All functions return 0, or -EINVAL with
 * a message.
 */
#ifndef AUXREC_SWITCH_OPTIONS_H
#define AUXREC_SWITCH_OPTIONS_H

#include "session/options.h"

/* @arg: NULL: the signal */
int switch_output(struct options *opt, const char *arg, struct diag *d);
int switch_max_files(struct options *opt, const char *arg, struct diag *d);
int switch_check(const struct options *opt, struct diag *d);

#endif /* AUXREC_SWITCH_OPTIONS_H */
