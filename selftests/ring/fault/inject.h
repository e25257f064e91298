/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the n-th allocation, or the n-th copy from or to user memory, of the next
 * call fail: /proc/thread-self/fail-nth, in kernels with CONFIG_FAULT_INJECTION.
 */
#ifndef FAULT_INJECT_H
#define FAULT_INJECT_H

#include <stdbool.h>

/* Returns 0 or -errno; -ENOENT if this kernel has no fault injection. */
int fault_init(void);
/* Make number @n fail; 1 is the next one. */
void fault_arm(unsigned int n);
/* Returns how many were left until the fault; 0: the fault has happened. */
unsigned int fault_disarm(void);

/*
 * Make allocations fail for some time. Between fault_begin() and fault_end() each
 * slab allocation of @bytes or more fails, and each allocation of more than one
 * page. So fallbacks such as kvmalloc() fail, too. Call fault_lasting_init() first;
 * it returns the same as fault_init().
 */
int fault_lasting_init(void);
void fault_begin(unsigned int bytes);
void fault_end(void);

/* Entries of /proc/vmallocinfo that perfaux.ko made. */
int fault_vmalloced(void);
/* perfaux.ko's use count */
int fault_use_count(void);
/* The number of descriptors of this process */
int fault_files(void);

/*
 * From fault_group_enter() on, the allocations of this process are charged to a
 * cgroup of its own. fault_group_pages() returns the single pages of the cgroup,
 * without slabs and vmalloc() and the like, which other checks look for. Returns 0,
 * pages, or -errno.
 */
int fault_group_enter(void);
long fault_group_pages(void);

#endif /* FAULT_INJECT_H */
