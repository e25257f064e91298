// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring's file: ioctl, mmap, poll, fdinfo.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../perfaux.h"
#include "args.h"
#include "device/attach.h"
#include "device/ring.h"
#include "event/rights.h"
#include "produce/bpf.h"
#include "produce/producer.h"
#include "ring/keep.h"
#include "ring/process.h"
#include "ring/writer.h"

static long pa_ioctl_attach(struct pa_ring *ring, void __user *uarg)
{
	struct perfaux_attach arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_ATTACH_SIZE_V0, uarg);

	if (ret)
		return ret;
	if (arg.flags & ~PA_ATTACH_FLAGS || arg.flags == PA_ATTACH_FLAGS)
		return -EINVAL;
	if (arg.flags & PERFAUX_ATTACH_TRIGGER ?
	    !ring->overwrite || arg.post > INT_MAX : arg.post)
		return -EINVAL;
	/* RAW and TRIGGER make the module patch the kernel's code, see produce/raw_hook.c. */
	if (arg.flags)
		ret = pa_may_open();
	return ret ?: pa_attach(ring, &arg);
}

static long pa_ioctl_detach(struct pa_ring *ring, void __user *uarg)
{
	struct perfaux_detach arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_DETACH_SIZE_V0, uarg);

	if (ret)
		return ret;
	if (arg.flags & ~PERFAUX_DETACH_ALL || arg.reserved)
		return -EINVAL;
	if (!(arg.flags & PERFAUX_DETACH_ALL))
		return pa_detach(ring, arg.fd);
	if (arg.fd != -1)
		return -EINVAL;
	pa_detach_all(ring);
	pa_ring_wake(ring);
	return 0;
}

static long pa_ioctl_flush(struct pa_ring *ring, void __user *uarg)
{
	struct perfaux_flush arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_FLUSH_SIZE_V0, uarg);

	if (ret)
		return ret;
	if (arg.flags & ~PA_FLUSH_FLAGS)
		return -EINVAL;

	mutex_lock(&ring->lock);
	pa_ring_flush(ring, arg.flags);
	mutex_unlock(&ring->lock);
	return 0;
}

/* UNHOLD made segments READY: events that found no segment can overwrite these. */
static void pa_ring_unheld(struct pa_ring *ring)
{
	if (READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_STARVED)
		pa_ring_resume(ring);
}

static long pa_ioctl_hold(struct pa_ring *ring, void __user *uarg)
{
	struct perfaux_hold arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_HOLD_SIZE_V0, uarg);
	u64 hold;

	if (ret)
		return ret;
	if (arg.flags & ~PA_HOLD_FLAGS || arg.held || arg.seq ||
	    !ring->overwrite)
		return -EINVAL;
	if (arg.flags & PERFAUX_HOLD_THAW && !(arg.flags & PERFAUX_FLUSH_SPANS))
		return -EINVAL;
	/* If the answer cannot be written, fail before anything is held or thawed. */
	ret = pa_copy_answer(uarg, &arg, sizeof(arg), arg.size);
	if (ret)
		return ret;

	mutex_lock(&ring->lock);
	arg.held = pa_ring_hold(ring, arg.flags, arg.max, &arg.seq);
	hold = ring->holds;
	mutex_unlock(&ring->lock);
	ret = pa_copy_answer(uarg, &arg, sizeof(arg), arg.size);
	if (ret < 0) {
		mutex_lock(&ring->lock);
		pa_hold_undo(ring, hold);
		mutex_unlock(&ring->lock);
		pa_ring_unheld(ring);
	}
	return ret;
}

static long pa_ioctl_unhold(struct pa_ring *ring, void __user *uarg)
{
	struct perfaux_unhold arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_UNHOLD_SIZE_V0, uarg);

	if (ret)
		return ret;
	if (arg.flags & ~PERFAUX_UNHOLD_ALL || arg.reserved ||
	    arg.segment >= ring->ctl->nr_segments)
		return -EINVAL;
	if (arg.flags & PERFAUX_UNHOLD_ALL) {
		if (arg.segment || arg.seq)
			return -EINVAL;
		mutex_lock(&ring->lock);
		pa_segments_unhold_all(ring);
		mutex_unlock(&ring->lock);
	} else {
		ret = pa_segments_unhold(ring, arg.segment, arg.seq);
	}
	if (!ret)
		pa_ring_unheld(ring);
	return ret;
}

static long pa_ioctl_thaw(struct pa_ring *ring, void __user *uarg)
{
	struct perfaux_thaw arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_THAW_SIZE_V0, uarg);

	if (ret)
		return ret;
	if (arg.flags)
		return -EINVAL;

	mutex_lock(&ring->lock);
	ret = pa_thaw(ring);
	mutex_unlock(&ring->lock);
	if (!ret)
		pa_ring_resume(ring);
	return ret;
}

