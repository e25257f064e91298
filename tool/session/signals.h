/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals: INT, TERM and HUP end a recording, CHLD wakes it, PIPE and XFSZ are
 * errors of write() only. A flight recorder has more.
 */
#ifndef AUXREC_SIGNALS_H
#define AUXREC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Returns 0 or -errno. */
int signals_init(void);

/*
 * Readable once a signal came. A call empties it, but not of one that asks to stop: call it
 * after poll() and before the look at what came.
 */
int signals_fd(void);
/* Makes it readable. Any thread. */
void signals_wake(void);

/* The first signal that asked to stop, or 0. */
int signals_stop(void);

/*
 * It came from a process, so the command does not have it yet. From the
 * terminal it goes to both.
 */
bool signals_stop_forward(void);

/* How many asked to stop. */
int signals_count(void);

/* Set with the second one: do not wait for a reader that does not read. */
const int *signals_give_up(void);

/* From now on @sig is counted. Returns 0 or -errno. */
int signals_trigger(int sig);
/* How often it came since the last call. */
unsigned int signals_triggered(int sig);

/* SIGUSR2 asks to stop, and to merge. Returns 0 or -errno. */
int signals_merge_init(void);
bool signals_merge(void);

/* For a child: all that we handle to @handler, but for SIGPIPE and SIGXFSZ. */
void signals_reset(void (*handler)(int sig));

#endif /* AUXREC_SIGNALS_H */
