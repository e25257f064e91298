/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of signals, which ones auxrec leaves to the user, and what they do to a task.
 */
#ifndef AUXREC_SIGNAMES_H
#define AUXREC_SIGNAMES_H

#include <linux/types.h>
#include <stdbool.h>

#define SIGNAL_NAME_MAX		16

/* The signals of signal_is_free(), for messages */
#define SIGNALS_FREE	"USR1, QUIT, ALRM, VTALRM, PROF, URG, IO, PWR and RTMIN to RTMAX"

/*
 * Return the number of the signal "USR1", "SIGUSR1", "10", "RTMIN+3" or "RTMAX-1" (upper or lower
 * case), or 0 if there is no such signal.
 */
int signal_by_name(const char *s);

/* Write the signal's name: "USR1", "RTMIN+3". */
void signal_name(int sig, char name[SIGNAL_NAME_MAX]);

/* Can the user choose the signal? auxrec does not use it, and nobody sends it unasked. */
bool signal_is_free(int sig);

/* Does the signal end a task that does not handle it? */
bool signal_is_fatal(int sig);

/* Return the signals that dump core: bit N is signal N + 1. */
__u64 signals_of_core(void);

#endif /* AUXREC_SIGNAMES_H */
