// SPDX-License-Identifier: GPL-2.0-only
/*
 * PERFAUX_IOC_KEPT: what an earlier boot has left in the region of kept rings.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>

#include "args.h"
#include "device/kept.h"
#include "ring/keep.h"
#include "ring/process.h"

static int pa_kept_mmap(struct file *file, struct vm_area_struct *vma)
{
	const size_t size = vma->vm_end - vma->vm_start;
	int ret;

	/* do_mmap() takes VM_SHARED away, because the file is open for reading only. */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff || size != pa_region_size())
		return -EINVAL;
	if (vma->vm_flags & (VM_EXEC | VM_WRITE))
		return -EACCES;
	pa_vm_flags_clear(vma, VM_MAYEXEC | VM_MAYWRITE);
	pa_vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	ret = pa_mapping_insert(vma, vma->vm_start, file->private_data, size);
	return ret ?: pa_mapping_count(vma);
}

static int pa_kept_release(struct inode *inode, struct file *file)
{
	pa_region_close();
	return 0;
}

static const struct file_operations pa_kept_fops = {
	.owner		= THIS_MODULE,
	.mmap		= pa_kept_mmap,
	.release	= pa_kept_release,
	.llseek		= noop_llseek,
};

/* Return a descriptor, or -errno. */
static int pa_kept_open(void)
{
	void *region = pa_region_open();
	struct file *file;
	int fd;

	if (IS_ERR(region))
		return PTR_ERR(region);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		pa_region_close();
		return fd;
	}
	file = anon_inode_getfile("[perfaux-kept]", &pa_kept_fops, region, O_RDONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		pa_region_close();
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

static int pa_kept_check(const struct perfaux_kept *arg)
{
	if (arg->flags & ~(PERFAUX_KEPT_OPEN | PERFAUX_KEPT_WIPE) ||
	    arg->flags == (PERFAUX_KEPT_OPEN | PERFAUX_KEPT_WIPE) ||
	    arg->state || arg->reserved || arg->region_size)
		return -EINVAL;
	return !arg->flags || capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

long pa_ioctl_kept(void __user *uarg)
{
	struct perfaux_kept arg;
	int ret = pa_copy_arg(&arg, sizeof(arg), PERFAUX_KEPT_SIZE_V0, uarg);

	if (!ret)
		ret = pa_kept_check(&arg);
	if (ret)
		return ret;
	if (arg.flags & PERFAUX_KEPT_WIPE)
		ret = pa_region_wipe();
	if (ret)
		return ret;
	arg.region_size = pa_region_size();
	arg.state = arg.flags & PERFAUX_KEPT_OPEN ? PERFAUX_KEPT_USED : pa_region_state();
	/* A descriptor cannot be taken back, so first write the answer, which can fail. */
	ret = pa_copy_answer(uarg, &arg, sizeof(arg), arg.size);
	if (!ret && arg.flags & PERFAUX_KEPT_OPEN)
		ret = pa_kept_open();
	return ret;
}
