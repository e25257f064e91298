/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lengths of time as people write them: 500us, 30s, 2h, 1d.
 */
#ifndef AUXREC_PARSE_TIME_H
#define AUXREC_PARSE_TIME_H

#include <linux/types.h>

#include "base/util.h"

/* "ns, us, ms, s, min, h or d", for messages */
#define TIME_UNITS	"ns, us, ms, s, min, h or d"

/* Longer ones are refused: sums and differences of times stay below 2^64. */
#define TIME_MAX_NS	((__u64)INT64_MAX)

/*
 * A whole number and its unit. @what: whose value @s is, for the message
 * ("--flight"). Returns 0, -EINVAL or (too long) -ERANGE.
 */
int parse_time(const char *what, const char *s, __u64 *ns, struct diag *d);

/* The same where the number may be missing: "min" is 1min. */
int parse_time_per(const char *what, const char *s, __u64 *ns, struct diag *d);

/* A decimal number that ends at @end. Returns 0, -EINVAL or (2^64) -ERANGE. */
int parse_digits(const char *s, const char **end, __u64 *val);

#endif /* AUXREC_PARSE_TIME_H */
