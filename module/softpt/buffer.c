// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing to the AUX area. What the hardware does by itself, and pt.c for it:
 * the area's pages one after the other, an end and a begin when it is time to
 * wake the reader, in overwrite mode round and round.
 */
#include <linux/slab.h>

#include "packet.h"
#include "softpt.h"

DEFINE_PER_CPU(struct spt_cpu, spt_cpu);

struct spt_buffer {
	void **pages;
	unsigned long mask;	/* of positions in it */
	bool overwrite;
};

void *spt_setup_aux(struct perf_event *event, void **pages, int nr_pages,
		    bool overwrite)
{
	struct spt_buffer *buf;

	/* A power of two: perf_mmap() sees to it, as does a raw ring. */
	if (!nr_pages || !is_power_of_2(nr_pages))
		return NULL;
	buf = kzalloc(sizeof(*buf), GFP_KERNEL);
	if (!buf)
		return NULL;
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

static bool spt_begin(struct spt_cpu *c, struct perf_event *event)
{
	struct spt_buffer *buf = perf_aux_output_begin(&c->handle, event);

	if (!buf)
		return false;
	c->head = c->handle.head;
	c->overwrite = buf->overwrite;
	if (c->overwrite) {
		c->head &= buf->mask;
		c->limit = c->head + ULONG_MAX / 2;
	} else {
		c->limit = c->head + c->handle.size;
		/*
		 * CIRC_SPACE() leaves one byte, which would leave a page never
		 * full; see pt_buffer_reset_markers().
		 */
		if (!offset_in_page(c->limit + 1))
			c->limit++;
	}
	c->pos = c->head;
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

static void spt_pad(struct spt_cpu *c)
{
	static const u8 pad[64] = { SPT_PAD };

	while (spt_room(c))
		spt_write(c, pad, min_t(unsigned long, sizeof(pad), spt_room(c)));
}

/*
 * What is left at the end of a segment of a raw ring does not become more with
 * time: too little is filled up, and the next one begun.
 */
bool spt_output_begin(struct spt_cpu *c, struct perf_event *event)
{
	if (!spt_begin(c, event))
		return false;
	if (spt_room(c) < 2 * SPT_RESERVE) {
		spt_pad(c);
		perf_aux_output_end(&c->handle, c->pos - c->head);
		if (!spt_begin(c, event))
			return false;
	}
	if (spt_room(c) < 2 * SPT_RESERVE) {
		perf_aux_output_flag(&c->handle, PERF_AUX_FLAG_TRUNCATED);
		perf_aux_output_end(&c->handle, 0);
		return false;
	}
	c->event = event;
	return true;
}

void spt_output_end(struct spt_cpu *c)
{
	struct spt_buffer *buf = perf_get_aux(&c->handle);
	unsigned long size = c->pos - c->head;

	c->event = NULL;
	/* Data before head, as in perf_output_put_handle(). */
	smp_wmb();
	if (buf->overwrite) {
		/* As pt_event_stop() */
		c->handle.head = c->pos & buf->mask;
		size = buf->mask + 1;
	}
	perf_aux_output_end(&c->handle, size);
}

void spt_output(struct spt_cpu *c)
{
	struct spt_flow *flow = &c->e->flow;

	spt_write(c, flow->out, flow->out_used);
	flow->out_used = 0;
}

static bool spt_is_full(const struct spt_cpu *c)
{
	return spt_room(c) < SPT_RESERVE;
}

/* handle->wakeup has no meaning in overwrite mode, where it is never full. */
bool spt_output_wants_turn(const struct spt_cpu *c)
{
	if (c->overwrite)
		return false;
	return spt_is_full(c) || (long)(c->pos - c->handle.wakeup) >= 0;
}

/*
 * As intel_pt_interrupt(). A reader that does not keep up is told as there: the
 * last piece, filled up to its end, is TRUNCATED.
 */
bool spt_output_turn(struct spt_cpu *c)
{
	struct perf_event *event = c->event;

	if (spt_is_full(c)) {
		spt_pad(c);
		perf_aux_output_flag(&c->handle, PERF_AUX_FLAG_TRUNCATED);
	}
	spt_output_end(c);
	spt_flow_reset(&c->e->flow);
	if (spt_output_begin(c, event))
		return true;
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	return false;
}
