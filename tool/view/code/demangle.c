// SPDX-License-Identifier: GPL-2.0-only
/*
 * Demangle symbols of C++ and Rust with libiberty, if it is there at build time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if VIEW_HAS_LIBIBERTY
/* Keep demangle.h from declaring basename(). */
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>
#endif

#include "view/code/demangle.h"

#if VIEW_HAS_LIBIBERTY
const char *demangle(const char *symbol)
{
	const char *at = strrchr(symbol, '@');
	char *bare, *plain, *whole;

	if (symbol[0] != '_' || !(symbol[1] == 'Z' || symbol[1] == 'R'))
		return symbol;
	bare = at ? strndup(symbol, at - symbol) : strdup(symbol);
	if (!bare)
		return symbol;
	plain = cplus_demangle(bare, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	free(bare);
	if (!plain || !at)
		return plain ?: symbol;
	if (asprintf(&whole, "%s%s", plain, at) < 0)
		whole = NULL;
	free(plain);
	return whole ?: symbol;
}
#else
const char *demangle(const char *symbol)
{
	return symbol;
}
#endif
