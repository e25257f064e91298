// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initial state of the ring, and replacements for functions of the module's other files.
 */
#include <stdio.h>

#include "world.h"
#include "../../module/event/output.h"

struct world world __attribute__((aligned(64)));
const struct model_case *world_case;

static struct pa_attached attached[MODEL_CTX + 1];

/* An event of a task runs while the task writes. An event of an NMI always runs. */
static void setup_events(const struct model_case *c)
{
	struct list_head *head = &world.ring.attached;
	int i;

	head->next = head;
	for (i = 0; i <= MODEL_CTX; i++) {
		const struct actor *actor = i ? &c->actors[i - 1] : NULL;
		struct perf_event *event = &world.events[i];

		event->state = PERF_EVENT_STATE_ACTIVE;
		event->oncpu = -1;
		event->hw.state = PERF_HES_STOPPED;
		event->pmu = &actor_pmu;
		event->child_list.next = &event->child_list;
		event->attach_state = PERF_ATTACH_TASK;
		event->clock = model_clock;
		attached[i].event = event;
		attached[i].ring = &world.ring;
		attached[i].cookie = i ?: MODEL_CTX + 1;
		if (!c->kicks || !actor || !actor->name || actor->cpu < 0)
			continue;
		if (actor->level) {
			event->oncpu = actor->cpu;
			event->hw.state = 0;
		}
		attached[i].list.next = head->next;
		head->next = &attached[i].list;
	}
}

/* Do what pa_ring_alloc_memory() and pa_pmu_setup() do. */
static void setup_ring(const struct model_case *c)
{
	struct pa_ring *ring = &world.ring;
	int i;

	world.ctl.nr_segments = c->segments ?: 3;
	world.ctl.segment_size = SEGMENT_SIZE;
	world.ctl.watermark = c->watermark ?: 1;
	world.ctl.spans_per_segment = SPANS;
	world.ctl.key = 1;
	world.ctl.size = sizeof(world.ctl);
	world.ctl.order_offset = offsetof(struct world, order) - offsetof(struct world, ctl);
	world.ctl.order_size = ORDER;
	world.ctl.open_offset = offsetof(struct world, open) - offsetof(struct world, ctl);
	world.known.look.next = 1;
	world.known.look.wanted.words = &world.known.look_words;
	world.known.look.wanted.nr = world.ctl.nr_segments;
	ring->ctl = &world.ctl;
	ring->segments = world.segments;
	ring->gaps = world.gaps;
	ring->marks = world.marks;
	ring->gap_marks = world.gap_marks;
	ring->gap_states = world.gap_states;
	ring->order = world.order;
	ring->order_mask = ORDER - 1;
	ring->open = &world.open;
	ring->late = &world.late;
	ring->held = &world.held;
	ring->free = world.free;
	ring->nr_nodes = c->nodes ? MODEL_CPUS : 1;
	ring->nodes = c->nodes ? world.nodes : NULL;
	ring->gap_cpus = &world.gap_cpus;
	ring->seg = world.seg;
	ring->cpu = world.cpu;
	ring->clock = model_clock;
	ring->overwrite = c->overwrite;
	ring->has_frames = c->frames;
	pa_freeze_init(ring);
	pa_order_init(ring);
	setup_events(c);
	for (i = 0; i < SEGMENTS; i++) {
		struct pa_segment *seg = &world.seg[i];

		seg->ring = ring;
		seg->shared = &world.segments[i];
		seg->spans = world.spans[i];
		seg->mark = &world.marks[i];
		seg->base = world.data[i];
		seg->priv = world.data[i];
		seg->size = SEGMENT_SIZE;
		seg->marker = MARKER;
		world.nodes[i] = i % MODEL_CPUS;
		pa_frames_reset(seg);
	}
	pa_free_init(ring);
	for (i = 0; i < MODEL_CPUS; i++) {
		struct pa_segment *sink = &world.sink[i].seg;

		sink->ring = ring;
		sink->size = SEGMENT_SIZE;
		sink->marker = MARKER;
		sink->priv = &world.sink[i];
		world.sinks[i] = &world.sink[i];
		if (c->sinks && !c->free_sinks)
			world.cpu[i].sink = &world.sink[i];
	}
	ring->sinks = world.sinks;
	ring->free_sinks = &world.free_sinks;
	ring->nr_sinks = c->sinks ? MODEL_CPUS : 0;
	world.free_sinks = c->free_sinks ? BIT(ring->nr_sinks) - 1 : 0;
}