static long pa_ioctl_handle(struct pa_ring *ring, void __user *uarg)
{
	struct perfaux_handle arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_HANDLE_SIZE_V0, uarg);

	if (ret)
		return ret;
	if (arg.flags || arg.handle)
		return -EINVAL;
	ret = pa_bpf_handle(ring, &arg.handle);
	return ret ?: pa_copy_answer(uarg, &arg, sizeof(arg), arg.size);
}

static long pa_ring_ioctl(struct file *file, unsigned int cmd,
			  unsigned long uarg)
{
	struct pa_ring *ring = file->private_data;

	switch (cmd) {
	case PERFAUX_IOC_ATTACH:
		return pa_ioctl_attach(ring, (void __user *)uarg);
	case PERFAUX_IOC_DETACH:
		return pa_ioctl_detach(ring, (void __user *)uarg);
	case PERFAUX_IOC_FLUSH:
		return pa_ioctl_flush(ring, (void __user *)uarg);
	case PERFAUX_IOC_HANDLE:
		return pa_ioctl_handle(ring, (void __user *)uarg);
	case PERFAUX_IOC_HOLD:
		return pa_ioctl_hold(ring, (void __user *)uarg);
	case PERFAUX_IOC_THAW:
		return pa_ioctl_thaw(ring, (void __user *)uarg);
	case PERFAUX_IOC_UNHOLD:
		return pa_ioctl_unhold(ring, (void __user *)uarg);
	}
	return -ENOTTY;
}

static int pa_map_data(struct vm_area_struct *vma, unsigned long addr,
		       struct pa_ring *ring)
{
	unsigned int nr = ring->ctl->segment_size >> PAGE_SHIFT, i, k;
	int ret;

	/*
	 * Insert pages one by one: vm_insert_pages() can also fail half way, and
	 * this is not a hot path.
	 */
	for (i = 0; i < ring->ctl->nr_segments; i++) {
		for (k = 0; k < nr; k++) {
			ret = vm_insert_page(vma, addr,
					     virt_to_page(ring->seg[i].pages[k]));
			if (ret)
				return ret;
			addr += PAGE_SIZE;
			cond_resched();
		}
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/*
 * Pages are inserted here and not on demand: a fault per page, as perf had it
 * until 6.13, would cost the reader more than the copy that the mapping saves.
 */
static int pa_ring_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pa_ring *ring = file->private_data;
	size_t size = vma->vm_end - vma->vm_start;
	unsigned long offset = vma->vm_pgoff;
	int ret;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	pa_vm_flags_clear(vma, VM_MAYEXEC);
	pa_vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);

	if (!offset) {
		if (size != ring->marks_size)
			return -EINVAL;
		ret = pa_mapping_insert(vma, vma->vm_start, ring->marks, size);
		return ret ?: pa_mapping_count(vma);
	}
	if (ring->user_size &&
	    offset == (ring->marks_size + ring->tables_size + ring->data_size) >> PAGE_SHIFT) {
		if (size != ring->user_size)
			return -EINVAL;
		ret = pa_mapping_insert(vma, vma->vm_start, ring->keep->user, size);
		return ret ?: pa_mapping_count(vma);
	}
	if (offset != ring->marks_size >> PAGE_SHIFT ||
	    size != ring->tables_size + ring->data_size)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	pa_vm_flags_clear(vma, VM_MAYWRITE);
	ret = pa_mapping_insert(vma, vma->vm_start, ring->ctl, ring->tables_size);
	if (!ret)
		ret = pa_map_data(vma, vma->vm_start + ring->tables_size, ring);
	return ret ?: pa_mapping_count(vma);
}

static __poll_t pa_ring_poll(struct file *file, poll_table *wait)
{
	struct pa_ring *ring = file->private_data;
	bool starved, ready = false;
	__poll_t mask = 0;

	poll_wait(file, &ring->wait, wait);

	starved = READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_STARVED;
	if (starved) {
		pa_segments_make_way(ring);
		pa_ring_resume(ring);
	}
	if (!ring->overwrite)
		ready = starved ? pa_segments_any(ring) : pa_segments_enough(ring);
	/* A gap that still waits in a slot may precede what the reader will find. */
	if (ready || pa_gaps_ready(ring)) {
		pa_gaps_close_all(ring, true);
		mask |= EPOLLIN | EPOLLRDNORM;
	}
	if (READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_FROZEN)
		mask |= EPOLLPRI;
	/* nr_attached is 0 only after the events' last data is visible, see pa_detach_list(). */
	if (READ_ONCE(ring->was_attached) && !READ_ONCE(ring->nr_attached))
		mask |= EPOLLHUP;
	return mask;
}

