/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of three segments or four, who uses it, and what the model knows of it.
 */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "shim.h"
#include "../../module/ring/attach.h"
#include "../../module/ring/frame_word.h"
#include "../../module/ring/process.h"
#include "../../module/ring/writer.h"

#define SEGMENTS	4	/* most */
#define SPANS		2	/* per segment */
#define SEGMENT_SIZE	112	/* two frames of eight bytes */
#define MARKER		16	/* two spans of eight bytes, one of sixteen */
#define GAPS		6
#define FRAME		(sizeof(struct perfaux_frame) + 8)
#define ITEMS		20

/* What a context does, one after the other. */
enum op_kind {
	OP_END,
	OP_SPAN,		/* begin, write arg bytes, end */
	OP_FRAME,		/* reserve eight bytes, write, commit */
	OP_DISCARD,		/* the same, discard */
	OP_LEAVE,		/* reserve, write, and never end it */
	OP_RELEASE,		/* what is READY or HELD in segment arg, having read it */
	OP_MARK,		/* whatever it is in: MARK(segment, value) */
	OP_HOLD,		/* up to arg segments, 0: all */
	OP_HOLD_SPANS,		/* the same with PERFAUX_FLUSH_SPANS */
	OP_HOLD_THAW,		/* and with PERFAUX_HOLD_THAW */
	OP_UNHOLD,		/* segment arg */
	OP_UNHOLD_ALL,
	OP_TRIGGER,		/* post: arg */
	OP_THAW,
	OP_FLUSH,
	OP_ABANDON,		/* FLUSH with PERFAUX_FLUSH_ABANDON */
	OP_MAKE_WAY,		/* what the irq_work of a wake-up does for frames */
	OP_TRUNCATED,		/* OP_SPAN, at the end of which the PMU says that it lost data */
	OP_MOVE,		/* the thread is on CPU arg from here on */
};

#define MARK(segment, value)	((segment) | (value) << 8)

struct op {
	enum op_kind kind;
	unsigned int arg;
};

struct actor {
	const char *name;	/* of one letter that no other has */
	int cpu;
	int level;
	struct op ops[5];
};

struct model_case {
	const char *name;
	bool overwrite;
	bool frames;
	bool sinks;
	bool kicks;		/* FLUSH and HOLD interrupt events */
	bool frozen;
	bool roomy;		/* nobody may find that there is no segment */
	unsigned int segments;	/* 0: 3 */
	/* Spans that are there at first, READY, in so many segments */
	unsigned int filled;
	struct actor actors[MODEL_CTX];
};

/* What the model knows of a segment; ctx + 1 where it names a context, 0: none. */
struct known_segment {
	u64 state;
	u64 word;			/* pa_segment.frames */
	u64 ready_seq;
	u32 frames_end;
	u8 owner;
	u8 nr_spans;
	u8 used;			/* bytes that spans have been published of */
	u8 bytes;			/* likewise, without what was skipped */
	bool released;			/* its mark was its number in this use */
	bool is_stolen;			/* being claimed by overwriting: */
	bool mark_was_set, mark_was_not; /* ... was its mark the number it had? */
	u8 stolen_bytes;
	u64 stolen_seq;
	bool is_new;			/* CLAIMED for a new use */
	bool is_old;			/* its span began before a HOLD that goes on */
	bool is_wanted;			/* by that: it has such a span that is published */
	bool is_taken;			/* HELD by that */
	u8 writer[SEGMENT_SIZE / 8];	/* who may write these eight bytes */
};

/* A span that was published, by its number. */
struct known_item {
	u8 tid;
	u8 t_begin;
	u8 t_end;
};

struct known {
	struct known_segment seg[SEGMENTS];
	struct known_item item[ITEMS];
	/* Of gaps that are OPEN and in no CPU's slot, and of sinks */
	u8 gap_owner[GAPS], sink_owner[MODEL_CPUS];
	u8 gap_state[GAPS];
	int slot[MODEL_CPUS];
	u32 seq_used;			/* numbers of uses, a bit each */
	u32 ready_used;
	u32 gone;			/* the highest ready_seq that was overwritten */
	int may_overwrite;
	u64 claims;
	u32 written;			/* bytes that PMUs wrote, or frames were asked for */
	u32 discarded;
	u32 taken;			/* bytes of segments that were taken into use anew */
	u32 lost_least, lost_most;	/* of these, in control.lost_bytes[OVERWRITTEN] */
	int allowance;			/* segments that may still be overwritten */
	int refs, left;			/* left: by OP_LEAVE */
	bool resumed;			/* since STARVED was set */
	u8 op[MODEL_CTX];		/* index in actor.ops */
	u8 may[MODEL_CTX];		/* was told that it may overwrite one */
	u8 stable[MODEL_CTX];		/* READY since its begin, a bit per segment */
	u64 arg_seq[MODEL_CTX];		/* of UNHOLD */
	u32 held;			/* segments, by the HOLD that goes on */
	bool took;			/* ... which has taken what was READY */
	bool holds;			/* it goes on */
	u64 begin;			/* the last span when it began */
	u64 hole, hole_ready;		/* first span overwritten behind what it took, or 0 */
};

/* What a PMU does */
struct span {
	struct perf_output_handle handle;
	u64 *data;			/* NULL: it does not write */
	u64 time;
	unsigned int done, left;	/* bytes */
};

struct world {
	/* What the module works with; accesses to it are seen. */
	struct pa_ring ring;
	struct perfaux_control ctl;
	struct perfaux_segment segments[SEGMENTS];
	struct perfaux_span spans[SEGMENTS][SPANS];
	struct perfaux_gap gaps[GAPS];
	struct pa_segment seg[SEGMENTS];
	struct pa_cpu cpu[MODEL_CPUS];
	u64 data[SEGMENTS][SEGMENT_SIZE / 8];
	u64 marks[SEGMENTS];
	u64 gap_marks[GAPS];
	u64 gap_states[GAPS];
	u64 end_of_gaps[2];
	/* Of contexts, [0]: of nobody */
	struct perf_event events[MODEL_CTX + 1];

	/* What is the model's. */
	struct known known;
	struct span span[MODEL_CTX + 1];
	struct model_ctx ctx[MODEL_CTX];
};

#define WORLD_SEEN	offsetof(struct world, known)

extern struct world world;
extern const struct model_case *world_case;

/* world.c */
void world_setup(const struct model_case *c);
/* Who owns what is at @at: a context, -1: nobody, -2: no such thing as an owner */
int world_owner(const void *at);
/* Its name, in a static buffer; NULL: a pointer or size that is what it is */
const char *world_name(const void *at);

/* actors.c: all that context @ctx does */
void actor_run(int ctx);
const struct op *actor_op(int ctx);
void actor_span(unsigned int bytes);
extern const struct pmu actor_pmu;
/* What a PMU or producer writes */
u64 actor_data(u64 cookie, u64 time);

/* watch.c: called after each access, and before each */
void watch(void);
void watch_write(const void *at, size_t size);
void watch_read(const void *at);
/* HOLD of all begins, and ends: it says that it took so many. */
void watch_hold_begins(unsigned int max);
void watch_hold_ends(int held, unsigned int max, u64 seq);
/* No context runs; all that had to be done is done. */
void watch_end(void);
/* What was done before anybody ran is as it should be. */
void watch_begin(void);

#endif /* MODEL_WORLD_H */
