/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of a daemon.
 */
#ifndef AUXREC_LOG_H
#define AUXREC_LOG_H

#include "base/util.h"

/*
 * log_to_syslog() - send messages to syslog(3), which is systemd's journal where there is one
 *
 * This function and log_to_file() start a thread that writes. Call them in the process that logs,
 * after it was forked.
 *
 * Return: 0, or -errno with a message.
 */
int log_to_syslog(struct diag *d);

/*
 * log_to_file() - append lines "TIME auxrec[PID]: MESSAGE" to @path
 *
 * If the file is renamed or removed, the next message creates it again, as logrotate(8) expects.
 * Some messages cannot be written: the disk may be full, or too many (some hundred) may wait for
 * a disk that stands still. They are counted, and the next message that can be written tells how
 * many they were. If @path is relative, the working directory must stay the same.
 *
 * Return: 0, or -errno with a message.
 */
int log_to_file(const char *path, struct diag *d);

/*
 * Log one message, for say_to(). Before one of the functions above was called, this does nothing.
 * Usually the message is written when log_write() returns, but log_write() waits no longer than
 * 0.1 s for that. A child process can call it, too. In a child, it waits until the queue has room
 * for the message, but not until the message is written.
 */
void log_write(const char *text);

/* Return the descriptor that a child must keep open to log, or -1. */
int log_inherited(void);

/* Wait up to five seconds until all messages are written. */
void log_close(void);

#endif /* AUXREC_LOG_H */
