// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write samples with their stacks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "view/perfetto/parts.h"

/* Intern a stack in the packet, unless that was done lately. Return its number; 0: no memory. */
static __u64 intern_stack(struct perfetto *t, const __u32 *names, unsigned int nr)
{
	const size_t size = nr * sizeof(*names);
	struct perfetto_stack *s = &t->stacks[hash_bytes(0, names, size) % PERFETTO_STACKS];
	size_t data, stack;
	unsigned int i;

	if (s->number && s->nr == nr && !memcmp(s->names, names, size))
		return s->number;
	if (nr > s->room) {
		__u32 *more = realloc(s->names, size);

		if (!more)
			return 0;
		s->names = more;
		s->room = nr;
	}
	memcpy(s->names, names, size);
	s->nr = nr;
	s->number = ++t->nr_stacks;
	data = proto_begin(&t->packet, PACKET_INTERNED);
	stack = proto_begin(&t->packet, INTERNED_STACK);
	proto_number(&t->packet, ENTRY_NUMBER, s->number);
	for (i = 0; i < nr; i++)
		proto_number(&t->packet, STACK_FRAME, names[i] + 1ULL);
	proto_end(&t->packet, stack);
	proto_end(&t->packet, data);
	return s->number;
}

/* A PerfSample needs a thread. */
static int add_instant(struct perfetto *t, __u32 lane, __u64 time, __u32 name, __u64 weight)
{
	const size_t event = perfetto_event(t, time, EVENT_INSTANT, perfetto_track(lane));

	proto_number(&t->packet, EVENT_NAME_NUMBER, name + 1ULL);
	proto_number(&t->packet, EVENT_CATEGORY, t->objects_of[name]);
	perfetto_number(t, ARG_WEIGHT, weight);
	return perfetto_event_end(t, event);
}

int perfetto_sample(struct perfetto *t, __u32 lane, __u64 time, const __u32 *names,
		    unsigned int nr, __u64 weight)
{
	const struct perfetto_lane *l = &t->lanes[lane];
	size_t sample;
	__u64 stack;

	if (l->kind != TL_LANE_THREAD)
		return add_instant(t, lane, time, names[nr - 1], weight);
	perfetto_packet(t);
	proto_number(&t->packet, PACKET_TIMESTAMP, time);
	stack = intern_stack(t, names, nr);
	if (!stack)
		return -ENOMEM;
	sample = proto_begin(&t->packet, PACKET_SAMPLE);
	proto_number(&t->packet, SAMPLE_PID, l->pid);
	proto_number(&t->packet, SAMPLE_TID, l->tid);
	proto_number(&t->packet, SAMPLE_STACK, stack);
	proto_number(&t->packet, SAMPLE_WEIGHT, weight);
	proto_end(&t->packet, sample);
	return perfetto_write(t);
}

void perfetto_free_stacks(struct perfetto *t)
{
	unsigned int i;

	for (i = 0; i < PERFETTO_STACKS; i++)
		free(t->stacks[i].names);
}
