// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second pass: tell the time line everything, in order of time.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "stream/records.h"
#include "view/source/source.h"
#include "view/source/tracks.h"

/* The first fields of FORK and EXIT records */
struct task {
	__u32	pid, parent, tid, parent_tid;
};

static bool read_task(const struct order_record *r, struct task *t)
{
	struct read_bytes b = read_bytes_init(r->item.header + 1,
					      r->item.header->size - sizeof(*r->item.header));

	t->pid = read_u32(&b);
	t->parent = read_u32(&b);
	t->tid = read_u32(&b);
	t->parent_tid = read_u32(&b);
	return !b.failed;
}

static int mark(struct source *s, struct threads_lane *lane, enum tl_mark_kind kind, __u64 begin,
		__u64 end, __u64 value, const char *text)
{
	return threads_mark(&s->threads, lane, &(struct tl_mark) {
			.kind = kind, .begin = begin, .end = end, .value = value, .text = text });
}

static int tell_fork(struct source *s, const struct order_record *r)
{
	struct thread *thread, *parent;
	struct task t;
	int rc;

	/* auxrec has made up this record: the task existed before the recording. */
	if (!read_task(r, &t) || r->item.header->misc & REC_MISC_FORK_EXEC)
		return 0;
	rc = tracks_advance(s, t.parent_tid, r->item.cpu, r->time, TRACKS_IN_KERNEL);
	thread = threads_find(&s->threads, t.tid);
	parent = threads_find(&s->threads, t.parent_tid);
	if (rc || !thread)
		return rc;
	rc = stack_end(&thread->lane.stack, r->time, TL_CUT);
	if (!rc && parent && t.pid != t.parent)
		rc = stack_fork(&thread->lane.stack, &parent->lane.stack);
	return rc ?: mark(s, &thread->lane, TL_MARK_START, r->time, r->time, 0, "");
}

static int tell_exit(struct source *s, const struct order_record *r)
{
	struct thread *thread;
	struct task t;
	int rc;

	if (!read_task(r, &t))
		return 0;
	thread = threads_find(&s->threads, t.tid);
	rc = tracks_advance(s, t.tid, r->item.cpu, r->time, TRACKS_ALL);
	if (rc || !thread)
		return rc;
	rc = stack_end(&thread->lane.stack, r->time, 0);
	return rc ?: mark(s, &thread->lane, TL_MARK_EXIT, r->time, r->time, 0, "");
}

static int tell_comm(struct source *s, const struct order_record *r)
{
	struct read_bytes b = read_bytes_init(r->item.header + 1,
					      r->item.header->size - sizeof(*r->item.header));
	const bool is_exec = r->item.header->misc & PERF_RECORD_MISC_COMM_EXEC;
	struct thread *thread;
	char comm[16] = "";
	int rc = 0;

	read_u32(&b);
	thread = threads_find(&s->threads, read_u32(&b));
	if (b.failed || !thread)
		return 0;
	memcpy(comm, b.p, strnlen((const char *)b.p, b.left < 15 ? b.left : 15));
	/* A recording begins with the names of all tasks. Most of them never get a lane. */
	if (!is_exec && thread->lane.number == NO_LANE)
		return 0;
	rc = tracks_advance(s, thread->lane.desc.tid, r->item.cpu, r->time, TRACKS_IN_KERNEL);
	if (!rc && is_exec)
		rc = stack_exec(&thread->lane.stack, r->time);
	return rc ?: mark(s, &thread->lane, TL_MARK_COMM, r->time, r->time, 0, comm);
}

