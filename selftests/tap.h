/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SELFTESTS_TAP_H
#define SELFTESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_nr, tap_failed;

/* Print the result of a test. A test prints explanations before it calls this. */
static inline bool __attribute__((format(printf, 2, 3)))
tap_report(bool ok, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", ok ? "ok" : "not ok", ++tap_nr);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	tap_failed += !ok;
	return ok;
}

/* Print the plan, and return the exit status: failure if no test ran, too. */
static inline int tap_end(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed || !tap_nr;
}

#endif /* SELFTESTS_TAP_H */
