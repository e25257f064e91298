/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timing of a function's calls in the kernel, by two BPF programs. A call that takes too long is a
 * sample of an event; nothing wakes user space for the other calls.
 */
#ifndef AUXREC_BPF_CALL_TIME_H
#define AUXREC_BPF_CALL_TIME_H

#include <linux/types.h>

#include "base/util.h"

struct call_time;

/*
 * call_time_open() - begin to time the calls of a function, in all processes
 * @place: FUNC@FILE, see event/probe.h
 * @least: ns; shorter calls have no sample
 * @cpu: any CPU that is online: the probes belong to it, but see the calls on all CPUs
 *
 * Return: 0, and the caller must call call_time_close(); or -errno with a message.
 */
int call_time_open(struct call_time **call_time, const char *place, __u64 least, int cpu,
		   struct diag *d);

/*
 * Calls that return on @cpu are samples of the bpf-output event @fd, whose raw data is a __u64, the
 * time in ns. On a CPU without an event they have no sample. Return 0 or -errno.
 */
int call_time_event(struct call_time *call_time, int cpu, int fd);

/*
 * Return how many calls have returned whose start was not known: the map had forgotten it, or a
 * child of fork() returned from its parent's call. @call_time can be NULL.
 */
__u64 call_time_lost(const struct call_time *call_time);

/* @call_time can be NULL. */
void call_time_close(struct call_time *call_time);

#endif /* AUXREC_BPF_CALL_TIME_H */
