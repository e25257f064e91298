// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a ring: control page and tables (vmalloc), segments (pages).
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ring/frame_word.h"
#include "ring/keep.h"
#include "ring/node.h"
#include "ring/order.h"
#include "ring/process.h"

/* Like PERF_AUX_GFP in kernel/events/ring_buffer.c, and charged to the memcg */
#define PA_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY)

/* Any user may ask for more memory than there is, so do not warn in the log. */
#define PA_TABLE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN)

/*
 * User space reads the bits of open segments as words of 64 bits. Pairs of 32-bit longs have the
 * same bits in the same places only on a little-endian CPU.
 */
static_assert(BITS_PER_LONG == 64 || !IS_ENABLED(CONFIG_CPU_BIG_ENDIAN));

/*
 * Largest order asked of the page allocator: 4 MiB with 4K pages. Larger runs
 * do not exist by default, see MAX_ORDER and MAX_PAGE_ORDER.
 */
#define PA_MAX_ORDER	10

static int pa_sizes(struct pa_ring *ring, const struct perfaux_create *arg,
		    struct perfaux_control *ctl)
{
	size_t segments, spans, gaps, marks, data, at;
	/*
	 * Up to nr_segments are READY. HELD segments have entries, too, and are not READY. With
	 * twice as many entries, the entry of a READY segment is rarely needed for another one.
	 */
	const size_t entries = roundup_pow_of_two(2 * arg->nr_segments);

	if (check_mul_overflow((size_t)arg->nr_segments,
			       sizeof(struct perfaux_segment), &segments) ||
	    check_mul_overflow((size_t)arg->nr_segments,
			       arg->spans_per_segment * sizeof(struct perfaux_span),
			       &spans) ||
	    check_mul_overflow((size_t)arg->nr_segments,
			       (size_t)arg->segment_size, &data) ||
	    data > LONG_MAX / 2 || spans > LONG_MAX / 4)
		return -EOVERFLOW;
	gaps = PA_NR_GAPS * sizeof(struct perfaux_gap);
	marks = (arg->nr_segments + PA_NR_GAPS) * sizeof(u64);

	at = ALIGN(sizeof(struct perfaux_control), 64);
	ctl->segments_offset = at;
	ctl->spans_offset = at += segments;
	ctl->gaps_offset = at += spans;
	ctl->order_offset = at += gaps;
	ctl->order_size = entries;
	ctl->open_offset = at += entries * sizeof(u64);
	at += BITS_TO_U64(arg->nr_segments) * sizeof(u64);
	ctl->data_offset = PAGE_ALIGN(at);

	ring->tables_size = ctl->data_offset;
	ring->marks_size = PAGE_ALIGN(marks);
	ring->data_size = data;
	return 0;
}

