// SPDX-License-Identifier: GPL-2.0-only
/* SIGUSR2: the snapshots of this run become one stream, of the name that -o gave. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flight.h"
#include "merge.h"

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
	struct flight_files *files = &s->flight->files;
	int err;

	/* Those that --keep has removed, or somebody */
	flight_files_look(files);
	if (!files->nr) {
		say("there is no snapshot to merge");
		return 0;
	}
	if (files->forgotten)
		say("the oldest %llu snapshots are not merged: there are more than %d",
		    files->forgotten, FLIGHT_FILES_MAX);
	err = keep_old(s->opt->output, d);
	if (!err)
		err = merge_files(files->paths, files->nr, s->opt->output, d);
	if (!err && !s->opt->quiet)
		say("%s: of %zu snapshots", s->opt->output, files->nr);
	return err;
}
