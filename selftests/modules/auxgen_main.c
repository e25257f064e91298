// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxgen - a PMU whose AUX output can be verified, see auxgen.h.
 *
 * auxgen knows nothing about perfaux. It uses the AUX interface like a hardware
 * driver, so it can also write to the kernel's own AUX area.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "auxgen_pmu.h"
#include "pace.h"

struct auxgen_event {
	struct perf_output_handle handle;
	struct perf_event *event;
	struct auxgen_area *area;	/* NULL: no open handle */
	struct auxgen_writer writer;
	struct rcu_head rcu;
	struct auxgen_pt pt;
	unsigned long written;		/* bytes since begin */
	unsigned int writes;
	/*
	 * Set while somebody writes, with interrupts off, and while the event is
	 * stopped, when its timer does not run. So only an NMI, or an event that takes
	 * AUX samples of this one, can find it set. They then give up.
	 */
	int busy;
	struct hrtimer timer;
};

struct auxgen_pmu auxgen_pmus[AUXGEN_PMUS_MAX];

static struct auxgen_pmu *auxgen_pmu(const struct auxgen_event *ev)
{
	return auxgen_pmu_of(ev->event->pmu);
}

static u64 auxgen_config(const struct auxgen_event *ev)
{
	return ev->event->attr.config;
}

/* Return whether the output must be treated like Intel PT's. */
static bool auxgen_is_pt(const struct auxgen_event *ev)
{
	return auxgen_config(ev) & AUXGEN_F_PT && ev->area &&
	       !ev->area->overwrite;
}

static void auxgen_begin(struct auxgen_event *ev)
{
	unsigned long skip = AUXGEN_SKIP(auxgen_config(ev)) * AUXGEN_CHUNK;

	ev->written = 0;
	ev->area = NULL;
	if (!auxgen_writer_claim(&ev->writer, ev->event))
		return;
	ev->area = perf_aux_output_begin(&ev->handle, ev->event);
	auxgen_writer_has(&ev->writer, ev->area ? ev->handle.rb : NULL);
	if (ev->area && skip && !ev->area->overwrite)
		perf_aux_output_skip(&ev->handle, skip);
	if (auxgen_is_pt(ev) &&
	    !auxgen_pt_markers(ev->area, &ev->handle, &ev->pt)) {
		perf_aux_output_flag(&ev->handle, PERF_AUX_FLAG_TRUNCATED);
		perf_aux_output_end(&ev->handle, 0);
		auxgen_writer_has(&ev->writer, NULL);
		ev->area = NULL;
	}
}

static void auxgen_end(struct auxgen_event *ev, u64 flags)
{
	if (!ev->area)
		return;
	if (ev->area->overwrite)
		ev->handle.head += ev->written;
	if (flags)
		perf_aux_output_flag(&ev->handle, flags);
	if (auxgen_config(ev) & AUXGEN_F_OVER &&
	    ev->written > ev->handle.size)
		ev->written += AUXGEN_CHUNK;
	perf_aux_output_end(&ev->handle, ev->written);
	auxgen_writer_has(&ev->writer, NULL);
	ev->area = NULL;
}

/* Return the bytes that can be written before new room is needed. */
static unsigned long auxgen_room(const struct auxgen_event *ev)
{
	const struct perf_output_handle *handle = &ev->handle;
	unsigned long limit = handle->size;

	if (!ev->area)
		return 0;
	if (ev->area->overwrite)
		return ULONG_MAX;
	if (auxgen_is_pt(ev))
		return ev->pt.stop - handle->head - ev->written;
	/* Fill all the room, like Intel PT: size is one byte less than the room. */
	if (auxgen_config(ev) & AUXGEN_F_FILL)
		limit++;
	if (auxgen_config(ev) & AUXGEN_F_MARKER &&
	    handle->wakeup > handle->head)
		limit = min(limit, ALIGN(handle->wakeup - handle->head,
					 AUXGEN_CHUNK));
	return limit > ev->written ? limit - ev->written : 0;
}

static struct auxgen_count *auxgen_count(const struct auxgen_event *ev)
{
	unsigned int stream = AUXGEN_STREAM(auxgen_config(ev));

	return &this_cpu_ptr(auxgen_pmu(ev)->cpus)->count[stream];
}

/*
 * Two events of one stream can count at the same time, and so can an NMI and the
 * code that it interrupted.
 */
static u64 auxgen_count_next(u64 *counter, u64 n)
{
	return atomic64_fetch_add(n, (atomic64_t *)counter);
}

