// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any string as -e, with the trees that FUZZ_SYSROOT (with
 * sysfs/ and tracefs/ in it) has, or with the machine's own.
 *
 * clang -g -fsanitize=fuzzer,address,undefined -Itool -Iuapi
 * with this file, tool/event*.c, tool/pmu*.c and tool/tracepoint*.c
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct auxrec_events *events, int ret, const char *err)
{
	unsigned char attr[AUXREC_ATTR_SIZE] __attribute__((aligned(8)));

	if (ret ? !*err || events->nr : !events->nr || *err)
		abort();
	for (size_t i = 0; i < events->nr; i++) {
		const struct auxrec_event *ev = &events->list[i];

		if (!ev->name || auxrec_event_attr(ev, attr) > sizeof(attr))
			abort();
		/* A leader comes first, and the others follow it. */
		if (ev->group >= 0 && !ev->leader &&
		    (!i || ev[-1].group != ev->group))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char sysfs[PATH_MAX], tracefs[PATH_MAX];
	const char *dir = getenv("FUZZ_SYSROOT");
	struct auxrec_sysroot root = { 0 };
	struct auxrec_events events = { 0 };
	char err[1024] = "";
	char *spec;
	int ret;

	if (dir) {
		snprintf(sysfs, sizeof(sysfs), "%s/sysfs", dir);
		snprintf(tracefs, sizeof(tracefs), "%s/tracefs", dir);
		root.sysfs = sysfs;
		root.tracefs = tracefs;
	}
	spec = malloc(size + 1);
	if (!spec)
		return 0;
	memcpy(spec, data, size);
	spec[size] = '\0';
	/* A short buffer for messages is a buffer too. */
	ret = auxrec_events_parse(&events, spec, &root, err,
				  size % 7 ? sizeof(err) : size % 64 + 2);
	check(&events, ret, err);
	auxrec_events_free(&events);
	free(spec);
	return 0;
}