static int tell_switch(struct source *s, const struct order_record *r)
{
	const bool out = r->item.header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct thread *thread = threads_find(&s->threads, r->item.tid);
	int rc;
	__u64 end;

	if (!thread)
		return 0;
	rc = tracks_advance(s, r->item.tid, r->item.cpu, r->time, TRACKS_IN_KERNEL);
	if (rc)
		return rc;
	if (out) {
		tracks_switch(s, r->item.cpu, NULL);
		return 0;
	}
	tracks_switch(s, r->item.cpu, thread);
	rc = ends_next(&s->ends, &end);
	return rc ?: mark(s, &thread->lane, TL_MARK_RUNS, r->time, end ?: s->last, r->item.cpu, "");
}

static int tell_kernel(struct source *s, const struct order_record *r)
{
	switch (r->item.header->type) {
	case PERF_RECORD_COMM:
		return tell_comm(s, r);
	case PERF_RECORD_FORK:
		return tell_fork(s, r);
	case PERF_RECORD_EXIT:
		return tell_exit(s, r);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return tell_switch(s, r);
	default:
		return 0;
	}
}

/* The lane of a thread, a CPU, or the recording, in this order */
static struct threads_lane *lane_of(struct source *s, __u32 pid, __u32 tid, __u32 cpu)
{
	struct thread *thread;

	if (tid != TL_NOBODY) {
		thread = threads_get(&s->threads, pid, tid);
		return thread ? &thread->lane : NULL;
	}
	return cpu != TL_NOBODY ? threads_cpu(&s->threads, cpu) : &s->threads.recording;
}

static int tell_stack(struct source *s, const struct order_record *r, struct threads_lane *lane)
{
	const struct auxstream_sample *sample = &r->item.sample;
	struct view *v = source_view(s, lane->desc.pid, r->time);
	const struct view none = { .spaces = &s->spaces };
	const bool has_chain = sample->nr_chain;
	__u32 *names = calloc(sample->nr_chain + 1, sizeof(*names));
	size_t i = has_chain ? sample->nr_chain : 1;
	unsigned int nr = 0;
	__u64 address;
	int rc = names ? threads_tell(&s->threads, lane) : -ENOMEM;

	while (i-- && !rc) {
		const __u64 ip = has_chain ? sample->chain[i] : sample->ip;
		/* If a call is the last instruction, its return address is in the next function. */
		const bool is_caller = has_chain && i && sample->chain[i - 1] < PERF_CONTEXT_MAX;

		if (ip >= PERF_CONTEXT_MAX)
			continue;
		rc = names_find(&s->names, view_function(v ?: &none, ip - is_caller, &address),
				&names[nr++]);
	}
	if (!rc && nr)
		rc = s->out->ops->stack(s->out, lane->number, stack_time(&lane->stack, r->time),
					names, nr,
					sample->has & PERF_SAMPLE_PERIOD ? sample->period : 1);
	free(names);
	return rc;
}

static int tell_sample(struct source *s, const struct order_record *r)
{
	const struct auxstream_sample *sample = &r->item.sample;
	const struct perf_event_attr *attr = r->item.event->attr;
	struct threads_lane *lane = lane_of(s, r->item.pid, r->item.tid, r->item.cpu);
	const bool is_raw = sample->has & PERF_SAMPLE_RAW && attr->type != PERF_TYPE_TRACEPOINT;
	int rc = lane ? tracks_advance(s, r->item.tid, r->item.cpu, r->time, TRACKS_BEFORE) :
			-ENOMEM;

	if (rc)
		return rc;
	if (sample->nr_chain ||
	    (sample->has & PERF_SAMPLE_IP && attr->type != PERF_TYPE_TRACEPOINT && !is_raw))
		return tell_stack(s, r, lane);
	/* The raw data is in a payload, which tell_payload() tells. */
	if (is_raw && sample->payload && !sample->cause)
		return 0;
	if (is_raw && sample->cause)
		return mark(s, lane, TL_MARK_GAP, r->time, r->time, sample->lost,
			    auxstream_cause_name(sample->cause));
	return mark(s, lane, is_raw ? TL_MARK_RAW : TL_MARK_SAMPLE, r->time, r->time,
		    is_raw ? sample->raw_size : 0, r->item.event->name);
}