static void auxgen_lose(struct auxgen_event *ev, u64 n)
{
	struct auxgen_count *count = auxgen_count(ev);

	auxgen_count_next(&count->seq, n);
	auxgen_count_next(&count->lost, n);
}

static void auxgen_chunk(struct auxgen_event *ev, enum auxgen_source source)
{
	unsigned long mask = ((unsigned long)ev->area->nr_pages << PAGE_SHIFT) - 1;
	unsigned long at = (ev->handle.head + ev->written) & mask;
	u32 stream = AUXGEN_STREAM(auxgen_config(ev));
	struct auxgen_count *count = auxgen_count(ev);
	u64 seq = auxgen_count_next(&count->seq, 1);

	auxgen_fill(ev->area->pages[at >> PAGE_SHIFT] + offset_in_page(at),
		    stream, source, seq, READ_ONCE(count->lost),
		    ev->event->clock());
	auxgen_ledger_note(auxgen_pmu(ev), stream, seq);
	ev->written += AUXGEN_CHUNK;
}

/*
 * Write all @n chunks before the interrupt handler runs. If they reach the stop,
 * the rest is lost.
 */
static void auxgen_write_pt(struct auxgen_event *ev, enum auxgen_source source,
			    u32 n)
{
	u64 flags = 0;
	u32 i;

	for (i = 0; i < n && auxgen_room(ev) >= AUXGEN_CHUNK; i++)
		auxgen_chunk(ev, source);
	if (i < n) {
		auxgen_lose(ev, n - i);
		flags = PERF_AUX_FLAG_TRUNCATED;
	}
	if (flags || ev->handle.head + ev->written >= ev->pt.intr) {
		auxgen_end(ev, flags);
		auxgen_begin(ev);
	}
}

/* The caller holds ev->busy. */
static void auxgen_write(struct auxgen_event *ev, enum auxgen_source source)
{
	u64 config = auxgen_config(ev);
	u32 n = AUXGEN_CHUNKS(config) ?: 16, i;

	if (auxgen_is_pt(ev)) {
		auxgen_write_pt(ev, source, n);
		return;
	}
	if (config & AUXGEN_F_FILL && ev->area && !ev->area->overwrite)
		n = max_t(u32, n, auxgen_room(ev) / AUXGEN_CHUNK);
	for (i = 0; i < n; i++) {
		if (auxgen_room(ev) < AUXGEN_CHUNK) {
			auxgen_end(ev, 0);
			auxgen_begin(ev);
			if (auxgen_room(ev) < AUXGEN_CHUNK)
				break;
		}
		auxgen_chunk(ev, source);
	}
	if (i < n)
		auxgen_lose(ev, n - i);
	if (AUXGEN_TRUNCATE(config) &&
	    ++ev->writes % AUXGEN_TRUNCATE(config) == 0 && ev->area) {
		auxgen_lose(ev, n);
		auxgen_end(ev, PERF_AUX_FLAG_TRUNCATED);
		auxgen_begin(ev);
	}
}

static void auxgen_try_write(struct auxgen_event *ev, enum auxgen_source source)
{
	if (xchg(&ev->busy, 1))
		return;
	auxgen_write(ev, source);
	/* Pairs with the xchg above, in an NMI. */
	smp_store_release(&ev->busy, 0);
}

static unsigned int auxgen_nr_here(const struct auxgen_pmu *pmu)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < AUXGEN_ACTIVE; i++)
		n += !!this_cpu_read(pmu->cpus->active[i]);
	return n;
}

static enum hrtimer_restart auxgen_timer(struct hrtimer *timer)
{
	struct auxgen_event *ev = container_of(timer, struct auxgen_event,
					       timer);
	u64 period = AUXGEN_PERIOD(ev->event->attr.config1) ?: 1000;
	ktime_t begin = ktime_get();

	if (auxgen_config(ev) & AUXGEN_F_TIMER)
		auxgen_try_write(ev, AUXGEN_TIMER);
	if (auxgen_config(ev) & AUXGEN_F_NMI)
		auxgen_nmi_send_next(auxgen_pmu(ev));
	hrtimer_set_expires(timer, paced(begin, ns_to_ktime(period * NSEC_PER_USEC), 0,
					 auxgen_nr_here(auxgen_pmu(ev))));
	return HRTIMER_RESTART;
}

