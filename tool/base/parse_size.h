/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and sizes as people write them: 64, 64K, 2M, 1G.
 */
#ifndef AUXREC_PARSE_SIZE_H
#define AUXREC_PARSE_SIZE_H

#include <linux/types.h>

/*
 * A decimal number. @end: the first character after it. Returns 0, or -EINVAL if there is none
 * or it does not fit.
 */
int parse_number(const char *s, const char **end, __u64 *val);

/*
 * "64" is 64 times @unit bytes (perf counts pages), "64K" is 64 KiB. @end: the first character
 * after the size. Returns 0 or -EINVAL.
 */
int parse_size(const char *s, const char **end, __u64 unit, __u64 *val);

#endif /* AUXREC_PARSE_SIZE_H */
