/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder: what a live recording and a flight recorder have in common, and the mode of a
 * live recording.
 */
#ifndef AUXREC_RECORD_H
#define AUXREC_RECORD_H

#include "session/session.h"

/*
 * The shortest time of a round, ns. The kernel takes a record's time before others can see the
 * record: see __perf_event_header__init_id() and perf_output_put_handle(). In between, an NMI,
 * firmware or a hypervisor may stop the CPU, for some milliseconds where CPUs are shared. Then the
 * recorder reads later records of other CPUs first. A record that was begun before a FINISHED_ROUND
 * must be in the stream before the next one. ROUND_NS is less than WAIT_TICK_MS, so that the first
 * look at idle rings ends the round.
 */
#define ROUND_NS	(50 * 1000 * 1000ULL)

/* record/record.c: make a recording. @flight: the mode of --flight. Return an exit status. */
int auxrec_record_main(int argc, char **argv, const struct session_mode *flight);

/* record/live.c */
extern const struct session_mode live_mode;

/*
 * record/output.c: write a record of a main ring, or a record of losses that auxrec makes for a
 * ring. The record must have a sample id. Return 0 or -errno.
 */
int session_write(struct session *s, const void *rec);

/*
 * record/copy.c: copy the records that were in a main ring at its last mainring_snapshot().
 * Return 0 or -errno, as mainring_copy().
 */
int session_copy_ring(struct session *s, struct mainring *r);

/* record/status.c */
__u64 session_losses(const struct session *s);
/* Does somebody see the status line? */
bool status_is_on(const struct session *s);
void status_show(struct session *s);
/*
 * If softpt is recorded, print how many instructions it has stepped. Return as snprintf(), or 0
 * if softpt is not recorded.
 */
int status_stepped(const struct session *s, char *buf, size_t size);
void status_clear(void);

/* record/summary.c */
void summary_print(struct session *s, const char *problem);
/* Open the file of --json=FILE, but do not change its contents. Return 0 or -errno. */
int summary_open(struct session *s, struct diag *d);
int summary_json(struct session *s, const char *problem, struct diag *d);

#endif /* AUXREC_RECORD_H */
