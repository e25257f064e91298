/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that becomes of a snapshot's file, from its begin to its name.
 */
#ifndef AUXREC_SNAPFILE_WRITE_H
#define AUXREC_SNAPFILE_WRITE_H

#include "snapfile/keep.h"
#include "snapfile/snapfile.h"
#include "stream/write.h"

struct snapfile_job {
	const char *pattern;		/* of snapfile_begin(), up to @time */
	const char *base;
	const char *trigger;
	__u64 number;
	__u64 time;
	struct stream *out;
	int (*write)(void *ctx);	/* to @out, which is open; 0 or -errno of it */
	bool (*may_go)(void *ctx);	/* may old snapshots make room? */
	/* The disk is full: is there room now? @new: is there if it may be said of this one */
	bool (*no_space)(void *ctx, const struct keep_new *new);
	/*
	 * This process, a child of the writer, writes nothing and only finds out how large the file
	 * is going to be: what @write uses up stays where it is. 0 or -errno; NULL: nothing to do
	 */
	int (*count)(void *ctx);
	void *ctx;			/* of all */
};

/*
 * Waits for the disk: it is called by a process of its own. Only then the file has its name.
 *
 * Asks for room if there is none for the file, for what is in it, or for its name: ENOSPC and
 * EDQUOT. Returns 0, then @f has its path, or -errno with a message, and nothing is left of it.
 */
int snapfile_write(struct snapfile *f, const struct snapfile_job *job, struct diag *d);

#endif /* AUXREC_SNAPFILE_WRITE_H */
