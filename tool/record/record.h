/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A live recording, and what a flight recorder has in common with it.
 */
#ifndef AUXREC_RECORD_H
#define AUXREC_RECORD_H

#include "session/session.h"

/*
 * ns, of a round. The kernel takes a record's time before others can see the record: see
 * __perf_event_header__init_id() and perf_output_put_handle(). Meanwhile an NMI, firmware or a
 * hypervisor may stop that CPU, for some milliseconds where CPUs are shared, and the recorder reads
 * younger records of other CPUs first. The recorder must see in the next round all that was begun
 * before this one. Less than WAIT_TICK_MS: the first look at idle rings ends the round.
 */
#define ROUND_NS	(50 * 1000 * 1000ULL)

/* record.c: everything. @flight: the mode of --flight. Returns an exit status. */
int auxrec_record_main(int argc, char **argv, const struct session_mode *flight);

/* live.c */
extern const struct session_mode live_mode;

/* output.c: a record with sample id, of a main ring or about one. 0 or -errno. */
int session_write(struct session *s, const void *rec);

/*
 * copy.c: takes what was in a main ring at its last mainring_snapshot(). Returns 0 or
 * -errno, as mainring_copy().
 */
int session_copy_ring(struct session *s, struct mainring *r);

/* status.c */
__u64 session_losses(const struct session *s);
/* Does somebody see the status line? */
bool status_is_on(const struct session *s);
void status_show(struct session *s);
/* If softpt is recorded, how many instructions it has stepped; as snprintf(), 0: it is not. */
int status_stepped(const struct session *s, char *buf, size_t size);
void status_clear(void);

/* summary.c */
void summary_print(struct session *s, const char *problem);
/* Opens what --json=FILE names, without a change to it. 0 or -errno. */
int summary_open(struct session *s, struct diag *d);
int summary_json(struct session *s, const char *problem, struct diag *d);

#endif /* AUXREC_RECORD_H */
