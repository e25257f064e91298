// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kept rings: where their parts are in the region, and what writers do so that a reader can use
 * the ring after a crash of the machine.
 *
 * A crash can happen between any two instructions. So a writer describes a span in struct
 * perfaux_open before the PMU writes data. The description has a sum of its own. A writer
 * replaces the description only for the segment's next span, when the table of spans already has
 * the previous span.
 *
 * Context: as keep.h says; writers run in any context up to NMI.
 */
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "ring/keep.h"
#include "ring/process.h"

static_assert(sizeof(struct perfaux_open) == 64);
static_assert(sizeof(struct perfaux_stop) == 264);
static_assert(offsetof(struct perfaux_span, reserved) == 7 * sizeof(u64));
static_assert(offsetof(struct perfaux_open, sum) == 7 * sizeof(u64));
static_assert(!(offsetof(struct perfaux_kept_header, sum) % sizeof(u64)));
static_assert(sizeof(struct perfaux_gap) == 8 * sizeof(u64));

/* --- the parts of the region ------------------------------------------------ */

/*
 * Return the place of a part of @size bytes, and move *@at to the next part. Each part begins with
 * a page: user space maps most of the parts, and the others are small.
 */
static u64 pa_keep_place(u64 *at, u64 size)
{
	const u64 place = *at;

	*at = PAGE_ALIGN(place + size);
	return place;
}

static void pa_keep_layout(const struct pa_ring *ring, const struct perfaux_create *arg,
			   phys_addr_t start, struct perfaux_kept_header *header)
{
	u64 at = 0;

	pa_keep_place(&at, sizeof(*header));
	header->stop_offset = pa_keep_place(&at, sizeof(struct perfaux_stop));
	header->opens_offset = pa_keep_place(&at, arg->nr_segments * sizeof(struct perfaux_open));
	header->gap_sums_offset = pa_keep_place(&at, PA_NR_GAPS * sizeof(u64));
	header->tables_size = ring->tables_size;
	header->tables_offset = pa_keep_place(&at, ring->tables_size);
	header->marks_offset = pa_keep_place(&at, ring->marks_size);
	header->user_size = arg->user_size;
	header->user_offset = pa_keep_place(&at, arg->user_size);
	/* Intel PT wants each run of pages aligned to its size (topa_insert_pages()). */
	header->data_offset = ALIGN(start + at, arg->segment_size) - start;
	header->data_size = ring->data_size;
}

static void pa_keep_pages(struct pa_segment *seg, void *base, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		seg->pages[i] = base + i * PAGE_SIZE;
	seg->contig_order = ilog2(nr);
}

static int pa_keep_segments(struct pa_ring *ring)
{
	const u32 size = ring->ctl->segment_size, nr = size >> PAGE_SHIFT;
	unsigned int i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		seg->pages = kvcalloc(nr, sizeof(*seg->pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!seg->pages)
			return -ENOMEM;
		pa_keep_pages(seg, ring->keep->data + (size_t)i * size, nr);
		cond_resched();
	}
	return 0;
}

int pa_keep_alloc(struct pa_ring *ring, const struct perfaux_create *arg)
{
	struct perfaux_kept_header layout = {};
	struct pa_keep *keep;
	void *region;

	/* The region's address is not known yet. Aligning the data takes less than a segment. */
	pa_keep_layout(ring, arg, 0, &layout);
	region = pa_region_take(layout.data_offset + layout.data_size + arg->segment_size);
	if (IS_ERR(region))
		return PTR_ERR(region);
	keep = kzalloc(sizeof(*keep), GFP_KERNEL_ACCOUNT);
	if (!keep) {
		pa_region_give_back();
		return -ENOMEM;
	}
	ring->keep = keep;
	pa_keep_layout(ring, arg, virt_to_phys(region), &layout);
	keep->header = region;
	*keep->header = layout;
	keep->opens = region + layout.opens_offset;
	keep->gap_sums = region + layout.gap_sums_offset;
	keep->user = region + layout.user_offset;
	keep->data = region + layout.data_offset;
	ring->ctl = region + layout.tables_offset;
	ring->marks = region + layout.marks_offset;
	ring->user_size = arg->user_size;
	return 0;
}

int pa_keep_start(struct pa_ring *ring)
{
	struct perfaux_kept_header *header = ring->keep->header;
	const struct perfaux_control *ctl = ring->ctl;
	const int ret = pa_keep_segments(ring);

	if (ret)
		return ret;
	header->size = sizeof(*header);
	header->abi = PERFAUX_ABI;
	header->region_size = pa_region_size();
	header->key = ctl->key;
	header->segment_size = ctl->segment_size;
	header->nr_segments = ctl->nr_segments;
	header->spans_per_segment = ctl->spans_per_segment;
	header->nr_gaps = ctl->nr_gaps;
	header->segments_offset = header->tables_offset + ctl->segments_offset;
	header->spans_offset = header->tables_offset + ctl->spans_offset;
	header->gaps_offset = header->tables_offset + ctl->gaps_offset;
	header->realtime = ktime_get_real_ns();
	memcpy(header->magic, PERFAUX_KEPT_MAGIC, sizeof(header->magic));
	header->sum = perfaux_kept_sum(0, header, offsetof(typeof(*header), sum) / sizeof(u64));
	pa_stop_watch(ring);
	return 0;
}

void pa_keep_free(struct pa_ring *ring)
{
	if (!ring->keep)
		return;
	pa_stop_watch(NULL);
	pa_region_give_back();
	kfree(ring->keep);
	ring->keep = NULL;
}

/* --- writers ---------------------------------------------------------------- */

static u64 pa_keep_start_of(const struct pa_segment *seg, u32 index)
{
	const struct pa_ring *ring = seg->ring;

	return perfaux_kept_start(ring->ctl->key, PERFAUX_SEQ(READ_ONCE(seg->shared->state)),
				  seg - ring->seg, index);
}

/*
 * Clear a segment that the caller has CLAIMED. After a crash, zeros at the end tell how far the
 * segment was written.
 */
void pa_keep_clear(const struct pa_segment *seg)
{
	memset(seg->pages[0], 0, seg->size);
}

/*
 * Describe a span that begins in a BUSY segment. The writer calls this again if the PMU skips bytes
 * before the data.
 */
void pa_keep_begin(const struct pa_segment *seg)
{
	struct perfaux_open *open = &seg->ring->keep->opens[seg - seg->ring->seg];
	const struct perfaux_open new = {
		.t_begin = seg->t_begin,
		.cookie = seg->cookie,
		.offset = seg->head,
		.index = seg->shared->nr_spans,
		.pid = seg->pid,
		.tid = seg->tid,
		.cpu = smp_processor_id(),
	};

	*open = new;
	open->sum = perfaux_kept_sum(pa_keep_start_of(seg, new.index), &new, 7);
	/* The open span must be in memory before the PMU writes data. */
	wmb();
}

/* Return the sum of a span whose other members are complete. */
u64 pa_keep_span_sum(const struct pa_segment *seg, const struct perfaux_span *span)
{
	return perfaux_kept_sum(pa_keep_start_of(seg, span - seg->spans), span, 7);
}

/*
 * Store the sum of the gap with index @i, which is complete except for its number, @seq. @seq is 0
 * while the gap is not published: it may still grow then.
 */
void pa_keep_gap(struct pa_ring *ring, unsigned int i, u64 seq)
{
	struct perfaux_gap gap = ring->gaps[i];

	gap.seq = seq;
	WRITE_ONCE(ring->keep->gap_sums[i],
		   perfaux_kept_sum(perfaux_kept_start(ring->ctl->key, seq, i, 0), &gap, 8));
}
