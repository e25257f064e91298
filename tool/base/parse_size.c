// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers and sizes as people write them: 64, 64K, 2M, 1G.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse_size.h"

int parse_number(const char *s, const char **end, __u64 *val)
{
	char *e;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*val = strtoull(s, &e, 10);
	if (errno)
		return -EINVAL;
	*end = e;
	return 0;
}

int parse_size(const char *s, const char **end, __u64 unit, __u64 *val)
{
	static const char suffix[] = "BKMG";
	const char *p;
	unsigned int shift = 0;

	if (parse_number(s, end, val) || !*val)
		return -EINVAL;
	p = **end ? strchr(suffix, toupper((unsigned char)**end)) : NULL;
	if (p) {
		(*end)++;
		shift = 10 * (p - suffix);
		unit = 1;
	}
	if (*val > (UINT_MAX * 4096ULL) >> shift || *val > UINT_MAX)
		return -EINVAL;
	*val = (*val << shift) * unit;
	return 0;
}
