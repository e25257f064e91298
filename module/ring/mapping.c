// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of a ring by user space.
 *
 * They count as pinned memory of the process (VmPin in /proc/PID/status), as
 * perf_mmap() and io_uring count theirs. The limit is that of the ring's user, see
 * account.c.
 *
 * munmap() of a part splits the mapping. The VMAs do not tell their old size then, so all
 * parts share one count, which is subtracted with the last part.
 */
#include <linux/mm.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ring/process.h"

struct pa_mapping {
	refcount_t parts;
	unsigned long pages;
};

static void pa_mapping_open(struct vm_area_struct *vma)
{
	struct pa_mapping *mapping = vma->vm_private_data;

	refcount_inc(&mapping->parts);
}

static void pa_mapping_close(struct vm_area_struct *vma)
{
	struct pa_mapping *mapping = vma->vm_private_data;

	if (!refcount_dec_and_test(&mapping->parts))
		return;
	atomic64_sub(mapping->pages, &vma->vm_mm->pinned_vm);
	kfree(mapping);
}

static const struct vm_operations_struct pa_mapping_ops = {
	.open	= pa_mapping_open,
	.close	= pa_mapping_close,
};

int pa_mapping_insert(struct vm_area_struct *vma, unsigned long addr, void *mem, size_t size)
{
	size_t at;
	int ret;

	for (at = 0; at < size; at += PAGE_SIZE) {
		void *here = mem + at;

		ret = vm_insert_page(vma, addr + at, is_vmalloc_addr(here) ?
						     vmalloc_to_page(here) : virt_to_page(here));
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Must be the last step of mmap(), because close() is not called if an earlier step fails. */
int pa_mapping_count(struct vm_area_struct *vma)
{
	struct pa_mapping *mapping = kmalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);

	if (!mapping)
		return -ENOMEM;
	refcount_set(&mapping->parts, 1);
	mapping->pages = vma_pages(vma);
	atomic64_add(mapping->pages, &vma->vm_mm->pinned_vm);
	vma->vm_private_data = mapping;
	vma->vm_ops = &pa_mapping_ops;
	return 0;
}
