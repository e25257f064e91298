// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the value of --trigger hang=.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/parse_time.h"
#include "trigger/hang.h"

/* The recorder looks at the task four times in this time, so this limits what the looks cost. */
#define TIME_MIN_NS	(100ULL * 1000000)

int hang_parse(const char *s, struct hang *h, struct diag *d)
{
	const char *end;
	__u64 pid;

	if (!strchr(s, '/'))
		return diag(d, -EINVAL,
			    "the time is missing: give " HANG_FORM ", e.g. " HANG_EXAMPLE);
	if (parse_digits(s, &end, &pid) || *end != '/' || !pid || pid > INT_MAX)
		return diag(d, -EINVAL, "'%.*s' is not the id of a process or thread",
			    (int)strcspn(s, "/") > 64 ? 64 : (int)strcspn(s, "/"), s);
	if (parse_time("TIME", end + 1, &h->time, d))
		return -EINVAL;
	if (h->time < TIME_MIN_NS)
		return diag(d, -EINVAL, "%.64s is too short: give at least 100ms", end + 1);
	h->pid = pid;
	return 0;
}
