// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gaps: times in which an attached event ran without its data being kept.
 *
 * If the end of a gap is known when the gap is made (a span that went to the
 * sink), the gap stays in the CPU's slot for a while, so that the next gap of
 * the same thread can be joined to it.
 *
 * If the end is not known, the gap begins when a writer finds neither segment
 * nor sink, or when a PMU reports that it lost data. The gap ends when the event
 * writes again on this CPU, or when its thread writes on another CPU. The PMU
 * driver does not tell when it stops after a failed begin, so the end can be
 * later than the thread's time slice, never earlier.
 *
 * Until a gap is published, its entry in the table is taken but not visible.
 *
 * Spans and gaps are numbered in the order in which they end. So a gap takes its
 * number when its end becomes known, whoever publishes it, and however late.
 * If a gap took its number when it is published, a CPU whose gap another CPU has
 * just taken could publish its next span with a smaller number.
 *
 * Readers wait for each number. So gaps that have ended and still wait in a
 * CPU's slot are published before any span, and before the same thread begins
 * elsewhere. pa_gaps_wait() tells whether a slot may have a gap. A thread that
 * has moved to another CPU sees its gap, because moving takes scheduler locks.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/smp.h>

#include "ring/bits.h"
#include "ring/keep.h"
#include "ring/process.h"
#include "ring/writer.h"

/*
 * A value of ring->gap_states[]: FREE, OPEN or READY in the low bits, and the
 * gap's number above them. The number is 0 while the gap is OPEN and has not
 * ended. Because of the number a READY state never recurs: a writer that saw a
 * READY gap released cannot take a gap that was published since for that gap.
 */
enum pa_gap_state {
	PA_GAP_FREE,
	PA_GAP_OPEN,
	PA_GAP_READY,
};

#define PA_GAP_STATE(s)		((s) & 3)
#define PA_GAP_SEQ(s)		((s) >> 2)

/*
 * A value of pa_cpu.gap: the gap in the slot, and above it the number of this use of a slot.
 * Because of the number, a context that looked at the slot and takes the gap out takes the gap
 * that it saw. Otherwise the entry might have been published, released, and put into the slot
 * again for another gap.
 */
#define PA_SLOT(use, gap)	((u64)(use) << 32 | (u32)(gap))
/* The index of the gap's entry + 1, PA_GAP_MERGED, or 0 if the slot is empty */
#define PA_SLOT_GAP(slot)	((int)(u32)(slot))

/* In the slot for a gap that found no entry */
#define PA_GAP_MERGED		(-1)

/*
 * ring->gap_cpus has a bit for each CPU whose slot may have a gap, so that nobody looks at all
 * possible CPUs. This CPU's slot has one now. The xchg() that filled it is a full barrier, see
 * pa_slot_of().
 */
static void pa_slot_filled(struct pa_ring *ring)
{
	if (!test_bit(smp_processor_id(), ring->gap_cpus))
		set_bit(smp_processor_id(), ring->gap_cpus);
}

/* Return the value of the slot of CPU @i, whose bit is set. If the slot is empty, clear the bit. */
static u64 pa_slot_of(struct pa_ring *ring, unsigned int i)
{
	u64 *slot = &per_cpu_ptr(ring->cpu, i)->gap, gap = READ_ONCE(*slot);

	if (gap || !test_and_clear_bit(i, ring->gap_cpus))
		return gap;
	/*
	 * test_and_clear_bit() is a full barrier: if the CPU fills its slot now, it sees that the
	 * bit is clear, or the gap is seen here.
	 */
	gap = READ_ONCE(*slot);
	if (gap)
		set_bit(i, ring->gap_cpus);
	return gap;
}

/* Move a bound outwards. Other contexts may do so at the same time. */
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

/* Extend the interval that covers the times of all gaps without an entry. */
static void pa_gap_merge(struct pa_ring *ring, u64 now)
{
	pa_gap_stretch(&ring->ctl->merged_begin, now, false);
	pa_gap_stretch(&ring->ctl->merged_end, now, true);
}

