// SPDX-License-Identifier: GPL-2.0-only
/*
 * open() for --wrap=open: a test's hook runs first, and can make it fail.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include "wrap.h"

int (*wrap_open_hook)(int flags);

int __wrap_open(const char *path, int flags, ...)
{
	const int err = wrap_open_hook ? wrap_open_hook(flags) : 0;
	va_list args;
	int mode;

	if (err) {
		errno = -err;
		return -1;
	}
	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return __real_open(path, flags, mode);
}
