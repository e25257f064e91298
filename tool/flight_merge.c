// SPDX-License-Identifier: GPL-2.0-only
/* SIGUSR2: the snapshots of this run become one stream, of the name that -o gave. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flight.h"
#include "merge.h"

/* Those that --keep has removed, or somebody, are not there any more. */
static size_t those_there(const struct flight *f, char **list)
{
	size_t i, nr = 0;

	for (i = 0; i < f->nr_files; i++)
		if (!access(f->files[i], R_OK))
			list[nr++] = f->files[i];
	return nr;
}

static int keep_old(const char *path, struct diag *d)
{
	char old[4096];

	if (access(path, F_OK))
		return 0;
	if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >= sizeof(old))
		return diag(d, -ENAMETOOLONG, "%s: name too long", path);
	if (rename(path, old))
		return diag(d, -errno, "cannot rename %s to %s: %s", path, old,
			    strerror(errno));
	return 0;
}

int flight_merge(struct session *s, struct diag *d)
{
	const struct flight *f = s->flight;
	char **list = calloc(f->nr_files + 1, sizeof(*list));
	size_t nr;
	int err;

	if (!list)
		return diag(d, -ENOMEM, "out of memory");
	nr = those_there(f, list);
	if (!nr) {
		say("there is no snapshot to merge");
		free(list);
		return 0;
	}
	err = keep_old(s->opt->output, d);
	if (!err)
		err = merge_files(list, nr, s->opt->output, d);
	if (!err && !s->opt->quiet)
		say("%s: of %zu snapshots", s->opt->output, nr);
	free(list);
	return err;
}
