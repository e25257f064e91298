/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a daemon's messages go.
 */
#ifndef AUXREC_LOG_H
#define AUXREC_LOG_H

#include "base/util.h"

/*
 * log_to_syslog() - to syslog(3), which is the journal where there is one
 *
 * It, and log_to_file(), begin a thread, which writes: not before a fork() of who is to log.
 * Return: 0, or -errno with a message.
 */
int log_to_syslog(struct diag *d);

/*
 * log_to_file() - appends lines "TIME auxrec[PID]: MESSAGE" to @path
 *
 * If the file is renamed or removed, the next message makes it anew, as logrotate(8) wants
 * it. Messages that cannot be written (disk full), or that are more than can wait for a disk that
 * stands still, some hundred, are counted, and the next one that can be written says how many
 * there were. @path must go on to mean the same file.
 *
 * Return: 0, or -errno with a message.
 */
int log_to_file(const char *path, struct diag *d);

/*
 * One message, for say_to(). Nothing, before either of the above. Mostly it is written when this
 * returns, but nobody waits longer than 0.1 s. It may be called in a child, whose messages go
 * the same way.
 */
void log_write(const char *text);

/* What a child that closes what it has inherited must keep for that, or -1. */
int log_inherited(void);

/* Waits up to five seconds until all is written. */
void log_close(void);

#endif /* AUXREC_LOG_H */