static int tell_payload(struct source *s, const struct order_record *r)
{
	const struct auxstream_payload *p = &r->item.payload;
	struct threads_lane *lane = lane_of(s, r->item.pid, r->item.tid, r->item.cpu);
	int rc;

	if (p->offset)
		return 0;
	rc = lane ? tracks_advance(s, r->item.tid, r->item.cpu, r->time, TRACKS_BEFORE) : -ENOMEM;
	if (rc)
		return rc;
	if (p->cause)
		return mark(s, lane, TL_MARK_GAP, r->time, r->time, p->total,
			    auxstream_cause_name(p->cause));
	return mark(s, lane, TL_MARK_RAW, r->time, r->time, p->total,
		    p->cookie || !r->item.event ? "producer" : r->item.event->name);
}

static int tell_gap(struct source *s, const struct order_record *r)
{
	const struct auxstream_gap *g = &r->item.gap;
	const bool is_ring = g->cause == AUXSTREAM_MAIN_RING;
	struct threads_lane *lane = lane_of(s, TL_NOBODY, g->tid, g->cpu);
	int rc = lane ? tracks_advance(s, g->tid, g->cpu, r->time, TRACKS_BEFORE) : -ENOMEM;

	return rc ?: mark(s, lane, is_ring ? TL_MARK_LOST : TL_MARK_GAP, r->time,
			  g->end ?: r->time, is_ring ? g->count : g->bytes,
			  auxstream_cause_name(g->cause));
}

static int tell_aux(struct source *s, const struct order_record *r)
{
	const struct auxstream_aux *a = &r->item.aux;
	struct threads_lane *lane = lane_of(s, TL_NOBODY, a->tid, a->cpu);
	int rc = lane ? tracks_advance(s, a->tid, a->cpu, r->time, TRACKS_BEFORE) : -ENOMEM;

	if (!rc)
		rc = threads_tell(&s->threads, lane);
	return rc ?: s->out->ops->point(s->out, lane->number, &(struct tl_point) {
			stack_time(&lane->stack, r->time), a->size, "AUX bytes" });
}

static int take(void *context, const struct order_record *r)
{
	struct source *s = context;

	switch (r->item.kind) {
	case AUXSTREAM_KERNEL:
		return tell_kernel(s, r);
	case AUXSTREAM_SAMPLE:
		return tell_sample(s, r);
	case AUXSTREAM_AUX:
		return tell_aux(s, r);
	case AUXSTREAM_GAP:
		return tell_gap(s, r);
	case AUXSTREAM_PAYLOAD:
		return tell_payload(s, r);
	case AUXSTREAM_SNAPSHOT:
		return mark(s, &s->threads.recording, TL_MARK_TRIGGER, r->time, r->time,
			    r->item.snapshot.number, r->item.snapshot.name);
	case AUXSTREAM_OTHER:
		break;
	}
	return 0;
}

/* End all open calls as cut, because nobody knows how long they went on. */
static int end_lanes(struct source *s)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < s->threads.nr && !rc; i++)
		rc = stack_end(&s->threads.list[i]->lane.stack, 0, TL_CUT);
	for (i = 0; i < s->threads.nr_cpus && !rc; i++)
		rc = stack_end(&s->threads.cpus[i]->stack, 0, TL_CUT);
	return rc;
}

int source_tell(struct source *s)
{
	char *problem;
	int rc = order_read(s->fd, ~(1U << AUXSTREAM_OTHER), take, NULL, s, &problem);

	free(problem);
	/* source_scan() has accepted that the recording is broken. */
	if (rc == -ENODATA || rc == -EPROTO || rc == -EBADMSG)
		rc = 0;
	if (!rc)
		rc = tracks_finish(s);
	if (!rc)
		rc = end_lanes(s);
	return rc ?: s->out->ops->end(s->out);
}
