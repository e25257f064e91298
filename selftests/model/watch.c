// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules, which are checked after each access. The context that runs has made the change
 * that a check finds.
 *
 * A segment that is being written has an owner:
 *  - a segment of spans belongs to the context that moved it to CLAIMED, until it is published
 *    or left IDLE;
 *  - a segment of frames belongs to that context until it is open to all writers. Later it
 *    belongs to the context that closed it when no writer was active, or that took it
 *    (PERFAUX_FLUSH_ABANDON), until it is published.
 * The bytes of a frame belong to its writer from the reservation until the writer lets go.
 */
#include "world.h"

/* pa_segment.frames, see frame.c */
#define POS(word)	((u32)(word))
#define OPEN(word)	((u32)((word) >> 32) & 0x3fffffff)
#define IS_CLOSED(word)	((word) >> 62 & 1)
#define IS_EARLY(word)	((word) >> 63)

#define STATE(s)	PERFAUX_STATE(s)
#define SEQ(s)		PERFAUX_SEQ(s)

const char *const watch_states[] = {
	"FREE", "CLAIMED", "BUSY", "IDLE", "READY", "HELD"
};

static const char *me(void)
{
	return world_case->actors[model_current].name;
}

static u8 my_number(void)
{
	return model_current + 1;
}

static enum op_kind my_op(void)
{
	return actor_op(model_current)->kind;
}

static bool is_hold(void)
{
	return my_op() == OP_HOLD || my_op() == OP_HOLD_SPANS || my_op() == OP_HOLD_THAW ||
	       my_op() == OP_HOLD_LOST;
}

/* --- spans ----------------------------------------------------------------------- */

/* From now on the reader can read span @nr of segment @i. */
static void check_span(unsigned int i, unsigned int nr)
{
	const struct perfaux_span *span = &world.spans[i][nr];
	struct known_segment *seg = &world.known.seg[i];
	struct known_item *items = world.known.item;
	u32 at;
	int k;

	if (!span->seq || span->seq > world.ctl.seq || span->seq >= ITEMS ||
	    items[span->seq].tid)
		return model_fail("span %u of segment %u has number %llu", nr, i,
				  span->seq);
	if (span->offset < seg->used || !span->length ||
	    span->offset + span->length > SEGMENT_SIZE)
		return model_fail("span %u of segment %u is at %u, %u bytes", nr, i,
				  span->offset, span->length);
	for (at = span->offset; at < span->offset + span->length; at += 8)
		if (world.data[i][at / 8] !=
		    actor_data(span->cookie, span->t_begin))
			return model_fail("span %u of segment %u is published before its data",
					  nr, i);
	for (k = span->seq + 1; k < ITEMS; k++)
		if (items[k].tid == span->tid)
			return model_fail("spans of thread %u go back in number",
					  span->tid);
	items[span->seq] = (struct known_item){
		.tid = span->tid,
		.t_begin = span->t_begin,
		.t_end = span->t_end,
	};
	seg->is_wanted |= seg->is_old;
	seg->is_old = false;
	seg->used = span->offset + span->length;
	seg->bytes += span->length;
}

static void watch_spans(unsigned int i)
{
	struct known_segment *seg = &world.known.seg[i];
	u32 now = world.segments[i].nr_spans;

	if (now == seg->nr_spans)
		return;
	if (seg->owner != my_number())
		return model_fail("%s changes the spans of segment %u, which it does not own",
				  me(), i);
	if (!now) {
		seg->used = 0;
		seg->bytes = 0;
	} else if (now != seg->nr_spans + 1U || now > SPANS) {
		return model_fail("segment %u has %u spans after %u", i, now,
				  seg->nr_spans);
	} else {
		check_span(i, now - 1);
	}
	seg->nr_spans = now;
}

/* --- frames ---------------------------------------------------------------------- */

