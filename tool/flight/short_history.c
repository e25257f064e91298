// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check whether the history is as long as the window that was asked for (--flight=TIME). If it is
 * shorter, tell what fills the memory, and how much memory would suffice.
 */
#include <stdio.h>

#include "flight/flight.h"
#include "stream/read_snapshot.h"

#define MIB		(1ULL << 20)

/*
 * Hysteresis: a history below SHORT_PERCENT of the window is short, until it reaches LONG_PERCENT.
 */
#define SHORT_PERCENT	90
#define LONG_PERCENT	97

/* Between the two limits the last answer stays. */
static bool is_short(const struct flight_short *s, __u64 history, __u64 window)
{
	return history < window / 100 * (s->part ? LONG_PERCENT : SHORT_PERCENT);
}

/* Scale @bytes, which suffice for @history, to the window, with a tenth to spare. */
static __u64 scale(__u64 bytes, __u64 window, __u64 history)
{
	return 1.1 * bytes * window / (history ? history : 1);
}

/* Return how much memory records would need. It includes what a child needs, see recent_share(). */
static __u64 records_wanted(const struct recent_stats *stats, __u64 window, __u64 history)
{
	const __u64 records = scale(stats->of_samples + stats->of_sideband, window, history);

	return (records + 3 * stats->of_state) / 7 * 8;
}

/* If the raw ring has half of the rest, both halves must suffice. */
static __u64 memory_for(const struct session *s, __u64 records, __u64 raw)
{
	const struct flight_memory *m = &s->flight->memory;
	__u64 fixed = m->limit - m->records;

	if (m->raw && s->opt->flight.half_is_raw) {
		fixed -= m->raw;
		records = 2 * (records > raw ? records : raw);
	} else if (raw > m->raw) {
		fixed += raw - m->raw;
	}
	return (fixed + records + MIB - 1) & ~(MIB - 1);
}

/* Return how far back the raw ring goes, ns; ~0: nothing was overwritten, or there is no data. */
static __u64 raw_history(const struct session *s, __u64 now)
{
	const __u64 begin = s->flight->raw_history;

	if (!s->have_raw || begin == ~0ULL || begin > now ||
	    s->raw.ctl->claims <= s->raw.ctl->nr_segments)
		return ~0ULL;
	return now - begin;
}

static void look(struct session *s, __u64 now, struct flight_short *to)
{
	const __u64 window = s->opt->flight.window, raw = raw_history(s, now);
	const struct flight_memory *m = &s->flight->memory;
	struct recent_stats stats;
	__u64 records, ring;
	bool few;

	recent_stats(s->flight->recent, &stats);
	to->history = stats.begin && stats.begin < now ? now - stats.begin : window;
	records = m->records;
	ring = m->raw;
	few = is_short(to, to->history, window);
	if (few)
		records = records_wanted(&stats, window, to->history);
	if (is_short(to, raw, window))
		ring = scale(m->raw, window, raw);
	if (raw < to->history && ring != m->raw) {
		to->history = raw;
		to->part = SNAPSHOT_SHORT_RAW;
	} else if (few) {
		to->part = stats.of_samples > stats.of_sideband + stats.of_state ?
			   SNAPSHOT_SHORT_SAMPLES : SNAPSHOT_SHORT_TASKS;
	} else {
		to->part = SNAPSHOT_SHORT_NOT;
	}
	to->memory = to->part ? memory_for(s, records, ring) : 0;
}

void flight_short_print(const struct session *s, char *buf, size_t size)
{
	const struct flight_short *to = &s->flight->lacking;

	if (!to->part)
		snprintf(buf, size, "no");
	else
		snprintf(buf, size, "%.1f of %.1f s, the memory is full of %s; -M %lluM would do",
			 to->history / 1e9, s->opt->flight.window / 1e9,
			 read_snapshot_short(to->part), to->memory / MIB);
}

/* Log each change: whether the history is short, and what fills the memory. */
void flight_look_short(struct session *s, __u64 now)
{
	struct flight_short *last = &s->flight->lacking, next = *last;
	char text[160];
	bool changed;

	if (!s->opt->flight.window || now_ns() - s->started < s->opt->flight.window)
		return;
	look(s, now, &next);
	changed = next.part != last->part;
	*last = next;
	if (!changed || s->opt->quiet)
		return;
	flight_short_print(s, text, sizeof(text));
	if (next.part)
		say("the history is shorter than --flight asks for: %s", text);
	else
		say("the history is as long as --flight asks for again");
}