/*
 * Note that entry @i is in use. Gaps take the first free entry, so a reader that looks for gaps
 * looks at no more entries than were in use at the same time.
 */
static void pa_gap_used(struct pa_ring *ring, int i)
{
	int used = atomic_read(&ring->gaps_used);

	/* The gap is published after this, by a store-release: see pa_gaps_ready(). */
	while (used <= i && !atomic_try_cmpxchg(&ring->gaps_used, &used, i + 1))
		;
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
		if (cmpxchg64(&ring->gap_states[i], state, PA_GAP_OPEN) == state) {
			pa_gap_used(ring, i);
			return i;
		}
	}
	return -1;
}

/* Give a gap its number, now that its end is known. The caller owns the gap. */
static void pa_gap_number(struct pa_ring *ring, int gap)
{
	WRITE_ONCE(ring->gap_states[gap - 1],
		   pa_next_seq(ring) << 2 | PA_GAP_OPEN);
}

/* Publish a gap that the caller owns. @now is its end if the end is not known yet. */
static void pa_gap_publish(struct pa_ring *ring, int gap, u64 now)
{
	struct perfaux_gap *entry;
	u64 seq;

	if (gap == PA_GAP_MERGED) {
		pa_gap_merge(ring, now);
		return;
	}
	entry = &ring->gaps[gap - 1];
	/* The clocks of two CPUs may differ a little: do not end before the begin. */
	if (!entry->t_end)
		WRITE_ONCE(entry->t_end, max(now, entry->t_begin));
	seq = PA_GAP_SEQ(READ_ONCE(ring->gap_states[gap - 1]));
	if (!seq)
		seq = pa_next_seq(ring);
	if (unlikely(ring->keep))
		pa_keep_gap(ring, gap - 1, seq);
	/* Pairs with the reader's load-acquire of seq. */
	smp_store_release(&entry->seq, seq);
	/* Pairs with pa_gap_alloc() and pa_gaps_ready(): seq before READY. */
	smp_store_release(&ring->gap_states[gap - 1], seq << 2 | PA_GAP_READY);
	pa_ring_wake(ring);
}

/* Return the index + 1 of an entry with the contents of @new, or PA_GAP_MERGED. */
static int pa_gap_new(struct pa_ring *ring, const struct pa_gap *new)
{
	struct perfaux_gap *entry;
	int gap;

	pa_count(&ring->ctl->gaps, 1);
	gap = pa_gap_alloc(ring) + 1;
	if (!gap) {
		pa_lost(ring, PERFAUX_CAUSE_NO_GAP, new->bytes);
		pa_gap_merge(ring, new->t_begin);
		if (new->t_end)
			pa_gap_merge(ring, new->t_end);
		return PA_GAP_MERGED;
	}
	entry = &ring->gaps[gap - 1];
	WRITE_ONCE(entry->seq, 0);
	/* The reader must not see the old number with the new contents. */
	smp_wmb();
	entry->t_begin = new->t_begin;
	/* Other contexts read these three without owning the gap, see pa_gap_has_ended(). */
	WRITE_ONCE(entry->t_end, new->t_end);
	WRITE_ONCE(entry->cookie, new->cookie);
	WRITE_ONCE(entry->tid, new->tid);
	entry->cpu = smp_processor_id();
	entry->cause = new->cause;
	entry->pid = new->pid;
	entry->count = 1;
	entry->bytes = new->bytes;
	if (unlikely(ring->keep))
		pa_keep_gap(ring, gap - 1, 0);
	if (new->t_end)
		pa_gap_number(ring, gap);
	return gap;
}

/*
 * Add @new to @gap, which the caller owns, if @new continues it. Returns whether @new was
 * added.
 */