void world_setup(const struct model_case *c)
{
	unsigned int i;

	memset(&world, 0, sizeof(world));
	setup_ring(c);
	for (i = 0; i < MODEL_CTX; i++) {
		world.ctx[i].cpu = c->actors[i].cpu;
		world.ctx[i].level = c->actors[i].level;
	}
	for (i = 0; i < c->filled; i++)
		actor_span(MARKER);
	if (c->frozen)
		pa_trigger(&attached[0], &world.events[0]);
	watch_begin();
}

#define INDEX(at, array) \
	((size_t)((const char *)(at) - (const char *)(array)) / sizeof((array)[0]))
#define IS_IN(at, array) \
	((size_t)((const char *)(at) - (const char *)&(array)) < sizeof(array))

int world_owner(const void *at)
{
	const struct known_segment *known = world.known.seg;
	size_t i;

	if (IS_IN(at, world.segments))
		return known[INDEX(at, world.segments)].owner - 1;
	if (IS_IN(at, world.seg))
		return known[INDEX(at, world.seg)].owner - 1;
	if (IS_IN(at, world.spans))
		return known[INDEX(at, world.spans)].owner - 1;
	if (IS_IN(at, world.gaps))
		return world.known.gap_owner[INDEX(at, world.gaps)] - 1;
	if (IS_IN(at, world.sink)) {
		i = INDEX(at, world.sink);
		if (!IS_IN(at, world.sink[i].busy))
			return world.known.sink_owner[i] - 1;
	}
	if (!IS_IN(at, world.data))
		return -2;
	i = INDEX(at, world.data);
	if (world.segments[i].kind == PERFAUX_KIND_SPANS)
		return known[i].owner - 1;
	return known[i].writer[INDEX(at, world.data[i])] - 1;
}

/* --- names --------------------------------------------------------------------- */

struct field {
	const char *name;
	size_t at, size;
};

