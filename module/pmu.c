// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the PMU driver keeps per segment: for it each segment is an AUX area.
 */
#include <linux/mm.h>
#include <linux/module.h>

#include "attach.h"
#include "ring.h"

/*
 * Drivers read from the first page of each run how long the run is, see
 * rb_alloc_aux_page(). Runs of a quarter of the segment at most: Intel PT can
 * interrupt only at the end of a run (topa_insert_pages()).
 */
static void pa_mark_runs(struct pa_segment *seg, unsigned int nr, bool one)
{
	unsigned int order = seg->contig_order, i;

	if (!one)
		order = min_t(unsigned int, order,
			      ilog2(nr) > 2 ? ilog2(nr) - 2 : 0);
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

static void pa_pmu_undo(struct pa_ring *ring, struct pmu *pmu)
{
	unsigned int nr = ring->ctl->segment_size >> PAGE_SHIFT, i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		if (seg->priv)
			pmu->free_aux(seg->priv);
		seg->priv = NULL;
		pa_unmark_runs(seg, nr);
	}
}

/*
 * @event is the first one to be attached to @ring. ring->lock held, sleeps.
 * Returns 0, -EOPNOTSUPP, -ENODEV or -ENOMEM, see PERFAUX_IOC_ATTACH.
 */
int pa_pmu_setup(struct pa_ring *ring, struct perf_event *event)
{
	unsigned int nr = ring->ctl->segment_size >> PAGE_SHIFT, i;
	struct pmu *pmu = event->pmu;
	bool one = pmu->capabilities & PERF_PMU_CAP_AUX_NO_SG;

	if (one)
		for (i = 0; i < ring->ctl->nr_segments; i++)
			if (1U << ring->seg[i].contig_order < nr)
				return -EOPNOTSUPP;
	/* The ring may outlive the event, which holds the driver otherwise. */
	if (!try_module_get(pmu->module))
		return -ENODEV;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		pa_mark_runs(seg, nr, one);
		/*
		 * Never as a snapshot area, not even for an overwrite ring:
		 * the PMU has to stop at the end of each segment.
		 */
		seg->priv = pmu->setup_aux(event, seg->pages, nr, false);
		if (!seg->priv) {
			pa_pmu_undo(ring, pmu);
			module_put(pmu->module);
			return -ENOMEM;
		}
	}
	ring->pmu = pmu;
	WRITE_ONCE(ring->ctl->pmu_type, pmu->type);
	return 0;
}

/* No span is open any more. */
void pa_pmu_release(struct pa_ring *ring)
{
	if (!ring->pmu)
		return;
	pa_pmu_undo(ring, ring->pmu);
	module_put(ring->pmu->module);
	ring->pmu = NULL;
}
