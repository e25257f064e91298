// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU: perf's callbacks and the files in
 * /sys/bus/event_source/devices/intel_pt. It follows arch/x86/events/intel/pt.c
 * where possible.
 */
#include <linux/bits.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <asm/tsc.h>

#include "softpt.h"

/* Bits of attr.config: as in IA32_RTIT_CTL, and PT as RTIT_CTL_PASSTHROUGH in pt.c */
#define SPT_CONFIG_PT		BIT_ULL(0)
#define SPT_CONFIG_TSC		BIT_ULL(10)
#define SPT_CONFIG_NORETCOMP	BIT_ULL(11)
#define SPT_CONFIG_BRANCH	BIT_ULL(13)
#define SPT_CONFIG_ALL		(SPT_CONFIG_PT | SPT_CONFIG_TSC | \
				 SPT_CONFIG_NORETCOMP | SPT_CONFIG_BRANCH)

static struct pmu spt_pmu;

PMU_FORMAT_ATTR(pt, "config:0");
PMU_FORMAT_ATTR(tsc, "config:10");
PMU_FORMAT_ATTR(noretcomp, "config:11");
PMU_FORMAT_ATTR(branch, "config:13");

static struct attribute *spt_format_attrs[] = {
	&format_attr_pt.attr,
	&format_attr_tsc.attr,
	&format_attr_noretcomp.attr,
	&format_attr_branch.attr,
	NULL,
};

static const struct attribute_group spt_format_group = {
	.name = "format",
	.attrs = spt_format_attrs,
};

static ssize_t spt_cap_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct dev_ext_attribute *ea =
		container_of(attr, struct dev_ext_attribute, attr);

	return sysfs_emit(buf, "%lx\n", (unsigned long)ea->var);
}

#define SPT_CAP(_name, _value)						\
	static struct dev_ext_attribute spt_cap_##_name = {		\
		.attr = __ATTR(_name, 0444, spt_cap_show, NULL),	\
		.var = (void *)(_value),				\
	}

/* The capabilities of pt.c that perf reads, and our own: softpt. */
SPT_CAP(softpt, 1);
SPT_CAP(psb_cyc, 0);
SPT_CAP(mtc, 0);
SPT_CAP(ptwrite, 0);
SPT_CAP(ip_filtering, 1);
SPT_CAP(topa_output, 1);
SPT_CAP(topa_multiple_entries, 1);
SPT_CAP(payloads_lip, 0);
SPT_CAP(num_address_ranges, SPT_RANGES_MAX);

static struct attribute *spt_caps_attrs[] = {
	&spt_cap_softpt.attr.attr,
	&spt_cap_psb_cyc.attr.attr,
	&spt_cap_mtc.attr.attr,
	&spt_cap_ptwrite.attr.attr,
	&spt_cap_ip_filtering.attr.attr,
	&spt_cap_topa_output.attr.attr,
	&spt_cap_topa_multiple_entries.attr.attr,
	&spt_cap_payloads_lip.attr.attr,
	&spt_cap_num_address_ranges.attr.attr,
	NULL,
};

static const struct attribute_group spt_caps_group = {
	.name = "caps",
	.attrs = spt_caps_attrs,
};

static const struct attribute_group *spt_attr_groups[] = {
	&spt_format_group,
	&spt_caps_group,
	NULL,
};

static bool spt_config_is_valid(u64 config)
{
	if (config & ~SPT_CONFIG_ALL)
		return false;
	/* As in pt_event_valid(), BRANCH counts only if PT is set. */
	return !(config & SPT_CONFIG_PT) == !(config & SPT_CONFIG_BRANCH);
}

static void spt_event_destroy(struct perf_event *event)
{
	struct spt_event *e = event->pmu_private;

	spt_hooks_put();
	spt_task_put(e->task);
	kfree(e);
}

static int spt_event_init(struct perf_event *event)
{
	struct spt_event *e;
	int ret;

	if (event->attr.type != spt_pmu.type)
		return -ENOENT;
	if (!spt_config_is_valid(event->attr.config))
		return -EINVAL;
	/* Neither the kernel nor all tasks of a CPU can be stepped. */
	if (event->attr.exclude_user || !event->hw.target ||
	    event->hw.target->flags & PF_KTHREAD)
		return -EOPNOTSUPP;

	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->task = spt_task_alloc(spt_work);
	ret = e->task ? spt_hooks_get() : -ENOMEM;
	if (ret)
		goto free;

	e->flow.tsc = event->attr.config & SPT_CONFIG_TSC;
	e->flow.noretcomp = event->attr.config & SPT_CONFIG_NORETCOMP;
	e->flow.cbr = min(tsc_khz / 100000, 255U);
	spt_flow_init(&e->flow);
	event->pmu_private = e;
	event->destroy = spt_event_destroy;
	return 0;
free:
	if (e->task)
		spt_task_put(e->task);
	kfree(e);
	return ret;
}