#define FIELD(type, field) \
	{ #field, offsetof(struct type, field), sizeof(((struct type *)0)->field) }

static const struct field ctl_fields[] = {
	FIELD(perfaux_control, flags), FIELD(perfaux_control, seq),
	FIELD(perfaux_control, claims), FIELD(perfaux_control, spans),
	FIELD(perfaux_control, bytes), FIELD(perfaux_control, gaps),
	FIELD(perfaux_control, frames), FIELD(perfaux_control, frame_bytes),
	FIELD(perfaux_control, triggers), FIELD(perfaux_control, frozen_time),
	FIELD(perfaux_control, lost_count), FIELD(perfaux_control, lost_bytes),
	FIELD(perfaux_control, frozen_cookie), { }
};

static const struct field segment_fields[] = {
	FIELD(perfaux_segment, state), FIELD(perfaux_segment, nr_spans),
	FIELD(perfaux_segment, cpu), FIELD(perfaux_segment, t_active),
	FIELD(perfaux_segment, used), FIELD(perfaux_segment, ready_seq),
	FIELD(perfaux_segment, bytes), FIELD(perfaux_segment, frames_end),
	FIELD(perfaux_segment, kind), FIELD(perfaux_segment, nr_frames), { }
};

static const struct field private_fields[] = {
	FIELD(pa_segment, frames), FIELD(pa_segment, is_taken), FIELD(pa_segment, held_by),
	FIELD(pa_segment, head), FIELD(pa_segment, pid), FIELD(pa_segment, tid),
	FIELD(pa_segment, t_begin), FIELD(pa_segment, cookie), FIELD(pa_segment, next_free),
	{ }
};

static const struct field cpu_fields[] = {
	FIELD(pa_cpu, hint), FIELD(pa_cpu, frame_hint), FIELD(pa_cpu, gap), FIELD(pa_cpu, look),
	FIELD(pa_cpu, sink), { }
};

static const struct field sink_fields[] = {
	FIELD(pa_sink, seg), FIELD(pa_sink, busy), FIELD(pa_sink, cause), FIELD(pa_sink, event), { }
};

static const struct field ring_fields[] = {
	FIELD(pa_ring, claim_seq), FIELD(pa_ring, ready_seq),
	FIELD(pa_ring, may_overwrite), FIELD(pa_ring, gap_uses),
	FIELD(pa_ring, gaps_put), FIELD(pa_ring, gaps_gone),
	FIELD(pa_ring, starved_at), FIELD(pa_ring, overwrite),
	FIELD(pa_ring, has_frames), FIELD(pa_ring, wanted_seq),
	FIELD(pa_ring, hold_room), FIELD(pa_ring, published),
	FIELD(pa_ring, wake_at), FIELD(pa_ring, gaps_used), FIELD(pa_ring, order_head),
	FIELD(pa_ring, nr_late), FIELD(pa_ring, nr_open), FIELD(pa_ring, free),
	FIELD(pa_ring, unholds), FIELD(pa_ring, holds), FIELD(pa_ring, hold_seen),
	FIELD(pa_ring, hold_unholds), FIELD(pa_ring, hold_ready), { }
};

static const struct field event_fields[] = {
	FIELD(perf_event, oncpu), FIELD(perf_event, hw), { }
};

static const struct {
	const char *name;
	size_t at, size, nr;
	const struct field *fields;
} parts[] = {
#define PART(field, nr, fields) \
	{ #field, offsetof(struct world, field), sizeof(world.field) / (nr), nr, fields }
	PART(ring, 1, ring_fields), PART(ctl, 1, ctl_fields),
	PART(segments, SEGMENTS, segment_fields), PART(seg, SEGMENTS, private_fields),
	PART(spans, SEGMENTS, NULL), PART(gaps, GAPS, NULL),
	PART(cpu, MODEL_CPUS, cpu_fields), PART(data, SEGMENTS, NULL),
	PART(marks, SEGMENTS, NULL), PART(gap_marks, GAPS, NULL),
	PART(gap_states, GAPS, NULL), PART(order, ORDER, NULL), PART(open, 1, NULL),
	PART(late, 1, NULL), PART(held, 1, NULL), PART(lock, 1, NULL), PART(gap_cpus, 1, NULL),
	PART(sink, MODEL_CPUS, sink_fields),
	PART(free_sinks, 1, NULL), PART(free, MODEL_CPUS, NULL), PART(nodes, SEGMENTS, NULL),
	PART(events, MODEL_CTX + 1, event_fields),
};

const char *world_name(const void *at)
{
	static char name[64];
	size_t offset = (const char *)at - (const char *)&world, i, n = 0;
	const struct field *f;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (offset - parts[i].at >= parts[i].size * parts[i].nr)
			continue;
		offset -= parts[i].at;
		n = snprintf(name, sizeof(name), "%s", parts[i].name);
		if (parts[i].nr > 1)
			n += snprintf(name + n, sizeof(name) - n, "[%zu]",
				      offset / parts[i].size);
		offset %= parts[i].size;
		for (f = parts[i].fields; f && f->name; f++)
			if (offset - f->at < f->size) {
				snprintf(name + n, sizeof(name) - n, ".%s", f->name);
				return name;
			}
		if (parts[i].fields)
			return NULL;
		break;
	}
	snprintf(name + n, sizeof(name) - n, "+%zu", offset);
	return name;
}

/* --- the module's other files --------------------------------------------------- */

/*
 * The irq_work of pa_ring_wake() and its work run immediately, at the moment when they find the
 * fewest segments. Like pa_ring_resume_work(), look for a segment for starving writers. A reader
 * that sleeps calls poll() again.
 */
void irq_work_queue(struct irq_work *work)
{
	struct pa_ring *ring = container_of(work, struct pa_ring, wake_irq);
	int me = model_current;

	/* Before the contexts run, and after they have ended, nobody waits. */
	if (me < 0)
		return;
	watch();
	model_current = -1;
	if (world.ctl.flags & PERFAUX_CTL_STARVED && pa_segments_available(ring))
		world.ctl.flags &= ~PERFAUX_CTL_STARVED;
	if (world.known.sleeps && (world.ctl.flags & PERFAUX_CTL_STARVED ?
				   pa_segments_any(ring) : pa_segments_enough(ring)))
		world.known.sleeps = false;
	model_current = me;
	watch();
}

/* The model does not swap perf contexts, so pinning is not needed. */
void pa_pin_begin(struct pa_ring *ring, struct perf_event *event)
{
	(void)ring;
	(void)event;
}

void pa_pin_end(struct pa_ring *ring, struct perf_event *event)
{
	(void)ring;
	(void)event;
}

/* Each context has one event, whose cookie is its thread's number. */
struct pa_attached *pa_attached_find(struct perf_event *event)
{
	return &attached[event - world.events];
}
