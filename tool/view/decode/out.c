// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collect the flow, and estimate times between those of the trace.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "view/decode/out.h"

/* The time of fewer instructions does not tell how long one takes. */
#define MIN_STEPS	16

void out_free(struct out *o)
{
	free(o->list);
	free(o->times);
}

void out_rewind(struct out *o, size_t nr)
{
	o->nr = nr;
	o->nr_times = 0;
}

void out_trim(struct out *o)
{
	struct flow *less = o->nr ? realloc(o->list, o->nr * sizeof(*less)) : NULL;

	if (less)
		o->list = less;
	free(o->times);
	o->times = NULL;
}

void out_add(struct out *o, const struct flow *f)
{
	struct out_time *t = o->nr_times ? &o->times[o->nr_times - 1] : NULL;

	if (o->err || grow((void **)&o->list, o->nr, sizeof(*o->list))) {
		o->err = -ENOMEM;
		return;
	}
	o->list[o->nr] = *f;
	o->list[o->nr++].steps = !t ? 0 : t->steps > ~0U ? ~0U : t->steps;
	if (t && f->kind == FLOW_END)
		t->paused = true;
}

void out_time(struct out *o, __u64 time)
{
	const __u64 last = o->nr_times ? o->times[o->nr_times - 1].time : 0;

	if (o->err || grow((void **)&o->times, o->nr_times, sizeof(*o->times))) {
		o->err = -ENOMEM;
		return;
	}
	o->times[o->nr_times++] = (struct out_time) {
		.first = o->nr, .time = time > last ? time : last,
	};
}

void out_begin(struct out *o, __u64 time)
{
	out_end(o);
	out_time(o, time);
}

static double pace_of(const struct out_time *t)
{
	return (double)(t[1].time - t[0].time) / t[0].steps;
}

static void learn(struct out *o)
{
	const struct out_time *t = o->times;
	size_t i;

	for (i = 0; i + 1 < o->nr_times; i++)
		if (t[i].steps >= MIN_STEPS && (!o->pace || pace_of(&t[i]) < o->pace))
			o->pace = pace_of(&t[i]);
}

static void spread(struct out *o, const struct out_time *t, size_t end, __u64 last)
{
	const double even = last != ~0ULL && t->steps ? pace_of(t) : 0;
	const double pace = last == ~0ULL || (t->paused && o->pace && o->pace < even) ? o->pace :
										       even;
	size_t i;

	for (i = t->first; i < end; i++) {
		const double passed = pace * o->list[i].steps;

		o->list[i].time = t->time + (passed < last - t->time ? (__u64)passed :
								      last - t->time);
	}
}

void out_end(struct out *o)
{
	size_t i;

	learn(o);
	for (i = 0; i < o->nr_times; i++) {
		const bool is_last = i + 1 == o->nr_times;

		spread(o, &o->times[i], is_last ? o->nr : o->times[i + 1].first,
		       is_last ? ~0ULL : o->times[i + 1].time);
	}
	o->nr_times = 0;
}
