// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find threads by tid and CPUs by number, and tell the time line of their lanes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/source/threads.h"

static void lane_init(struct threads *t, struct threads_lane *lane, enum tl_lane_kind kind)
{
	*lane = (struct threads_lane) {
		.desc = { .kind = kind, .pid = TL_NOBODY, .tid = TL_NOBODY, .cpu = TL_NOBODY },
		.number = NO_LANE,
	};
	stack_init(&lane->stack, t->names, NO_LANE);
}

void threads_init(struct threads *t, struct names *names)
{
	*t = (struct threads) { .names = names };
	lane_init(t, &t->recording, TL_LANE_RECORDING);
	t->recording.desc.name = "recording";
}

void threads_free(struct threads *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		stack_free(&t->list[i]->lane.stack);
		free(t->list[i]);
	}
	for (i = 0; i < t->nr_cpus; i++) {
		stack_free(&t->cpus[i]->stack);
		free(t->cpus[i]);
	}
	free(t->list);
	free(t->cpus);
	read_map_free(&t->by_tid);
	read_map_free(&t->by_cpu);
}

struct thread *threads_find(const struct threads *t, __u32 tid)
{
	__u32 i;

	return read_map_get(&t->by_tid, tid, &i) ? t->list[i] : NULL;
}

struct thread *threads_get(struct threads *t, __u32 pid, __u32 tid)
{
	struct thread *thread = threads_find(t, tid);

	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread || grow((void **)&t->list, t->nr, sizeof(*t->list)) ||
		    read_map_set(&t->by_tid, tid, t->nr)) {
			free(thread);
			return NULL;
		}
		t->list[t->nr++] = thread;
		lane_init(t, &thread->lane, TL_LANE_THREAD);
		thread->lane.desc.tid = tid;
		thread->lane.desc.name = thread->comm;
	}
	if (pid != TL_NOBODY)
		thread->lane.desc.pid = pid;
	return thread;
}

struct threads_lane *threads_cpu(struct threads *t, __u32 cpu)
{
	struct threads_lane *lane;
	__u32 i;

	if (read_map_get(&t->by_cpu, cpu, &i))
		return t->cpus[i];
	lane = calloc(1, sizeof(*lane));
	if (!lane || grow((void **)&t->cpus, t->nr_cpus, sizeof(*t->cpus)) ||
	    read_map_set(&t->by_cpu, cpu, t->nr_cpus)) {
		free(lane);
		return NULL;
	}
	t->cpus[t->nr_cpus++] = lane;
	lane_init(t, lane, TL_LANE_CPU);
	lane->desc.cpu = cpu;
	return lane;
}

int threads_tell(struct threads *t, struct threads_lane *lane)
{
	struct timeline *out = t->names->out;
	struct tl_lane desc = lane->desc;
	char title[32];
	int rc;

	if (lane->number != NO_LANE)
		return 0;
	if (desc.kind == TL_LANE_CPU) {
		snprintf(title, sizeof(title), "CPU %u", desc.cpu);
		desc.name = title;
	}
	rc = out->ops->lane(out, t->nr_lanes, &desc);
	if (rc)
		return rc;
	lane->number = t->nr_lanes++;
	lane->stack.lane = lane->number;
	return 0;
}

int threads_mark(struct threads *t, struct threads_lane *lane, const struct tl_mark *mark)
{
	struct timeline *out = t->names->out;
	struct tl_mark m = *mark;
	int rc = threads_tell(t, lane);

	m.begin = stack_time(&lane->stack, m.begin);
	if (m.end < m.begin)
		m.end = m.begin;
	return rc ?: out->ops->mark(out, lane->number, &m);
}
