// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the clocks that a perf event can have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "origin/clock_name.h"
#include "base/util.h"

/* perf's own names. The first name of a clock is the one that is printed. */
static const struct {
	const char *name;
	__s32 id;
} clocks[] = {
	{ "monotonic",		CLOCK_MONOTONIC },
	{ "monotonic_raw",	CLOCK_MONOTONIC_RAW },
	{ "realtime",		CLOCK_REALTIME },
	{ "boottime",		CLOCK_BOOTTIME },
	{ "tai",		CLOCK_TAI },
	{ "mono",		CLOCK_MONOTONIC },
	{ "raw",		CLOCK_MONOTONIC_RAW },
	{ "real",		CLOCK_REALTIME },
	{ "boot",		CLOCK_BOOTTIME },
};

const char *clock_name(__s32 id)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(clocks); i++)
		if (clocks[i].id == id)
			return clocks[i].name;
	return NULL;
}

int clock_parse(const char *text, __s32 *id)
{
	static const char prefix[] = "CLOCK_";
	char *end;
	size_t i;

	if (*text >= '0' && *text <= '9') {
		const unsigned long nr = strtoul(text, &end, 10);

		if (*end || nr > INT32_MAX || !clock_name(nr))
			return -EINVAL;
		*id = nr;
		return 0;
	}
	if (!strncasecmp(text, prefix, sizeof(prefix) - 1))
		text += sizeof(prefix) - 1;
	for (i = 0; i < ARRAY_LEN(clocks); i++) {
		if (strcasecmp(text, clocks[i].name))
			continue;
		*id = clocks[i].id;
		return 0;
	}
	return -EINVAL;
}

bool clock_is_nmi_safe(__s32 id)
{
	return id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW;
}

bool clock_can_be_set(__s32 id)
{
	return id == CLOCK_REALTIME || id == CLOCK_TAI;
}
