/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that one process at a time holds, with its process id in it.
 */
#ifndef AUXREC_PIDFILE_H
#define AUXREC_PIDFILE_H

#include <sys/types.h>

#include "base/util.h"

struct pidfile {
	char *path;
	int fd;
	pid_t owner;
};

/*
 * pidfile_take() - make the file, or take over one that nobody holds any more
 *
 * flock(2) holds the file until pidfile_drop(), or until this process and all of its
 * children that did not exec have ended. A process that is killed leaves the file behind,
 * and the next one takes it. pidfile_drop() uses @path once more.
 *
 * Return: 0, -EBUSY if another process holds the file, or another -errno, with a message.
 * The message and @holder (which can be NULL) tell the id of the other process, 0 if it is
 * not known.
 */
int pidfile_take(struct pidfile *p, const char *path, pid_t *holder, struct diag *d);

/*
 * Remove the file, if @path still names it, and if this process took it (a child does not remove
 * it), and release it. If @p is all zero, this does nothing.
 */
void pidfile_drop(struct pidfile *p);

#endif /* AUXREC_PIDFILE_H */
