/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limits of snapshots on disk: --keep, --keep-bytes, --keep-age.
 *
 * The limits apply to all snapshots in the directory that have the recorder's name pattern, also
 * to those of earlier runs and of other recorders with the same pattern. A snapshot is a regular
 * file of the recorder's user, whose name the pattern can make, and that begins like a stream.
 * Nothing else is ever removed. The newest snapshot is removed only if the disk is full and a new
 * snapshot then fits.
 *
 * The time in the name tells which snapshot is the oldest, because copying a file keeps its name
 * but not its mtime. The mtime is used only if the pattern has no %t. The clock of these times can
 * step, so this run also measures, by a clock that does not step, for how long it has known a
 * snapshot. A snapshot is at least that old, and a snapshot of this run is exactly that old. After
 * a step back the new snapshots are still the newest.
 */
#ifndef AUXREC_KEEP_H
#define AUXREC_KEEP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "snapfile/name.h"
#include "base/util.h"

/* Limits; 0: no such limit */
struct keep_limits {
	__u64 nr;
	__u64 bytes;		/* sum of the files' sizes */
	__u64 age;		/* ns */
};

struct keep_clock {
	__u64 real;		/* ns of CLOCK_REALTIME */
	__u64 boot;		/* ns of CLOCK_BOOTTIME, which counts suspend */
};

/* A snapshot on disk, with a name such as "a.sample.2026..." */
struct keep_file {
	char *name;
	__u64 dev;
	__u64 ino;
	__u64 size;
	__u64 blocks;		/* bytes that removing it would free */
	__u64 time;		/* ns of CLOCK_REALTIME, from its name or its mtime */
	__u64 number;
	unsigned int again;
	__u64 seen;		/* ns of CLOCK_BOOTTIME when it was first seen */
	bool ours;		/* written by this run, at @seen */
	bool stuck;		/* could not be removed, already logged */
	__u64 age;		/* ns, at the last look */
};

/* A snapshot of this run that no look has found yet */
struct keep_noted {
	char *name;
	__u64 boot;		/* ns of CLOCK_BOOTTIME when it was written */
};

struct keep {
	struct keep_limits limits;
	struct snapfile_name name;
	struct keep_file *files;	/* sorted by name, as of the last look */
	size_t nr;
	struct keep_noted *noted;	/* the newest is the last */
	size_t nr_noted, nr_copied;	/* how many are noted; how many of them the copy has */
	struct keep_clock (*clock)(void);
};

/*
 * Called when a snapshot was removed (@err is 0), or could not be removed (@err is -errno; called
 * once for each snapshot). @why: "--keep=3", "--keep-bytes", "--keep-age", "no space".
 */
typedef void keep_told(void *ctx, const char *path, const char *why, int err);

/*
 * At the recorder's start, look for snapshots. @pattern and @base: see snapfile.h. Without limits,
 * do not access the disk. Return 0, or -errno with a message.
 */
int keep_start(struct keep *k, const struct keep_limits *limits,
	       const char *pattern, const char *base, struct diag *d);
void keep_free(struct keep *k);

bool keep_has_limits(const struct keep *k);

/*
 * Make a copy of @k for a thread, which may have to wait for the disk. Meanwhile @k can be used.
 * After a successful keep_look() on the copy, keep_take() moves its result to @k and frees the
 * copy; otherwise keep_free() frees the copy. Only one copy can exist at a time. Return 0 or
 * -ENOMEM.
 */
int keep_copy(struct keep *copy, struct keep *k);
void keep_take(struct keep *k, struct keep *copy);

/*
 * Call fork(), but not while a thread that uses this file holds a lock of libc: in the child,
 * nobody would release that lock.
 */
pid_t keep_fork(void);

/*
 * Note that the snapshot with the path @committed (snapfile.path) was just written. This does not
 * access the disk. Without limits nothing is noted. Return 0, or -ENOMEM with a message.
 */
int keep_note(struct keep *k, const char *committed, struct diag *d);

struct keep_victim {
	char *path;
	__u64 dev;
	__u64 ino;
	char why[32];		/* as passed to keep_told */
	int err;		/* error of keep_remove(); 0: the file is gone */
	bool removed;
};

struct keep_plan {
	struct keep_victim *list;
	size_t nr;
	int lock;		/* from keep_lock() */
};

/*
 * Snapshots that exceed the limits are removed in these steps, in this order. Each step can wait
 * for the disk unless its description tells that it does not access the disk.
 *
 * keep_lock() - keep other recorders from removing snapshots. Return a descriptor, or < 0 if there
 *	is no lock. -EWOULDBLOCK: another recorder has it
 * keep_look() - look for snapshots on disk. Return 0, or -errno with a message
 * keep_plan() - decide which of the snapshots found must be removed: the oldest ones until the
 *	limits hold, or none if another recorder has the lock. keep_plan() does not access the
 *	disk. The snapshot that was noted last is the newest. All snapshots of this run must be
 *	noted before: a snapshot that is not noted counts as another recorder's, and may be the
 *	oldest by the clock. Return 0, or -errno with a message. The plan takes over @lock; if
 *	keep_plan() fails, it releases @lock
 * keep_remove() - remove these snapshots
 * keep_removed() - note the result and release the lock. The caller must call this once for each
 *	plan. This does not access the disk. Return how many snapshots are gone
 */
int keep_lock(const struct keep *k);
/* Release the lock. For a plan's lock, keep_removed() does that. */
void keep_unlock(int lock);
int keep_look(struct keep *k, struct diag *d);
int keep_plan(struct keep *k, int lock, struct keep_plan *p, struct diag *d);
void keep_remove(struct keep_plan *p);
size_t keep_removed(struct keep *k, struct keep_plan *p, keep_told *told, void *ctx);

/* A snapshot that is being written and for which there is no room */
struct keep_new {
	/*
	 * Does the snapshot fit if @freed more bytes become free? Return 1 (yes), 0 (no) or -1 (not
	 * known). If the file exists and the file system supports fallocate(2), @fits reserves the
	 * room that the snapshot's data needs beyond these bytes before it returns 1.
	 */
	int (*fits)(void *ctx, __u64 freed);
	void *ctx;
};

/*
 * Call this when the disk is full. If there is a limit, it removes one snapshot: the oldest that
 * can be removed. Without a limit, the user has not allowed to remove snapshots. The newest
 * snapshot is removed only if @new is known to fit then. None is removed if @new is known not to
 * fit. Return 1 (try again), 0 (there is none to remove) or -errno.
 */
int keep_make_room(struct keep *k, const struct keep_new *new, keep_told *told, void *ctx,
		   struct diag *d);

#endif /* AUXREC_KEEP_H */
