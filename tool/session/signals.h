/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handle signals. INT, TERM and HUP end a recording. CHLD wakes the recorder. PIPE and
 * XFSZ are ignored, so that write() returns an error. A flight recorder handles more
 * signals.
 */
#ifndef AUXREC_SIGNALS_H
#define AUXREC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Return 0 or -errno. */
int signals_init(void);

/*
 * Return a descriptor that is readable once a signal has come. A call empties the descriptor,
 * unless a signal has asked to stop. Call this after poll() and before looking which signals
 * came.
 */
int signals_fd(void);
/* Make the descriptor readable. Any thread can call this. */
void signals_wake(void);

/* Return the first signal that asked to stop, or 0. */
int signals_stop(void);

/*
 * Did this signal come from a process? Then the command has not got it yet. The terminal
 * sends a signal both to auxrec and to the command.
 */
bool signals_stop_forward(void);

/* Return how many signals have asked to stop. */
int signals_count(void);

/* Return a flag that the second signal to stop sets: do not wait for a stuck reader. */
const int *signals_give_up(void);

/* Count @sig from now on. Return 0 or -errno. */
int signals_trigger(int sig);
/* Return how often @sig came since the last call. */
unsigned int signals_triggered(int sig);

/* From now on SIGUSR2 asks to stop and to merge. Return 0 or -errno. */
int signals_merge_init(void);
/* Has SIGUSR2 come? */
bool signals_merge(void);

/*
 * For a child: set the signals that we handle to @handler, and SIGCHLD to its default. SIGPIPE and
 * SIGXFSZ stay ignored.
 */
void signals_reset(void (*handler)(int sig));

#endif /* AUXREC_SIGNALS_H */
