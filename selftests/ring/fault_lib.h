/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The n-th allocation, or copy from or to user memory, of what is called next fails:
 * /proc/thread-self/fail-nth, of kernels with CONFIG_FAULT_INJECTION.
 */
#ifndef FAULT_LIB_H
#define FAULT_LIB_H

#include <stdbool.h>

/* Returns 0 or -errno: -ENOENT if this kernel cannot. */
int fault_init(void);
/* 1: the first one that comes */
void fault_arm(unsigned int n);
/* Returns how many were left: 0, it has failed. */
unsigned int fault_disarm(void);

/*
 * Instead, after fault_lasting_init(), which returns as fault_init(): between fault_begin() and
 * fault_end() each allocation of a slab fails from @bytes of them on, and each of more pages than
 * one from the first. So what falls back (kvmalloc()) fails, too.
 */
int fault_lasting_init(void);
void fault_begin(unsigned int bytes);
void fault_end(void);

/* Entries of /proc/vmallocinfo that perfaux.ko made. */
int fault_vmalloced(void);
/* Of perfaux.ko */
int fault_use_count(void);
/* Descriptors of this process */
int fault_files(void);

/*
 * From fault_group_enter() on what this process allocates is charged to a cgroup of its own.
 * fault_group_pages(): single pages of it, neither of slabs nor of vmalloc() and the like, which
 * others look for. Returns 0, pages, or -errno.
 */
int fault_group_enter(void);
long fault_group_pages(void);

#endif /* FAULT_LIB_H */