/* All frames in the first @end bytes of use @seq must have ended. Return the committed bytes. */
static u32 check_frames(unsigned int i, u32 end, u64 seq)
{
	u32 bytes = 0, at = 0;

	while (at < end) {
		const struct perfaux_frame *frame =
			(void *)((char *)world.data[i] + at);

		if (SEQ(frame->state) != seq || frame->length != 8 ||
		    frame->segment != i ||
		    STATE(frame->state) < PERFAUX_FRAME_COMMITTED ||
		    STATE(frame->state) > PERFAUX_FRAME_ABANDONED) {
			model_fail("the frame at %u of segment %u is shown in state %#llx",
				   at, i, frame->state);
			return 0;
		}
		if (STATE(frame->state) == PERFAUX_FRAME_COMMITTED) {
			if (*(u64 *)frame->data !=
			    actor_data(frame->cookie, frame->time))
				model_fail("the frame at %u of segment %u has other data",
					   at, i);
			bytes += 8;
		}
		at += FRAME;
	}
	return bytes;
}

static void watch_frames_end(unsigned int i)
{
	struct known_segment *seg = &world.known.seg[i];
	u32 now = world.segments[i].frames_end;

	if (now == seg->frames_end)
		return;
	if (now < seg->frames_end && now)
		model_fail("frames_end of segment %u goes back", i);
	else if (now > POS(world.seg[i].frames.counter))
		model_fail("frames_end of segment %u is behind its frames", i);
	else
		check_frames(i, now, SEQ(seg->state));
	seg->frames_end = now;
}

static void own_frames(unsigned int i)
{
	struct known_segment *seg = &world.known.seg[i];

	if (seg->owner)
		model_fail("segment %u of frames has two owners", i);
	else if (STATE(seg->state) != PERFAUX_SEG_BUSY)
		model_fail("segment %u is closed when it is %s", i,
			   watch_states[STATE(seg->state)]);
	seg->owner = my_number();
}

static unsigned int writers(unsigned int i, u8 of)
{
	unsigned int n = 0, k;

	for (k = 0; k < SEGMENT_SIZE / 8; k++)
		n += of ? world.known.seg[i].writer[k] == of :
			  !!world.known.seg[i].writer[k];
	return n;
}

static void frame_reserved(unsigned int i, u64 old, u64 now)
{
	u8 *writer = world.known.seg[i].writer;
	u32 k;

	if (IS_CLOSED(old) || OPEN(now) != OPEN(old) + 1 || POS(now) > SEGMENT_SIZE ||
	    STATE(world.segments[i].state) != PERFAUX_SEG_BUSY)
		return model_fail("%s reserves in segment %u with %#llx", me(), i, old);
	for (k = POS(old) / 8; k < POS(now) / 8; k++) {
		if (writer[k])
			return model_fail("a frame of segment %u has two writers", i);
		writer[k] = my_number();
	}
}

static void frame_let_go(unsigned int i, u64 now)
{
	u8 *writer = world.known.seg[i].writer;
	u32 k;

	if (!writers(i, my_number()))
		return model_fail("%s ends a frame of segment %u that it did not begin",
				  me(), i);
	for (k = 0; k < SEGMENT_SIZE / 8; k++)
		if (writer[k] == my_number())
			writer[k] = 0;
	if (!OPEN(now) && IS_CLOSED(now) && !IS_EARLY(now))
		own_frames(i);
}

static void watch_word(unsigned int i)
{
	struct known_segment *seg = &world.known.seg[i];
	u64 old = seg->word, now = world.seg[i].frames.counter;

	if (now == old)
		return;
	seg->word = now;
	/* A segment that was EARLY was not READY all the time since another context looked. */
	for (int k = 0; k < MODEL_CTX; k++)
		world.known.stable[k] &= ~(1 << i);
	if (!now) {
		if (!IS_CLOSED(old) || OPEN(old) || writers(i, 0) ||
		    STATE(seg->state) != PERFAUX_SEG_BUSY ||
		    world.segments[i].kind != PERFAUX_KIND_FRAMES)
			model_fail("segment %u is opened with %#llx", i, old);
	} else if (POS(now) > POS(old)) {
		frame_reserved(i, old, now);
	} else if (OPEN(now) + 1 == OPEN(old)) {
		frame_let_go(i, now);
	} else if (IS_EARLY(now) && !IS_EARLY(old)) {
		if (my_op() != OP_ABANDON)
			model_fail("%s takes segment %u", me(), i);
		own_frames(i);
	} else if (now == (old | 1ULL << 62)) {
		if (!OPEN(now))
			own_frames(i);
	} else {
		model_fail("frames of segment %u: %#llx after %#llx", i, now, old);
	}
}

