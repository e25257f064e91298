/* SPDX-License-Identifier: GPL-2.0-only */
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
	/* On one CPU a context does not interrupt itself: one buffer is enough. */
	void *payload[RAWGEN_CONTEXTS];
};

/* rawgen_main.c: a sample of each event on this CPU that has this context */
void rawgen_run(enum rawgen_context context);

/* rawgen_write.c */
int rawgen_write_init(void);
void rawgen_write(struct rawgen_event *ev, enum rawgen_context context);

/* rawgen_irq.c */
int rawgen_irq_init(void);
void rawgen_irq_exit(void);
bool rawgen_nmi_works(void);
/* What a timer's interrupt does for the other contexts */
void rawgen_irq_others(u64 config);
/* Interrupts this CPU now, in as many ways as there are. */
void rawgen_irq_here(enum rawgen_context context);

#endif /* RAWGEN_PMU_H */
