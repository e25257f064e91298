// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach events to rings. ring->lock guards the list of a ring's attached events;
 * event/lookup.c finds attached events without it.
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
#include "event/redirect.h"
#include "produce/raw.h"
#include "ring/process.h"

/*
 * Return whether other events should pause and resume @event, but perf would ignore that:
 * perf_event_aux_pause() does nothing for an event without a main ring.
 */
static bool pa_is_paused_in_vain(struct perf_event *event, const struct pmu *pmu)
{
	return !READ_ONCE(event->rb) && pa_is_paused_by_others(event, pmu);
}

static int pa_check_aux(struct pa_ring *ring, struct perf_event *event)
{
	struct pmu *pmu = READ_ONCE(event->pmu);

	/* From 6.15 on perf_pmu_unregister() takes the PMU away from its events. */
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

	/* bpf_event_output() does not need a period. */
	return attr->sample_type & PERF_SAMPLE_RAW &&
	       (attr->sample_period ||
		(attr->type == PERF_TYPE_SOFTWARE &&
		 attr->config == PERF_COUNT_SW_BPF_OUTPUT));
}

/* Prepare the ring for the AUX data of @event. ring->lock held. */
static int pa_setup_aux(struct pa_ring *ring, struct perf_event *event)
{
	struct pmu *pmu = READ_ONCE(event->pmu);
	int ret = 0;

	if (!ring->pmu)
		ret = pmu ? pa_pmu_setup(ring, event, pmu) : -ENODEV;
	return ret ?: pa_sinks_for_event(ring, event);
}

/* Prepare the ring and the hooks, which raw samples and triggers share. ring->lock held. */
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
	attached->sampled = true;
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
	/* Closing its descriptor does not detach an event, so count attached events here. */
	if (ring->nr_attached >= rlimit(RLIMIT_NOFILE))
		return -EMFILE;

	/* Fail early, before the PMU driver's work. pa_attached_add() checks again. */
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

	if (samples)
		return 0;
	pa_redirect_attached(attached);
	/* The event may be running already, without an AUX area. */
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

/* Detach @list, which has some or all entries of ring->attached. ring->lock held. */
static void pa_detach_list(struct pa_ring *ring, struct list_head *list)
{
	struct pa_attached *attached, *next;

	pa_lookup_remove(list);
	/*
	 * perf_aux_output_begin() runs with interrupts off. So after the grace
	 * period no new span of these events can start in this ring, and the
	 * event of a span that did start has oncpu and state set
	 * (event_sched_in() does that before pmu->add). By then, the samples
	 * whose raw data went to this ring have been written.
	 */
	synchronize_rcu();
	list_for_each_entry_safe(attached, next, list, list) {
		if (attached->flags) {
			pa_detach_samples(ring);
		} else {
			/*
			 * Start the event again. It may have been attached to another ring
			 * meanwhile, whose PA_KICK_START did nothing because the event was
			 * running. An event that is not attached finds no AUX area and stays
			 * stopped.
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