static void spt_release(struct spt_cpu *c)
{
	spt_output_wait_no_more(c);
	if (c->task)
		spt_task_unbind(c->task);
	c->task = NULL;
	c->e = NULL;
}

static void spt_event_start(struct perf_event *event, int flags)
{
	struct spt_cpu *c = this_cpu_ptr(&spt_cpu);
	struct spt_event *e = event->pmu_private;

	/* The event was not stopped, see spt_event_stop(). */
	if (c->e == e && !c->waiting)
		return;
	if (WARN_ON_ONCE(c->event || (c->e && c->e != e)))
		return;
	spt_release(c);
	perf_event_addr_filters_sync(event);
	spt_flow_reset(&e->flow);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	c->task = spt_task_bind(e->task);
	if (!c->task)
		return;
	c->e = e;
	if (!spt_output_begin(c, event)) {
		spt_output_wait(c, event);
		return;
	}
	event->hw.state = 0;
	spt_task_queue(c->task);
}

/*
 * Perf calls this either with PERF_EF_UPDATE and interrupts off, or to throttle the
 * event. Since 6.16 the latter happens when any event of the group overflows too
 * often, and so in NMI (perf_event_throttle_group()). softpt has nothing to
 * throttle, and it must do nothing in NMI.
 */
static void spt_event_stop(struct perf_event *event, int flags)
{
	struct spt_cpu *c;

	if (!(flags & PERF_EF_UPDATE))
		return;
	c = this_cpu_ptr(&spt_cpu);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!c->e || c->e != event->pmu_private)
		return;
	if (c->event) {
		spt_trace_pause(c, task_pt_regs(current));
		spt_output_end(c);
	}
	spt_release(c);
}

/*
 * Pin the event's context. perf swaps the contexts of tasks with the same events
 * without a call to the PMU (context_equiv()), except contexts that are pinned. The
 * pin stays, because the task may still use the spt_task that the event has brought
 * for it while the event is not active. ctx->lock is held.
 */
static void spt_event_pin(struct perf_event *event)
{
	struct spt_event *e = event->pmu_private;

	if (e->pinned == event->ctx)
		return;
	e->pinned = event->ctx;
	event->ctx->pin_count++;
}

static int spt_event_add(struct perf_event *event, int flags)
{
	if (this_cpu_read(spt_cpu.e))
		return -EBUSY;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	spt_event_pin(event);
	if (flags & PERF_EF_START) {
		spt_event_start(event, 0);
		if (!this_cpu_read(spt_cpu.e))
			return -EINVAL;
	}
	/*
	 * Same as perf_event_itrace_started(), which is not exported to modules.
	 * The core has just reported the start of the trace
	 * (perf_log_itrace_start()).
	 */
	event->attach_state |= PERF_ATTACH_ITRACE;
	return 0;
}

static void spt_event_del(struct perf_event *event, int flags)
{
	spt_event_stop(event, PERF_EF_UPDATE);
}

/* The count is always up to date, see spt_encode_count(). */
static void spt_event_read(struct perf_event *event)
{
}

static struct pmu spt_pmu = {
	.module			= THIS_MODULE,
	.capabilities		= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.task_ctx_nr		= perf_sw_context,
	.attr_groups		= spt_attr_groups,
	.event_init		= spt_event_init,
	.add			= spt_event_add,
	.del			= spt_event_del,
	.start			= spt_event_start,
	.stop			= spt_event_stop,
	.read			= spt_event_read,
	.setup_aux		= spt_setup_aux,
	.free_aux		= spt_free_aux,
	.addr_filters_validate	= spt_filters_validate,
	.addr_filters_sync	= spt_filters_sync,
	.nr_addr_filters	= SPT_RANGES_MAX,
};

int spt_pmu_register(void)
{
	return perf_pmu_register(&spt_pmu, "intel_pt", -1);
}

void spt_pmu_unregister(void)
{
	perf_pmu_unregister(&spt_pmu);
}