void auxgen_write_nmi(struct auxgen_pmu *pmu)
{
	int i;

	for (i = 0; i < AUXGEN_ACTIVE; i++) {
		struct auxgen_event *ev = this_cpu_read(pmu->cpus->active[i]);

		if (ev && auxgen_config(ev) & AUXGEN_F_NMI)
			auxgen_try_write(ev, AUXGEN_NMI);
	}
}

static void auxgen_set_active(struct auxgen_pmu *pmu, struct auxgen_event *from,
			      struct auxgen_event *to)
{
	int i;

	for (i = 0; i < AUXGEN_ACTIVE; i++) {
		if (this_cpu_read(pmu->cpus->active[i]) == from) {
			this_cpu_write(pmu->cpus->active[i], to);
			return;
		}
	}
}

static void auxgen_start(struct perf_event *event, int flags)
{
	struct auxgen_event *ev = event->pmu_private;
	u64 period = AUXGEN_PERIOD(event->attr.config1) ?: 1000;
	u64 config = event->attr.config;

	/* perf wanted to throttle the event, and auxgen_stop() has not stopped it. */
	if (!(event->hw.state & PERF_HES_STOPPED))
		return;
	auxgen_writer_add(&ev->writer);
	auxgen_begin(ev);
	if (!ev->area) {
		auxgen_writer_del(&ev->writer);
		event->hw.state = PERF_HES_STOPPED;
		/* The data of one batch is lost, and the loss is counted. */
		auxgen_lose(ev, AUXGEN_CHUNKS(config) ?: 16);
		return;
	}
	event->hw.state = 0;
	if (config & AUXGEN_F_CTX || !(config & (AUXGEN_F_TIMER | AUXGEN_F_NMI)))
		auxgen_write(ev, AUXGEN_CTX);
	/* Pairs with the xchg of an NMI, which may find the event active now. */
	smp_store_release(&ev->busy, 0);
	auxgen_set_active(auxgen_pmu(ev), NULL, ev);
	if (config & (AUXGEN_F_TIMER | AUXGEN_F_NMI))
		hrtimer_start(&ev->timer,
			      ns_to_ktime(period * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Without PERF_EF_UPDATE, perf wants to throttle the event, and this function does nothing. Since
 * 6.16, perf throttles all events of a group (perf_event_throttle_group()), so the call can come
 * in an NMI, where the event cannot be stopped.
 */
static void auxgen_stop(struct perf_event *event, int flags)
{
	struct auxgen_event *ev = event->pmu_private;
	u64 config = event->attr.config;

	if (!(flags & PERF_EF_UPDATE) || event->hw.state & PERF_HES_STOPPED)
		return;
	hrtimer_cancel(&ev->timer);
	auxgen_set_active(auxgen_pmu(ev), ev, NULL);
	/* An NMI that still uses the event has finished when this code continues. */
	WRITE_ONCE(ev->busy, 1);
	barrier();
	if (config & AUXGEN_F_CTX || !(config & (AUXGEN_F_TIMER | AUXGEN_F_NMI)))
		auxgen_write(ev, AUXGEN_CTX);
	auxgen_end(ev, 0);
	auxgen_writer_del(&ev->writer);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int auxgen_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!(flags & PERF_EF_START))
		return 0;
	auxgen_start(event, 0);
	/* Same as pt_event_add() */
	if (event->attr.config & AUXGEN_F_PT &&
	    event->hw.state & PERF_HES_STOPPED)
		return -EINVAL;
	return 0;
}

static void auxgen_del(struct perf_event *event, int flags)
{
	auxgen_stop(event, PERF_EF_UPDATE);
}

static void auxgen_read(struct perf_event *event)
{
}

static void auxgen_destroy(struct perf_event *event)
{
	struct auxgen_event *ev = event->pmu_private;

	/* Another event may have found this one, see auxgen_writer_claim(). */
	kfree_rcu(ev, rcu);
}

static int auxgen_event_init(struct perf_event *event)
{
	struct auxgen_event *ev;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config & ~AUXGEN_CONFIG_MASK ||
	    event->attr.config1 & ~AUXGEN_CONFIG1_MASK)
		return -EINVAL;
	if (event->attr.config & AUXGEN_F_NMI && !auxgen_nmi_works())
		return -EOPNOTSUPP;

	ev = kzalloc(sizeof(*ev), GFP_KERNEL);
	if (!ev)
		return -ENOMEM;
	ev->event = event;
	ev->busy = 1;
	auxgen_timer_setup(&ev->timer, auxgen_timer);
	event->pmu_private = ev;
	event->destroy = auxgen_destroy;
	return 0;
}

static void *auxgen_setup_aux(struct perf_event *event, void **pages,
			      int nr_pages, bool overwrite)
{
	struct auxgen_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->nr_pages = nr_pages;
	area->overwrite = overwrite;
	area->runs = auxgen_pt_runs(pages, nr_pages);
	if (!area->runs) {
		kfree(area);
		return NULL;
	}
	return area;
}

static void auxgen_free_aux(void *aux)
{
	struct auxgen_area *area = aux;

	kvfree(area->runs);
	kfree(area);
}

/* For an event that takes AUX samples of this one */
static long auxgen_snapshot_aux(struct perf_event *event,
				struct perf_output_handle *handle,
				unsigned long size)
{
	struct auxgen_event *ev = event->pmu_private;
	unsigned long to;
	long ret = 0;

	if (xchg(&ev->busy, 1))
		return 0;
	to = ev->handle.head + ev->written;
	/*
	 * Copy as much as the core asks for, or it warns; include older data if
	 * necessary.
	 */
	if (ev->area)
		ret = auxgen_copy_aux(&ev->handle, handle, to - size, to);
	/* Pairs with the xchg above, in an NMI. */
	smp_store_release(&ev->busy, 0);
	return ret;
}

static const struct pmu auxgen_template = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.attr_groups	= auxgen_attr_groups,
	.event_init	= auxgen_event_init,
	.add		= auxgen_add,
	.del		= auxgen_del,
	.start		= auxgen_start,
	.stop		= auxgen_stop,
	.read		= auxgen_read,
	.setup_aux	= auxgen_setup_aux,
	.free_aux	= auxgen_free_aux,
	.snapshot_aux	= auxgen_snapshot_aux,
};

