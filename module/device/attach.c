// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events write to which ring.
 *
 * Lookups happen on every begin of every AUX PMU and on every sample while one is
 * wanted, in any context, as readers of RCU. Changes are made under pa_attach_lock (the
 * tables) inside ring->lock (the ring's list).
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/aux_action.h"
#include "device/attach.h"
#include "event/event.h"
#include "produce/raw.h"
#include "ring/process.h"

/*
 * Are others to pause and resume it, which perf would ignore? perf_event_aux_pause() does
 * nothing for an event that has no ring of its own.
 */
static bool pa_is_paused_in_vain(struct perf_event *event, const struct pmu *pmu)
{
	return !READ_ONCE(event->rb) && pa_is_paused_by_others(event, pmu);
}

static int pa_check_aux(struct pa_ring *ring, struct perf_event *event)
{
	struct pmu *pmu = READ_ONCE(event->pmu);

	/* From 6.15 on perf_pmu_unregister() takes the PMU from its events. */
	if (!pmu)
		return -ENODEV;
	if (!pmu->setup_aux || !pa_pmu_fits(pmu) || event->attr.aux_sample_size ||
	    pa_is_paused_in_vain(event, pmu))
		return -EOPNOTSUPP;
	if (ring->pmu && ring->pmu != pmu)
		return -EXDEV;
	return 0;
}

static bool pa_has_raw_samples(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	/* bpf_event_output() asks for no period. */
	return attr->sample_type & PERF_SAMPLE_RAW &&
	       (attr->sample_period ||
		(attr->type == PERF_TYPE_SOFTWARE &&
		 attr->config == PERF_COUNT_SW_BPF_OUTPUT));
}

/* What the ring, and the kernel, need for @event. ring->lock held. */
static int pa_setup_aux(struct pa_ring *ring, struct perf_event *event)
{
	struct pmu *pmu = READ_ONCE(event->pmu);

	if (ring->pmu)
		return 0;
	return pmu ? pa_pmu_setup(ring, event, pmu) : -ENODEV;
}

/* The hooks are the same for raw samples and triggers. */
static int pa_setup_samples(struct pa_ring *ring, u32 flags)
{
	int ret = flags & PERFAUX_ATTACH_RAW ? pa_frames_init(ring) : 0;

	if (!ret && !ring->nr_hooked)
		ret = pa_raw_hook_get();
	if (!ret)
		ring->nr_hooked++;
	return ret;
}

static void pa_detach_samples(struct pa_ring *ring)
{
	if (!--ring->nr_hooked)
		pa_raw_hook_put();
}

static int pa_check_event(struct pa_ring *ring, struct perf_event *event, u32 flags)
{
	if (flags & PERFAUX_ATTACH_RAW)
		return pa_has_raw_samples(event) ? 0 : -EOPNOTSUPP;
	if (flags & PERFAUX_ATTACH_TRIGGER)
		return event->attr.sample_period ? 0 : -EOPNOTSUPP;
	return pa_check_aux(ring, event);
}

static struct pa_attached *pa_attached_alloc(struct pa_ring *ring, struct file *file,
					     const struct perfaux_attach *arg)
{
	struct pa_attached *attached;
	int ret;

	attached = kzalloc(sizeof(*attached), GFP_KERNEL_ACCOUNT);
	if (!attached)
		return ERR_PTR(-ENOMEM);
	ret = pa_charge_event(&attached->payer);
	if (ret) {
		kfree(attached);
		return ERR_PTR(ret);
	}
	attached->event = file->private_data;
	attached->file = file;
	attached->ring = ring;
	attached->cookie = arg->cookie;
	attached->flags = arg->flags;
	attached->post = arg->post;
	return attached;
}

static void pa_attached_free(struct pa_attached *attached)
{
	pa_uncharge_event(attached->payer);
	kfree(attached);
}

/* Returns 0, -EBUSY or -ENOMEM. ring->lock held. */
static int pa_attached_add(struct pa_ring *ring, struct pa_attached *attached)
{
	const int ret = pa_lookup_add(attached);

	if (ret)
		return ret;
	list_add_tail(&attached->list, &ring->attached);
	ring->nr_attached++;
	WRITE_ONCE(ring->was_attached, true);
	return 0;
}

/* ring->lock held. */
static int pa_attach_event(struct pa_ring *ring, struct file *file,
			   const struct perfaux_attach *arg)
{
	struct perf_event *event = file->private_data;
	const bool samples = arg->flags;
	struct pa_attached *attached;
	int ret = pa_check_event(ring, event, arg->flags);

	if (ret)
		return ret;
	if (!pa_clock_fits(ring, event) ||
	    (samples && !pa_clock_is_safe(event)))
		return -EINVAL;
	/* An attached event stays when its descriptor is closed. */
	if (ring->nr_attached >= rlimit(RLIMIT_NOFILE))
		return -EMFILE;

	/* Before the PMU's work is done; looked at again below. */
	if (pa_is_attached(event))
		return -EBUSY;
	attached = pa_attached_alloc(ring, file, arg);
	if (IS_ERR(attached))
		return PTR_ERR(attached);
	ret = samples ? pa_setup_samples(ring, arg->flags) :
			pa_setup_aux(ring, event);
	if (ret)
		goto err;
	ret = pa_attached_add(ring, attached);
	if (ret) {
		if (samples)
			pa_detach_samples(ring);
		goto err;
	}

	/* It may be running already, having found no AUX area. */
	if (!samples)
		pa_kick_event(ring, event, PA_KICK_START);
	return 0;
err:
	pa_attached_free(attached);
	return ret;
}

/* Process context. Takes its own reference to the event's file. */
int pa_attach(struct pa_ring *ring, const struct perfaux_attach *arg)
{
	struct file *file = pa_event_file(arg->fd);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	mutex_lock(&ring->lock);
	ret = pa_attach_event(ring, file, arg);
	mutex_unlock(&ring->lock);
	if (ret)
		fput(file);
	return ret;
}

/* ring->lock held; @list has some or all of ring->attached. */
static void pa_detach_list(struct pa_ring *ring, struct list_head *list)
{
	struct pa_attached *attached, *next;

	pa_lookup_remove(list);
	/*
	 * begin runs with interrupts off. After this no new span of the events
	 * can start here, and one that did start has event->oncpu and state
	 * set (event_sched_in() does that before pmu->add). Samples that go
	 * here are written.
	 */
	synchronize_rcu();
	list_for_each_entry_safe(attached, next, list, list) {
		if (attached->flags) {
			pa_detach_samples(ring);
		} else {
			/*
			 * It may have been attached to another ring since, whose PA_KICK_START
			 * found it running. If not, it finds no AUX area, and stays stopped.
			 */
			pa_kick_event(ring, attached->event, PA_KICK_STOP | PA_KICK_START);
		}
		WRITE_ONCE(ring->nr_attached, ring->nr_attached - 1);
		fput(attached->file);
		pa_attached_free(attached);
		cond_resched();
	}
}

/* Process context. */
int pa_detach(struct pa_ring *ring, int fd)
{
	struct pa_attached *attached, *next;
	struct file *file = fget(fd);
	LIST_HEAD(found);
	int ret;

	if (!file)
		return -EBADF;
	mutex_lock(&ring->lock);
	list_for_each_entry_safe(attached, next, &ring->attached, list)
		if (attached->file == file)
			list_move(&attached->list, &found);
	ret = list_empty(&found) ? -ENOENT : 0;
	if (!ret)
		pa_detach_list(ring, &found);
	mutex_unlock(&ring->lock);
	fput(file);
	if (!ret)
		pa_ring_wake(ring);
	return ret;
}

/* Process context. */
void pa_detach_all(struct pa_ring *ring)
{
	LIST_HEAD(all);

	mutex_lock(&ring->lock);
	list_splice_init(&ring->attached, &all);
	if (!list_empty(&all))
		pa_detach_list(ring, &all);
	mutex_unlock(&ring->lock);
}
