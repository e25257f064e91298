/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many snapshots stay on disk: --keep, --keep-bytes, --keep-age.
 *
 * They hold for all snapshots in the directory that have the recorder's name pattern,
 * also of earlier runs and of other recorders with the same one. A snapshot is a regular
 * file of the recorder's user whose name the pattern can make, and that begins as a
 * stream does; nothing else is ever removed, and never the newest one.
 *
 * The oldest is by the time in the name (which copying keeps, other than that of the
 * file; that one only if the pattern has no %t). But clocks step: a snapshot is at least
 * as old as it is known to this run, and one that this run wrote exactly so, by a clock
 * that does not step. After a step back the new ones are still the newest.
 */
#ifndef AUXREC_KEEP_H
#define AUXREC_KEEP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "snapfile/name.h"
#include "base/util.h"

/* 0: no such limit */
struct keep_limits {
	__u64 nr;
	__u64 bytes;		/* sum of the files' sizes */
	__u64 age;		/* ns */
};

struct keep_clock {
	__u64 real;		/* ns of CLOCK_REALTIME */
	__u64 boot;		/* ns of CLOCK_BOOTTIME: a suspended machine's files age */
};

/* One on disk; name "a.sample.2026...", size of the file */
struct keep_file {
	char *name;
	__u64 dev;
	__u64 ino;
	__u64 size;
	__u64 blocks;		/* bytes that become free with it */
	__u64 time;		/* ns of CLOCK_REALTIME: what it says of itself */
	__u64 number;
	unsigned int again;
	__u64 seen;		/* ns of CLOCK_BOOTTIME: when it was seen first */
	bool ours;		/* of this run: that is when it was written */
	bool stuck;		/* could not be removed, which was told */
	__u64 age;		/* ns, at the last look */
};

/* A snapshot of this run that no look has found yet */
struct keep_noted {
	char *name;
	__u64 boot;		/* ns of CLOCK_BOOTTIME: when it was written */
};

struct keep {
	struct keep_limits limits;
	struct snapfile_name name;
	struct keep_file *files;	/* by name, as of the last look */
	size_t nr;
	struct keep_noted *noted;	/* the newest is the last one */
	size_t nr_noted, nr_copied;	/* of these: the copy has so many */
	struct keep_clock (*clock)(void);
};

/*
 * A snapshot was removed, @err 0, or should have been and could not (-errno, told
 * once). @why: "--keep=3", "--keep-bytes", "--keep-age", "no space".
 */
typedef void keep_told(void *ctx, const char *path, const char *why, int err);

/*
 * At the recorder's start: looks what is there. @pattern and @base: snapfile.h. Returns 0
 * or -errno with a message. Without limits nothing is looked at.
 */
int keep_start(struct keep *k, const struct keep_limits *limits,
	       const char *pattern, const char *base, struct diag *d);
void keep_free(struct keep *k);

bool keep_has_limits(const struct keep *k);

/*
 * For a thread, which may have to wait for the disk: a copy of @k, which stays as it is meanwhile
 * and can be used. After a keep_look() that went well keep_take() takes in, and frees, what the
 * copy has seen; otherwise it is for keep_free(). There is one copy at a time. Returns 0 or
 * -ENOMEM.
 */
int keep_copy(struct keep *copy, struct keep *k);
void keep_take(struct keep *k, struct keep *copy);

/* fork(), but not while such a thread has a lock of libc, which the child would wait for. */
pid_t keep_fork(void);

/*
 * @committed was just written: its path, snapfile.path. Leaves the disk alone; without limits
 * nothing is noted. Returns 0 or -ENOMEM with a message.
 */
int keep_note(struct keep *k, const char *committed, struct diag *d);

struct keep_victim {
	char *path;
	__u64 dev;
	__u64 ino;
	char why[32];		/* as told to keep_told */
	int err;		/* of keep_remove(), 0: it was, or somebody else has */
	bool removed;
};

struct keep_plan {
	struct keep_victim *list;
	size_t nr;
	int lock;		/* of keep_lock() */
};

/*
 * What is too much goes in these steps, in this order. Those that are not said to leave the disk
 * alone take as long as it does.
 *
 * keep_lock() - no other recorder removes any meanwhile. Returns a descriptor, or < 0: there is no
 *	lock, -EWOULDBLOCK: another recorder has it
 * keep_look() - what is there. Returns 0 or -errno with a message
 * keep_plan() - of what the look has found, which are to go: the oldest until the limits hold;
 *	none if another recorder has the lock. Leaves the disk alone. What was noted last is the
 *	newest, and all of this run has to be noted by then: what is not is taken for another's,
 *	and may be the oldest by the clock. Returns 0 or -errno with a message, and has @lock,
 *	which it gives back if it fails
 * keep_remove() - removes them
 * keep_removed() - takes in what became of it, and gives the lock back: to be called once for each
 *	plan that was made. Leaves the disk alone. Returns how many are gone
 */
int keep_lock(const struct keep *k);
/* Of a plan keep_removed() does it. */
void keep_unlock(int lock);
int keep_look(struct keep *k, struct diag *d);
int keep_plan(struct keep *k, int lock, struct keep_plan *p, struct diag *d);
void keep_remove(struct keep_plan *p);
size_t keep_removed(struct keep *k, struct keep_plan *p, keep_told *told, void *ctx);

/* A snapshot that is being written, and for which there is no room */
struct keep_new {
	/*
	 * Does it fit if @freed bytes more become free? It takes what it needs beyond these before
	 * it says so. Returns 1: yes, 0: no, -1: that is not known.
	 */
	int (*fits)(void *ctx, __u64 freed);
	void *ctx;
};

/*
 * The disk is full: removes the oldest snapshot if there is a limit; without one nobody said that
 * any may go. The newest one goes only if @new is known to fit then, and none goes if @new is known
 * not to fit. Returns 1: try again, 0: there is none to remove, or -errno.
 */
int keep_make_room(struct keep *k, const struct keep_new *new, keep_told *told, void *ctx,
		   struct diag *d);

#endif /* AUXREC_KEEP_H */
