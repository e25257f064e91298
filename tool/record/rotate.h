/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --switch-output: a live recording in several files, one after the other.
 *
 * The recorder always writes to FILE. When FILE has reached its size or its age, or SIGUSR2 comes,
 * the recorder ends the round, renames FILE to FILE.TIMESTAMP and begins a new FILE. Each file can
 * be read alone: it begins with the records that describe the recording, and with the state: tasks,
 * maps, symbols, build-ids. After a round, readers need no record of a time before
 * session.flushed_time any more, so the state is that of this time. Sideband since then, and the
 * sideband that the main rings contain at the switch, is in both files, because both files have
 * samples and AUX data of that time. Samples, AUX data and all other records are in one file only.
 */
#ifndef AUXREC_ROTATE_H
#define AUXREC_ROTATE_H

#include "record/file_list.h"
#include "session/session.h"

struct rotate;

/* Prepare to switch files. Called when the first file is open. Return 0, or -errno. */
int rotate_open(struct session *s, struct diag *d);
void rotate_free(struct session *s);

/* Called before and after the records that describe the machine are made. */
void rotate_setup(struct session *s, bool begin);

/* Called after each round: older sideband becomes part of the state. */
void rotate_round(struct session *s);

/* Return the time until the next switch, in ms, at most @timeout. */
int rotate_timeout(const struct session *s, int timeout);

/*
 * rotate_look() - is it time to switch? If so, end gaps that are open, so that both files tell them
 * rotate_is_due() - did rotate_look() find that it is time?
 * rotate_switch() - switch if it is time, and if a round has ended since rotate_look()
 */
void rotate_look(struct session *s);
bool rotate_is_due(const struct session *s);
void rotate_switch(struct session *s);

/* The last file is complete. */
void rotate_finish(struct session *s);

/* Return the files; NULL: there is no --switch-output. */
const struct file_list *rotate_files(const struct session *s);

#endif /* AUXREC_ROTATE_H */
