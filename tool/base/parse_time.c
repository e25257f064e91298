// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lengths of time as people write them: 500us, 30s, 2h, 1d.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/parse_time.h"

/* "m" is not a unit, because it can mean minutes, months or milli. */
static const struct {
	const char *name;
	__u64 ns;
} units[] = {
	{ "ns",	 1 },
	{ "us",	 1000 },
	{ "ms",	 1000000 },
	{ "s",	 NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ "h",	 3600 * NSEC_PER_SEC },
	{ "d",	 86400 * NSEC_PER_SEC },
};

int parse_digits(const char *s, const char **end, __u64 *val)
{
	__u64 sum = 0;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	for (; isdigit((unsigned char)*s); s++) {
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, *s - '0', &sum))
			return -ERANGE;
	}
	*end = s;
	*val = sum;
	return 0;
}

static int too_long(const char *what, const char *s, struct diag *d)
{
	return diag(d, -ERANGE, "%s: '%.64s' is too long: at most %llud", what,
		    s, TIME_MAX_NS / (86400 * NSEC_PER_SEC));
}

int parse_time(const char *what, const char *s, __u64 *ns, struct diag *d)
{
	const char *unit;
	size_t i;
	__u64 nr;
	int err;

	err = parse_digits(s, &unit, &nr);
	if (err == -ERANGE)
		return too_long(what, s, d);
	if (!err && !*unit)
		return diag(d, -EINVAL,
			    "%s: the time '%.64s' has no unit: give one of " TIME_UNITS ", e.g. %.64ss",
			    what, s, s);
	for (i = 0; !err && i < ARRAY_LEN(units); i++) {
		if (strcmp(unit, units[i].name))
			continue;
		if (__builtin_mul_overflow(nr, units[i].ns, &nr) ||
		    nr > TIME_MAX_NS)
			return too_long(what, s, d);
		*ns = nr;
		return 0;
	}
	return diag(d, -EINVAL,
		    "%s: '%.64s' is not a time: give a whole number with one of " TIME_UNITS ", e.g. 30s",
		    what, s);
}

int parse_time_per(const char *what, const char *s, __u64 *ns, struct diag *d)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(units); i++) {
		if (!strcmp(s, units[i].name)) {
			*ns = units[i].ns;
			return 0;
		}
	}
	return parse_time(what, s, ns, d);
}
