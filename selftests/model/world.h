/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of at most four segments, its users, and what the model knows about it.
 */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "shim.h"
#include "../../module/ring/attach.h"
#include "../../module/ring/frame_word.h"
#include "../../module/ring/node.h"
#include "../../module/ring/order.h"
#include "../../module/ring/process.h"
#include "../../module/ring/writer.h"
#include "../../tool/ring/look.h"

#define SEGMENTS	4	/* maximum */
#define SPANS		2	/* per segment */
#define SEGMENT_SIZE	112	/* two frames of eight bytes */
#define MARKER		16	/* two spans of eight bytes, or one of sixteen */
#define GAPS		6
#define FRAME		(sizeof(struct perfaux_frame) + 8)
#define ITEMS		20
#define ORDER		4	/* entries of pa_ring.order, a power of two */

/* The operations of a context, which it makes one after the other. */
enum op_kind {
	OP_END,
	OP_SPAN,		/* begin a span, write arg bytes, end the span */
	OP_FRAME,		/* reserve a frame of eight bytes, write, commit */
	OP_DISCARD,		/* the same, but discard */
	OP_LEAVE,		/* reserve a frame, write, and never end it */
	OP_RELEASE,		/* read and release segment arg if it is READY or HELD */
	OP_MARK,		/* set a mark in any state: MARK(segment, value) */
	OP_HOLD,		/* HOLD of up to arg segments, 0: all */
	OP_HOLD_SPANS,		/* the same with PERFAUX_FLUSH_SPANS */
	OP_HOLD_THAW,		/* the same with PERFAUX_HOLD_THAW, too */
	OP_HOLD_LOST,		/* OP_HOLD_SPANS whose answer cannot be written */
	OP_UNHOLD,		/* UNHOLD of segment arg */
	OP_UNHOLD_ALL,
	OP_TRIGGER,		/* a trigger with post = arg */
	OP_THAW,
	OP_FLUSH,
	OP_ABANDON,		/* FLUSH with PERFAUX_FLUSH_ABANDON */
	OP_MAKE_WAY,		/* what the work of a wake-up does when writers starve */
	OP_TRUNCATED,		/* OP_SPAN; at its end the PMU reports lost data */
	OP_LOOK,		/* find segments that have something new, as auxrec does */
	OP_POLL,		/* poll() by a reader that waits for the watermark */
	OP_MOVE,		/* the thread moves to CPU arg */
};

#define MARK(segment, value)	((segment) | (value) << 8)

struct op {
	enum op_kind kind;
	unsigned int arg;
};

struct actor {
	const char *name;	/* its first letter is unique in the case */
	int cpu;
	int level;
	struct op ops[7];
};

struct model_case {
	const char *name;
	bool overwrite;
	bool frames;
	bool sinks;
	bool comes_round;	/* a HOLD of all can miss a segment whose entry is needed */
	bool free_sinks;	/* no CPU has taken its sink yet */
	bool nodes;		/* each CPU is a NUMA node; see also world.nodes */
	bool kicks;		/* FLUSH and HOLD interrupt events */
	bool frozen;
	bool roomy;		/* every writer must find a segment */
	bool large;		/* takes minutes: only in the whole form, not with SHORT */
	unsigned int segments;	/* 0: 3 */
	/* The number of segments that are READY with a span at first */
	unsigned int filled;
	unsigned int watermark;	/* 0: 1 */
	struct actor actors[MODEL_CTX];
};

/* What the model knows about a segment. A context is its number plus 1, or 0 for none. */
struct known_segment {
	u64 state;
	u64 word;			/* pa_segment.frames */
	u64 ready_seq;
	u32 frames_end;
	u8 owner;
	u8 nr_spans;
	u8 used;			/* the end of the published spans, in bytes */
	u8 bytes;			/* the bytes of these, without skipped ones */
	bool released;			/* its mark had the number of this use at some time */
	bool is_stolen;			/* a writer is claiming it by overwriting */
	bool mark_was_set, mark_was_not; /* meanwhile: had its mark the old number? */
	u8 stolen_bytes;
	u64 stolen_seq;
	bool is_new;			/* CLAIMED for a new use */
	bool is_old;			/* its span began before the current HOLD */
	bool is_wanted;			/* such a span is published: HOLD must take it */
	bool is_taken;			/* the current HOLD has taken it */
	bool is_due;			/* the current HOLD must take it */
	u8 holder;			/* the HOLD that has taken it, see watch_holder() */
	u8 returner;			/* the context whose UNHOLD is making it READY */
	u8 publisher;			/* the context that is publishing it */
	u8 writer[SEGMENT_SIZE / 8];	/* the context that can write these eight bytes */
};

/* A published span, by its number */
struct known_item {
	u8 tid;
	u8 t_begin;
	u8 t_end;
};

