// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a ring. PERFAUX_IOC_CREATE makes the ring. It is freed when its
 * file is released, the last span has ended and no producer has a reference,
 * whichever comes last. The last reference may go in NMI, so freeing goes
 * through irq_work and a workqueue.
 */
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "device/attach.h"
#include "device/ring.h"
#include "event/event.h"
#include "produce/bpf.h"
#include "ring/keep.h"
#include "ring/process.h"
#include "ring/writer.h"

/* At most this number of segments is looked at in an interrupt. */
#define PA_IRQ_SEGMENTS	64

static struct workqueue_struct *pa_wq;

static void pa_ring_free_work(struct work_struct *work)
{
	struct pa_ring *ring = container_of(work, struct pa_ring, free_work);

	/* The irq_work that queued this work may not have returned yet. */
	irq_work_sync(&ring->free_irq);
	irq_work_sync(&ring->wake_irq);
	cancel_work_sync(&ring->resume_work);
	pa_pin_sync(ring);
	pa_bpf_forget(ring);
	pa_pmu_release(ring);
	pa_frames_exit(ring);
	percpu_ref_exit(&ring->ref);
	pa_ring_free_memory(ring);
	put_pid_ns(ring->ns);
	kfree(ring);
	/* pa_ring_exit() waits for the rest of this function. */
	module_put(THIS_MODULE);
}

static void pa_ring_free_irq(struct irq_work *work)
{
	struct pa_ring *ring = container_of(work, struct pa_ring, free_irq);

	queue_work(pa_wq, &ring->free_work);
}

/* The last reference is gone. Any context. */
static void pa_ring_unused(struct percpu_ref *ref)
{
	struct pa_ring *ring = container_of(ref, struct pa_ring, ref);

	irq_work_queue(&ring->free_irq);
}

/*
 * Let the events that found no segment look again, if a segment is available. An event of a task
 * also looks again when it is scheduled in, and an event that writes to a sink when the sink is
 * full. With this function they look sooner, so less is lost. Any context but NMI.
 */
void pa_ring_resume(struct pa_ring *ring)
{
	queue_work(pa_wq, &ring->resume_work);
}

static void pa_ring_wake_irq(struct irq_work *work)
{
	struct pa_ring *ring = container_of(work, struct pa_ring, wake_irq);

	/* The work looks at all segments. An interrupt must not do that if there are many. */
	if (READ_ONCE(ring->ctl->flags) & PERFAUX_CTL_STARVED &&
	    (ring->has_frames || ring->ctl->nr_segments > PA_IRQ_SEGMENTS ||
	     pa_sinks_are_few(ring) ||
	     pa_segments_available(ring)))
		pa_ring_resume(ring);
	wake_up_all(&ring->wait);
}

static void pa_ring_resume_work(struct work_struct *work)
{
	struct pa_ring *ring = container_of(work, struct pa_ring, resume_work);

	/*
	 * pa_segments_make_way() can queue wake_irq. The reference lets pa_ring_free_work() begin
	 * only after this work has done so. Once the ring's file is gone, nobody waits.
	 */
	if (!percpu_ref_tryget_live(&ring->ref))
		return;
	if (pa_sinks_are_few(ring)) {
		mutex_lock(&ring->lock);
		pa_sinks_refill(ring);
		mutex_unlock(&ring->lock);
	}
	pa_segments_make_way(ring);
	if (pa_segments_available(ring)) {
		mutex_lock(&ring->lock);
		atomic_andnot(PERFAUX_CTL_STARVED, (atomic_t *)&ring->ctl->flags);
		pa_ring_kick(ring, PA_KICK_START);
		mutex_unlock(&ring->lock);
	}
	percpu_ref_put(&ring->ref);
}

/* Make a ring. @arg is checked and complete. Process context. Errors are ERR_PTR(). */
struct pa_ring *pa_ring_create(const struct perfaux_create *arg)
{
	struct pa_ring *ring;
	int ret;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ret = pa_ring_alloc_memory(ring, arg);
	if (ret)
		goto err;
	ret = percpu_ref_init(&ring->ref, pa_ring_unused, 0, GFP_KERNEL);
	if (ret)
		goto err;

	ring->overwrite = arg->flags & PERFAUX_RING_OVERWRITE;
	ring->hold_ready = U64_MAX;
	pa_freeze_init(ring);
	init_waitqueue_head(&ring->wait);
	init_irq_work(&ring->wake_irq, pa_ring_wake_irq);
	init_irq_work(&ring->free_irq, pa_ring_free_irq);
	INIT_WORK(&ring->free_work, pa_ring_free_work);
	INIT_WORK(&ring->resume_work, pa_ring_resume_work);
	mutex_init(&ring->lock);
	INIT_LIST_HEAD(&ring->attached);
	pa_pin_init(ring);
	ring->ns = get_pid_ns(task_active_pid_ns(current));
	__module_get(THIS_MODULE);
	return ring;
err:
	pa_ring_free_memory(ring);
	kfree(ring);
	return ERR_PTR(ret);
}

/* The ring's file is gone. Process context. */
void pa_ring_put(struct pa_ring *ring)
{
	if (ring->keep)
		pa_region_will_leave();
	pa_detach_all(ring);
	percpu_ref_kill(&ring->ref);
}

int pa_ring_init(void)
{
	int ret;

	pa_wq = alloc_workqueue("perfaux", WQ_UNBOUND, 0);
	if (!pa_wq)
		return -ENOMEM;
	pa_region_init();
	ret = pa_stop_init();
	if (ret)
		destroy_workqueue(pa_wq);
	return ret;
}

void pa_ring_exit(void)
{
	pa_stop_exit();
	destroy_workqueue(pa_wq);
}
