// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how the writer of JSON writes numbers that JSON cannot express. Prints TAP.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"
#include "base/json.h"

static void check(double v, const char *digits, const char *rounded)
{
	struct json j = { .f = NULL };
	char want[256], *got = NULL;
	size_t size;

	j.f = open_memstream(&got, &size);
	if (!j.f)
		exit(1);
	json_array(&j, NULL, JSON_TIGHT);
	json_double(&j, NULL, v);
	json_rounded(&j, NULL, v);
	json_end_array(&j);
	fclose(j.f);
	snprintf(want, sizeof(want), "[%s,%s]\n", digits, rounded);
	if (!tap_report(!strcmp(got, want), "%f", v))
		printf("# %s", got);
	free(got);
}

int main(void)
{
	check(1.5, "1.5", "2");
	check(-2, "-2", "-2");
	check(NAN, "null", "null");
	check(-NAN, "null", "null");
	check(INFINITY, "null", "null");
	check(-INFINITY, "null", "null");
	return tap_end();
}
