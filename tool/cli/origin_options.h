/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options that tell where a recording comes from: -k and --label.
 *
 * All functions return 0, or -EINVAL or -ENOMEM with a message.
 */
#ifndef AUXREC_ORIGIN_OPTIONS_H
#define AUXREC_ORIGIN_OPTIONS_H

#include "session/options.h"

int option_clock(struct options *opt, const char *s, struct diag *d);
/* Refuse a clock that another option does not allow. Call this when all options are known. */
int option_clock_check(const struct options *opt, struct diag *d);
int option_label(struct options *opt, const char *s, struct diag *d);

#endif /* AUXREC_ORIGIN_OPTIONS_H */
