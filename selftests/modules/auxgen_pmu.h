/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXGEN_PMU_H
#define AUXGEN_PMU_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

#include "auxgen.h"

struct auxgen_event;

/* Events of a PMU that can run on one CPU at the same time and get NMIs */
#define AUXGEN_ACTIVE	8
#define AUXGEN_PMUS_MAX	8

/* Numbers of one CPU and stream */
struct auxgen_count {
	u64 seq;		/* chunks so far, written or lost */
	u64 lost;
};

struct auxgen_cpu {
	struct auxgen_count count[AUXGEN_STREAMS];
	struct auxgen_event *active[AUXGEN_ACTIVE];
	int nmi_pending;
};

/*
 * Each PMU has its own counters, so that tests with different PMUs do not disturb
 * each other.
 */
struct auxgen_pmu {
	struct pmu pmu;
	struct auxgen_cpu __percpu *cpus;	/* NULL: this PMU does not exist */
	char name[32];
};

/* auxgen_main.c */
extern struct auxgen_pmu auxgen_pmus[AUXGEN_PMUS_MAX];
/* Called in an NMI: write for the events of this CPU that have AUXGEN_F_NMI. */
void auxgen_write_nmi(struct auxgen_pmu *pmu);

static inline struct auxgen_pmu *auxgen_pmu_of(struct pmu *pmu)
{
	return container_of(pmu, struct auxgen_pmu, pmu);
}

/* auxgen_nmi.c */
void auxgen_nmi_send_next(struct auxgen_pmu *pmu);
bool auxgen_nmi_works(void);
int auxgen_nmi_init(void);
void auxgen_nmi_exit(void);

/* auxgen_ledger.c */
/* What the last boot has left in the ledger's memory, or all 0 */
extern struct auxgen_ledger auxgen_last_ledger;
void auxgen_ledger_init(void);
/* This CPU has written the chunk with the number @seq. Any context, preemption is off. */
void auxgen_ledger_note(const struct auxgen_pmu *pmu, u32 stream, u64 seq);

/* auxgen_writer.c */
struct auxgen_writer {
	struct list_head list;
	struct perf_buffer *rb;		/* the ring it writes to, or is about to; NULL: none */
};

void auxgen_writer_add(struct auxgen_writer *w);
void auxgen_writer_del(struct auxgen_writer *w);
bool auxgen_writer_claim(struct auxgen_writer *w, const struct perf_event *event);
void auxgen_writer_has(struct auxgen_writer *w, struct perf_buffer *rb);

struct auxgen_area {
	void **pages;
	int nr_pages;
	bool overwrite;
	unsigned int *runs;	/* see auxgen_pt.c */
};

/* Positions in the area, in bytes */
struct auxgen_pt {
	unsigned long intr;
	unsigned long stop;
};

/* auxgen_pt.c */
unsigned int *auxgen_pt_runs(void **pages, int nr_pages);
bool auxgen_pt_markers(const struct auxgen_area *area,
		       const struct perf_output_handle *handle,
		       struct auxgen_pt *pt);

/* auxgen_sample.c: perf_output_copy_aux() */
extern long (*auxgen_copy_aux)(struct perf_output_handle *aux_handle,
			       struct perf_output_handle *handle,
			       unsigned long from, unsigned long to);
int auxgen_sample_init(void);

/* auxgen_sysfs.c */
extern const struct attribute_group *auxgen_attr_groups[];
extern const struct attribute_group *auxgen_renamed_groups[];

/* Fill a chunk with the numbers of this CPU and stream. Preemption is off. */
static inline void auxgen_fill(struct auxgen_chunk *chunk, u32 stream,
			       enum auxgen_source source, u64 seq, u64 lost,
			       u64 time)
{
	u32 cpu = smp_processor_id(), i;

	chunk->magic = AUXGEN_MAGIC;
	chunk->cpu = cpu;
	chunk->seq = seq;
	chunk->lost = lost;
	chunk->time = time;
	chunk->stream = stream;
	chunk->source = source;
	chunk->tid = task_pid_nr(current);
	for (i = 0; i < ARRAY_SIZE(chunk->check); i++)
		chunk->check[i] = AUXGEN_CHECK(seq, cpu, stream, i);
	chunk->check_last = chunk->check[0];
}

#endif /* AUXGEN_PMU_H */
