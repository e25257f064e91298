// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who uses the ring: PMUs, producers, readers, requests of user space.
 *
 * This file is not compiled with the callbacks of access.c: what it does to shared memory
 * as a PMU or user space goes through look() and put().
 */
#include "world.h"
#include "../../module/output.h"
#include "../../module/producer.h"

static u64 look(const void *at, size_t size)
{
	u64 n = 0;

	model_access(MODEL_READ, at, size, __builtin_return_address(0));
	memcpy(&n, at, size);
	return n;
}

#define LOOK(x)		look(&(x), sizeof(x))

static void put(u64 *at, u64 n)
{
	model_access(MODEL_WRITE, at, sizeof(*at), __builtin_return_address(0));
	*at = n;
}

u64 actor_data(u64 cookie, u64 time)
{
	return cookie << 32 | time;
}

const struct op *actor_op(int ctx)
{
	return &world_case->actors[ctx].ops[world.known.op[ctx]];
}

/* --- writers --------------------------------------------------------------------- */

void actor_span(unsigned int bytes)
{
	/* Nothing is written to it. */
	static struct perf_event events[MODEL_CTX + 1];
	struct perf_event *event = &events[model_current + 1];
	struct perf_output_handle handle = { };
	u64 *data;
	unsigned int i;
	u64 time;

	event->attach_state = PERF_ATTACH_TASK;
	event->clock = model_clock;
	data = pa_output_begin(&handle, event);
	/* What it would have written it keeps. */
	if (!data)
		return;
	time = model_current < 0 ? 200 : world.ctx[model_current].time;
	world.known.written += bytes;
	if (handle.size + 1 < bytes)
		model_fail("a span begins where there is no room");
	if (data >= world.data[0] && data < world.data[SEGMENTS])
		for (i = 0; i < bytes; i += 8)
			put(&data[(handle.head + i) / 8], actor_data(model_tid(), time));
	pa_output_end(&handle, bytes);
}

static void frame(enum op_kind kind)
{
	enum perfaux_cause cause;
	struct perfaux_frame *frame;

	world.known.written += 8;
	frame = pa_produce(&world.ring, 8, model_tid(), &cause);
	if (!frame)
		return;
	put((u64 *)frame->data, actor_data(frame->cookie, frame->time));
	if (kind == OP_LEAVE) {
		world.known.left++;
		return;
	}
	if (kind == OP_DISCARD)
		world.known.discarded += 8;
	pa_produce_end(&world.ring, frame, kind == OP_DISCARD ?
		       PERFAUX_FRAME_DISCARDED : PERFAUX_FRAME_COMMITTED);
}

/* --- user space ------------------------------------------------------------------ */

/* Of the spans of a READY or HELD segment: is it what they say? */
static bool spans_are_right(unsigned int i, unsigned int nr)
{
	bool right = true;
	unsigned int k;

	for (k = 0; k < nr && k < SPANS; k++) {
		const struct perfaux_span *span = &world.spans[i][k];
		u64 at = LOOK(span->offset), length = LOOK(span->length);
		u64 cookie = LOOK(span->cookie), time = LOOK(span->t_begin);

		for (; length; at += 8, length -= 8) {
			if (at + length > SEGMENT_SIZE)
				return false;
			if (LOOK(world.data[i][at / 8]) != actor_data(cookie, time))
				right = false;
		}
	}
	return right;
}

/* As the manual says: look, read, look again, give back */
static void release(unsigned int i)
{
	u64 state = LOOK(world.segments[i].state), n;
	bool right;

	if (PERFAUX_STATE(state) != PERFAUX_SEG_READY &&
	    PERFAUX_STATE(state) != PERFAUX_SEG_HELD)
		return;
	n = LOOK(world.segments[i].nr_spans);
	right = spans_are_right(i, n);
	/* Overwritten, or somebody else has given it back */
	if (PERFAUX_SEQ(LOOK(world.segments[i].state)) != PERFAUX_SEQ(state))
		return;
	if (!right || !n)
		model_fail("the reader finds wrong data in segment %u", i);
	put(&world.marks[i], PERFAUX_SEQ(state));
	if (LOOK(world.ctl.flags) & PERFAUX_CTL_STARVED)
		pa_ring_wake(&world.ring);
}

static void unhold(unsigned int i)
{
	u64 seq = PERFAUX_SEQ(LOOK(world.segments[i].state));

	world.known.arg_seq[model_current] = seq;
	if (!pa_segments_unhold(&world.ring, i, seq) &&
	    LOOK(world.ctl.flags) & PERFAUX_CTL_STARVED)
		pa_ring_wake(&world.ring);
}

/* pa_ring_flush(), but for the kick: events that start again are spans of others. */
static void flush(bool abandon)
{
	model_andnot((int *)&world.ctl.flags, PERFAUX_CTL_STARVED);
	pa_gaps_close_all(&world.ring, false);
	pa_segments_publish_idle(&world.ring);
	pa_frames_flush(&world.ring, abandon);
}

static void trigger(unsigned int post)
{
	static struct perf_event event = { .clock = model_clock };
	const struct pa_attached attached = {
		.ring = &world.ring,
		.post = post,
		.cookie = model_tid(),
	};

	pa_trigger(&attached, &event);
}

/* --- all of it ------------------------------------------------------------------- */

static void run(const struct op *op)
{
	struct pa_ring *ring = &world.ring;

	switch (op->kind) {
	case OP_SPAN:
		return actor_span(op->arg);
	case OP_FRAME:
	case OP_DISCARD:
	case OP_LEAVE:
		return frame(op->kind);
	case OP_RELEASE:
		return release(op->arg);
	case OP_MARK:
		return put(&world.marks[op->arg & 0xff], op->arg >> 8);
	case OP_HOLD:
		pa_segments_hold(ring, op->arg);
		return;
	case OP_UNHOLD:
		return unhold(op->arg);
	case OP_UNHOLD_ALL:
		return pa_segments_unhold_all(ring);
	case OP_TRIGGER:
		return trigger(op->arg);
	case OP_THAW:
		pa_thaw(ring);
		return;
	case OP_FLUSH:
	case OP_ABANDON:
		return flush(op->kind == OP_ABANDON);
	case OP_MAKE_WAY:
		return pa_segments_make_way(ring);
	case OP_MOVE:
		world.ctx[model_current].cpu = op->arg;
		return;
	case OP_END:
		return;
	}
}

void actor_run(int ctx)
{
	const struct op *op = world_case->actors[ctx].ops;
	struct known *known = &world.known;
	int i;

	for (; op->kind != OP_END; op++) {
		watch();
		known->op[ctx] = op - world_case->actors[ctx].ops;
		known->stable[ctx] = 0;
		for (i = 0; i < SEGMENTS; i++)
			if (PERFAUX_STATE(known->seg[i].state) == PERFAUX_SEG_READY)
				known->stable[ctx] |= 1 << i;
		run(op);
		watch();
		/* What is over is no part of the state. */
		known->stable[ctx] = 0;
		known->may[ctx] = 0;
		known->arg_seq[ctx] = 0;
		memset(world.ctx[ctx].heap, 0, sizeof(world.ctx[ctx].heap));
		world.ctx[ctx].heap_used = 0;
	}
}
