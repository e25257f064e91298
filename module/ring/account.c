// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits per user: locked memory and attached events.
 *
 * All pages of a ring count against RLIMIT_MEMLOCK, per user and not per process:
 * otherwise a fork would double the limit.
 *
 * An attached event does not need its descriptor any more, so RLIMIT_NOFILE alone does not
 * limit attached events. A user may attach as many events as one process may have
 * descriptors. The same rule holds for descriptors in flight over a socket
 * (too_many_unix_fds() in net/unix/scm.c).
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/xarray.h>

#include "ring/process.h"

/* Returns 0 or -EPERM, as perf_mmap() does for perf's own rings. */
int pa_charge(struct pa_ring *ring, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct user_struct *user = current_user();
	long old = atomic_long_read(&user->locked_vm);
	bool exempt = false;

	do {
		/* Asking for a capability counts as using it, so ask only if it is needed. */
		if (!exempt && (old + pages > limit || old + pages < pages)) {
			exempt = capable(CAP_IPC_LOCK);
			if (!exempt)
				return -EPERM;
		}
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &old, old + pages));

	ring->user = get_uid(user);
	ring->charged = pages;
	return 0;
}

/*
 * Charge @nr sinks in all. A ring gets more sinks for attached events, whose number has a limit,
 * and for CPUs that found the ring full. Charge these even above the user's limit: then they count
 * against later rings.
 */
void pa_charge_sinks(struct pa_ring *ring, unsigned int nr)
{
	if (nr <= ring->charged_sinks)
		return;
	atomic_long_add(nr - ring->charged_sinks, &ring->user->locked_vm);
	WRITE_ONCE(ring->charged, ring->charged + nr - ring->charged_sinks);
	ring->charged_sinks = nr;
}

void pa_uncharge(struct pa_ring *ring)
{
	if (!ring->user)
		return;
	atomic_long_sub(ring->charged, &ring->user->locked_vm);
	free_uid(ring->user);
	ring->user = NULL;
}

static DEFINE_MUTEX(pa_events_lock);
/* The number of events that each payer has attached. A payer without events has no entry. */
static DEFINE_XARRAY(pa_events);

static unsigned long pa_events_of(kuid_t payer)
{
	return xa_to_value(xa_load(&pa_events, __kuid_val(payer)));
}

static bool pa_events_full(kuid_t payer)
{
	return pa_events_of(payer) >= rlimit(RLIMIT_NOFILE) &&
	       !capable(CAP_SYS_RESOURCE) && !capable(CAP_SYS_ADMIN);
}

kuid_t pa_payer(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

/* Charge one event and set @payer. Process context. Returns 0, -EMFILE or -ENOMEM. */
int pa_charge_event(kuid_t *payer)
{
	int ret = -EMFILE;

	*payer = pa_payer();
	mutex_lock(&pa_events_lock);
	if (!pa_events_full(*payer))
		ret = xa_err(xa_store(&pa_events, __kuid_val(*payer),
				      xa_mk_value(pa_events_of(*payer) + 1),
				      GFP_KERNEL));
	mutex_unlock(&pa_events_lock);
	return ret;
}

/* Process context. */
void pa_uncharge_event(kuid_t payer)
{
	unsigned long nr;

	mutex_lock(&pa_events_lock);
	nr = pa_events_of(payer) - 1;
	if (nr)
		xa_store(&pa_events, __kuid_val(payer), xa_mk_value(nr), GFP_KERNEL);
	else
		xa_erase(&pa_events, __kuid_val(payer));
	mutex_unlock(&pa_events_lock);
}
