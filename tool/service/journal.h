/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries of the systemd journal with fields of their own, in the native protocol of
 * systemd-journald (its documents describe the protocol for programs without libsystemd). The
 * functions of libsystemd wait while the journal does not read, but a recorder must not wait.
 */
#ifndef AUXREC_JOURNAL_H
#define AUXREC_JOURNAL_H

#include "base/util.h"

#define JOURNAL_SOCKET	"/run/systemd/journal/socket"

/* The most fields of an entry */
#define JOURNAL_FIELDS	32

struct journal_field {
	const char *name;	/* upper-case letters, digits and '_' */
	const char *value;	/* any bytes */
};

/*
 * Return whether stderr is the journal: $JOURNAL_STREAM then has the device and inode of stderr.
 * The manager sets the variable for a service. Programs that the service starts inherit the
 * variable, even if their stderr is another file.
 */
bool journal_is_stderr(void);

/*
 * Send an entry to the journal that listens at @path. This does not wait.
 *
 * Return: 0, or -errno if the journal did not get the entry. -EAGAIN: too many entries wait for the
 * journal.
 */
int journal_send(const char *path, const struct journal_field *fields, size_t nr);

#endif /* AUXREC_JOURNAL_H */
