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
 * pidfile_take() - makes the file, or takes over one that nobody holds any more
 *
 * It is held by flock(2), until pidfile_drop() or until this process and all of its
 * children that did not exec have ended: a killed one leaves a file behind, which the
 * next one takes. @path is used once more by pidfile_drop().
 *
 * Return: 0; -EBUSY if another process holds it, whose id is in the message and in
 * @holder (may be NULL; 0: not known); another -errno with its message.
 */
int pidfile_take(struct pidfile *p, const char *path, pid_t *holder, struct diag *d);

/*
 * Remove the file, if it is still that one, and not from a child of who took it. Nothing to do
 * for one of zeros.
 */
void pidfile_drop(struct pidfile *p);

#endif /* AUXREC_PIDFILE_H */
