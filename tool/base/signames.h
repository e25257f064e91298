/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals by name, and what they are to a recorder and to a task.
 */
#ifndef AUXREC_SIGNAMES_H
#define AUXREC_SIGNAMES_H

#include <linux/types.h>
#include <stdbool.h>

#define SIGNAL_NAME_MAX		16

/* Those that auxrec has no use for, for messages */
#define SIGNALS_FREE	"USR1, QUIT, ALRM, VTALRM, PROF, URG, IO, PWR and RTMIN to RTMAX"

/* "USR1", "SIGUSR1", "10", "RTMIN+3", "RTMAX-1", in any case; 0: there is none. */
int signal_by_name(const char *s);

/* "USR1", "RTMIN+3" */
void signal_name(int sig, char name[SIGNAL_NAME_MAX]);

/* auxrec does not need it, and it does not come by itself. */
bool signal_is_free(int sig);

/* It ends a task that does not handle it. */
bool signal_is_fatal(int sig);

/* Those that dump core: bit N: signal N + 1 */
__u64 signals_of_core(void);

#endif /* AUXREC_SIGNAMES_H */
