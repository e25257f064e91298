// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send the samples of attached events to raw.c.
 *
 * All samples with raw data leave through three functions of the core:
 *
 * - perf_event_output_forward() and perf_event_output_backward(), the overflow
 *   handlers of events. A BPF program runs before them and may drop the sample.
 * - perf_event_output(), which bpf_perf_event_output() and bpf_event_output() call.
 *
 * These functions are redirected as in redirect.c, but only while events are attached
 * with PERFAUX_ATTACH_RAW or PERFAUX_ATTACH_TRIGGER, and for PA_UNHOOK_DELAY after that.
 * The hooks change nothing in an event: an event that is inherited later is found through
 * its parent, and nothing is left when the hooks are gone.
 *
 * perf_prepare_sample() would be one function instead of three. But the core calls it
 * before the sample is written, and twice for an event with a BPF program. The data
 * that replaces the raw data would need a place that outlives the call, and the next
 * event with the same perf_sample_data would see it.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "event/event.h"
#include "event/function.h"
#include "produce/raw.h"
#include "ring/writer.h"

static perf_overflow_handler_t pa_output_forward;
static perf_overflow_handler_t pa_output_backward;

static void pa_raw_forward(struct perf_event *event,
			   struct perf_sample_data *data, struct pt_regs *regs)
{
	pa_raw_output(event, data, regs, pa_output_forward);
}

static void pa_raw_backward(struct perf_event *event,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	pa_raw_output(event, data, regs, pa_output_backward);
}

/*
 * Runs in place of perf_event_output(), which cannot be called by its address where
 * IBT is sealed (apply_seal_endbr()). The other two functions do the same, except for
 * the result, which BPF programs see. So take the result from lost_samples, in which
 * __perf_output_begin() counts the samples that it refuses. The count may have changed
 * for this sample, or for one of the same event that was refused on another CPU or in an
 * NMI meanwhile.
 */
static int pa_raw_either(struct perf_event *event,
			 struct perf_sample_data *data, struct pt_regs *regs)
{
	struct perf_event *top = event->parent ?: event;
	u64 lost = atomic64_read(&top->lost_samples);

	if (!READ_ONCE(top->rb))
		return -ENOSPC;
	pa_raw_output(event, data, regs, event->attr.write_backward ?
		      pa_output_backward : pa_output_forward);
	return atomic64_read(&top->lost_samples) == lost ? 0 : -ENOSPC;
}

PA_SAME_TYPE(perf_event_output_forward, pa_raw_forward);
PA_SAME_TYPE(perf_event_output_forward, *pa_output_forward);
PA_SAME_TYPE(perf_event_output_backward, pa_raw_backward);
PA_SAME_TYPE(perf_event_output_backward, *pa_output_backward);
PA_SAME_TYPE(perf_event_output, pa_raw_either);

/* (event, data, regs) */
static void notrace pa_hook_raw(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops,
				struct ftrace_regs *fregs)
{
	struct perf_event *event = (void *)pa_ftrace_argument(fregs, 0);
	struct perf_sample_data *data = (void *)pa_ftrace_argument(fregs, 1);

	struct pa_attached *trigger;

	/* A context that writes a sample is an RCU reader, see pa_frames_flush(). */
	trigger = pa_attached_find_trigger(event);
	if (trigger)
		pa_trigger(trigger, event);
	if (event->attr.sample_type & PERF_SAMPLE_RAW &&
	    data->sample_flags & PERF_SAMPLE_RAW && data->raw &&
	    !pa_raw_is_swapped(data) && pa_attached_find_raw(event))
		pa_ftrace_set_ip(fregs, (unsigned long)ops->private);
}

#define PA_RAW_HOOK(function, to) {					\
	.name = function,						\
	.ops = {							\
		.func = pa_hook_raw,					\
		.flags = FTRACE_OPS_FL_IPMODIFY |			\
			 FTRACE_OPS_FL_PERMANENT | PA_FTRACE_FLAGS,	\
		.private = to,						\
	},								\
}

static struct pa_raw_hook {
	const char *name;
	bool has_filter;
	struct ftrace_ops ops;
} pa_raw_hooks[] = {
	PA_RAW_HOOK("perf_event_output_forward", pa_raw_forward),
	PA_RAW_HOOK("perf_event_output_backward", pa_raw_backward),
	PA_RAW_HOOK("perf_event_output", pa_raw_either),
};

