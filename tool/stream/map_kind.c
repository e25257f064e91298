// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out from the name of a map what is mapped: a file, a memfd, other memory, [vdso] or the
 * kernel.
 */
#include <string.h>

#include "stream/map_kind.h"

static bool begins_with(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

enum map_kind map_kind(const char *name)
{
	if (!strcmp(name, "[vdso]"))
		return MAP_KIND_VDSO;
	if (begins_with(name, "[kernel"))
		return MAP_KIND_KERNEL;
	if (*name != '/' || begins_with(name, "//") || !strcmp(name, "/anon_hugepage") ||
	    !strcmp(name, "/anon_hugepage (deleted)"))
		return MAP_KIND_MEMORY;
	if (begins_with(name, "/dev/") || begins_with(name, "/SYSV") ||
	    begins_with(name, "/memfd:"))
		return MAP_KIND_SHARED;
	return MAP_KIND_FILE;
}

bool map_has_file(const char *name)
{
	const enum map_kind kind = map_kind(name);

	return kind == MAP_KIND_FILE || kind == MAP_KIND_SHARED;
}
