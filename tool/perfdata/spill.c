// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of the perf.data file that wait in files without a name, because they follow the data
 * and can be large.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/parts.h"

static int failed(const char *out, struct diag *d)
{
	const int err = errno ? -errno : -EIO;

	return diag(d, err, "cannot write a temporary file beside %s: %s", out, strerror(-err));
}

static FILE *open_beside(const char *out)
{
	char *name;
	FILE *file;
	int fd;

	if (asprintf(&name, "%s.XXXXXX", out) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	if (fd < 0)
		return NULL;
	file = fdopen(fd, "w+");
	if (!file)
		close(fd);
	return file;
}

int pd_spill_add(struct pd_spill *sp, const char *out, const void *data, size_t len,
		 struct diag *d)
{
	errno = 0;
	if (!sp->file)
		sp->file = open_beside(out);
	if (!sp->file || fwrite(data, 1, len, sp->file) != len)
		return failed(out, d);
	sp->bytes += len;
	return 0;
}

int pd_spill_write(struct pd_spill *sp, struct pd_out *o, struct diag *d)
{
	char buf[16 * 1024];
	size_t n;

	if (!sp->file)
		return 0;
	errno = 0;
	if (fseek(sp->file, 0, SEEK_SET))
		return failed(o->path, d);
	while ((n = fread(buf, 1, sizeof(buf), sp->file)) > 0)
		pd_out_add(o, buf, n);
	return ferror(sp->file) ? failed(o->path, d) : 0;
}

void pd_spill_free(struct pd_spill *sp)
{
	if (sp->file)
		fclose(sp->file);
	*sp = (struct pd_spill){ NULL, 0 };
}
