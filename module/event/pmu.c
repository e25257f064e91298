// SPDX-License-Identifier: GPL-2.0-only
/*
 * Set up what the PMU driver keeps per segment. To the driver each segment is an
 * AUX area.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "event/aux_pmus.h"
#include "event/event.h"
#include "ring/process.h"

static bool pa_group_declares(const struct attribute_group *group)
{
	struct attribute **attr;

	if (!group->name || strcmp(group->name, PA_AUX_PMU_CAPS) || !group->attrs)
		return false;
	for (attr = group->attrs; *attr; attr++)
		if (!strcmp((*attr)->name, PA_AUX_PMU_CAP))
			return true;
	return false;
}

static bool pa_pmu_declares(const struct pmu *pmu)
{
	const struct attribute_group **group;

	for (group = pmu->attr_groups; group && *group; group++)
		if (pa_group_declares(*group))
			return true;
	return false;
}

/* The list of the kernel's drivers takes precedence over what a PMU of that name declares. */
bool pa_pmu_fits(const struct pmu *pmu)
{
	const struct pa_aux_pmu *known = pa_aux_pmu_find(pmu->name);

	return known ? !known->refused : pa_pmu_declares(pmu);
}

/*
 * The first page of each run tells drivers how long the run is, see
 * rb_alloc_aux_page(). Intel PT can interrupt only at the end of a run: the end
 * of the last run below the page of handle->wakeup (pt_buffer_reset_markers()).
 * So a run must end at the marker: runs are no longer than the room after it.
 * Drivers without scatter-gather get the longest runs that were allocated,
 * because they stop at the end of each run and can do no better
 * (PT_CAP_topa_multiple_entries in pt.c).
 */
static void pa_mark_runs(struct pa_segment *seg, unsigned int nr, bool no_sg)
{
	unsigned int order = seg->contig_order, i;
	unsigned int tail = (seg->size - seg->marker) >> PAGE_SHIFT;

	if (!no_sg)
		order = min_t(unsigned int, order, tail ? ilog2(tail) : 0);
	for (i = 0; order && i < nr; i += 1U << order) {
		struct page *page = virt_to_page(seg->pages[i]);

		SetPagePrivate(page);
		set_page_private(page, order);
	}
}

static void pa_unmark_runs(struct pa_segment *seg, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct page *page = virt_to_page(seg->pages[i]);

		ClearPagePrivate(page);
		set_page_private(page, 0);
	}
}

static void pa_pmu_undo(struct pa_ring *ring)
{
	unsigned int nr = ring->ctl->segment_size >> PAGE_SHIFT, i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		if (seg->priv)
			ring->free_aux(seg->priv);
		seg->priv = NULL;
		pa_unmark_runs(seg, nr);
		cond_resched();
	}
	pa_sinks_free(ring);
}

static int pa_pmu_setup_areas(struct pa_ring *ring, struct perf_event *event,
			      struct pmu *pmu)
{
	unsigned int nr = ring->ctl->segment_size >> PAGE_SHIFT, i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		pa_mark_runs(seg, nr,
			     pmu->capabilities & PERF_PMU_CAP_AUX_NO_SG);
		/*
		 * Never as a snapshot area, not even for an overwrite ring:
		 * the PMU must stop at the end of each segment.
		 */
		seg->priv = ring->setup_aux(event, seg->pages, nr, false);
		if (!seg->priv)
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

/*
 * Prepare @ring for @pmu, the PMU of @event, which is the first one to be attached
 * to @ring. ring->lock held, sleeps. Returns 0, -ENODEV or -ENOMEM, see
 * PERFAUX_IOC_ATTACH.
 */
int pa_pmu_setup(struct pa_ring *ring, struct perf_event *event,
		 struct pmu *pmu)
{
	int ret;

	/*
	 * The ring needs a reference of its own to the driver, because it may
	 * outlive the event, and even the PMU, which may be unregistered.
	 */
	if (!try_module_get(pmu->module))
		return -ENODEV;
	ring->pmu_module = pmu->module;
	/* The event may lose its PMU (perf_pmu_unregister()), but the driver stays. */
	ring->setup_aux = pmu->setup_aux;
	ring->free_aux = pmu->free_aux;
	ret = pa_pmu_setup_areas(ring, event, pmu);
	if (ret) {
		pa_pmu_undo(ring);
		module_put(ring->pmu_module);
		return ret;
	}
	ring->pmu = pmu;
	WRITE_ONCE(ring->ctl->pmu_type, pmu->type);
	return 0;
}

/* Undo pa_pmu_setup(). No span is open any more. */
void pa_pmu_release(struct pa_ring *ring)
{
	if (!ring->pmu)
		return;
	pa_pmu_undo(ring);
	module_put(ring->pmu_module);
	ring->pmu = NULL;
}
