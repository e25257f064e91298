/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --trigger bpf=PATH: each record of a program's ring buffer (a pinned map of type RINGBUF)
 * is a trigger, and the snapshot contains the record's bytes.
 */
#ifndef AUXREC_FLIGHT_BPF_H
#define AUXREC_FLIGHT_BPF_H

#include "base/util.h"

struct session;
struct trigger;

/* Return 0, or -errno with a message. */
int flight_bpf_open(struct session *s, const struct trigger *t, struct diag *d);
/* Handle the records that have come since the last call, without waiting. */
void flight_bpf_run(struct session *s);
void flight_bpf_close(struct session *s);

#endif /* AUXREC_FLIGHT_BPF_H */
