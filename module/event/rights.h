/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_RIGHTS_H
#define PERFAUX_RIGHTS_H

/*
 * May the caller use perf events at all? Asks what perf_event_open() asks before it looks
 * at the event. Returns 0 or -EACCES, or what an LSM says. Process context.
 */
int pa_may_open(void);
/* Returns 0 or -ENOMEM. */
int pa_rights_init(void);

#endif /* PERFAUX_RIGHTS_H */