/* --- states ---------------------------------------------------------------------- */

/* The writer must take the oldest of the segments that were READY since it began to look. */
static void check_oldest(unsigned int i)
{
	const struct known *known = &world.known;
	int k;

	for (k = 0; k < SEGMENTS; k++)
		if (k != (int)i && known->stable[model_current] & 1 << k &&
		    !OPEN(known->seg[k].word) &&
		    known->seg[k].ready_seq < known->seg[i].ready_seq)
			model_fail("%s overwrites segment %u, and %d is older", me(), i,
				   k);
}

/* Segment @i is overwritten. Is it newer than one that the current HOLD has taken? */
static void watch_hole(unsigned int i)
{
	struct known *known = &world.known;
	const u64 span = world.spans[i][0].seq;
	int k;

	if (!known->seg[i].nr_spans || span <= known->begin ||
	    (known->hole && known->hole < span))
		return;
	for (k = 0; k < SEGMENTS; k++)
		if (known->seg[k].is_taken && known->seg[k].ready_seq < known->seg[i].ready_seq) {
			known->hole = span;
			known->hole_ready = known->seg[i].ready_seq;
		}
}

static void overwritten(unsigned int i)
{
	struct known *known = &world.known;

	check_oldest(i);
	watch_hole(i);
	if (known->seg[i].is_wanted && known->took)
		model_fail("%s overwrites segment %u, which HOLD wants", me(), i);
	known->seg[i].is_wanted = false;
	if (known->gone < known->seg[i].ready_seq)
		known->gone = known->seg[i].ready_seq;
	if (!known->may[model_current])
		model_fail("%s overwrites segment %u and did not ask", me(), i);
	known->may[model_current] = 0;
	if (known->may_overwrite >= 0 && !known->allowance--)
		model_fail("%s overwrites segment %u, one more than may be after a trigger",
			   me(), i);
}

static void claimed(unsigned int i, u64 old, u64 now)
{
	struct known_segment *seg = &world.known.seg[i];
	u32 bytes = seg->bytes;

	if (seg->owner || writers(i, 0))
		return model_fail("segment %u has two owners: %s and %s", i, me(),
				  seg->owner ? world_case->actors[seg->owner - 1].name :
				  "the writer of a frame");
	seg->owner = my_number();
	seg->is_new = STATE(old) != PERFAUX_SEG_IDLE;
	if (STATE(old) == PERFAUX_SEG_IDLE) {
		if (SEQ(now) != SEQ(old))
			model_fail("segment %u goes on under another number", i);
		return;
	}
	if (STATE(old) != PERFAUX_SEG_FREE &&
	    world.segments[i].kind == PERFAUX_KIND_FRAMES)
		bytes = check_frames(i, world.segments[i].used, SEQ(old));
	if (SEQ(now) <= SEQ(old) || world.known.seq_used & 1U << SEQ(now))
		return model_fail("segment %u is used again under number %llu", i,
				  SEQ(now));
	world.known.seq_used |= 1U << SEQ(now);
	world.known.claims++;
	if (STATE(old) != PERFAUX_SEG_FREE && world.segments[i].bytes != bytes)
		return model_fail("segment %u has %u bytes, and says %llu", i, bytes,
				  world.segments[i].bytes);
	if (STATE(old) == PERFAUX_SEG_FREE)
		bytes = 0;
	world.known.taken += bytes;
	if (STATE(old) != PERFAUX_SEG_FREE && !seg->released) {
		if (STATE(old) != PERFAUX_SEG_READY || !world.ring.overwrite)
			return model_fail("%s takes segment %u, which is %s and not released",
					  me(), i, watch_states[STATE(old)]);
		overwritten(i);
	}
	if (STATE(old) == PERFAUX_SEG_READY && world.ring.overwrite) {
		seg->is_stolen = true;
		seg->stolen_bytes = bytes;
		seg->stolen_seq = SEQ(old);
		seg->mark_was_set = false;
		seg->mark_was_not = false;
	}
	seg->released = false;
}

