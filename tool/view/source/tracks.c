// SPDX-License-Identifier: GPL-2.0-only
/*
 * Feed the stacks of threads with decoded flow, up to the time that the records have reached.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "view/source/tracks.h"

#if VIEW_HAS_LIBIPT

#include "view/decode/pool.h"

struct tracks_one {
	struct track track;
	struct run_space space;	/* the context of find_thread() and find_cpu() */
	struct source *source;
	struct thread *thread;	/* of the queue; NULL: the queue is a CPU's */
	const struct cpu_switches *switches;
	struct threads_lane *lane;	/* of the thread that runs now */
	__u64	most;		/* later times become this time */
};

struct tracks {
	struct image_cache cache;
	struct pool pool;
	struct tracks_one *list;
	size_t	nr;
};

static const struct tracks_one *one_of(const struct run_space *space)
{
	return (const void *)((const char *)space - offsetof(struct tracks_one, space));
}

static const struct space *find_thread(const struct run_space *space, __u64 time)
{
	const struct tracks_one *one = one_of(space);

	(void)time;
	return spaces_find(&one->source->spaces, one->thread->lane.desc.pid);
}

static const struct space *find_cpu(const struct run_space *space, __u64 time)
{
	const struct tracks_one *one = one_of(space);
	const __u32 tid = cpus_tid(one->switches, time);
	const struct thread *thread = threads_find(&one->source->threads, tid);

	return thread ? spaces_find(&one->source->spaces, thread->lane.desc.pid) : NULL;
}

static int init_one(struct source *s, struct tracks_one *one, const struct queue *q)
{
	one->source = s;
	one->most = ~0ULL;
	if (q->tid != AUXSTREAM_NOBODY) {
		one->thread = threads_get(&s->threads, TL_NOBODY, q->tid);
		one->lane = one->thread ? &one->thread->lane : NULL;
		one->space.find = find_thread;
	} else {
		one->switches = cpus_find(&s->cpus, q->cpu);
		one->lane = threads_cpu(&s->threads, q->cpu);
		one->space.find = find_cpu;
	}
	return one->lane ? 0 : -ENOMEM;
}

static void set_up(const struct source *s, struct run_setup *setup)
{
	const struct source_pt *pt = &s->pt;

	setup->clock = pt->clock;
	pt_config_init(&setup->config);
	if (pt->family)
		setup->config.cpu = (struct pt_cpu) {
			pcv_intel, pt->family, pt->model, pt->stepping };
	/* An unknown processor has no known errata. */
	pt_cpu_errata(&setup->config.errata, &setup->config.cpu);
	setup->config.mtc_freq = pt->mtc_freq;
	setup->config.nom_freq = pt->max_nonturbo;
	setup->config.cpuid_0x15_eax = pt->tsc_ctc_d;
	setup->config.cpuid_0x15_ebx = pt->tsc_ctc_n;
}

int tracks_new(struct source *s, struct tracks **tracks)
{
	struct run_setup setup = { .space = NULL };
	struct tracks *t;
	size_t i;
	int rc;

	if (!s->nr_queues)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	*tracks = t;
	t->list = calloc(s->nr_queues, sizeof(*t->list));
	rc = image_cache_init(&t->cache, &s->spaces);
	t->cache.only_libipt = s->options.only_libipt;
	if (!rc)
		rc = pool_init(&t->pool, &t->cache, s->fd, s->options.threads);
	set_up(s, &setup);
	for (i = 0; i < s->nr_queues && !rc && t->list; i++) {
		rc = init_one(s, &t->list[i], s->queues[i]);
		setup.space = &t->list[i].space;
		track_init(&t->list[i].track, &t->pool, s->queues[i], &setup);
		t->nr++;
	}
	return t->list ? rc : -ENOMEM;
}

void tracks_free(struct tracks *t)
{
	size_t i;

	if (!t)
		return;
	pool_free(&t->pool);
	for (i = 0; i < t->nr; i++)
		track_free(&t->list[i].track);
	image_cache_free(&t->cache);
	free(t->list);
	free(t);
}