static bool pa_gap_join(struct pa_ring *ring, int gap, const struct pa_gap *new)
{
	struct perfaux_gap *entry;

	if (gap <= 0)
		return false;
	entry = &ring->gaps[gap - 1];
	if (entry->cause != new->cause || entry->cookie != new->cookie ||
	    entry->tid != new->tid)
		return false;
	/* The old gap has its number, for which readers may wait already, so it cannot go on. */
	if (entry->t_end && !new->t_end)
		return false;
	if (!entry->t_end && new->t_end)
		pa_gap_number(ring, gap);
	WRITE_ONCE(entry->t_end, new->t_end);
	entry->count++;
	entry->bytes += new->bytes;
	if (unlikely(ring->keep))
		pa_keep_gap(ring, gap - 1, 0);
	return true;
}

static bool pa_gap_has_ended(struct pa_ring *ring, int gap)
{
	return gap > 0 && READ_ONCE(ring->gaps[gap - 1].t_end);
}

/* Return whether @gap is of another event than @cookie's and has not ended. */
static bool pa_gap_goes_on(struct pa_ring *ring, int gap, u64 cookie)
{
	return gap > 0 && !pa_gap_has_ended(ring, gap) &&
	       READ_ONCE(ring->gaps[gap - 1].cookie) != cookie;
}

/*
 * Add a gap. Runs in a writer, or for FLUSH on the writer's CPU. A context that
 * takes the gap out of the CPU's slot owns that gap: an NMI, and other CPUs in
 * pa_gap_take(), find the slot empty meanwhile.
 */
void pa_gap_add(struct pa_ring *ring, const struct pa_gap *new)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	int gap;

	/*
	 * If the slot has a gap of another event that has not ended, leave the
	 * slot alone: that event may write again in an NMI, and must find its gap
	 * in the slot.
	 */
	if (new->t_end &&
	    pa_gap_goes_on(ring, PA_SLOT_GAP(READ_ONCE(cpu->gap)), new->cookie)) {
		pa_gap_publish(ring, pa_gap_new(ring, new), new->t_end);
		return;
	}
	gap = PA_SLOT_GAP(xchg(&cpu->gap, 0));
	if (!pa_gap_join(ring, gap, new)) {
		if (gap)
			pa_gap_publish(ring, gap, new->t_begin);
		gap = pa_gap_new(ring, new);
	}
	gap = PA_SLOT_GAP(xchg(&cpu->gap,
			       PA_SLOT(atomic64_inc_return(&ring->gap_uses), gap)));
	pa_slot_filled(ring);
	/* An NMI has put a gap of its own there since. */
	if (gap)
		pa_gap_publish(ring, gap, new->t_end ?: new->t_begin);
	/* Pairs with pa_gaps_elsewhere(): the slot is written before the counter. */
	smp_mb__before_atomic();
	atomic_inc(&ring->gaps_put);
}

struct pa_gaps_filter {
	bool ended;			/* all gaps that have ended; else those of a thread: */
	u64 cookie;			/* its event */
	u32 tid;
};

static bool pa_gap_matches(struct pa_ring *ring, int gap,
			   const struct pa_gaps_filter *filter)
{
	const struct perfaux_gap *entry;

	if (gap <= 0)
		return false;
	entry = &ring->gaps[gap - 1];
	if (filter->ended)
		return READ_ONCE(entry->t_end);
	return READ_ONCE(entry->cookie) == filter->cookie &&
	       READ_ONCE(entry->tid) == filter->tid;
}

/*
 * Take the gap out of a CPU's slot and publish it. May run on any CPU. A gap
 * that was put there after the caller read @slot is not taken: that gap may go
 * on, and losses after @now would not be reported. Returns whether the gap was
 * taken.
 */
static bool pa_gap_take(struct pa_ring *ring, struct pa_cpu *cpu, u64 slot,
			u64 now)
{
	if (cmpxchg64(&cpu->gap, slot, 0) != slot)
		return false;
	pa_gap_publish(ring, PA_SLOT_GAP(slot), now);
	return true;
}

/*
 * Publish the matching gaps in the slots of other CPUs. The slot of this CPU is
 * left to pa_gap_add() and pa_gap_close(), which may add more to its gap.
 */