static void ready(unsigned int i, u64 old)
{
	struct known_segment *seg = &world.known.seg[i];
	const struct perfaux_segment *shared = &world.segments[i];

	if (STATE(old) == PERFAUX_SEG_HELD) {
		if ((my_op() != OP_UNHOLD ||
		     world.known.arg_seq[model_current] != SEQ(old)) &&
		    my_op() != OP_UNHOLD_ALL &&
		    (my_op() != OP_HOLD_LOST || seg->holder != watch_holder()))
			model_fail("%s gives segment %u back that was not meant", me(),
				   i);
		if (shared->ready_seq != seg->ready_seq)
			model_fail("segment %u has another age after UNHOLD", i);
		return;
	}
	if (shared->ready_seq <= seg->ready_seq || shared->ready_seq >= 32 ||
	    world.known.ready_used & 1U << shared->ready_seq)
		return model_fail("segment %u is READY with ready_seq %llu", i,
				  shared->ready_seq);
	seg->ready_seq = shared->ready_seq;
	world.known.ready_used |= 1U << seg->ready_seq;
	if (shared->kind == PERFAUX_KIND_FRAMES) {
		if (shared->used != POS(seg->word) || shared->frames_end != shared->used)
			model_fail("segment %u is READY with %llu bytes of %u", i,
				   shared->used, POS(seg->word));
		else
			check_frames(i, shared->used, SEQ(old));
	}
}

/* Is this transition allowed? (The number of the use changes with CLAIMED only.) */
static bool is_move(enum perfaux_state from, enum perfaux_state to)
{
	static const u8 from_states[] = {
		[PERFAUX_SEG_FREE] = BIT(PERFAUX_SEG_CLAIMED) | BIT(PERFAUX_SEG_BUSY) |
			BIT(PERFAUX_SEG_READY) | BIT(PERFAUX_SEG_HELD),
		[PERFAUX_SEG_CLAIMED] = BIT(PERFAUX_SEG_FREE) | BIT(PERFAUX_SEG_READY) |
			BIT(PERFAUX_SEG_HELD) | BIT(PERFAUX_SEG_IDLE),
		[PERFAUX_SEG_BUSY] = BIT(PERFAUX_SEG_CLAIMED),
		[PERFAUX_SEG_IDLE] = BIT(PERFAUX_SEG_BUSY),
		[PERFAUX_SEG_READY] = BIT(PERFAUX_SEG_CLAIMED) | BIT(PERFAUX_SEG_BUSY) |
			BIT(PERFAUX_SEG_HELD),
		[PERFAUX_SEG_HELD] = BIT(PERFAUX_SEG_READY) | BIT(PERFAUX_SEG_CLAIMED) |
			BIT(PERFAUX_SEG_BUSY),
	};

	return to <= PERFAUX_SEG_HELD && from_states[to] & BIT(from);
}

static void settle_stolen(struct known_segment *seg)
{
	if (!seg->is_stolen)
		return;
	world.known.lost_least += seg->mark_was_set ? 0 : seg->stolen_bytes;
	world.known.lost_most += seg->mark_was_not ? seg->stolen_bytes : 0;
	seg->is_stolen = false;
	seg->mark_was_set = false;
	seg->mark_was_not = false;
	seg->stolen_bytes = 0;
	seg->stolen_seq = 0;
}

/* A released segment becomes FREE without a writer. Its use is over. */
static void given_back(unsigned int i, u64 old)
{
	struct known_segment *seg = &world.known.seg[i];

	if (!seg->released)
		return model_fail("segment %u is %s, not released, and becomes FREE", i,
				  watch_states[STATE(old)]);
	if (writers(i, 0))
		return model_fail("segment %u becomes FREE, and a frame in it is being written", i);
	world.known.taken += world.segments[i].bytes;
	seg->is_wanted = false;
}

