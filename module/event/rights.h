/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_RIGHTS_H
#define PERFAUX_RIGHTS_H

/*
 * Check whether the caller may use perf events at all, as perf_event_open() does before it
 * looks at the event. Returns 0, -EACCES, or the error of an LSM. Process context.
 */
int pa_may_open(void);
/* Returns 0 or -ENOMEM. */
int pa_rights_init(void);

#endif /* PERFAUX_RIGHTS_H */
