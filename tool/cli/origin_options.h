/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The option that chooses the clock of a recording.
 *
 * All functions return 0, or -EINVAL with a message.
 */
#ifndef AUXREC_ORIGIN_OPTIONS_H
#define AUXREC_ORIGIN_OPTIONS_H

#include "session/options.h"

int option_clock(struct options *opt, const char *s, struct diag *d);
/* Refuse a clock if there would be times of perf's own clock, too. Call this after all options. */
int option_clock_check(const struct options *opt, struct diag *d);

#endif /* AUXREC_ORIGIN_OPTIONS_H */