struct known {
	struct known_segment seg[SEGMENTS];
	struct known_item item[ITEMS];
	/* The owners of gaps that are OPEN and in no CPU's slot, and of sinks */
	u8 gap_owner[GAPS], sink_owner[MODEL_CPUS];
	u8 gap_state[GAPS];
	int slot[MODEL_CPUS];
	u32 seq_used;			/* the numbers of uses so far, one bit each */
	u32 ready_used;
	u32 gone;			/* the highest ready_seq that was overwritten */
	int may_overwrite;
	u64 claims;
	u32 written;			/* bytes that PMUs wrote or producers asked for */
	u32 discarded;
	u32 taken;			/* bytes in old uses of segments that were used again */
	u32 lost_least, lost_most;	/* bounds of control.lost_bytes[OVERWRITTEN] */
	int allowance;			/* number of segments that can still be overwritten */
	int refs, left;			/* references to the ring, and those of OP_LEAVE */
	bool sleeps;			/* a reader sleeps in poll() */
	u8 op[MODEL_CTX];		/* index in actor.ops */
	u8 may[MODEL_CTX];		/* the context can overwrite one segment */
	u8 stable[MODEL_CTX];		/* segments that were READY since the operation began */
	u64 arg_seq[MODEL_CTX];		/* argument of UNHOLD */
	u32 held;			/* segments that the current HOLD has taken */
	bool took;			/* HOLD has taken all that were READY */
	u8 holder;			/* the HOLD that is running, see watch_holder() */
	u64 begin;			/* number of the last span when it began */
	/* The reader of OP_LOOK, and the last use in which it saw each segment READY */
	struct look look;
	u64 look_words;
	u64 look_seen[SEGMENTS];
	u64 hole, hole_ready;		/* first span overwritten after what HOLD took, or 0 */
};

/* A span that a PMU is writing */
struct span {
	struct perf_output_handle handle;
	u64 *data;			/* NULL: the PMU does not write */
	u64 time;
	unsigned int done, left;	/* bytes */
};

struct world {
	/* The module's data. The model sees accesses to it. */
	struct pa_ring ring;
	struct perfaux_control ctl;
	struct perfaux_segment segments[SEGMENTS];
	struct perfaux_span spans[SEGMENTS][SPANS];
	struct perfaux_gap gaps[GAPS];
	struct pa_segment seg[SEGMENTS];
	struct pa_cpu cpu[MODEL_CPUS];
	struct pa_sink sink[MODEL_CPUS], *sinks[MODEL_CPUS];
	u64 data[SEGMENTS][SEGMENT_SIZE / 8];
	u64 marks[SEGMENTS];
	u64 gap_marks[GAPS];
	u64 gap_states[GAPS];
	u64 end_of_gaps[2];
	u64 order[ORDER];
	unsigned long open, late, held, gap_cpus, free_sinks;
	struct pa_free free[MODEL_CPUS];
	u16 nodes[SEGMENTS];		/* segment i is on node i % MODEL_CPUS */
	u64 lock;			/* ring.lock */
	/* The events of the contexts; [0] belongs to no context */
	struct perf_event events[MODEL_CTX + 1];

	/* The model's own data */
	struct known known;
	struct span span[MODEL_CTX + 1];
	struct model_ctx ctx[MODEL_CTX];
};

#define WORLD_SEEN	offsetof(struct world, known)

extern struct world world;
extern const struct model_case *world_case;

/* world.c */
void world_setup(const struct model_case *c);
/* Return the context that owns @at, -1: no context does, -2: this memory has no owners */
int world_owner(const void *at);
/* Return the name of @at in a static buffer, or NULL for a pointer or size that never changes */
const char *world_name(const void *at);

/* actors.c: run all operations of context @ctx */
void actor_run(int ctx);
const struct op *actor_op(int ctx);
void actor_span(unsigned int bytes);
extern const struct pmu actor_pmu;
/* Do OP_LOOK: find the segments that have something new for the reader. */
void actor_look(void);
/* Return the data that a PMU or producer writes. */
u64 actor_data(u64 cookie, u64 time);

/* watch.c: check the rules; called before and after each access */
void watch(void);
void watch_write(const void *at, size_t size);
void watch_read(const void *at);
/* HOLD begins, and ends: it returned that it took @held segments. */
void watch_hold_begins(unsigned int max);
void watch_hold_ends(int held, unsigned int max, u64 seq);
/* UNHOLD of all has ended, or HOLD has given back what it took (@holder). */
void watch_all_back(u8 holder);
/* Return the number of the HOLD that the running context is making. */
u8 watch_holder(void);
/* The names of enum perfaux_state */
extern const char *const watch_states[];
/* watch_end.c: check the final state: all contexts have ended. */
void watch_end(void);
/* Check the initial state, before any context runs. */
void watch_begin(void);

#endif /* MODEL_WORLD_H */
