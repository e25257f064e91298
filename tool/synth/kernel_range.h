/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find out where the kernel is in memory.
 */
#ifndef AUXREC_KERNEL_RANGE_H
#define AUXREC_KERNEL_RANGE_H

#include <linux/types.h>

struct kernel_range {
	const char *symbol;	/* at @start: "_text" or "_stext" */
	__u64 start;
	__u64 end;		/* not above @start: unknown */
};

/*
 * Find the range from the kernel's first symbol to the end of its data. @kallsyms, @iomem: the
 * files, /proc/kallsyms and /proc/iomem. Return 0, or -errno. -EPERM: the kernel hides the
 * addresses.
 */
int kernel_range_find(struct kernel_range *k, const char *kallsyms, const char *iomem);

#endif /* AUXREC_KERNEL_RANGE_H */
