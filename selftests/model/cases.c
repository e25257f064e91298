// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cases: which contexts do what at the same time. A task or an NMI has a CPU. User space
 * has none, so it can run at any time.
 *
 * While a gap has no end, no case has a FLUSH, another loss, or another thread of the event
 * that begins on the CPU: see "Limits" in Documentation/design.rst.
 *
 * A task and an NMI on each of two CPUs that overwrite segments would be too many states (more
 * than ninety million). The cases with these four contexts therefore have segments left,
 * starve, or freeze the ring.
 */
#include "cases.h"

const struct model_case model_cases[] = {
	{
		.name = "two writers",
		.sinks = true,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 }, { OP_SPAN, 8 }, { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 }, { OP_SPAN, 16 }, { OP_SPAN, 8 } } },
		},
	},
	{
		.name = "a writer, its NMI, another writer",
		.sinks = true,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
		},
	},
	{
		.name = "no segment, an NMI on each CPU",
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "M nmi", 1, 1, { { OP_SPAN, 8 } } },
		},
	},
	{
		.name = "no segment, no sink taken, an NMI",
		.sinks = true,
		.free_sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
		},
	},
	{
		.name = "one segment left, an NMI on each CPU",
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "M nmi", 1, 1, { { OP_SPAN, 8 } } },
		},
	},
	{
		.name = "all segments left, an NMI on each CPU",
		.sinks = true,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "M nmi", 1, 1, { { OP_SPAN, 8 } } },
		},
	},
	{
		.name = "interrupted twice",
		.sinks = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "I irq", 0, 1, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 16 } } },
		},
	},
	{
		.name = "one segment left",
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
		},
	},
	{
		.name = "no segment, and a reader who gives back",
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 0 } } },
		},
	},
	{
		.name = "no segment, an NMI, and a reader",
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 1 } } },
		},
	},
	{
		.name = "no segment, and a writer that leaves room",
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 }, { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
		},
	},
	{
		.name = "no segment and no sink",
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 0 } } },
		},
	},
	{
		.name = "a thread that loses data moves to another CPU",
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 }, { OP_MOVE, 1 }, { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 0 } } },
		},
	},
	{
		/* The gap after A's first span has no end until A writes again. */
		.name = "a thread moves while an NMI looks for gaps",
		.actors = {
			{ "A task", 0, 0,
				{ { OP_TRUNCATED, 8 }, { OP_MOVE, 1 }, { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 8 } } },
		},
	},
	{
		.name = "a reader who gives back the last one first",
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 2 }, { OP_RELEASE, 0 } } },
			{ "W wake", -1, 0, { { OP_MAKE_WAY } } },
		},
	},
	{
		/* Others take two free segments and give back the first, while A takes one. */
		.name = "a free segment that was used in between",
		.sinks = true,
		.roomy = true,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 0 }, { OP_MAKE_WAY } } },
		},
	},
	{
		/* Segments 0 and 2 are A's, and 1 is B's. */
		.name = "two nodes, each with a segment for its writer",
		.sinks = true,
		.nodes = true,
		.roomy = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 0 }, { OP_MAKE_WAY } } },
		},
	},
	{
		.name = "two nodes, and one that has no segment left",
		.sinks = true,
		.nodes = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 }, { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "W wake", -1, 0, { { OP_RELEASE, 0 }, { OP_MAKE_WAY } } },
		},
	},
	{
		.name = "hostile marks",
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "H hostile", -1, 0,
				{ { OP_MARK, MARK(0, 2) }, { OP_MARK, MARK(0, 1) },
				  { OP_MARK, MARK(0, 0) } } },
			{ "I hostile", -1, 0,
				{ { OP_MARK, MARK(1, 3) },
				  { OP_MARK, MARK(2, 4) } } },
		},
	},
	{
		.name = "flush beside writers",
		.sinks = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "F flush", -1, 0, { { OP_FLUSH } } },
		},
	},
	{
		.name = "overwriting",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
		},
	},
	{
		/* Each time that A has found the oldest segment, one of the NMIs takes it. */
		.name = "overwriting, and NMIs that do it first",
		.overwrite = true,
		.sinks = true,
		.roomy = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 16 } } },
			{ "O nmi", 0, 2, { { OP_SPAN, 16 } } },
			{ "P nmi", 0, 2, { { OP_SPAN, 16 } } },
		},
	},
	{
		/* While A looks for the oldest segment, an NMI overwrites all of them twice. */
		.name = "overwriting, and an NMI that comes round the table",
		.overwrite = true,
		.sinks = true,
		.roomy = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 16 }, { OP_SPAN, 16 }, { OP_SPAN, 16 },
					   { OP_SPAN, 16 }, { OP_SPAN, 16 }, { OP_SPAN, 16 } } },
		},
	},
	{
		.name = "overwriting, and a reader",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_RELEASE, 1 } } },
		},
	},
	{
		.name = "hold beside overwriting",
		.large = true,
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 2 } } },
		},
	},
	{
		.name = "a reader that looks while segments become READY",
		.sinks = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "R reader", -1, 0, { { OP_LOOK }, { OP_LOOK } } },
		},
	},
	{
		/* The NMI interrupts A while it publishes, and the reader looks at that moment. */
		.name = "a reader that looks, and an NMI",
		.sinks = true,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_LOOK }, { OP_LOOK } } },
		},
	},
	{
		.name = "a reader that looks while the table comes round",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 }, { OP_SPAN, 16 } } },
			{ "N nmi", 0, 1, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_LOOK } } },
		},
	},
	{
		.name = "a reader that waits for two segments",
		.sinks = true,
		.watermark = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_POLL } } },
		},
	},
	{
		.name = "a reader that releases one and waits for two",
		.sinks = true,
		.filled = 1,
		.watermark = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_POLL }, { OP_RELEASE, 0 }, { OP_POLL } } },
		},
	},
	{
		.name = "a reader that waits for three, and a writer that starves",
		.sinks = true,
		.segments = 1,
		.watermark = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "R reader", -1, 0, { { OP_POLL }, { OP_RELEASE, 0 }, { OP_POLL } } },
		},
	},
	{
		.name = "a reader that waits for what is held",
		.sinks = true,
		.filled = 2,
		.watermark = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 0 }, { OP_UNHOLD_ALL } } },
			{ "R reader", -1, 0, { { OP_POLL } } },
		},
	},
	{
		.name = "hold, unhold, release and overwriting",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 2 }, { OP_HOLD, 1 } } },
			{ "U unhold", -1, 0, { { OP_UNHOLD, 0 }, { OP_UNHOLD_ALL } } },
			{ "R reader", -1, 0, { { OP_MARK, MARK(0, 1) } } },
		},
	},
	{
		.name = "hold after unhold",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 }, { OP_SPAN, 16 }, { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 2 }, { OP_UNHOLD_ALL }, { OP_HOLD, 0 } } },
		},
	},
	{
		/* The entry of the segment that is HELD is needed for another one. */
		.name = "unhold after the others were overwritten",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 }, { OP_SPAN, 16 }, { OP_SPAN, 16 },
					    { OP_SPAN, 16 }, { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 1 }, { OP_UNHOLD_ALL } } },
		},
	},
	{
		/* The oldest segment stays READY until its entry is needed for another one. */
		.name = "a reader who keeps the oldest, and hold",
		.large = true,
		.overwrite = true,
		.comes_round = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 }, { OP_SPAN, 16 }, { OP_SPAN, 16 },
					    { OP_SPAN, 16 } } },
			{ "H hold", -1, 0,
				{ { OP_RELEASE, 1 }, { OP_RELEASE, 2 }, { OP_HOLD, 0 },
				  { OP_UNHOLD_ALL } } },
		},
	},
	{
		/* The writer has only this segment to use again. */
		.name = "unhold of another use",
		.overwrite = true,
		.sinks = true,
		.segments = 1,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 0 }, { OP_HOLD, 0 } } },
			{ "U unhold", -1, 0, { { OP_UNHOLD, 0 } } },
			{ "R reader", -1, 0, { { OP_MARK, MARK(0, 1) } } },
		},
	},
	{
		.name = "trigger, post 0",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "T trigger", 0, 1, { { OP_TRIGGER, 0 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
		},
	},
	{
		.name = "trigger, post 1",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "T trigger", 0, 1, { { OP_TRIGGER, 1 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
		},
	},
	{
		.name = "a trigger in an NMI of each CPU, post 1",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "T trigger", 0, 1, { { OP_TRIGGER, 1 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "U trigger", 1, 1, { { OP_TRIGGER, 1 } } },
		},
	},
	{
		.name = "triggers, post 1, and thaw",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "T trigger", 0, 1, { { OP_TRIGGER, 1 } } },
			{ "B task", 1, 0, { { OP_SPAN, 16 } } },
			{ "W thaw", -1, 0, { { OP_THAW }, { OP_TRIGGER, 0 } } },
		},
	},
	{
		.name = "a trigger, hold and unhold",
		.overwrite = true,
		.sinks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 }, { OP_SPAN, 16 } } },
			{ "T trigger", 1, 1, { { OP_TRIGGER, 1 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 1 }, { OP_UNHOLD_ALL } } },
		},
	},
	{
		.name = "hold of all, again and again, beside unhold",
		.overwrite = true,
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 0 }, { OP_HOLD, 0 }, { OP_HOLD, 0 } } },
			{ "U unhold", -1, 0, { { OP_UNHOLD, 0 } } },
		},
	},
	{
		.name = "unhold of all beside unhold and hold",
		.overwrite = true,
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 0 } } },
			{ "U unhold", -1, 0, { { OP_UNHOLD_ALL }, { OP_UNHOLD_ALL } } },
			{ "V unhold", -1, 0, { { OP_UNHOLD, 1 } } },
		},
	},
	{
		.name = "hold of all without an answer",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD, 1 }, { OP_HOLD_LOST, 0 } } },
		},
	},
	{
		.name = "hold of all without an answer, and another hold",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD_LOST, 0 } } },
			{ "I hold", -1, 0, { { OP_HOLD_SPANS, 1 } } },
		},
	},
	{
		.name = "hold of all beside two writers",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 0 } } },
		},
	},
	{
		.name = "hold of all, four segments",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.segments = 4,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 0 } } },
		},
	},
	{
		.name = "hold of all beside a writer and its NMI",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 0 } } },
		},
	},
	{
		.name = "hold of all beside an NMI on each CPU",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.filled = 1,
		.actors = {
			{ "N nmi", 0, 2, { { OP_SPAN, 8 } } },
			{ "M nmi", 1, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 0 } } },
		},
	},
	{
		.name = "hold of two",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 2 } } },
		},
	},
	{
		.name = "hold of two beside a fast writer",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 }, { OP_SPAN, 16 }, { OP_SPAN, 16 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 2 } } },
		},
	},
	{
		.name = "hold of all, frozen",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.frozen = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 0 } } },
		},
	},
	{
		.name = "hold of all and thaw",
		.overwrite = true,
		.sinks = true,
		.kicks = true,
		.frozen = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "N nmi", 1, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_THAW, 0 } } },
		},
	},
	{
		.name = "frames",
		.frames = true,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "N nmi", 0, 1, { { OP_FRAME } } },
			{ "B task", 1, 0, { { OP_FRAME } } },
		},
	},
	{
		.name = "no segment for frames, an NMI on each CPU",
		.frames = true,
		.filled = 3,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "N nmi", 0, 1, { { OP_FRAME } } },
			{ "B task", 1, 0, { { OP_FRAME } } },
			{ "M nmi", 1, 1, { { OP_FRAME } } },
		},
	},
	{
		.name = "frames, one segment left",
		.frames = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "N nmi", 0, 1, { { OP_DISCARD } } },
			{ "B task", 1, 0, { { OP_FRAME }, { OP_FRAME } } },
		},
	},
	{
		.name = "frames, interrupted twice",
		.frames = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "I irq", 0, 1, { { OP_FRAME } } },
			{ "N nmi", 0, 2, { { OP_DISCARD } } },
		},
	},
	{
		.name = "frames that are abandoned",
		.frames = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "B task", 1, 0, { { OP_LEAVE } } },
			{ "F flush", -1, 0, { { OP_ABANDON } } },
		},
	},
	{
		.name = "an NMI, and frames that are abandoned",
		.frames = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "N nmi", 0, 1, { { OP_FRAME } } },
			{ "F flush", -1, 0, { { OP_ABANDON } } },
		},
	},
	{
		.name = "abandoned frames and overwriting",
		.overwrite = true,
		.frames = true,
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_FRAME } } },
			{ "F flush", -1, 0, { { OP_ABANDON } } },
		},
	},
	{
		.name = "an abandoned frame, and a mark",
		.frames = true,
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_MARK, MARK(2, 3) }, { OP_SPAN, 16 } } },
			{ "B task", 1, 0, { { OP_FRAME } } },
			{ "F flush", -1, 0, { { OP_ABANDON } } },
		},
	},
	{
		.name = "frames and spans, overwriting",
		.overwrite = true,
		.frames = true,
		.sinks = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_SPAN, 8 } } },
			{ "B task", 1, 0, { { OP_FRAME } } },
			{ "W wake", -1, 0, { { OP_MAKE_WAY } } },
		},
	},
	{
		.name = "hold of all beside a frame",
		.overwrite = true,
		.frames = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 0 } } },
		},
	},
	{
		.name = "hold of two beside a frame and its NMI",
		.overwrite = true,
		.frames = true,
		.sinks = true,
		.filled = 2,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "N nmi", 0, 1, { { OP_FRAME } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 2 } } },
		},
	},
	{
		.name = "hold of all beside a frame and a span in its NMI",
		.overwrite = true,
		.frames = true,
		.sinks = true,
		.kicks = true,
		.filled = 1,
		.actors = {
			{ "A task", 0, 0, { { OP_FRAME } } },
			{ "N nmi", 0, 2, { { OP_SPAN, 8 } } },
			{ "H hold", -1, 0, { { OP_HOLD_SPANS, 0 } } },
		},
	},
};

const unsigned int model_nr_cases = ARRAY_SIZE(model_cases);
