// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gaps: times in which an attached event ran without its data being kept.
 *
 * A gap begins when a writer finds no segment, or when a PMU says that it lost
 * data, and ends when the next writer of this ring on this CPU succeeds: only
 * then is it known how long it was. Until then its entry is taken but not
 * visible. The PMU is not asked to tell when it stops after a failed begin, so
 * the end can be later than the thread's time slice, never earlier.
 */
#include <linux/smp.h>

#include "ring.h"

/*
 * A value of ring->gap_states[]: FREE and OPEN, or READY with the gap's number
 * above it. With the number in it a state never comes back, so whoever saw a
 * READY gap released cannot take it for the one that was published since.
 */
enum pa_gap_state {
	PA_GAP_FREE,
	PA_GAP_OPEN,
	PA_GAP_READY,
};

#define PA_GAP_STATE(s)		((s) & 3)
#define PA_GAP_SEQ(s)		((s) >> 2)

/* Value of pa_cpu.gap for a gap that found no entry. */
#define PA_GAP_MERGED		(-1)

/* Moves a bound outwards; others may do so at the same time. */
static void pa_gap_stretch(u64 *bound, u64 now, bool up)
{
	u64 old = READ_ONCE(*bound);

	while (!old || (up ? now > old : now < old)) {
		u64 seen = cmpxchg64(bound, old, now);

		if (seen == old)
			break;
		old = seen;
	}
}

/* The time of gaps that found no entry: one interval around all of them. */
static void pa_gap_merge(struct pa_ring *ring, u64 now)
{
	pa_gap_stretch(&ring->ctl->merged_begin, now, false);
	pa_gap_stretch(&ring->ctl->merged_end, now, true);
}

static int pa_gap_alloc(struct pa_ring *ring)
{
	int i;

	for (i = 0; i < PA_NR_GAPS; i++) {
		u64 state = READ_ONCE(ring->gap_states[i]);

		if (PA_GAP_STATE(state) == PA_GAP_OPEN)
			continue;
		if (PA_GAP_STATE(state) == PA_GAP_READY &&
		    READ_ONCE(ring->gap_marks[i]) != PA_GAP_SEQ(state))
			continue;
		if (cmpxchg64(&ring->gap_states[i], state, PA_GAP_OPEN) == state)
			return i;
	}
	return -1;
}

static void pa_gap_publish(struct pa_ring *ring, int gap, u64 now)
{
	struct perfaux_gap *entry;
	u64 seq;

	if (gap == PA_GAP_MERGED) {
		pa_gap_merge(ring, now);
		return;
	}
	entry = &ring->gaps[gap - 1];
	/* Clocks of two CPUs may differ by a little; time does not go back. */
	entry->t_end = max(now, entry->t_begin);
	seq = pa_next_seq(ring);
	/* Pairs with the reader's load-acquire of seq. */
	smp_store_release(&entry->seq, seq);
	/* Pairs with pa_gap_alloc() and pa_gaps_ready(): seq before READY. */
	smp_store_release(&ring->gap_states[gap - 1], seq << 2 | PA_GAP_READY);
	pa_ring_wake(ring);
}

/* Still the gap of the same thread, for the same reason? */
static bool pa_gap_goes_on(struct pa_ring *ring, int gap,
			   enum perfaux_cause cause, u64 cookie, u32 tid)
{
	struct perfaux_gap *entry;

	if (gap <= 0)
		return false;
	entry = &ring->gaps[gap - 1];
	return entry->cause == cause && entry->cookie == cookie &&
	       entry->tid == tid;
}

void pa_gap_open(struct pa_ring *ring, enum perfaux_cause cause, u64 now,
		 u64 cookie, u32 pid, u32 tid)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	struct perfaux_gap *entry;
	int gap = READ_ONCE(cpu->gap);

	pa_lost(ring, cause, 0);
	if (pa_gap_goes_on(ring, gap, cause, cookie, tid)) {
		pa_count(&ring->gaps[gap - 1].count, 1);
		/* A FLUSH, or an NMI that found room, may have closed it. */
		if (READ_ONCE(cpu->gap) == gap)
			return;
	}

	pa_count(&ring->ctl->gaps, 1);
	gap = pa_gap_alloc(ring) + 1;
	if (gap) {
		entry = &ring->gaps[gap - 1];
		WRITE_ONCE(entry->seq, 0);
		/* Nobody sees the old number with the new contents. */
		smp_wmb();
		entry->t_begin = now;
		entry->t_end = 0;
		entry->cookie = cookie;
		entry->cpu = smp_processor_id();
		entry->cause = cause;
		entry->pid = pid;
		entry->tid = tid;
		entry->count = 1;
	} else {
		pa_lost(ring, PERFAUX_CAUSE_NO_GAP, 0);
		pa_gap_merge(ring, now);
		gap = PA_GAP_MERGED;
	}
	/* What was open here, also by an NMI since, ends now. */
	gap = xchg(&cpu->gap, gap);
	if (gap)
		pa_gap_publish(ring, gap, now);
}

/* May run on any CPU: whoever takes cpu->gap publishes it. */
void pa_gap_close(struct pa_ring *ring, int cpu, u64 now)
{
	struct pa_cpu *pcpu = per_cpu_ptr(ring->cpu, cpu);
	int gap;

	if (likely(!READ_ONCE(pcpu->gap)))
		return;
	gap = xchg(&pcpu->gap, 0);
	if (gap)
		pa_gap_publish(ring, gap, now);
}

void pa_gaps_close_all(struct pa_ring *ring)
{
	int cpu;

	if (!ring->clock)
		return;
	for_each_possible_cpu(cpu)
		pa_gap_close(ring, cpu, ring->clock());
}

bool pa_gaps_ready(struct pa_ring *ring)
{
	int i;

	for (i = 0; i < PA_NR_GAPS; i++) {
		/* Pairs with pa_gap_publish(). */
		u64 state = smp_load_acquire(&ring->gap_states[i]);

		if (PA_GAP_STATE(state) == PA_GAP_READY &&
		    READ_ONCE(ring->gap_marks[i]) != PA_GAP_SEQ(state))
			return true;
	}
	return false;
}
