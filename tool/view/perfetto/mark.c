// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write marks: gaps, losses, errors, triggers, what happens to tasks, and when threads ran.
 */
#include "view/perfetto/parts.h"

/* How each kind is written */
static const struct {
	const char *name;		/* of the event, and its category */
	enum perfetto_argument value;	/* what the mark's value is */
	bool named_by_text;		/* the text is the event's name, not an argument */
} kinds[] = {
	[TL_MARK_GAP]		= { "gap", ARG_BYTES, false },
	[TL_MARK_LOST]		= { "lost", ARG_RECORDS, false },
	[TL_MARK_ERROR]		= { "error", ARG_VALUE, false },
	[TL_MARK_TRIGGER]	= { "trigger", ARG_VALUE, false },
	[TL_MARK_START]		= { "start", ARG_NONE, false },
	[TL_MARK_COMM]		= { "comm", ARG_NONE, false },
	[TL_MARK_EXIT]		= { "exit", ARG_NONE, false },
	[TL_MARK_RUNS]		= { "runs", ARG_CPU, false },
	[TL_MARK_SAMPLE]	= { "sample", ARG_VALUE, true },
	[TL_MARK_RAW]		= { "raw", ARG_BYTES, true },
};

static void add_arguments(struct perfetto *t, const struct tl_mark *mark, bool named)
{
	if (mark->end > mark->begin)
		perfetto_number(t, ARG_UNTIL, mark->end);
	if (kinds[mark->kind].value && (mark->value || mark->kind == TL_MARK_RUNS))
		perfetto_number(t, kinds[mark->kind].value, mark->value);
	if (mark->text && *mark->text && !named)
		perfetto_text(t, ARG_TEXT, mark->text);
}

static int add_instant(struct perfetto *t, __u64 track, const struct tl_mark *mark)
{
	const bool named = kinds[mark->kind].named_by_text && mark->text && *mark->text;
	const size_t event = perfetto_event(t, mark->begin, EVENT_INSTANT, track);

	proto_string(&t->packet, EVENT_CATEGORY_STRING, kinds[mark->kind].name);
	proto_string(&t->packet, EVENT_NAME, named ? mark->text : kinds[mark->kind].name);
	add_arguments(t, mark, named);
	return perfetto_event_end(t, event);
}

/*
 * A thread runs on one CPU at a time, so these slices do not overlap. If they do in a damaged
 * recording, they cannot be on one track, and the second one becomes an instant.
 */
static int add_run(struct perfetto *t, __u32 lane, const struct tl_mark *mark)
{
	const __u64 track = perfetto_runs_track(lane);
	struct perfetto_lane *l = &t->lanes[lane];
	size_t event;
	char name[32];
	int err = perfetto_add_runs(t, lane);

	if (err)
		return err;
	if (mark->begin < l->run_end || mark->end < mark->begin)
		return add_instant(t, track, mark);
	l->run_end = mark->end;
	event = perfetto_event(t, mark->begin, EVENT_SLICE_BEGIN, track);
	snprintf(name, sizeof(name), "CPU %llu", (unsigned long long)mark->value);
	proto_string(&t->packet, EVENT_NAME, name);
	perfetto_number(t, ARG_CPU, mark->value);
	err = perfetto_event_end(t, event);
	if (err)
		return err;
	event = perfetto_event(t, mark->end, EVENT_SLICE_END, track);
	return perfetto_event_end(t, event);
}

int perfetto_mark(struct perfetto *t, __u32 lane, const struct tl_mark *mark)
{
	if (mark->kind == TL_MARK_RUNS)
		return add_run(t, lane, mark);
	return add_instant(t, perfetto_track(lane), mark);
}