static int mark_error(struct source *s, struct threads_lane *lane, const struct flow *f,
		      __u64 time)
{
	char text[512];

	if (f->kind == FLOW_NO_CODE)
		snprintf(text, sizeof(text), "there is no code at %#llx of %s", f->to,
			 f->object ? f->object->path : "memory that is not mapped");
	else
		snprintf(text, sizeof(text), "%s (after %#llx)", f->text, f->from);
	if (f->kind == FLOW_NO_CODE && f->object && !f->object->said) {
		f->object->said = true;
		object_file(f->object);
		if (f->object->why)
			source_warn(s, "%s", f->object->why);
	}
	return threads_mark(&s->threads, lane, &(struct tl_mark) {
			.kind = TL_MARK_ERROR, .begin = time, .end = time, .text = text });
}

static int feed(struct tracks_one *one, const struct flow *flow)
{
	struct source *s = one->source;
	struct threads_lane *lane = one->lane;
	struct flow f = *flow;
	int rc = threads_tell(&s->threads, lane);

	if (f.time > one->most)
		f.time = one->most;
	if (!rc)
		rc = stack_take(&lane->stack, &f);
	if (!rc && (f.kind == FLOW_ERROR || f.kind == FLOW_NO_CODE ||
		    (f.kind == FLOW_CUT && f.text)))
		rc = mark_error(s, lane, &f, f.time);
	return rc;
}

static int advance(struct tracks_one *one, __u64 time, enum tracks_how how)
{
	struct pool *pool = one->track.pool;
	const struct flow *f;
	int rc = 0;

	if (how != TRACKS_BEFORE)
		one->most = time;
	while (!rc && (f = track_peek(&one->track))) {
		if (how != TRACKS_ALL && f->time >= time &&
		    (how == TRACKS_BEFORE || one->lane->stack.off || !one->lane->stack.now.nr))
			break;
		rc = feed(one, f);
		track_skip(&one->track);
	}
	one->most = ~0ULL;
	return rc ?: pool->err;
}

static struct tracks_one *find(struct source *s, __u64 key)
{
	__u32 i;

	return s->tracks && read_map_get(&s->queue_by_key, key, &i) ? &s->tracks->list[i] : NULL;
}

int tracks_advance(struct source *s, __u32 tid, __u32 cpu, __u64 time, enum tracks_how how)
{
	struct tracks_one *of_thread = tid != TL_NOBODY ? find(s, tid) : NULL;
	struct tracks_one *of_cpu = cpu != TL_NOBODY ? find(s, 1ULL << 32 | cpu) : NULL;
	int rc = 0;

	if (how == TRACKS_IN_KERNEL && !s->pt.user_only)
		how = TRACKS_BEFORE;
	if (of_thread)
		rc = advance(of_thread, time, how);
	/* The rest of a CPU's track is that of other threads. */
	if (of_cpu && !rc)
		rc = advance(of_cpu, time, how == TRACKS_ALL ? TRACKS_BEFORE : how);
	return rc;
}

int tracks_finish(struct source *s)
{
	size_t i;
	int rc = 0;

	for (i = 0; s->tracks && i < s->tracks->nr && !rc; i++)
		rc = advance(&s->tracks->list[i], ~0ULL, TRACKS_ALL);
	return rc;
}

const struct flow *tracks_flow(struct source *s, size_t queue)
{
	struct track *t = &s->tracks->list[queue].track;

	if (t->first)
		track_skip(t);
	return track_peek(t);
}

void tracks_switch(struct source *s, __u32 cpu, struct thread *thread)
{
	struct tracks_one *one = find(s, 1ULL << 32 | cpu);

	if (one && thread)
		one->lane = &thread->lane;
	else if (one)
		one->lane = threads_cpu(&s->threads, cpu) ?: one->lane;
}

#else /* !VIEW_HAS_LIBIPT */

const struct flow *tracks_flow(struct source *s, size_t queue)
{
	(void)s;
	(void)queue;
	return NULL;
}

int tracks_new(struct source *s, struct tracks **tracks)
{
	*tracks = NULL;
	if (s->nr_queues)
		source_warn(s, "the calls in Intel PT data are left out: auxview was built without libipt");
	return 0;
}

void tracks_free(struct tracks *t)
{
	(void)t;
}

int tracks_advance(struct source *s, __u32 tid, __u32 cpu, __u64 time, enum tracks_how how)
{
	(void)s;
	(void)tid;
	(void)cpu;
	(void)time;
	(void)how;
	return 0;
}

int tracks_finish(struct source *s)
{
	(void)s;
	return 0;
}

void tracks_switch(struct source *s, __u32 cpu, struct thread *thread)
{
	(void)s;
	(void)cpu;
	(void)thread;
}

#endif