/* Allocate the pages of one segment, in runs as long as possible. */
static int pa_segment_alloc(struct pa_segment *seg, unsigned int nr)
{
	const int node = pa_node_wanted(seg->ring, seg - seg->ring->seg);
	unsigned int i = 0, order;

	seg->pages = kvcalloc(nr, sizeof(*seg->pages), PA_TABLE_GFP);
	if (!seg->pages)
		return -ENOMEM;
	seg->contig_order = min_t(unsigned int, PA_MAX_ORDER, ilog2(nr));
	order = seg->contig_order;

	while (i < nr) {
		struct page *page = node == NUMA_NO_NODE ? alloc_pages(PA_GFP, order) :
				    alloc_pages_node(node, PA_GFP, order);
		unsigned int k;

		if (!page && order) {
			order--;
			seg->contig_order = order;
			continue;
		}
		if (!page)
			return -ENOMEM;
		/* Each page is mapped, and freed, by itself. */
		split_page(page, order);
		for (k = 0; k < 1U << order; k++)
			seg->pages[i++] = page_address(page + k);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static void pa_segment_free_pages(struct pa_segment *seg, unsigned int nr)
{
	unsigned int i;

	for (i = 0; !seg->ring->keep && seg->pages && i < nr && seg->pages[i]; i++) {
		__free_page(virt_to_page(seg->pages[i]));
		cond_resched();
	}
	kvfree(seg->pages);
}

static void pa_ring_set_pointers(struct pa_ring *ring)
{
	struct perfaux_control *ctl = ring->ctl;
	struct perfaux_span *spans = (void *)ctl + ctl->spans_offset;
	unsigned int i;

	ring->segments = (void *)ctl + ctl->segments_offset;
	ring->gaps = (void *)ctl + ctl->gaps_offset;
	ring->gap_marks = ring->marks + ctl->nr_segments;
	ring->order = (void *)ctl + ctl->order_offset;
	ring->order_mask = ctl->order_size - 1;
	ring->open = (void *)ctl + ctl->open_offset;
	for (i = 0; i < ctl->nr_segments; i++) {
		struct pa_segment *seg = &ring->seg[i];

		seg->ring = ring;
		seg->shared = &ring->segments[i];
		seg->spans = spans + (size_t)i * ctl->spans_per_segment;
		seg->mark = &ring->marks[i];
		pa_frames_reset(seg);
		pa_segment_set_size(seg, ctl->segment_size);
	}
	pa_order_init(ring);
}

/* Allocate the tables that only the kernel uses. */
static bool pa_ring_alloc_tables(struct pa_ring *ring, unsigned int nr)
{
	ring->late = kvcalloc(BITS_TO_LONGS(nr), sizeof(long), PA_TABLE_GFP);
	ring->held = kvcalloc(BITS_TO_LONGS(nr), sizeof(long), PA_TABLE_GFP);
	ring->gap_states = kvcalloc(PA_NR_GAPS, sizeof(*ring->gap_states), PA_TABLE_GFP);
	ring->gap_cpus = kvcalloc(BITS_TO_LONGS(nr_cpu_ids), sizeof(long), PA_TABLE_GFP);
	ring->sinks = kvcalloc(num_possible_cpus(), sizeof(*ring->sinks), PA_TABLE_GFP);
	ring->free_sinks = kvcalloc(BITS_TO_LONGS(num_possible_cpus()), sizeof(long),
				    PA_TABLE_GFP);
	return ring->late && ring->held && ring->gap_states && ring->gap_cpus &&
	       ring->sinks && ring->free_sinks;
}

/* Allocate what user space maps, except for the segments of a ring that is not kept. */
static int pa_ring_alloc_shared(struct pa_ring *ring, const struct perfaux_create *arg)
{
	if (arg->flags & PERFAUX_RING_KEPT)
		return pa_keep_alloc(ring, arg);
	ring->marks = __vmalloc(ring->marks_size, PA_TABLE_GFP);
	ring->ctl = __vmalloc(ring->tables_size, PA_TABLE_GFP);
	return ring->marks && ring->ctl ? 0 : -ENOMEM;
}

int pa_ring_alloc_memory(struct pa_ring *ring, const struct perfaux_create *arg)
{
	unsigned int nr = arg->segment_size >> PAGE_SHIFT, i;
	struct perfaux_control layout = {};
	unsigned long pages;
	int ret;

	ret = pa_sizes(ring, arg, &layout);
	if (ret)
		return ret;
	/* Include the pages of the first sinks, which are allocated with the first event. */
	ring->charged_sinks = pa_sinks_at_first();
	pages = ring->charged_sinks;
	/* Do not charge a kept ring: its region is reserved, and only root can use it. */
	if (!(arg->flags & PERFAUX_RING_KEPT))
		pages += (ring->tables_size + ring->marks_size + ring->data_size) >> PAGE_SHIFT;
	ret = pa_charge(ring, pages);
	if (ret)
		return ret;
	/* Otherwise a typing error of root would call the OOM killer. */
	if (pages > totalram_pages())
		return -ENOMEM;

	ring->seg = kvcalloc(arg->nr_segments, sizeof(*ring->seg), PA_TABLE_GFP);
	ring->cpu = alloc_percpu_gfp(struct pa_cpu,
				     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!ring->seg || !ring->cpu || !pa_ring_alloc_tables(ring, arg->nr_segments))
		return -ENOMEM;
	ret = pa_nodes_init(ring, arg->nr_segments) ?: pa_ring_alloc_shared(ring, arg);
	if (ret)
		return ret;

	layout.size = sizeof(layout);
	layout.abi = PERFAUX_ABI;
	layout.ring_flags = arg->flags;
	layout.segment_size = arg->segment_size;
	layout.nr_segments = arg->nr_segments;
	layout.spans_per_segment = arg->spans_per_segment;
	layout.nr_gaps = PA_NR_GAPS;
	layout.watermark = arg->watermark;
	get_random_bytes(&layout.key, sizeof(layout.key));
	*ring->ctl = layout;
	pa_ring_set_pointers(ring);

	ret = ring->keep ? pa_keep_start(ring) : 0;
	for (i = 0; !ret && i < arg->nr_segments; i++) {
		if (!ring->keep)
			ret = pa_segment_alloc(&ring->seg[i], nr);
		if (!ret)
			pa_node_note(&ring->seg[i]);
	}
	if (!ret)
		pa_free_init(ring);
	return ret;
}

/* Free the memory, also of a ring that was only made in part. */
void pa_ring_free_memory(struct pa_ring *ring)
{
	unsigned int i;

	if (ring->seg && ring->ctl) {
		unsigned int nr = ring->ctl->segment_size >> PAGE_SHIFT;

		for (i = 0; i < ring->ctl->nr_segments; i++)
			pa_segment_free_pages(&ring->seg[i], nr);
	}
	free_percpu(ring->cpu);
	kvfree(ring->free_sinks);
	kvfree(ring->sinks);
	kvfree(ring->gap_cpus);
	kvfree(ring->gap_states);
	kvfree(ring->held);
	pa_nodes_free(ring);
	kvfree(ring->late);
	kvfree(ring->seg);
	if (!ring->keep) {
		vfree(ring->ctl);
		vfree(ring->marks);
	}
	pa_keep_free(ring);
	pa_uncharge(ring);
}
