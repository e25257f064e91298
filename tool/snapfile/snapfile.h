/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a snapshot, which gets its name only when it is complete.
 */
#ifndef AUXREC_SNAPFILE_H
#define AUXREC_SNAPFILE_H

#include <limits.h>
#include <linux/types.h>

#include "snapfile/name.h"
#include "trigger/trigger.h"
#include "base/util.h"

#define SNAPFILE_PATTERN	"%o.sample.%t"

/* This many snapshots can have the same name except for their "-N". */
#define SNAPFILE_SAME		99999

/*
 * snapfile/name.c: check a pattern. %o: the name of -o; %t: local time, YYYYmmddHHMMSS and
 * centiseconds; %n: the trigger's name, made safe; %s: the snapshot's number; %%. If the
 * name is taken, "-2", "-3" ... follow %t, or %s if there is no %t. Return 0, or -EINVAL
 * with a message.
 */
int snapfile_check(const char *pattern, struct diag *d);

/* snapfile/snapfile.c */

/*
 * Remove unfinished snapshots that killed recorders left in the directory of @pattern and
 * @base (-o), whatever names they would have got. Files that a running recorder is writing
 * stay. Call this before recording, because it also reports problems with the directory.
 * Return how many were removed, or -errno with a message.
 */
int snapfile_clean(const char *pattern, const char *base, struct diag *d);

/* Zero it before snapfile_begin(). */
struct snapfile {
	int fd;			/* keeps the file and its lock; valid if @open */
	bool open;
	char tmp[PATH_MAX];	/* the hidden name; "": there is none */
	char path[PATH_MAX];	/* the final name, after snapfile_commit() */
	char where[PATH_MAX];	/* its directory, for messages: an absolute path */
	struct snapfile_name name;
	char trigger[TRIGGER_NAME_MAX];
	__u64 number;
	__u64 time;
};

/*
 * Create the file, with mode 0600. @time: ns of CLOCK_REALTIME. Return a descriptor to write
 * to, which the caller must close, or -errno with a message.
 */
int snapfile_begin(struct snapfile *f, const char *pattern, const char *base,
		   const char *trigger, __u64 number, __u64 time,
		   struct diag *d);

/*
 * Wait until the data is on disk, which can take long. The data must have been written
 * (stream_close()). Return 0, or -errno with a message: the data may be lost, and the caller must
 * call snapfile_abort().
 */
int snapfile_sync(struct snapfile *f, struct diag *d);

/*
 * Give the file its name, which never replaces a file, and wait until the name is on disk, too.
 *
 * Return 0, or -errno with a message. After -ENOSPC or -EDQUOT, the caller can try again. After any
 * other error, or to give up, it must call snapfile_abort().
 */
int snapfile_commit(struct snapfile *f, struct diag *d);

/* Remove the file. After a commit this does nothing. */
void snapfile_abort(struct snapfile *f);

#endif /* AUXREC_SNAPFILE_H */
