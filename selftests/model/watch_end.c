// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules for the final state, when all contexts have ended: numbers and bytes add up, and each
 * context that waits was woken.
 */
#include "world.h"

/* Each number 1, 2, 3 ... must belong to one span or gap. A thread's must be in order of time. */
static void check_numbers(void)
{
	struct known_item items[ITEMS];
	u64 n, k;
	int i;

	memcpy(items, world.known.item, sizeof(items));
	for (i = 0; i < GAPS; i++) {
		const struct perfaux_gap *gap = &world.gaps[i];

		if (!gap->seq)
			continue;
		if (gap->seq > world.ctl.seq || gap->seq >= ITEMS || items[gap->seq].tid)
			return model_fail("a gap has number %llu", gap->seq);
		items[gap->seq] = (struct known_item){
			.tid = gap->tid,
			.t_begin = gap->t_begin,
			.t_end = gap->t_end,
		};
	}
	for (n = 1; n <= world.ctl.seq; n++) {
		if (!items[n].tid)
			return model_fail("number %llu is of no span and no gap", n);
		for (k = 1; k < n; k++)
			if (items[k].tid == items[n].tid && world_case->filled < k &&
			    items[k].t_end > items[n].t_begin)
				return model_fail("numbers %llu and %llu of a thread are not in order of time",
						  k, n);
	}
}

static void check_bytes(void)
{
	const struct perfaux_control *ctl = &world.ctl;
	const struct known *known = &world.known;
	u64 there = 0, in_gaps = 0, lost, total;
	int i;

	for (i = 0; i < SEGMENTS; i++)
		if (PERFAUX_STATE(world.segments[i].state) != PERFAUX_SEG_FREE)
			there += world.segments[i].bytes;
	for (i = 0; i < GAPS; i++)
		in_gaps += world.gaps[i].seq ? world.gaps[i].bytes : 0;
	lost = ctl->lost_bytes[PERFAUX_CAUSE_FULL] +
	       ctl->lost_bytes[PERFAUX_CAUSE_FROZEN];
	if (lost != in_gaps)
		return model_fail("%llu bytes are lost, %llu in gaps", lost, in_gaps);
	if (ctl->bytes + ctl->frame_bytes != there + known->taken)
		return model_fail("%llu bytes were published, %llu are there, %u were",
				  ctl->bytes + ctl->frame_bytes, there, known->taken);
	total = there + known->taken + lost + known->discarded +
		ctl->lost_bytes[PERFAUX_CAUSE_ABANDONED];
	if (total != known->written)
		return model_fail("%u bytes were written, %llu are accounted for",
				  known->written, total);
	lost = ctl->lost_bytes[PERFAUX_CAUSE_OVERWRITTEN];
	if (lost < known->lost_least || lost > known->lost_most)
		return model_fail("%llu bytes count as overwritten: %u to %u were",
				  lost, known->lost_least, known->lost_most);
	if (ctl->claims != known->claims)
		model_fail("%llu claims were counted of %llu", ctl->claims,
			   known->claims);
}

/*
 * A starving writer must have been woken if a segment is left. (Frames: see
 * pa_segments_make_way().)
 */
static void check_starved(void)
{
	int i;

	if (world.ring.has_frames || !(world.ctl.flags & PERFAUX_CTL_STARVED))
		return;
	for (i = 0; i < SEGMENTS; i++)
		if (PERFAUX_STATE(world.segments[i].state) == PERFAUX_SEG_IDLE)
			model_fail("segment %d is IDLE, and the starving writer was not told", i);
}

/*
 * A reader must not sleep while the watermark is reached, nor while a writer starves and there is
 * something to read.
 */
static void check_reader(void)
{
	const bool starved = world.ctl.flags & PERFAUX_CTL_STARVED;
	unsigned int n = 0, i;

	for (i = 0; i < SEGMENTS; i++)
		n += PERFAUX_STATE(world.segments[i].state) == PERFAUX_SEG_READY &&
		     world.marks[i] != PERFAUX_SEQ(world.segments[i].state);
	if (world.known.sleeps && n >= (starved ? 1 : world.ctl.watermark))
		model_fail("the reader sleeps, and %u segments are READY", n);
}

