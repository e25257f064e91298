// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locked memory: all pages of a ring count against RLIMIT_MEMLOCK, per user
 * and not per process, or a fork would double it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "ring.h"

/* Returns 0 or -EPERM, as perf_mmap() does for perf's own rings. */
int pa_charge(struct pa_ring *ring, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct user_struct *user = current_user();
	bool exempt = capable(CAP_IPC_LOCK);
	long old = atomic_long_read(&user->locked_vm);

	do {
		if (!exempt && (old + pages > limit || old + pages < pages))
			return -EPERM;
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &old, old + pages));

	ring->user = get_uid(user);
	ring->charged = pages;
	return 0;
}

void pa_uncharge(struct pa_ring *ring)
{
	if (!ring->user)
		return;
	atomic_long_sub(ring->charged, &ring->user->locked_vm);
	free_uid(ring->user);
	ring->user = NULL;
}
