// SPDX-License-Identifier: GPL-2.0-only
/*
 * SIGUSR2: merge the snapshots of this run into one stream with the name of -o.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flight/flight.h"
#include "merge/merge.h"

#define OLD_MAX		4096

/*
 * Rename an earlier file at @path to @path.old, as a recording does. Return 1 if there is
 * such a file, 0 if there is none, or -errno.
 */
static int keep_old(const char *path, char old[OLD_MAX], struct diag *d)
{
	if (access(path, F_OK))
		return 0;
	if (snprintf(old, OLD_MAX, "%s.old", path) >= OLD_MAX)
		return diag(d, -ENAMETOOLONG, "%s: name too long", path);
	if (rename(path, old))
		return diag(d, -errno, "cannot rename %s to %s: %s", path, old,
			    strerror(errno));
	return 1;
}

/* A snapshot can be as large as -M, so free what was recorded to make room. */
static void let_go(struct session *s)
{
	struct flight *f = s->flight;

	recent_stats(f->recent, &f->last);
	recent_free(f->recent);
	f->recent = NULL;
	malloc_trim(0);
	session_close_events(s);
	if (s->have_raw)
		rawring_let_go(&s->raw);
}

int flight_merge(struct session *s, struct diag *d)
{
	struct flight_files *files = &s->flight->files;
	const char *out = s->opt->output;
	char old[OLD_MAX];
	int err, kept;

	if (s->opt->flight.only_task) {
		say("with --only-trigger-task, snapshots are not merged");
		return 0;
	}
	let_go(s);
	/* --keep, or a user, may have removed snapshots. */
	flight_files_look(files);
	if (!files->nr) {
		say("there is no snapshot to merge");
		return 0;
	}
	if (files->forgotten)
		say("the oldest %llu snapshots are not merged: there are more than %d",
		    files->forgotten, FLIGHT_FILES_MAX);
	kept = keep_old(out, old, d);
	if (kept < 0)
		return kept;
	err = merge_files(files->paths, files->nr, out, d);
	if (err && kept && rename(old, out))
		say("the old %s is now %s", out, old);
	if (!err && !s->opt->quiet)
		say("%s: merged from %zu snapshots", out, files->nr);
	return err;
}
