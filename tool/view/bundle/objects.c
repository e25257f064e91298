// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files with the code of a bundle's objects, by paths that stay valid after this program.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/bundle/bundle.h"

/* A vdso can be a file of this process only, so the bundle gets a copy. */
static char *copy_vdso(struct bundle *b, const char *from, size_t number)
{
	const int fd = open(from, O_RDONLY | O_CLOEXEC);
	char buf[4096], *name = NULL;
	FILE *f = NULL;
	ssize_t n = 0;
	bool bad;

	if (fd >= 0 && asprintf(&name, "vdso-%zu.so", number) < 0)
		name = NULL;
	if (name)
		f = bundle_create(b, name, false);
	while (f && (n = pread(fd, buf, sizeof(buf), ftell(f))) > 0)
		if (fwrite(buf, n, 1, f) != 1)
			break;
	bad = !f || n || bundle_finish(b, name, f);
	if (fd >= 0)
		close(fd);
	if (!bad)
		return name;
	free(name);
	return NULL;
}

static char *find(struct bundle *b, struct object *o, size_t number)
{
	const char *file = object_file(o);

	if (!file) {
		source_warn(b->source, "%s", o->why ?: o->path);
		return strdup("");
	}
	return o->kind == OBJECT_VDSO ? copy_vdso(b, file, number) : realpath(file, NULL);
}

const char *bundle_object(struct bundle *b, struct object *o)
{
	size_t i = 0;

	while (i < b->nr_files && b->source->objects.list[i] != o)
		i++;
	if (i == b->nr_files)
		return NULL;
	if (!b->files[i])
		b->files[i] = find(b, o, i);
	return b->files[i] && *b->files[i] ? b->files[i] : NULL;
}
