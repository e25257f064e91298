/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write the file of a snapshot, from creating it to giving it its name.
 */
#ifndef AUXREC_SNAPFILE_WRITE_H
#define AUXREC_SNAPFILE_WRITE_H

#include "snapfile/keep.h"
#include "snapfile/snapfile.h"
#include "stream/write.h"

struct snapfile_job {
	const char *pattern;		/* for snapfile_begin(), as are all members up to @time */
	const char *base;
	const char *trigger;
	__u64 number;
	__u64 time;
	struct stream *out;
	int (*write)(void *ctx);	/* write to @out, which is open; 0 or -errno of @out */
	bool (*may_go)(void *ctx);	/* can old snapshots be removed to make room? */
	/* the disk is full: is there room now? @new: the snapshot that needs it; NULL: the next */
	bool (*no_space)(void *ctx, const struct keep_new *new);
	/*
	 * Called in a child of the writer. The child then calls @write to count how large the
	 * file will be, and writes nothing. After @count, @write must not change what the writer
	 * and the child share. Return 0 or -errno. NULL: nothing to do
	 */
	int (*count)(void *ctx);
	void *ctx;			/* for all functions */
};

/*
 * Write a snapshot. A process of its own must call this, because it waits for the disk. The file
 * gets its name when its data is on disk.
 *
 * If there is no room for the file, its data or its name (ENOSPC, EDQUOT), ask @job for room.
 * Return 0, and @f has the file's path; or -errno with a message, and nothing is left of the file.
 */
int snapfile_write(struct snapfile *f, const struct snapfile_job *job, struct diag *d);

#endif /* AUXREC_SNAPFILE_WRITE_H */