static const char * const pa_cause_names[] = {
	[PERFAUX_CAUSE_FULL] = "full",
	[PERFAUX_CAUSE_TRUNCATED] = "truncated",
	[PERFAUX_CAUSE_OVERWRITTEN] = "overwritten",
	[PERFAUX_CAUSE_OVERRUN] = "overrun",
	[PERFAUX_CAUSE_NO_GAP] = "no_gap",
	[PERFAUX_CAUSE_TOO_LARGE] = "too_large",
	[PERFAUX_CAUSE_ABANDONED] = "abandoned",
	[PERFAUX_CAUSE_FROZEN] = "frozen",
};

static_assert(ARRAY_SIZE(pa_cause_names) == PERFAUX_NR_CAUSES, "each cause has a name");

#ifdef CONFIG_PROC_FS
static void pa_ring_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct pa_ring *ring = file->private_data;
	struct perfaux_control *ctl = ring->ctl;
	unsigned int i;

	seq_printf(m, "abi:\t%u\n", ctl->abi);
	seq_printf(m, "ring_flags:\t%#x\n", ctl->ring_flags);
	seq_printf(m, "flags:\t%#x\n", READ_ONCE(ctl->flags));
	seq_printf(m, "segment_size:\t%u\n", ctl->segment_size);
	seq_printf(m, "nr_segments:\t%u\n", ctl->nr_segments);
	seq_printf(m, "spans_per_segment:\t%u\n", ctl->spans_per_segment);
	seq_printf(m, "watermark:\t%u\n", ctl->watermark);
	seq_printf(m, "ready:\t%u\n", pa_segments_ready(ring));
	seq_printf(m, "locked_pages:\t%lu\n", READ_ONCE(ring->charged));
	seq_printf(m, "pmu_type:\t%u\n", READ_ONCE(ctl->pmu_type));
	seq_printf(m, "seq:\t%llu\n", READ_ONCE(ctl->seq));
	seq_printf(m, "claims:\t%llu\n", READ_ONCE(ctl->claims));
	seq_printf(m, "far_claims:\t%llu\n", READ_ONCE(ctl->far_claims));
	seq_printf(m, "spans:\t%llu\n", READ_ONCE(ctl->spans));
	seq_printf(m, "bytes:\t%llu\n", READ_ONCE(ctl->bytes));
	seq_printf(m, "skipped:\t%llu\n", READ_ONCE(ctl->skipped));
	seq_printf(m, "gaps:\t%llu\n", READ_ONCE(ctl->gaps));
	seq_printf(m, "frames:\t%llu\n", READ_ONCE(ctl->frames));
	seq_printf(m, "frame_bytes:\t%llu\n", READ_ONCE(ctl->frame_bytes));
	seq_printf(m, "triggers:\t%llu\n", READ_ONCE(ctl->triggers));
	seq_printf(m, "frozen_time:\t%llu\n", READ_ONCE(ctl->frozen_time));
	seq_printf(m, "merged_begin:\t%llu\n", READ_ONCE(ctl->merged_begin));
	seq_printf(m, "merged_end:\t%llu\n", READ_ONCE(ctl->merged_end));
	for (i = PERFAUX_CAUSE_FULL; i < PERFAUX_NR_CAUSES; i++) {
		seq_printf(m, "lost_%s:\t%llu\n", pa_cause_names[i],
			   READ_ONCE(ctl->lost_count[i]));
		seq_printf(m, "lost_%s_bytes:\t%llu\n", pa_cause_names[i],
			   READ_ONCE(ctl->lost_bytes[i]));
	}
}
#endif

static int pa_ring_release(struct inode *inode, struct file *file)
{
	pa_ring_put(file->private_data);
	return 0;
}

const struct file_operations pa_ring_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= pa_ring_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= pa_ring_mmap,
	.poll		= pa_ring_poll,
	.release	= pa_ring_release,
	.llseek		= noop_llseek,
#ifdef CONFIG_PROC_FS
	.show_fdinfo	= pa_ring_show_fdinfo,
#endif
};

/* --- for other modules, see perfaux.h ---------------------------------------- */

struct perfaux_ring *perfaux_ring_get(int fd)
{
	struct file *file = fget(fd);
	struct pa_ring *ring;
	int ret = -EINVAL;

	if (!file)
		return ERR_PTR(-EBADF);
	ring = file->private_data;
	if (file->f_op == &pa_ring_fops)
		ret = pa_produce_init(ring);
	/* The file is open, so the reference is live. */
	if (!ret)
		percpu_ref_get(&ring->ref);
	fput(file);
	return ret ? ERR_PTR(ret) : (struct perfaux_ring *)ring;
}
EXPORT_SYMBOL_GPL(perfaux_ring_get);