static void pa_gaps_elsewhere(struct pa_ring *ring,
			      const struct pa_gaps_filter *filter, u64 now)
{
	bool left = false;
	unsigned int i;
	int put;

	if (likely(!pa_gaps_wait(ring)))
		return;
	put = atomic_read(&ring->gaps_put);
	/* Pairs with pa_gap_add(): a gap that was counted is in its slot, or gone. */
	smp_mb();
	for (i = pa_next_bit(ring->gap_cpus, nr_cpu_ids, 0); i < nr_cpu_ids;
	     i = pa_next_bit(ring->gap_cpus, nr_cpu_ids, i + 1)) {
		struct pa_cpu *cpu = per_cpu_ptr(ring->cpu, i);
		u64 slot = pa_slot_of(ring, i);

		if (i != smp_processor_id() &&
		    pa_gap_matches(ring, PA_SLOT_GAP(slot), filter) &&
		    pa_gap_take(ring, cpu, slot, now))
			continue;
		left |= !!slot;
	}
	/*
	 * Set this only after the loop, so that a thread that begins meanwhile still looks for
	 * its own gaps. A gap that is put into a slot meanwhile makes gaps_put differ from it.
	 */
	if (!left)
		WRITE_ONCE(ring->gaps_gone, put);
}

void pa_gaps_ended_elsewhere(struct pa_ring *ring)
{
	const struct pa_gaps_filter filter = { .ended = true };

	pa_gaps_elsewhere(ring, &filter, 0);
}

void pa_gaps_of_thread(struct pa_ring *ring, u64 cookie, u32 tid, u64 now)
{
	const struct pa_gaps_filter filter = { .cookie = cookie, .tid = tid };

	pa_gaps_elsewhere(ring, &filter, now);
}

/* Publish the gap in this CPU's slot. Writer: the event of @cookie writes again. */
void pa_gap_close(struct pa_ring *ring, u64 cookie, u64 now)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	u64 slot = READ_ONCE(cpu->gap);

	if (likely(!slot))
		return;
	/* If the gap is gone, an NMI or another CPU has published it. */
	if (!pa_gap_goes_on(ring, PA_SLOT_GAP(slot), cookie))
		pa_gap_take(ring, cpu, slot, now);
}

/* Publish all gaps in slots or, if @ended, only those whose end is known. */
void pa_gaps_close_all(struct pa_ring *ring, bool ended)
{
	typeof(ring->clock) clock = READ_ONCE(ring->clock);
	unsigned int i;

	/* Without a clock there has been no writer. */
	if (!clock)
		return;
	for (i = pa_next_bit(ring->gap_cpus, nr_cpu_ids, 0); i < nr_cpu_ids;
	     i = pa_next_bit(ring->gap_cpus, nr_cpu_ids, i + 1)) {
		struct pa_cpu *cpu = per_cpu_ptr(ring->cpu, i);
		u64 slot;

		/* The end of a gap and its number must be taken together. */
		preempt_disable();
		/* Try again if more was added to the gap meanwhile. */
		do {
			slot = pa_slot_of(ring, i);
		} while (slot && (!ended || pa_gap_has_ended(ring, PA_SLOT_GAP(slot))) &&
			 !pa_gap_take(ring, cpu, slot, clock()));
		preempt_enable();
	}
}

bool pa_gaps_ready(struct pa_ring *ring)
{
	int used = atomic_read(&ring->gaps_used), i;

	/* A gap that makes gaps_used grow meanwhile wakes the reader when it is published. */
	for (i = 0; i < used; i++) {
		/* Pairs with pa_gap_publish(). */
		u64 state = smp_load_acquire(&ring->gap_states[i]);

		if (PA_GAP_STATE(state) == PA_GAP_READY &&
		    READ_ONCE(ring->gap_marks[i]) != PA_GAP_SEQ(state))
			return true;
	}
	return false;
}
