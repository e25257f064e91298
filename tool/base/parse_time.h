/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lengths of time as people write them: 500us, 30s, 2h, 1d.
 */
#ifndef AUXREC_PARSE_TIME_H
#define AUXREC_PARSE_TIME_H

#include <linux/types.h>

#include "base/util.h"

/* The units, for messages */
#define TIME_UNITS	"ns, us, ms, s, min, h or d"

/* Longer times are refused, so that the sum of two times stays below 2^64. */
#define TIME_MAX_NS	((__u64)INT64_MAX)

/*
 * Parse a whole number and its unit. @what: the name of the option that has
 * this value, for the message ("--flight"). Return 0, -EINVAL, or -ERANGE if
 * the time is too long.
 */
int parse_time(const char *what, const char *s, __u64 *ns, struct diag *d);

/* The same, but the number can be missing: "min" means 1min. */
int parse_time_per(const char *what, const char *s, __u64 *ns, struct diag *d);

/*
 * Parse a decimal number. @end: the first character after it. Return 0, -EINVAL, or -ERANGE if the
 * number does not fit in 64 bits.
 */
int parse_digits(const char *s, const char **end, __u64 *val);

#endif /* AUXREC_PARSE_TIME_H */
