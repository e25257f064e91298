/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that becomes of a snapshot's file, from its begin to its name.
 */
#ifndef AUXREC_SNAPFILE_WRITE_H
#define AUXREC_SNAPFILE_WRITE_H

#include "snapfile.h"
#include "stream.h"

struct snapfile_job {
	const char *pattern;		/* of snapfile_begin(), up to @time */
	const char *base;
	const char *trigger;
	__u64 number;
	__u64 time;
	struct stream *out;
	int (*write)(void *ctx);	/* to @out, which is open; 0 or -errno of it */
	bool (*no_space)(void *ctx);	/* the disk is full: is there room now? */
	void *ctx;			/* of both */
};

/*
 * Waits for the disk: it is called by a process of its own. Only then the file has its name.
 *
 * Asks for room if there is none for the file, for what is in it, or for its name: ENOSPC and
 * EDQUOT. Returns 0, then @f has its path, or -errno with a message, and nothing is left of it.
 */
int snapfile_write(struct snapfile *f, const struct snapfile_job *job, struct diag *d);

#endif /* AUXREC_SNAPFILE_WRITE_H */
