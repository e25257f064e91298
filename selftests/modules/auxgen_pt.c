// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limits of Intel PT's driver and hardware in an AUX area, for events with
 * AUXGEN_F_PT. An interrupt and a stop of the output are possible only at the end
 * of a physically contiguous run of pages. The data that is written between the
 * interrupt and its handler must find room before the stop, or it is lost. See
 * topa_insert_pages(), pt_buffer_reset_offsets() and pt_buffer_reset_markers() in
 * arch/x86/events/intel/pt.c.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "auxgen_pmu.h"

/* Return an array that gives for each page the first page of its run. */
unsigned int *auxgen_pt_runs(void **pages, int nr_pages)
{
	unsigned int *runs = kvcalloc(nr_pages, sizeof(*runs), GFP_KERNEL);
	int i, k;

	for (i = 0; runs && i < nr_pages; i += k) {
		struct page *page = virt_to_page(pages[i]);
		int order = PagePrivate(page) ? page_private(page) : 0;

		for (k = 0; k < 1 << order && i + k < nr_pages; k++)
			runs[i + k] = i;
	}
	return runs;
}

/* Return where the run before the run of page @at ends, in bytes. */
static unsigned long auxgen_pt_end_before(const struct auxgen_area *area,
					  unsigned long at)
{
	unsigned int first = area->runs[at & (area->nr_pages - 1)];

	return (unsigned long)(first ?: area->nr_pages) << PAGE_SHIFT;
}

/* Set the markers after a begin. Returns false if the driver would refuse the handle. */
bool auxgen_pt_markers(const struct auxgen_area *area,
		       const struct perf_output_handle *handle,
		       struct auxgen_pt *pt)
{
	unsigned long page = handle->head >> PAGE_SHIFT, run, end, pages;

	run = (unsigned long)area->runs[page] << PAGE_SHIFT;
	for (end = page; end < area->nr_pages &&
	     area->runs[end] == area->runs[page]; end++)
		;
	/* can't stop in the middle of an output region */
	if (handle->head + handle->size + 1 < end << PAGE_SHIFT)
		return false;

	pages = handle->size >> PAGE_SHIFT;
	if (!offset_in_page(handle->head + handle->size + 1))
		pages++;
	pt->stop = auxgen_pt_end_before(area, page + pages);
	pt->intr = auxgen_pt_end_before(area, min(page + pages - 1,
						  handle->wakeup >> PAGE_SHIFT));
	/* The marker is not ahead, so only the stop interrupts. */
	if (pt->intr <= handle->head)
		pt->intr = pt->stop;
	return run < pt->stop;
}
