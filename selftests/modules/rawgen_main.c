// SPDX-License-Identifier: GPL-2.0-only
/*
 * rawgen - a PMU whose samples have raw data that can be verified, see rawgen.h.
 *
 * rawgen knows nothing about perfaux. It writes samples like AMD's IBS or a
 * tracepoint.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "pace.h"
#include "rawgen_pmu.h"

/* Events that can be on one CPU at the same time */
#define RAWGEN_ACTIVE	32

static DEFINE_PER_CPU(struct rawgen_event *, rawgen_active[RAWGEN_ACTIVE]);

static bool rawgen_has(const struct rawgen_event *ev, enum rawgen_context context)
{
	return ev->event->attr.config & RAWGEN_CONTEXT(context);
}

/* Called with preemption off, so that no event is freed: see rawgen_destroy(). */
void rawgen_run(enum rawgen_context context)
{
	int i;

	for (i = 0; i < RAWGEN_ACTIVE; i++) {
		struct rawgen_event *ev = this_cpu_read(rawgen_active[i]);

		if (ev && READ_ONCE(ev->running) && rawgen_has(ev, context))
			rawgen_write(ev, context);
	}
}

static bool rawgen_replace(struct rawgen_event *from, struct rawgen_event *to)
{
	int i;

	for (i = 0; i < RAWGEN_ACTIVE; i++) {
		if (this_cpu_read(rawgen_active[i]) == from) {
			this_cpu_write(rawgen_active[i], to);
			return true;
		}
	}
	return false;
}

static unsigned int rawgen_nr_here(void)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < RAWGEN_ACTIVE; i++)
		n += !!this_cpu_read(rawgen_active[i]);
	return n;
}

static ktime_t rawgen_period(const struct rawgen_event *ev)
{
	return ns_to_ktime(RAWGEN_PERIOD(ev->event->attr.config1) *
			   NSEC_PER_USEC);
}

static enum hrtimer_restart rawgen_timer(struct hrtimer *timer)
{
	struct rawgen_event *ev = container_of(timer, struct rawgen_event,
					       timer);
	const ktime_t begin = ktime_get();

	if (rawgen_has(ev, RAWGEN_HARDIRQ))
		rawgen_write(ev, RAWGEN_HARDIRQ);
	rawgen_irq_others(ev->event->attr.config);
	/* The event may have been stopped while it wrote: perf_event_throttle(). */
	if (!READ_ONCE(ev->running))
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, paced(begin, rawgen_period(ev),
					 rawgen_nmi_time(ev->event->attr.config),
					 rawgen_nr_here()));
	return HRTIMER_RESTART;
}

static void rawgen_start(struct perf_event *event, int flags)
{
	struct rawgen_event *ev = event->pmu_private;

	event->hw.state = 0;
	WRITE_ONCE(ev->running, true);
	if (rawgen_has(ev, RAWGEN_SWITCH))
		rawgen_write(ev, RAWGEN_SWITCH);
	if (RAWGEN_PERIOD(event->attr.config1))
		hrtimer_start(&ev->timer, rawgen_period(ev),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/* perf can call this in any context, also in the middle of a sample, so it must not wait. */
static void rawgen_stop(struct perf_event *event, int flags)
{
	struct rawgen_event *ev = event->pmu_private;

	WRITE_ONCE(ev->running, false);
	if (!in_nmi())
		hrtimer_try_to_cancel(&ev->timer);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int rawgen_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!rawgen_replace(NULL, event->pmu_private))
		return -EAGAIN;
	if (flags & PERF_EF_START)
		rawgen_start(event, 0);
	return 0;
}

static void rawgen_del(struct perf_event *event, int flags)
{
	rawgen_stop(event, PERF_EF_UPDATE);
	rawgen_replace(event->pmu_private, NULL);
}

static void rawgen_read(struct perf_event *event)
{
}

static void rawgen_free(struct rawgen_event *ev)
{
	int i;

	for (i = 0; i < RAWGEN_CONTEXTS; i++)
		vfree(ev->payload[i]);
	kfree(ev);
}

static void rawgen_destroy(struct perf_event *event)
{
	struct rawgen_event *ev = event->pmu_private;

	hrtimer_cancel(&ev->timer);
	/*
	 * rawgen_run() may still use the event, which an interrupt has removed
	 * meanwhile.
	 */
	synchronize_rcu();
	rawgen_free(ev);
}

static int rawgen_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct rawgen_event *ev;
	int i;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	if (attr->config & ~RAWGEN_CONFIG_MASK || !attr->sample_period ||
	    RAWGEN_SIZE(attr->config1) > RAWGEN_MAX ||
	    !RAWGEN_SIZE(attr->config1))
		return -EINVAL;
	if (attr->config & RAWGEN_CONTEXT(RAWGEN_NMI) && !rawgen_nmi_works())
		return -EOPNOTSUPP;

	ev = kzalloc(sizeof(*ev), GFP_KERNEL);
	if (!ev)
		return -ENOMEM;
	ev->event = event;
	for (i = 0; i < RAWGEN_CONTEXTS; i++) {
		if (!rawgen_has(ev, i))
			continue;
		/* Room for whole words of pattern */
		ev->payload[i] = vzalloc(RAWGEN_SIZE(attr->config1) + 8);
		if (!ev->payload[i]) {
			rawgen_free(ev);
			return -ENOMEM;
		}
	}
	auxgen_timer_setup(&ev->timer, rawgen_timer);
	event->pmu_private = ev;
	event->destroy = rawgen_destroy;
	return 0;
}

static ssize_t task_store(struct device *dev, struct device_attribute *attr,
			  const char *buf, size_t count)
{
	unsigned int n;
	int ret = kstrtouint(buf, 0, &n);

	while (!ret && n--) {
		preempt_disable();
		rawgen_run(RAWGEN_TASK);
		preempt_enable();
		cond_resched();
		if (signal_pending(current))
			ret = -EINTR;
	}
	return ret ?: count;
}
static DEVICE_ATTR_WO(task);

static struct attribute *rawgen_attrs[] = {
	&dev_attr_task.attr,
	NULL,
};

static const struct attribute_group rawgen_group = {
	.attrs = rawgen_attrs,
};

static const struct attribute_group *rawgen_groups[] = {
	&rawgen_group,
	NULL,
};

static struct pmu rawgen_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.attr_groups	= rawgen_groups,
	.event_init	= rawgen_event_init,
	.add		= rawgen_add,
	.del		= rawgen_del,
	.start		= rawgen_start,
	.stop		= rawgen_stop,
	.read		= rawgen_read,
};

static int __init rawgen_init(void)
{
	int ret;

	ret = rawgen_write_init();
	if (ret)
		return ret;
	ret = rawgen_irq_init();
	if (ret)
		return ret;
	ret = perf_pmu_register(&rawgen_pmu, "rawgen", -1);
	if (ret)
		rawgen_irq_exit();
	return ret;
}

static void __exit rawgen_exit(void)
{
	perf_pmu_unregister(&rawgen_pmu);
	rawgen_irq_exit();
}

module_init(rawgen_init);
module_exit(rawgen_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test PMU with verifiable raw data in its samples");
