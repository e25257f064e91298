// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write packets to the AUX area. This does what the hardware and pt.c do together:
 * fill the area's pages one after the other, end and begin a piece when the reader
 * must be woken, and wrap around in overwrite mode.
 *
 * Each loss is reported once. If the kernel's own area has no room, the last piece
 * is TRUNCATED. If a raw ring has no segment, the ring reports the loss. A full
 * segment is no loss, because the writer continues in the next segment.
 */
#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "packet.h"
#include "softpt.h"

/* Interval at which softpt looks for room in a full area */
#define SPT_RETRY_NS	(10 * NSEC_PER_MSEC)

/* How many segments with too little room spt_output_begin() skips */
#define SPT_TRIES	8

/*
 * Bytes that padding leaves free for the next begin: perf_aux_output_begin()
 * refuses a handle->size of 0, and handle->size is 1 less than the free space
 * (CIRC_SPACE()).
 */
#define SPT_LEFT	2

DEFINE_PER_CPU(struct spt_cpu, spt_cpu);

static const char spt_owner;

struct spt_buffer {
	const char *owner;
	void **pages;
	unsigned long mask;	/* masks positions in the buffer */
	bool overwrite;
};

void *spt_setup_aux(struct perf_event *event, void **pages, int nr_pages,
		    bool overwrite)
{
	struct spt_buffer *buf;

	/* perf_mmap() and raw rings guarantee a power of two. */
	if (!nr_pages || !is_power_of_2(nr_pages))
		return NULL;
	buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return NULL;
	buf->owner = &spt_owner;
	buf->pages = pages;
	buf->mask = ((unsigned long)nr_pages << PAGE_SHIFT) - 1;
	buf->overwrite = overwrite;
	return buf;
}

void spt_free_aux(void *aux)
{
	kfree(aux);
}

static unsigned long spt_room(const struct spt_cpu *c)
{
	return c->limit - c->pos;
}

/*
 * When an area is full, the kernel disables the event (pending_disable) until its
 * reader enables it. Many kernels do this wrong. They store the number of the CPU
 * in pending_disable and test it as a truth value, so the event is never disabled
 * on CPU 0. Some kernels look at it only at the next task switch. By then the
 * reader may already have enabled the event, and then nothing is traced any more
 * and nobody learns of it. Therefore the event stays enabled and softpt looks for
 * room, see spt_output_wait().
 */
static void *spt_aux_begin(struct spt_cpu *c, struct perf_event *event)
{
	unsigned int pending = event->pending_disable;
	void *buf = perf_aux_output_begin(&c->handle, event);

	event->pending_disable = pending;
	return buf;
}

static void spt_aux_end(struct spt_cpu *c, unsigned long size)
{
	struct perf_event *event = c->handle.event;
	unsigned int pending = event->pending_disable;

	perf_aux_output_end(&c->handle, size);
	event->pending_disable = pending;
}

static bool spt_begin_piece(struct spt_cpu *c, struct perf_event *event)
{
	struct spt_buffer *buf = spt_aux_begin(c, event);

	if (!buf)
		return false;
	/*
	 * The area may be that of another PMU: perf_event_set_output() compares the
	 * PMUs only if both events have AUX areas.
	 */
	if (buf->owner != &spt_owner) {
		spt_aux_end(c, 0);
		return false;
	}
	c->head = c->handle.head;
	c->overwrite = buf->overwrite;
	if (c->overwrite) {
		c->head &= buf->mask;
		c->limit = c->head + ULONG_MAX / 2;
	} else {
		c->limit = c->head + c->handle.size;
		/*
		 * CIRC_SPACE() keeps one byte free, so a page would never get full;
		 * see pt_buffer_reset_markers().
		 */
		if (!offset_in_page(c->limit + 1))
			c->limit++;
	}
	c->pos = c->head;
	c->lost = false;
	return true;
}

static void spt_write(struct spt_cpu *c, const void *data, unsigned int n)
{
	struct spt_buffer *buf = perf_get_aux(&c->handle);

	if (WARN_ON_ONCE(n > spt_room(c)))
		return;
	while (n) {
		unsigned long at = c->pos & buf->mask;
		unsigned int part = min_t(unsigned long, n,
					  PAGE_SIZE - offset_in_page(at));

		memcpy(buf->pages[at >> PAGE_SHIFT] + offset_in_page(at), data,
		       part);
		data += part;
		c->pos += part;
		n -= part;
	}
}

static void spt_pad(struct spt_cpu *c, unsigned long n)
{
	static const u8 pad[64] = { SPT_PAD };

	while (n) {
		unsigned int part = min_t(unsigned long, sizeof(pad), n);

		spt_write(c, pad, part);
		n -= part;
	}
}

