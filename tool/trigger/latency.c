// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the value of --trigger latency=.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse_time.h"
#include "trigger/latency.h"

int latency_parse(const char *s, struct latency *l, char **place, struct diag *d)
{
	const char *slash = NULL, *p;
	size_t len = strlen(s);
	char time[64];

	if (len && s[len - 1] == '/')
		len--;
	/* FILE has slashes, too: TIME follows the last one. */
	for (p = s; p < s + len; p++)
		if (*p == '/')
			slash = p;
	if (!slash || !memchr(s, '@', slash - s))
		return diag(d, -EINVAL, "a part is missing: give " LATENCY_FORM ", e.g. "
			    LATENCY_EXAMPLE);
	len -= slash + 1 - s;
	snprintf(time, sizeof(time), "%.*s", len > 63 ? 63 : (int)len, slash + 1);
	if (parse_time("TIME", time, &l->time, d))
		return -EINVAL;
	if (!l->time)
		return diag(d, -EINVAL, "the time is 0: give the time that a call may take, or event=func=FUNC@FILE for each call");
	if (slash - s > 7 && !memcmp(slash - 7, "%return", 7))
		return diag(d, -EINVAL, "latency= always measures up to the return: leave %%return out");
	*place = strndup(s, slash - s);
	return 0;
}
