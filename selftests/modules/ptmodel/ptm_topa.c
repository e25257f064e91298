// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output regions, as described in the SDM, "ToPA Output" and "Single Range Output".
 * The model finds tables and regions by their physical addresses only.
 */
#include <linux/bitfield.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include <asm/intel_pt.h>
#include <asm/msr-index.h>

#include "ptm.h"

#define TE_END		BIT_ULL(0)
#define TE_INT		BIT_ULL(2)
#define TE_STOP		BIT_ULL(4)
#define TE_SIZE		GENMASK_ULL(9, 6)
#define TE_BASE		GENMASK_ULL(51, 12)
#define TE_RESERVED	(~(TE_END | TE_INT | TE_STOP | TE_SIZE | TE_BASE))

/* IA32_RTIT_OUTPUT_MASK_PTRS; the lowest 7 bits are always set */
#define MASK_LOW	GENMASK_ULL(31, 0)
#define MASK_INDEX	GENMASK_ULL(31, 7)
#define MASK_OFFSET	GENMASK_ULL(63, 32)
#define MASK_ONES	GENMASK_ULL(6, 0)

static void ptm_set_pointers(struct ptm_cpu *p, u64 index, u64 offset)
{
	p->mask = FIELD_PREP(MASK_OFFSET, offset) |
		  FIELD_PREP(MASK_INDEX, index) | MASK_ONES;
}

/* "Operational errors": output is off until software clears them. */
static bool ptm_error(struct ptm_cpu *p, const char *what, u64 value)
{
	p->status |= RTIT_STATUS_ERROR;
	p->status &= ~RTIT_STATUS_TRIGGEREN;
	ptm_fault(p, what, value);
	return false;
}

static bool ptm_is_memory(u64 phys, u64 size)
{
	return pfn_valid(PHYS_PFN(phys)) && pfn_valid(PHYS_PFN(phys + size - 1));
}

static u64 ptm_entry(struct ptm_cpu *p, u64 index)
{
	const u64 *table = phys_to_virt(p->base);

	return READ_ONCE(table[index]);
}

/* IA32_RTIT_CTL.ToPA is 0: there is one range, and output wraps in it. */
static bool ptm_single(struct ptm_cpu *p, struct ptm_region *region)
{
	u64 size = (p->mask & MASK_LOW) + 1;
	u64 offset = FIELD_GET(MASK_OFFSET, p->mask);

	if (!ptm_single_range)
		return ptm_error(p, "no ToPA and no single range", p->ctl);
	if (!is_power_of_2(size) || p->base & (size - 1) || offset >= size ||
	    !ptm_is_memory(p->base, size))
		return ptm_error(p, "single range", p->mask);
	*region = (struct ptm_region){
		.at = phys_to_virt(p->base + offset),
		.size = size,
	};
	return true;
}

bool ptm_region(struct ptm_cpu *p, struct ptm_region *region)
{
	u64 index = FIELD_GET(MASK_INDEX, p->mask);
	u64 offset = FIELD_GET(MASK_OFFSET, p->mask);
	u64 entry, base, size;

	if (!(p->ctl & RTIT_CTL_TOPA))
		return ptm_single(p, region);
	if (!IS_ALIGNED(p->base, PAGE_SIZE) || !ptm_is_memory(p->base, PAGE_SIZE))
		return ptm_error(p, "table", p->base);
	if (index >= PAGE_SIZE / sizeof(u64))
		return ptm_error(p, "table offset", p->mask);
	entry = ptm_entry(p, index);
	base = entry & TE_BASE;
	size = PAGE_SIZE << FIELD_GET(TE_SIZE, entry);
	if (entry & TE_RESERVED || entry & TE_END)
		return ptm_error(p, "entry", entry);
	/* The single entry is followed by an END that points back to the same table. */
	if (!ptm_multiple_entries &&
	    (index || ptm_entry(p, 1) != (p->base | TE_END)))
		return ptm_error(p, "second entry", ptm_entry(p, 1));
	if (!IS_ALIGNED(base, size) || !ptm_is_memory(base, size))
		return ptm_error(p, "region", entry);
	if (offset % AUXGEN_CHUNK || offset + AUXGEN_CHUNK > size)
		return ptm_error(p, "output offset", p->mask);
	*region = (struct ptm_region){
		.at = phys_to_virt(base + offset),
		.size = size,
		.intr = entry & TE_INT,
		.stop = entry & TE_STOP,
	};
	return true;
}

/* The region is full: continue in the next one, which may be in the next table. */
static void ptm_next(struct ptm_cpu *p)
{
	u64 index = FIELD_GET(MASK_INDEX, p->mask) + 1;
	u64 entry = ptm_entry(p, index);

	if (entry & TE_END) {
		p->base = entry & TE_BASE;
		index = 0;
	}
	ptm_set_pointers(p, index, 0);
}

bool ptm_advance(struct ptm_cpu *p, const struct ptm_region *region)
{
	u64 offset = FIELD_GET(MASK_OFFSET, p->mask) + AUXGEN_CHUNK;

	if (!(p->ctl & RTIT_CTL_TOPA)) {
		p->mask = FIELD_PREP(MASK_OFFSET, offset & (region->size - 1)) |
			  (p->mask & MASK_LOW);
		p->single++;
		return false;
	}
	ptm_set_pointers(p, FIELD_GET(MASK_INDEX, p->mask), offset);
	if (offset < region->size)
		return region->intr && !ptm_multiple_entries &&
		       offset == region->size - PTM_EARLY;
	if (region->stop) {
		/* The pointers stay at the region's end. */
		p->status |= RTIT_STATUS_STOPPED;
		p->status &= ~RTIT_STATUS_TRIGGEREN;
		p->stops++;
	} else {
		ptm_next(p);
	}
	return region->intr && ptm_multiple_entries;
}