/* Register the same PMU several times, as different PMUs. */
static int pmus = 1;
module_param(pmus, int, 0444);
MODULE_PARM_DESC(pmus, "Number of PMUs: auxgen, auxgen1, auxgen2 ...");

/*
 * For code that treats a PMU by its name. With another name, auxgen stands for the
 * driver of that name, and does not declare that it may write to a raw ring.
 */
#define AUXGEN_NAME "auxgen"
static char *name = AUXGEN_NAME;
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "Name of the PMU, of all of them without the number");

static void auxgen_free(void)
{
	int i;

	for (i = 0; i < pmus; i++)
		free_percpu(auxgen_pmus[i].cpus);
}

/* This runs before any NMI comes, because its handler looks at all PMUs. */
static int auxgen_alloc(void)
{
	int i;

	for (i = 0; i < pmus; i++) {
		struct auxgen_pmu *p = &auxgen_pmus[i];

		p->pmu = auxgen_template;
		if (strcmp(name, AUXGEN_NAME))
			p->pmu.attr_groups = auxgen_renamed_groups;
		if (i)
			snprintf(p->name, sizeof(p->name), "%s%d", name, i);
		else
			snprintf(p->name, sizeof(p->name), "%s", name);
		p->cpus = alloc_percpu(struct auxgen_cpu);
		if (!p->cpus) {
			auxgen_free();
			return -ENOMEM;
		}
	}
	return 0;
}

/* Unregister the first @nr PMUs. */
static void auxgen_unregister(int nr)
{
	while (nr--)
		perf_pmu_unregister(&auxgen_pmus[nr].pmu);
}

static int __init auxgen_init(void)
{
	int i, ret;

	BUILD_BUG_ON(sizeof(struct auxgen_chunk) != AUXGEN_CHUNK);
	if (!*name || pmus < 1 || pmus > AUXGEN_PMUS_MAX)
		return -EINVAL;
	ret = auxgen_sample_init();
	if (ret)
		return ret;
	ret = auxgen_alloc();
	if (ret)
		return ret;
	auxgen_ledger_init();
	ret = auxgen_nmi_init();
	if (ret)
		goto err_free;
	for (i = 0; i < pmus; i++) {
		ret = perf_pmu_register(&auxgen_pmus[i].pmu, auxgen_pmus[i].name, -1);
		if (ret)
			goto err_pmus;
	}
	return 0;

err_pmus:
	auxgen_unregister(i);
	auxgen_nmi_exit();
err_free:
	auxgen_free();
	return ret;
}

static void __exit auxgen_exit(void)
{
	auxgen_unregister(pmus);
	auxgen_nmi_exit();
	auxgen_free();
}

module_init(auxgen_init);
module_exit(auxgen_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test PMU with a verifiable AUX output");
