// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of a bundle, and their names.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "view/bundle/bundle.h"

__u32 bundle_pid(const struct source *s, const struct queue *q)
{
	const struct thread *thread = threads_find(&s->threads, q->tid);

	return thread ? thread->lane.desc.pid : TL_NOBODY;
}

const char *bundle_name(const struct source *s, const struct queue *q, const char *ending,
			char name[BUNDLE_NAME])
{
	const __u32 pid = bundle_pid(s, q);

	if (q->tid == AUXSTREAM_NOBODY)
		snprintf(name, BUNDLE_NAME, "cpu%u%s", q->cpu, ending);
	else if (pid == TL_NOBODY)
		snprintf(name, BUNDLE_NAME, "unknown-%u%s", q->tid, ending);
	else
		snprintf(name, BUNDLE_NAME, "%u-%u%s", pid, q->tid, ending);
	return name;
}

static int failed(struct bundle *b, const char *name)
{
	return diag(b->diag, -errno, "%s/%s: %s", b->path, name, strerror(errno));
}

FILE *bundle_create(struct bundle *b, const char *name, bool executable)
{
	const int fd = openat(b->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			      executable ? 0700 : 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f)
		return f;
	failed(b, name);
	if (fd >= 0)
		close(fd);
	return NULL;
}

int bundle_finish(struct bundle *b, const char *name, FILE *f)
{
	const bool bad = ferror(f);

	/* errno is that of the write that has failed. */
	if (!fclose(f) && !bad)
		return 0;
	if (!errno)
		errno = EIO;
	return failed(b, name);
}