static void watch_state(unsigned int i)
{
	struct known_segment *seg = &world.known.seg[i];
	u64 old = seg->state, now = world.segments[i].state;
	struct known *known = &world.known;
	int k;

	if (now == old)
		return;
	seg->state = now;
	seg->is_due = false;
	for (k = 0; k < MODEL_CTX; k++)
		world.known.stable[k] &= ~(1 << i);
	if (!is_move(STATE(old), STATE(now)) ||
	    (STATE(now) != PERFAUX_SEG_CLAIMED && SEQ(now) != SEQ(old)))
		return model_fail("%s moves segment %u from use %llu %s to %llu %u", me(), i,
				  SEQ(old), watch_states[STATE(old)], SEQ(now),
				  STATE(now));
	if (STATE(now) == PERFAUX_SEG_CLAIMED)
		return claimed(i, old, now);
	if (STATE(now) == PERFAUX_SEG_FREE && STATE(old) >= PERFAUX_SEG_READY)
		return given_back(i, old);
	if (STATE(now) == PERFAUX_SEG_READY && STATE(old) == PERFAUX_SEG_HELD)
		seg->returner = my_number();
	if (STATE(now) == PERFAUX_SEG_HELD) {
		known->held++;
		if (OPEN(seg->word) || (STATE(old) == PERFAUX_SEG_READY && !is_hold()))
			return model_fail("%s holds segment %u", me(), i);
		if (STATE(old) == PERFAUX_SEG_READY && seg->ready_seq < known->gone)
			return model_fail("%s holds segment %u behind a hole", me(), i);
		seg->is_taken = known->holder;
		seg->holder = known->holder;
		if (STATE(old) == PERFAUX_SEG_READY)
			return;
	}
	if (STATE(old) != PERFAUX_SEG_HELD && seg->owner != my_number())
		return model_fail("%s moves segment %u to %s, which it does not own", me(),
				  i, watch_states[STATE(now)]);
	if (STATE(now) == PERFAUX_SEG_BUSY) {
		settle_stolen(seg);
		seg->is_new = false;
		/* A segment of frames will be open to all writers. */
		if (world.segments[i].kind == PERFAUX_KIND_FRAMES)
			seg->owner = 0;
		return;
	}
	seg->is_old = false;
	if (STATE(now) == PERFAUX_SEG_READY || STATE(now) == PERFAUX_SEG_HELD)
		ready(i, old);
	if (STATE(now) == PERFAUX_SEG_READY)
		seg->publisher = my_number();
	if (STATE(now) == PERFAUX_SEG_FREE &&
	    (seg->nr_spans || (world.segments[i].kind == PERFAUX_KIND_FRAMES &&
			       POS(seg->word))))
		model_fail("%s throws segment %u away, which has data", me(), i);
	seg->owner = 0;
}

static void watch_mark(unsigned int i)
{
	struct known_segment *seg = &world.known.seg[i];

	seg->released |= world.marks[i] == SEQ(seg->state);
	if (seg->is_stolen) {
		seg->mark_was_set |= world.marks[i] == seg->stolen_seq;
		seg->mark_was_not |= world.marks[i] != seg->stolen_seq;
	}
}

/* --- the ring ---------------------------------------------------------------------- */

/* Check how many segments writers can still overwrite. */
static void watch_freeze(void)
{
	struct known *known = &world.known;
	int old = known->may_overwrite, now = world.ring.may_overwrite.counter;
	int i;

	if (now == old)
		return;
	known->may_overwrite = now;
	if (old < 0) {
		if (my_op() != OP_TRIGGER)
			model_fail("%s freezes", me());
		known->allowance = now;
		for (i = 0; i < MODEL_CTX; i++)
			known->allowance += known->may[i];
	} else if (now < 0) {
		if (my_op() != OP_THAW && my_op() != OP_HOLD_THAW)
			model_fail("%s thaws", me());
		known->allowance = 0;
	} else if (now == old - 1) {
		known->may[model_current] = 1;
	} else {
		model_fail("%d segments may be overwritten after %d", now, old);
	}
}

/*
 * A gap belongs to the context that makes it until it is in a CPU's slot. Then it belongs to
 * the context that takes it out of the slot, until it is READY. The states, as in gap.c:
 * 0 FREE, 1 OPEN, 2 READY.
 */
