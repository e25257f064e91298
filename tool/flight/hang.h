/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --trigger hang=: a task stands still in an uninterruptible sleep, or without a CPU.
 */
#ifndef AUXREC_FLIGHT_HANG_H
#define AUXREC_FLIGHT_HANG_H

#include "base/util.h"

struct session;
struct trigger;

/* Return 0, or -errno with a message. */
int flight_hang_open(struct session *s, const struct trigger *t, struct diag *d);
/* Look at the tasks whose timers have expired. */
void flight_hang_run(struct session *s);
void flight_hang_close(struct session *s);

#endif /* AUXREC_FLIGHT_HANG_H */