static DEFINE_MUTEX(pa_raw_hook_lock);
static unsigned int pa_raw_hook_users;

static void pa_raw_unhook(int nr)
{
	while (nr--)
		unregister_ftrace_function(&pa_raw_hooks[nr].ops);
}

/*
 * The filter stays in the ops, because a filter that was freed could not be set again.
 *
 * ftrace_set_filter() returns 0 even if there was no memory for the one entry
 * (match_records()). Registering an empty filter with IPMODIFY then fails with EINVAL.
 * So set the filter anew unless the last registration succeeded.
 */
static int pa_raw_hook_one(struct pa_raw_hook *hook)
{
	int ret = 0;

	if (!hook->has_filter)
		ret = pa_function_filter(&hook->ops, hook->name);
	if (ret)
		return ret;
	ret = register_ftrace_function(&hook->ops);
	hook->has_filter = !ret;
	return ret == -EINVAL ? -ENOMEM : ret;
}

static int pa_raw_find(void)
{
	void *forward, *backward;
	int ret;

	if (pa_output_forward)
		return 0;
	forward = pa_function("perf_event_output_forward");
	backward = pa_function("perf_event_output_backward");
	if (IS_ERR(forward) || IS_ERR(backward)) {
		ret = PTR_ERR(IS_ERR(forward) ? forward : backward);
		if (ret != -ENOMEM)
			pr_err("cannot find perf_event_output_forward(), perf_event_output_backward()\n");
		return ret;
	}
	pa_output_forward = forward;
	pa_output_backward = backward;
	return 0;
}

/* Returns 0, -ENOMEM or, with a message, -EOPNOTSUPP. */
static int pa_raw_hook_all(void)
{
	int i, ret = pa_raw_find();

	for (i = 0; !ret && i < ARRAY_SIZE(pa_raw_hooks); i++) {
		ret = pa_raw_hook_one(&pa_raw_hooks[i]);
		if (!ret)
			continue;
		pa_raw_unhook(i);
		if (ret == -ENOMEM)
			break;
		pr_err("cannot redirect %s (%d): is ftrace off (kernel.ftrace_enabled=0), or does a livepatch hold the function?\n",
		       pa_raw_hooks[i].name, ret);
		ret = -EOPNOTSUPP;
	}
	return ret;
}

/*
 * Each hook and unhook changes the kernel's code, for which all CPUs are interrupted. The
 * delay prevents a user that attaches and detaches all the time from causing this each time.
 */
#define PA_UNHOOK_DELAY		(2 * HZ)

static bool pa_raw_hooked;

/* pa_raw_hook_lock held. */
static void pa_raw_unhook_all(void)
{
	if (!pa_raw_hooked)
		return;
	pa_raw_unhook(ARRAY_SIZE(pa_raw_hooks));
	/* A context that came through a hook is an RCU reader. */
	synchronize_rcu();
	pa_raw_hooked = false;
}

static void pa_raw_unhook_work(struct work_struct *work)
{
	mutex_lock(&pa_raw_hook_lock);
	if (!pa_raw_hook_users)
		pa_raw_unhook_all();
	mutex_unlock(&pa_raw_hook_lock);
}

static DECLARE_DELAYED_WORK(pa_raw_unhook_later, pa_raw_unhook_work);

int pa_raw_hook_get(void)
{
	int ret = 0;

	mutex_lock(&pa_raw_hook_lock);
	if (!pa_raw_hooked)
		ret = pa_raw_hook_all();
	if (!ret) {
		pa_raw_hooked = true;
		pa_raw_hook_users++;
	}
	mutex_unlock(&pa_raw_hook_lock);
	return ret;
}

void pa_raw_hook_put(void)
{
	mutex_lock(&pa_raw_hook_lock);
	if (!--pa_raw_hook_users)
		mod_delayed_work(pa_unbound_wq, &pa_raw_unhook_later,
				 PA_UNHOOK_DELAY);
	mutex_unlock(&pa_raw_hook_lock);
}

/* No ring is left. */
void pa_raw_hook_exit(void)
{
	int i;

	cancel_delayed_work_sync(&pa_raw_unhook_later);
	mutex_lock(&pa_raw_hook_lock);
	pa_raw_unhook_all();
	mutex_unlock(&pa_raw_hook_lock);
	for (i = 0; i < ARRAY_SIZE(pa_raw_hooks); i++)
		ftrace_free_filter(&pa_raw_hooks[i].ops);
}