static void watch_gaps(void)
{
	struct known *known = &world.known;
	unsigned int i;

	for (i = 0; i < GAPS; i++) {
		u8 now = world.gap_states[i] & 3;

		if (now == known->gap_state[i])
			continue;
		if (now == 1 && known->gap_owner[i])
			model_fail("gap %u has two owners", i);
		if (now != 1 && known->gap_owner[i] != my_number())
			model_fail("%s publishes gap %u, which it does not own", me(), i);
		known->gap_state[i] = now;
		known->gap_owner[i] = now == 1 ? my_number() : 0;
	}
	for (i = 0; i < MODEL_CPUS; i++) {
		/* PA_SLOT_GAP() of gap.c */
		int old = known->slot[i], now = (int)(u32)world.cpu[i].gap;

		if (now != old && now > 0) {
			if (known->gap_owner[now - 1] != my_number())
				model_fail("%s leaves gap %d, which it does not own", me(),
					   now - 1);
			known->gap_owner[now - 1] = 0;
		}
		if (now != old && old > 0)
			known->gap_owner[old - 1] = my_number();
		known->slot[i] = now;
		if (!world.sink[i].busy)
			known->sink_owner[i] = 0;
		else if (!known->sink_owner[i])
			known->sink_owner[i] = my_number();
	}
}

void watch(void)
{
	unsigned int i;

	if (model_current < 0 || model_failed())
		return;
	watch_freeze();
	watch_gaps();
	for (i = 0; i < SEGMENTS; i++) {
		watch_state(i);
		watch_word(i);
		watch_spans(i);
		watch_frames_end(i);
		watch_mark(i);
	}
}

/* The running context will write @size bytes at @at. */
void watch_write(const void *at, size_t size)
{
	size_t offset = (const char *)at - (const char *)world.data, k;

	if (offset >= sizeof(world.data)) {
		/* watch_state() checks the state words. */
		offset = (const char *)at - (const char *)world.segments;
		if (offset < sizeof(world.segments) &&
		    offset % sizeof(world.segments[0]) !=
		    offsetof(struct perfaux_segment, state) &&
		    world_owner(at) != model_current)
			model_fail("%s writes to %s, which it does not own", me(),
				   world_name(at));
		return;
	}
	for (k = offset; k < offset + size; k++) {
		unsigned int i = k / SEGMENT_SIZE, in = k % SEGMENT_SIZE;
		const struct known_segment *seg = &world.known.seg[i];
		bool ok;

		if (world.segments[i].kind == PERFAUX_KIND_FRAMES)
			ok = seg->writer[in / 8] == my_number();
		else
			ok = seg->owner == my_number() && in >= seg->used &&
			     STATE(seg->state) == PERFAUX_SEG_BUSY;
		if (!ok)
			return model_fail("%s writes to byte %u of segment %u, which is not its",
					  me(), in, i);
	}
}

/* HOLD has taken READY segments and continues with pa_ring_flush(), which reads ctl.flags. */
static void watch_hold(const void *at)
{
	world.known.took |= is_hold() && at == &world.ctl.flags;
}

/* A writer that asks while the ring is not frozen can overwrite one segment. */
void watch_read(const void *at)
{
	watch_hold(at);
	if (at == &world.ring.may_overwrite && my_op() != OP_TRIGGER &&
	    world.ring.may_overwrite.counter < 0)
		world.known.may[model_current] = 1;
}

void watch_begin(void)
{
	struct known *known = &world.known;
	int i;

	known->may_overwrite = world.ring.may_overwrite.counter;
	known->claims = world.ctl.claims;
	for (i = 0; i < SEGMENTS; i++) {
		struct known_segment *seg = &known->seg[i];
		const struct perfaux_segment *shared = &world.segments[i];

		seg->state = shared->state;
		seg->word = world.seg[i].frames.counter;
		seg->ready_seq = shared->ready_seq;
		known->seq_used |= 1U << SEQ(shared->state);
		known->ready_used |= 1U << shared->ready_seq;
		for (seg->nr_spans = 0; seg->nr_spans < shared->nr_spans; seg->nr_spans++)
			check_span(i, seg->nr_spans);
	}
}

/* --- HOLD -------------------------------------------------------------------------- */