/*
 * End a piece that has too little room and begin the next one. A segment of a raw
 * ring is used up then, and the next begin gets another segment. The kernel's own
 * area still has the same room, unless the reader has made more meanwhile.
 */
static bool spt_begin_next(struct spt_cpu *c, struct perf_event *event)
{
	spt_pad(c, spt_room(c) - SPT_LEFT);
	spt_aux_end(c, c->pos - c->head);
	return spt_begin_piece(c, event);
}

bool spt_output_begin(struct spt_cpu *c, struct perf_event *event)
{
	int tries;

	if (!spt_begin_piece(c, event))
		return false;
	for (tries = 0; spt_room(c) < 2 * SPT_RESERVE; tries++) {
		if (tries == SPT_TRIES || spt_room(c) <= SPT_LEFT)
			goto full;
		if (!spt_begin_next(c, event))
			return false;
	}
	c->event = event;
	return true;
full:
	/*
	 * The piece must not be empty: perf's reader looks only at areas that have
	 * grown.
	 */
	spt_pad(c, spt_room(c));
	perf_aux_output_flag(&c->handle, PERF_AUX_FLAG_TRUNCATED);
	spt_aux_end(c, c->pos - c->head);
	return false;
}

static enum hrtimer_restart spt_retry(struct hrtimer *timer)
{
	struct spt_cpu *c = container_of(timer, struct spt_cpu, retry);
	struct perf_event *event = c->waiting;

	/* The CPU of the timer went offline, and the task left that CPU. */
	if (c != this_cpu_ptr(&spt_cpu) || !event)
		return HRTIMER_NORESTART;
	if (!spt_output_begin(c, event)) {
		hrtimer_forward_now(timer, ns_to_ktime(SPT_RETRY_NS));
		return HRTIMER_RESTART;
	}
	c->waiting = NULL;
	event->hw.state = 0;
	spt_task_queue(c->task);
	return HRTIMER_NORESTART;
}

void spt_output_wait(struct spt_cpu *c, struct perf_event *event)
{
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	spt_flow_reset(&c->e->flow);
	c->waiting = event;
	hrtimer_start(&c->retry, ns_to_ktime(SPT_RETRY_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

void spt_output_wait_no_more(struct spt_cpu *c)
{
	c->waiting = NULL;
	/* The timer's handler runs on this CPU only, so it is not running now. */
	hrtimer_try_to_cancel(&c->retry);
}

void spt_output_init(void)
{
	int i;

	for_each_possible_cpu(i)
		pa_hrtimer_setup(&per_cpu_ptr(&spt_cpu, i)->retry, spt_retry,
				 HRTIMER_MODE_REL_PINNED_HARD);
}

/* No event exists any more. */
void spt_output_exit(void)
{
	int i;

	for_each_possible_cpu(i)
		hrtimer_cancel(&per_cpu_ptr(&spt_cpu, i)->retry);
}

void spt_output_end(struct spt_cpu *c)
{
	struct spt_buffer *buf = perf_get_aux(&c->handle);
	unsigned long size = c->pos - c->head;

	c->event = NULL;
	/* Write data before head, as perf_output_put_handle() does. */
	smp_wmb();
	if (buf->overwrite) {
		/* Same as pt_event_stop() */
		c->handle.head = c->pos & buf->mask;
		size = buf->mask + 1;
	}
	spt_aux_end(c, size);
}

void spt_output(struct spt_cpu *c)
{
	struct spt_flow *flow = &c->e->flow;

	spt_write(c, flow->out, flow->out_used);
	flow->out_used = 0;
}

void spt_output_lost(struct spt_cpu *c)
{
	perf_aux_output_flag(&c->handle, PERF_AUX_FLAG_TRUNCATED);
	c->lost = true;
}

static bool spt_is_full(const struct spt_cpu *c)
{
	return spt_room(c) < SPT_RESERVE;
}

/* In overwrite mode handle->wakeup has no meaning and the area is never full. */
bool spt_output_wants_turn(const struct spt_cpu *c)
{
	if (c->lost)
		return true;
	if (c->overwrite)
		return false;
	return spt_is_full(c) || (long)(c->pos - c->handle.wakeup) >= 0;
}

/* Same as intel_pt_interrupt() */
bool spt_output_turn(struct spt_cpu *c)
{
	struct perf_event *event = c->event;

	spt_output_end(c);
	spt_flow_reset(&c->e->flow);
	if (spt_output_begin(c, event))
		return true;
	spt_output_wait(c, event);
	/*
	 * The work clears what the task was about to do, because softpt will not
	 * see it.
	 */
	spt_task_queue(c->task);
	return false;
}
