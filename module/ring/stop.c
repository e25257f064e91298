// SPDX-License-Identifier: GPL-2.0-only
/*
 * Note in a kept ring how the machine stopped.
 *
 * panic() stops the other CPUs before it calls the notifiers, possibly in an NMI, and possibly
 * while they or this CPU write to the ring. So the notifier of panics only writes to the region.
 */
#include <linux/kconfig.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "ring/keep.h"

static DEFINE_MUTEX(pa_stop_lock);	/* against the notifier of reboots */
static struct pa_ring *pa_stop_ring;

static void pa_stop_note(struct pa_ring *ring, enum perfaux_stop_cause cause, const char *message)
{
	const struct perfaux_kept_header *header = ring->keep->header;
	struct perfaux_stop *stop = (void *)header + header->stop_offset;
	typeof(ring->clock) clock = READ_ONCE(ring->clock);

	stop->cause = cause;
	stop->cpu = raw_smp_processor_id();
	/* A slow clock can wait for a CPU, which panic() may have stopped. */
	stop->time = clock && !READ_ONCE(ring->clock_is_slow) ? clock() : 0;
	if (message)
		strscpy(stop->message, message, sizeof(stop->message));
	stop->sum = perfaux_kept_sum(header->key, stop,
				     offsetof(typeof(*stop), sum) / sizeof(u64));
}

static int pa_stop_panic(struct notifier_block *nb, unsigned long unused, void *message)
{
	struct pa_ring *ring = READ_ONCE(pa_stop_ring);

	if (ring)
		pa_stop_note(ring, PERFAUX_STOP_PANIC, message);
	return NOTIFY_DONE;
}

static int pa_stop_reboot(struct notifier_block *nb, unsigned long code, void *command)
{
	mutex_lock(&pa_stop_lock);
	if (pa_stop_ring)
		pa_stop_note(pa_stop_ring, code == SYS_RESTART ? PERFAUX_STOP_RESTART :
							      PERFAUX_STOP_HALT, NULL);
	mutex_unlock(&pa_stop_lock);
	return NOTIFY_DONE;
}

static struct notifier_block pa_stop_panic_nb = {
	.notifier_call = pa_stop_panic,
	/* Before notifiers that can hang or end the machine. */
	.priority = INT_MAX,
};

static struct notifier_block pa_stop_reboot_nb = {
	.notifier_call = pa_stop_reboot,
};

void pa_stop_watch(struct pa_ring *ring)
{
	mutex_lock(&pa_stop_lock);
	WRITE_ONCE(pa_stop_ring, ring);
	mutex_unlock(&pa_stop_lock);
	/* The chain of panic's notifiers runs under rcu_read_lock(). */
	synchronize_rcu();
}

int pa_stop_init(void)
{
	int ret = atomic_notifier_chain_register(&panic_notifier_list, &pa_stop_panic_nb);

	if (ret)
		return ret;
	ret = register_reboot_notifier(&pa_stop_reboot_nb);
	if (ret)
		atomic_notifier_chain_unregister(&panic_notifier_list, &pa_stop_panic_nb);
	return ret;
}

void pa_stop_exit(void)
{
	unregister_reboot_notifier(&pa_stop_reboot_nb);
	atomic_notifier_chain_unregister(&panic_notifier_list, &pa_stop_panic_nb);
}
