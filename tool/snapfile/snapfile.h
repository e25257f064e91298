/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a snapshot: it has its name only once all is in it.
 */
#ifndef AUXREC_SNAPFILE_H
#define AUXREC_SNAPFILE_H

#include <limits.h>
#include <linux/types.h>

#include "snapfile/name.h"
#include "trigger/trigger.h"
#include "base/util.h"

#define SNAPFILE_PATTERN	"%o.sample.%t"

/* So many may have the same name but for their "-N". */
#define SNAPFILE_SAME		99999

/*
 * %o: the name of -o; %t: local time, YYYYmmddHHMMSS and centiseconds; %n: the trigger's
 * name, made safe; %s: the snapshot's number; %%. Behind %t, or else %s, comes "-2",
 * "-3" ... if the name is taken. Returns 0, or -EINVAL with a message.
 */
int snapfile_check(const char *pattern, struct diag *d);

/*
 * Removes what recorders that were killed left of snapshots that they were writing,
 * in the directory that @pattern and @base (-o) have, whatever their names were to be.
 * What a recorder that lives is writing stays. To be called before recording: it also
 * says what is wrong with the directory. Returns how many or -errno.
 */
int snapfile_clean(const char *pattern, const char *base, struct diag *d);

/* Zero it before snapfile_begin(). */
struct snapfile {
	int fd;			/* keeps it, and its lock; valid if @open */
	bool open;
	char tmp[PATH_MAX];	/* "": it has no name yet */
	char path[PATH_MAX];	/* the final name, after snapfile_commit() */
	char where[PATH_MAX];	/* its directory, for people who are somewhere else */
	struct snapfile_name name;
	char trigger[TRIGGER_NAME_MAX];
	__u64 number;
	__u64 time;
};

/*
 * @time: ns of CLOCK_REALTIME. Returns a descriptor to write to, the caller's, mode
 * 0600, or -errno.
 */
int snapfile_begin(struct snapfile *f, const char *pattern, const char *base,
		   const char *trigger, __u64 number, __u64 time,
		   struct diag *d);

/*
 * Waits until the data are on disk: to be called by who has nothing else to do. They must be
 * written (stream_close()). Returns 0, or -errno: then they may be lost, and it is to be aborted.
 */
int snapfile_sync(struct snapfile *f, struct diag *d);

/*
 * Gives it its name; never replaces a file. Waits until that is on disk, too.
 *
 * Returns 0, or -errno: then it may be tried again (-ENOSPC, -EDQUOT), or aborted.
 */
int snapfile_commit(struct snapfile *f, struct diag *d);

/* Nothing remains. Does nothing after a commit. */
void snapfile_abort(struct snapfile *f);

#endif /* AUXREC_SNAPFILE_H */
