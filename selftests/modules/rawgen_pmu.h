/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of rawgen, see rawgen.h. */
#ifndef RAWGEN_PMU_H
#define RAWGEN_PMU_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

#include "rawgen.h"

struct rawgen_event {
	struct perf_event *event;
	struct hrtimer timer;
	bool running;
	u64 seq[RAWGEN_CONTEXTS];
	/*
	 * A context does not interrupt itself on one CPU, so one buffer for each is
	 * enough.
	 */
	void *payload[RAWGEN_CONTEXTS];
};

/* rawgen_main.c: write a sample for each event on this CPU that has this context. */
void rawgen_run(enum rawgen_context context);

/* rawgen_write.c */
int rawgen_write_init(void);
void rawgen_write(struct rawgen_event *ev, enum rawgen_context context);

/* rawgen_irq.c */
int rawgen_irq_init(void);
void rawgen_irq_exit(void);
bool rawgen_nmi_works(void);
/* Make samples in the other contexts, from a timer's interrupt. */
void rawgen_irq_others(u64 config);
/* Return how long the CPU needed that got the last NMI of rawgen_irq_others(), in ns. */
ktime_t rawgen_nmi_time(u64 config);
/* Interrupt this CPU now in all possible ways. */
void rawgen_irq_here(enum rawgen_context context);

#endif /* RAWGEN_PMU_H */
