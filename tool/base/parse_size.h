/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and sizes as people write them: 64, 64K, 2M, 1G.
 */
#ifndef AUXREC_PARSE_SIZE_H
#define AUXREC_PARSE_SIZE_H

#include <linux/types.h>

/*
 * Parse a decimal number. @end: the first character after it. Return 0, or -EINVAL if there is no
 * number or it does not fit in 64 bits.
 */
int parse_number(const char *s, const char **end, __u64 *val);

/*
 * Parse a size. "64" means 64 times @unit bytes (perf counts pages), "64K" means 64 KiB. @end: the
 * first character after the size. Return 0 or -EINVAL.
 */
int parse_size(const char *s, const char **end, __u64 unit, __u64 *val);

#endif /* AUXREC_PARSE_SIZE_H */
