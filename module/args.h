/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copy the argument of an ioctl from user space, and the answer back.
 */
#ifndef PERFAUX_ARGS_H
#define PERFAUX_ARGS_H

#include <linux/uaccess.h>

/*
 * Read an argument that starts with its own size. A shorter argument is completed
 * with zeros; the tail of a longer one must be zero.
 *
 * Returns 0, -EFAULT, -EINVAL (shorter than the first version of the struct)
 * or -E2BIG (larger than a page, or the tail is not zero). May sleep.
 */
static inline int pa_copy_arg(void *arg, size_t ksize, size_t min_size,
			      const void __user *uarg)
{
	u32 size;

	if (get_user(size, (const u32 __user *)uarg))
		return -EFAULT;
	if (size < min_size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(arg, ksize, uarg, size);
}

/* Copy back as much of the struct as the caller knows. Returns 0 or -EFAULT. */
static inline int pa_copy_answer(void __user *uarg, const void *arg,
				 size_t ksize, u32 usize)
{
	return copy_to_user(uarg, arg, min_t(size_t, ksize, usize)) ?
	       -EFAULT : 0;
}

#endif /* PERFAUX_ARGS_H */
