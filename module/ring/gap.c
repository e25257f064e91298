// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gaps: times in which an attached event ran without its data being kept.
 *
 * A gap whose end is known when it is made (a span that went to the sink) stays
 * in the CPU's slot for a while, so that the next one of the same thread is
 * joined to it. One whose end is not known begins when a writer finds neither
 * segment nor sink, or when a PMU says that it lost data, and ends when the
 * event writes again on this CPU, or its thread on another one: the PMU is not
 * asked to tell when it stops after a failed begin, so this can be later than
 * the thread's time slice, never earlier. Until it is published a gap's entry is
 * taken but not visible.
 *
 * Numbers are in the order in which spans and gaps end. So a gap whose end is
 * known has its number from then on, whoever publishes it, and however long that
 * takes: were it numbered when it is published, a CPU whose gap another one has
 * just taken could publish its next span with a smaller number. Readers wait for
 * it, so what has ended and still waits in a CPU's slot is published before any
 * span, and before the same thread begins elsewhere. pa_gaps_wait() says that
 * there may be something to look for; a thread that has moved sees it, for that
 * takes locks of the scheduler.
 */
#include <linux/smp.h>

#include "ring/process.h"
#include "ring/writer.h"

/*
 * A value of ring->gap_states[]: FREE, OPEN or READY, with the gap's number above
 * it; 0 while OPEN and not ended. With the number in it a state never comes back,
 * so whoever saw a READY gap released cannot take it for the one that was
 * published since.
 */
enum pa_gap_state {
	PA_GAP_FREE,
	PA_GAP_OPEN,
	PA_GAP_READY,
};

#define PA_GAP_STATE(s)		((s) & 3)
#define PA_GAP_SEQ(s)		((s) >> 2)

/*
 * A value of pa_cpu.gap: what is in the slot, and above it the number of this use of a slot.
 * So whoever looked at an entry there and takes it out takes that gap, not another one for
 * which the entry, meanwhile published and released, was put there again.
 */
#define PA_SLOT(use, gap)	((u64)(use) << 32 | (u32)(gap))
/* The entry's index + 1, PA_GAP_MERGED, or 0 */
#define PA_SLOT_GAP(slot)	((int)(u32)(slot))

/* That of a gap that found no entry. */
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

/* Its end is known, its number as well; nobody else has it. */
static void pa_gap_number(struct pa_ring *ring, int gap)
{
	WRITE_ONCE(ring->gap_states[gap - 1],
		   pa_next_seq(ring) << 2 | PA_GAP_OPEN);
}

/* @now: when it ends if that is not known yet. The caller has taken the gap. */
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
	if (!entry->t_end)
		WRITE_ONCE(entry->t_end, max(now, entry->t_begin));
	seq = PA_GAP_SEQ(READ_ONCE(ring->gap_states[gap - 1]));
	if (!seq)
		seq = pa_next_seq(ring);
	/* Pairs with the reader's load-acquire of seq. */
	smp_store_release(&entry->seq, seq);
	/* Pairs with pa_gap_alloc() and pa_gaps_ready(): seq before READY. */
	smp_store_release(&ring->gap_states[gap - 1], seq << 2 | PA_GAP_READY);
	pa_ring_wake(ring);
}

/* Returns an entry with the contents of @new, or PA_GAP_MERGED. */
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
	/* Nobody sees the old number with the new contents. */
	smp_wmb();
	entry->t_begin = new->t_begin;
	/* Of these three pa_gap_has_ended() and others look at what is not theirs (any more). */
	WRITE_ONCE(entry->t_end, new->t_end);
	WRITE_ONCE(entry->cookie, new->cookie);
	WRITE_ONCE(entry->tid, new->tid);
	entry->cpu = smp_processor_id();
	entry->cause = new->cause;
	entry->pid = new->pid;
	entry->count = 1;
	entry->bytes = new->bytes;
	if (new->t_end)
		pa_gap_number(ring, gap);
	return gap;
}

