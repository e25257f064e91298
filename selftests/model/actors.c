// SPDX-License-Identifier: GPL-2.0-only
/*
 * The users of the ring: PMUs, producers, readers, and requests of user space.
 *
 * This file is not compiled with -fsanitize=thread, so the compiler does not call access.c.
 * Accesses to shared memory as a PMU or user space must therefore use look() and put().
 */
#include "world.h"
#include "../../module/event/event.h"
#include "../../module/event/output.h"
#include "../../module/produce/producer.h"

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

static void put_int(int *at, int n)
{
	model_access(MODEL_WRITE, at, sizeof(*at), __builtin_return_address(0));
	*at = n;
}

static bool is_nmi(void)
{
	return model_current >= 0 && world.ctx[model_current].level;
}

/* Only an interrupt reads the CPU. An event that writes in an NMI always runs on its CPU. */
static void put_cpu(struct perf_event *event, int cpu)
{
	if (world_case->kicks && !is_nmi())
		put_int(&event->oncpu, cpu);
}

static void put_state(struct perf_event *event, int state)
{
	if (world_case->kicks && !is_nmi())
		put_int(&event->hw.state, state);
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

static struct perf_event *my_event(void)
{
	return &world.events[model_current + 1];
}

static struct span *my_span(void)
{
	return &world.span[model_current + 1];
}

static void span_start(struct perf_event *event)
{
	struct span *span = my_span();

	memset(&span->handle, 0, sizeof(span->handle));
	/* The span begins at the time of the first call of its clock. */
	span->time = model_current < 0 ? 200 : world.ctx[model_current].time + 1;
	/* As pa_hook_begin() */
	span->handle.rb = (void *)pa_attached_find(event);
	span->data = pa_output_begin(&span->handle, event);
	span->done = 0;
	if (!span->data)
		return;
	put_state(event, 0);
	if (span->handle.size + 1 < span->left)
		model_fail("a span begins where there is no room");
}

static void span_stop(struct perf_event *event)
{
	struct span *span = my_span();

	put_state(event, PERF_HES_STOPPED);
	if (actor_op(model_current)->kind == OP_TRUNCATED && !span->left)
		span->handle.aux_flags |= PERF_AUX_FLAG_TRUNCATED;
	if (span->data)
		pa_output_end(&span->handle, span->done);
	span->data = NULL;
}

/* pmu::start and ::stop. An event that only writes in an NMI has no span to end here. */
static void kick_start(struct perf_event *event, int flags)
{
	(void)flags;
	if (event == my_event())
		span_start(event);
}

static void kick_stop(struct perf_event *event, int flags)
{
	(void)flags;
	if (event == my_event())
		span_stop(event);
}

const struct pmu actor_pmu = { .start = kick_start, .stop = kick_stop };

static void span_write(struct span *span)
{
	u64 *data = span->data;

	/* If the PMU got no memory, it does not write these bytes. */
	span->left -= 8;
	if (!data)
		return;
	if (data >= world.data[0] && data < world.data[SEGMENTS])
		put(&data[(span->handle.head + span->done) / 8],
		    actor_data(model_tid(), span->time));
	span->done += 8;
	world.known.written += 8;
}

/* Write one span: from the moment when the event is scheduled in until it is scheduled out. */
void actor_span(unsigned int bytes)
{
	struct perf_event *event = my_event();
	struct span *span = my_span();

	/* Before the first operation the CPU is idle, so an interrupt would have no effect. */
	if (model_current >= 0 && world.known.op[model_current])
		model_interruptible();
	put_cpu(event, model_cpu());
	span->left = bytes;
	span_start(event);
	while (span->left) {
		span_write(span);
		model_interruptible();
	}
	span_stop(event);
	put_cpu(event, -1);
	memset(span, 0, sizeof(*span));
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

/* Do the data of a READY or HELD segment agree with its spans? */
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

/* Release a segment as the manual says: check the state, read, check again, set the mark. */
static void release(unsigned int i)
{
	u64 state = LOOK(world.segments[i].state), n;
	bool right;

	if (PERFAUX_STATE(state) != PERFAUX_SEG_READY &&
	    PERFAUX_STATE(state) != PERFAUX_SEG_HELD)
		return;
	n = LOOK(world.segments[i].nr_spans);
	right = spans_are_right(i, n);
	/* A writer overwrote the segment, or another context released it. */
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

/* ring->lock */
static void lock(void)
{
	while (model_xchg(&world.lock, sizeof(world.lock), 1))
		model_spin(&world.lock, 1);
}

static void unlock(void)
{
	put(&world.lock, 0);
}

/* pa_ioctl_hold() */
static void hold(u32 flags, unsigned int max, bool is_lost)
{
	u64 seq = 0, number;
	int held;

	lock();
	watch_hold_begins(max);
	held = pa_ring_hold(&world.ring, flags, max, &seq);
	number = world.ring.holds;
	watch_hold_ends(held, max, flags & PERFAUX_FLUSH_SPANS ? seq : 0);
	unlock();
	if (!is_lost)
		return;
	lock();
	pa_hold_undo(&world.ring, number);
	watch_all_back(watch_holder());
	unlock();
}

static void unhold_all(void)
{
	lock();
	pa_segments_unhold_all(&world.ring);
	watch_all_back(0);
	unlock();
}

static void flush(u32 flags)
{
	lock();
	pa_ring_flush(&world.ring, flags);
	unlock();
}

/* The reader calls poll() and sleeps if it must. */
static void poll_ring(void)
{
	bool starved;

	/* A wake-up from now on makes the reader look again: see irq_work_queue(). */
	world.known.sleeps = true;
	starved = LOOK(world.ctl.flags) & PERFAUX_CTL_STARVED;
	if (starved ? pa_segments_any(&world.ring) : pa_segments_enough(&world.ring))
		world.known.sleeps = false;
}

void actor_look(void)
{
	struct look *l = &world.known.look;
	unsigned int i;
	u64 state;

	look_begin(l, &world.ctl);
	for (i = 0; segment_set_find(&l->wanted, &i); i++) {
		state = LOOK(world.segments[i].state);
		switch (PERFAUX_STATE(state)) {
		case PERFAUX_SEG_READY:
			world.known.look_seen[i] = PERFAUX_SEQ(state);
			segment_set_remove(&l->wanted, i);
			break;
		case PERFAUX_SEG_HELD:
		case PERFAUX_SEG_FREE:
			segment_set_remove(&l->wanted, i);
			break;
		}
	}
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

/* --- operations ------------------------------------------------------------------ */

static void run(const struct op *op)
{
	struct pa_ring *ring = &world.ring;

	switch (op->kind) {
	case OP_SPAN:
	case OP_TRUNCATED:
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
		return hold(0, op->arg, false);
	case OP_HOLD_SPANS:
	case OP_HOLD_LOST:
		return hold(PERFAUX_FLUSH_SPANS, op->arg, op->kind == OP_HOLD_LOST);
	case OP_HOLD_THAW:
		return hold(PERFAUX_FLUSH_SPANS | PERFAUX_HOLD_THAW, op->arg, false);
	case OP_UNHOLD:
		return unhold(op->arg);
	case OP_UNHOLD_ALL:
		return unhold_all();
	case OP_TRIGGER:
		return trigger(op->arg);
	case OP_THAW:
		pa_thaw(ring);
		return;
	case OP_FLUSH:
	case OP_ABANDON:
		return flush(op->kind == OP_ABANDON ? PERFAUX_FLUSH_ABANDON : 0);
	case OP_MAKE_WAY:
		pa_segments_make_way(ring);
		pa_segments_available(ring);
		return;
	case OP_LOOK:
		return actor_look();
	case OP_POLL:
		return poll_ring();
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
		/*
		 * Writers find a segment by its age once the context that publishes it, or the
		 * UNHOLD that returns it, has ended.
		 */
		for (i = 0; i < SEGMENTS; i++)
			if (PERFAUX_STATE(known->seg[i].state) == PERFAUX_SEG_READY &&
			    !known->seg[i].returner && !known->seg[i].publisher)
				known->stable[ctx] |= 1 << i;
		run(op);
		watch();
		for (i = 0; i < SEGMENTS; i++) {
			if (known->seg[i].returner == ctx + 1)
				known->seg[i].returner = 0;
			if (known->seg[i].publisher == ctx + 1)
				known->seg[i].publisher = 0;
		}
		/* Forget what concerns this operation, so that states do not differ by it. */
		known->stable[ctx] = 0;
		known->may[ctx] = 0;
		known->arg_seq[ctx] = 0;
	}
}
