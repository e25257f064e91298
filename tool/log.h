/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a daemon's messages go.
 */
#ifndef AUXREC_LOG_H
#define AUXREC_LOG_H

#include "util.h"

/* syslog(3), which is the journal where there is one. */
void log_to_syslog(void);

/*
 * log_to_file() - appends lines "TIME auxrec[PID]: MESSAGE" to @path
 *
 * If the file is renamed or removed, the next message makes it anew, as logrotate(8) wants
 * it. Messages that cannot be written (disk full) are counted, and the next one that can be
 * says how many there were. @path must go on to mean the same file.
 *
 * Return: 0, or -errno with a message.
 */
int log_to_file(const char *path, struct diag *d);

/* Writes one message there; for say_to(). Nothing, before either of the above. */
void log_write(const char *text);

/*
 * In a child that is about to close what it has inherited: syslog's descriptor is not in use any
 * more (the next message makes another one). Returns that of the file, or -1.
 */
int log_inherited(void);

void log_close(void);

#endif /* AUXREC_LOG_H */