/* After one more look, the reader must have seen each segment that is READY. */
static void check_look(void)
{
	unsigned int i;

	actor_look();
	for (i = 0; i < world.ctl.nr_segments; i++) {
		u64 state = world.segments[i].state;

		if (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		    world.known.look_seen[i] != PERFAUX_SEQ(state))
			model_fail("segment %u is READY, and the reader does not find it", i);
	}
}

/* Return the segments on the stack of @node, as bits. */
static u32 linked_on(unsigned int node)
{
	u32 linked = 0;
	u64 i;

	for (i = world.free[node].word.counter & 0xffff; i; i = world.seg[i - 1].next_free) {
		if (i > world.ctl.nr_segments || linked & 1U << i) {
			model_fail("the stack of FREE segments leads to segment %llu", i - 1);
			break;
		}
		linked |= 1U << i;
	}
	return linked;
}

/* The stack of each node must contain all FREE segments of the node, and no other segments. */
static void check_free(void)
{
	unsigned int node, i;

	for (node = 0; node < world.ring.nr_nodes; node++) {
		const u32 linked = linked_on(node);

		for (i = 1; i <= world.ctl.nr_segments; i++) {
			bool is_here = pa_node_of(&world.seg[i - 1]) == node &&
				PERFAUX_STATE(world.segments[i - 1].state) == PERFAUX_SEG_FREE;

			if (is_here && !(linked & 1U << i))
				model_fail("segment %u is FREE, and nobody finds it", i - 1);
			if (!is_here && linked & 1U << i)
				model_fail("segment %u is on the stack, and not FREE", i - 1);
		}
	}
}

/* Each sink is free or belongs to one CPU. */
static void check_sinks(void)
{
	unsigned int i, k, owners;

	for (i = 0; i < world.ring.nr_sinks; i++) {
		owners = world.free_sinks >> i & 1;
		for (k = 0; k < MODEL_CPUS; k++)
			owners += world.cpu[k].sink == &world.sink[i];
		if (owners != 1)
			model_fail("sink %u has %u owners", i, owners);
	}
}

void watch_end(void)
{
	bool is_thawed;
	int i;

	if (world_case->roomy && world.ctl.lost_count[PERFAUX_CAUSE_FULL])
		model_fail("a writer finds no segment, %llu times",
			   world.ctl.lost_count[PERFAUX_CAUSE_FULL]);
	if (world_case->nodes && world_case->roomy && world.ctl.far_claims)
		model_fail("a writer takes a segment of another node, %llu times",
			   world.ctl.far_claims);
	check_starved();
	check_reader();
	check_look();
	check_free();
	pa_gaps_close_all(&world.ring, false);
	pa_frames_flush(&world.ring, true);
	for (i = 0; i < SEGMENTS; i++)
		if (PERFAUX_STATE(world.segments[i].state) == PERFAUX_SEG_CLAIMED ||
		    PERFAUX_STATE(world.segments[i].state) == PERFAUX_SEG_BUSY)
			return model_fail("segment %d stays %s", i,
					  watch_states[PERFAUX_STATE(world.segments[i].state)]);
	if (world.known.refs != world.known.left)
		model_fail("%d references are not given back", world.known.refs);
	check_sinks();
	for (i = 0; i < MODEL_CPUS; i++)
		if (world.sink[i].busy || world.cpu[i].gap)
			model_fail("sink %d is busy, or CPU %d keeps its gap", i, i);
	is_thawed = world.ring.may_overwrite.counter < 0;
	if (is_thawed == !!(world.ctl.flags & PERFAUX_CTL_FROZEN))
		model_fail("the flag FROZEN is wrong");
	check_numbers();
	check_bytes();
}