u8 watch_holder(void)
{
	return my_number() << 4 | (world.known.op[model_current] + 1);
}

void watch_all_back(u8 holder)
{
	unsigned int i;

	watch();
	for (i = 0; i < SEGMENTS; i++) {
		const struct known_segment *seg = &world.known.seg[i];

		if (STATE(seg->state) == PERFAUX_SEG_HELD && !seg->released &&
		    (!holder || seg->holder == holder))
			model_fail("segment %u stays HELD after %s gave all back", i, me());
	}
}

/*
 * A rule for HOLD of all segments with PERFAUX_FLUSH_SPANS: data of spans that began before
 * the call must be HELD when the call ends. The exception is data that was READY and
 * overwritten before HOLD had taken all READY segments and continued with pa_ring_flush().
 */
void watch_hold_begins(unsigned int max)
{
	const bool spans = my_op() != OP_HOLD && !max;
	unsigned int i;

	watch();
	world.known.held = 0;
	world.known.took = false;
	world.known.holder = watch_holder();
	world.known.hole = 0;
	world.known.begin = world.ctl.seq;
	for (i = 0; i < SEGMENTS; i++) {
		struct known_segment *seg = &world.known.seg[i];
		unsigned int state = STATE(seg->state);

		seg->is_wanted = spans && state != PERFAUX_SEG_FREE && !seg->released &&
				 !seg->is_new && seg->nr_spans;
		seg->is_old = spans && seg->owner;
		/* When the context that makes a segment READY has ended, others must find it. */
		seg->is_due = !max && state == PERFAUX_SEG_READY && !seg->released &&
			      !seg->publisher && !seg->returner && !OPEN(seg->word);
	}
}

/* Return whether segment @i has a span with a number up to @seq, and is not HELD. */
static bool is_left(unsigned int i, u64 seq)
{
	const u64 state = STATE(world.segments[i].state);

	return (state == PERFAUX_SEG_BUSY || state == PERFAUX_SEG_IDLE ||
		state == PERFAUX_SEG_READY) && world.segments[i].nr_spans &&
	       world.spans[i][0].seq <= seq;
}

/* @seq: the number that HOLD returned, 0: none */
void watch_hold_ends(int held, unsigned int max, u64 seq)
{
	struct known *known = &world.known;
	unsigned int i;

	watch();
	if (held < 0 || (u32)held != known->held || (max && known->held > max))
		model_fail("HOLD of %u says that it took %d, and took %u", max, held,
			   known->held);
	if (world.ring.wanted_seq || world.ring.hold_room.counter)
		model_fail("HOLD has ended, and wants up to %llu, %d of them",
			   world.ring.wanted_seq, world.ring.hold_room.counter);
	for (i = 0; i < SEGMENTS; i++) {
		struct known_segment *seg = &known->seg[i];

		if (seg->is_wanted && STATE(seg->state) != PERFAUX_SEG_HELD)
			model_fail("segment %u is %s after HOLD, with older data", i,
				   watch_states[STATE(seg->state)]);
		/*
		 * If a writer has taken a number that needs the entry of a READY segment, HOLD
		 * finds this segment in ring->late only a moment later, see pa_order_add(). HOLD
		 * may then leave out the oldest segment, which makes no hole.
		 */
		if (seg->is_due && !seg->released && !world_case->comes_round &&
		    seg->ready_seq >= (u64)world.ring.overwritten_seq.counter)
			model_fail("segment %u was READY before HOLD of all, and is still READY",
				   i);
		if (!max && is_left(i, seq))
			model_fail("segment %u is %s after HOLD, which says to have all up to %llu",
				   i, watch_states[STATE(seg->state)], seq);
		if (known->hole && seq >= known->hole && seg->is_taken &&
		    seg->ready_seq > known->hole_ready)
			model_fail("HOLD says to have all up to %llu, and %llu was overwritten",
				   seq, known->hole);
		seg->is_wanted = false;
		seg->is_taken = false;
		seg->is_due = false;
		seg->is_old = false;
	}
	known->hole = 0;
	known->begin = 0;
	known->hole_ready = 0;
	known->holder = 0;
	known->held = 0;
	known->took = false;
}
