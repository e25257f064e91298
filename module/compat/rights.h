/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of perf_event_open() on each kernel. Only for event/rights.c. */
#ifndef PERFAUX_COMPAT_RIGHTS_H
#define PERFAUX_COMPAT_RIGHTS_H

#include <linux/build_bug.h>
#include <linux/perf_event.h>
#include <linux/security.h>

/*
 * A patch of Debian and others ("security,perf: Allow further restriction of
 * perf_event_open"): if kernel.perf_event_paranoid is above 2, perf_event_open() needs
 * CAP_SYS_ADMIN.
 */
#define PA_PARANOID_ANY			2
#ifdef PA_HAVE_PERF_PARANOID_ANY
#define PA_ASKS_PARANOID_ANY		true
#else
#define PA_ASKS_PARANOID_ANY		false
#endif

/* 6.15 ("perf: Remove unnecessary parameter of security check"), and stable kernels */
#ifdef PA_HAVE_SECURITY_OPEN_TYPE
#define PA_SECURITY_OPEN_PARAMS		(int type)
#define PA_SECURITY_OPEN_ARGS		(PERF_SECURITY_OPEN)
#else
#define PA_SECURITY_OPEN_PARAMS		(struct perf_event_attr *attr, int type)
#define PA_SECURITY_OPEN_ARGS		(&(struct perf_event_attr){}, PERF_SECURITY_OPEN)
#endif

#endif /* PERFAUX_COMPAT_RIGHTS_H */