/* The caller has taken @gap. Is @new more of it? */
static bool pa_gap_join(struct pa_ring *ring, int gap, const struct pa_gap *new)
{
	struct perfaux_gap *entry;

	if (gap <= 0)
		return false;
	entry = &ring->gaps[gap - 1];
	if (entry->cause != new->cause || entry->cookie != new->cookie ||
	    entry->tid != new->tid)
		return false;
	/* It has a number, for which readers may wait already. */
	if (entry->t_end && !new->t_end)
		return false;
	if (!entry->t_end && new->t_end)
		pa_gap_number(ring, gap);
	WRITE_ONCE(entry->t_end, new->t_end);
	entry->count++;
	entry->bytes += new->bytes;
	return true;
}

static bool pa_gap_has_ended(struct pa_ring *ring, int gap)
{
	return gap > 0 && READ_ONCE(ring->gaps[gap - 1].t_end);
}

/* What another event than that of @cookie lost, and may go on losing. */
static bool pa_gap_goes_on(struct pa_ring *ring, int gap, u64 cookie)
{
	return gap > 0 && !pa_gap_has_ended(ring, gap) &&
	       READ_ONCE(ring->gaps[gap - 1].cookie) != cookie;
}

/*
 * Writer, or FLUSH on its CPU. Whoever takes what is in the CPU's slot owns it:
 * an NMI, and pa_gap_close() on another CPU, find the slot empty meanwhile.
 */
void pa_gap_add(struct pa_ring *ring, const struct pa_gap *new)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	int gap;

	/*
	 * The slot is not touched then: the other event, in an NMI, must not
	 * miss its gap when it writes again.
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
	/* An NMI made one of its own since. */
	if (gap)
		pa_gap_publish(ring, gap, new->t_end ?: new->t_begin);
	/* Pairs with pa_gaps_elsewhere(): the slot first. */
	smp_mb__before_atomic();
	atomic_inc(&ring->gaps_put);
}

struct pa_gaps_filter {
	bool ended;			/* all that have ended, or ... */
	u64 cookie;			/* ... what this thread has lost */
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
 * May run on any CPU: whoever takes the gap out of the slot publishes it. Not one
 * that was put there since the caller looked: it may go on, and what is lost after
 * its end would not be told.
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
 * Publishes what matches in the slots of other CPUs. This one's slot is left to
 * pa_gap_add() and pa_gap_close(), which may have more to add to it.
 */
static void pa_gaps_elsewhere(struct pa_ring *ring,
			      const struct pa_gaps_filter *filter, u64 now)
{
	bool left = false;
	int i, put;

	if (likely(!pa_gaps_wait(ring)))
		return;
	put = atomic_read(&ring->gaps_put);
	/* Pairs with pa_gap_add(): what was put before is in its slot, or gone. */
	smp_mb();
	for_each_possible_cpu(i) {
		struct pa_cpu *cpu = per_cpu_ptr(ring->cpu, i);
		u64 slot = READ_ONCE(cpu->gap);

		if (i != smp_processor_id() &&
		    pa_gap_matches(ring, PA_SLOT_GAP(slot), filter) &&
		    pa_gap_take(ring, cpu, slot, now))
			continue;
		left |= !!slot;
	}
	/*
	 * Not before: a thread that begins meanwhile is to look for its own. What is put into
	 * a slot meanwhile makes it more than that.
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

/* Writer: the event of @cookie writes again. */
void pa_gap_close(struct pa_ring *ring, u64 cookie, u64 now)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);
	u64 slot = READ_ONCE(cpu->gap);

	if (likely(!slot))
		return;
	/* If it is gone an NMI, or another CPU, has published it. */
	if (!pa_gap_goes_on(ring, PA_SLOT_GAP(slot), cookie))
		pa_gap_take(ring, cpu, slot, now);
}

/* All gaps, or only those whose end is known. */
void pa_gaps_close_all(struct pa_ring *ring, bool ended)
{
	typeof(ring->clock) clock = READ_ONCE(ring->clock);
	int i;

	/* There has been no writer. */
	if (!clock)
		return;
	for_each_possible_cpu(i) {
		struct pa_cpu *cpu = per_cpu_ptr(ring->cpu, i);
		u64 slot;

		/* When it ends and its number belong together. */
		preempt_disable();
		/* Again, if more is added to it meanwhile. */
		do {
			slot = READ_ONCE(cpu->gap);
		} while (slot && (!ended || pa_gap_has_ended(ring, PA_SLOT_GAP(slot))) &&
			 !pa_gap_take(ring, cpu, slot, clock()));
		preempt_enable();
	}
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
