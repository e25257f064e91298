// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send the AUX output of attached events to output.c.
 *
 * PMU drivers reach the AUX area only through five functions of the core (a sixth
 * one, perf_aux_output_flag(), only sets a bit in the handle). Each of the five
 * gets an ftrace_ops that may change the instruction pointer, as livepatch
 * does; for everybody else the kernel's own function runs as if nothing were
 * there. Not kprobes: one that hits while another runs on the CPU is skipped,
 * and the kernel's perf_aux_output_end() must never see a handle of ours.
 *
 * FTRACE_OPS_FL_PERMANENT keeps kernel.ftrace_enabled=0 from taking the hooks
 * away while a handle is open. FTRACE_OPS_FL_RECURSION is not set: the
 * callbacks call nothing that is traced, and protection against recursion
 * consists of skipping calls. If others trace the same function, the core protects
 * all of them (__ftrace_ops_list_func()): it skips a call from within a tracer's
 * callback, but no such callback calls these functions.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "event/event.h"
#include "event/function.h"
#include "event/output.h"
#include "event/redirect.h"

/* The hooks jump to these functions, so the compiler would not see a wrong argument. */
PA_SAME_TYPE(perf_aux_output_begin, pa_output_begin);
PA_SAME_TYPE(perf_aux_output_end, pa_output_end);
PA_SAME_TYPE(perf_aux_output_skip, pa_output_skip);
PA_SAME_TYPE(perf_get_aux, pa_output_get_aux);
PA_SAME_TYPE(perf_output_copy_aux, pa_output_copy_aux);

/* The caller must hold the list of siblings: see pa_is_sampled() and pa_redirect_attached(). */
static __always_inline bool pa_group_is_sampled(struct perf_event *event)
{
	struct perf_event *sibling;

	if (event->group_leader != event)
		return false;
	list_for_each_entry(sibling, &event->sibling_list, sibling_list)
		if (sibling->attr.aux_sample_size)
			return true;
	return false;
}

/*
 * Return whether another event of the group takes AUX samples from this one. In
 * that case the driver's snapshot_aux() gets what begin returned, and Intel PT's
 * warns if that is not a snapshot area (pt_event_snapshot_aux()). The list of
 * siblings changes only with interrupts off on the event's CPU, and the core then
 * schedules the group anew. An NMI may interrupt such a change, so it does not
 * look at the list: a driver that begins in an NMI continues what it began outside
 * of one, and the answer of that time still holds.
 */
static __always_inline bool pa_is_sampled(struct pa_attached *attached, struct perf_event *event)
{
	bool sampled;

	if (in_nmi())
		return READ_ONCE(attached->sampled);
	sampled = pa_group_is_sampled(event);
	/* Inherited events share the entry and have the same answer: do not write it again. */
	if (READ_ONCE(attached->sampled) != sampled)
		WRITE_ONCE(attached->sampled, sampled);
	return sampled;
}

void pa_redirect_attached(struct pa_attached *attached)
{
	struct perf_event *event = attached->event;

	/*
	 * The core changes the list of siblings with this mutex held. The context of an event
	 * whose PMU has AUX output does not change: only groups of software events move
	 * (perf_event_open()).
	 */
	mutex_lock(&event->ctx->mutex);
	WRITE_ONCE(attached->sampled, pa_group_is_sampled(event));
	mutex_unlock(&event->ctx->mutex);
}

/* perf_aux_output_begin(handle, event) */
static void notrace pa_hook_begin(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	struct perf_output_handle *handle = (void *)pa_ftrace_argument(fregs, 0);
	struct perf_event *event = (void *)pa_ftrace_argument(fregs, 1);
	/* Called with interrupts off or in NMI, so this is an RCU reader. */
	struct pa_attached *attached = pa_attached_find(event);

	if (!attached || pa_is_sampled(attached, event))
		return;
	/* pa_output_begin() runs next, in the same RCU read-side critical section. */
	handle->rb = (void *)attached;
	pa_ftrace_set_ip(fregs, (unsigned long)pa_output_begin);
}

/* The other functions have the handle as their first argument. */
static void notrace pa_hook_handle(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops,
				   struct ftrace_regs *fregs)
{
	struct perf_output_handle *handle = (void *)pa_ftrace_argument(fregs, 0);

	if (pa_handle_is_ours(handle))
		pa_ftrace_set_ip(fregs, (unsigned long)ops->private);
}

#define PA_HOOK_FLAGS	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT | \
			 PA_FTRACE_FLAGS)

static struct pa_hook {
	const char *name;
	struct ftrace_ops ops;
} pa_hooks[] = {
	/*
	 * begin is hooked last and unhooked first: without it no handle of
	 * ours exists.
	 */
	{
		.name = "perf_aux_output_end",
		.ops = {
			.func = pa_hook_handle,
			.flags = PA_HOOK_FLAGS,
			.private = pa_output_end,
		},
	}, {
		.name = "perf_aux_output_skip",
		.ops = {
			.func = pa_hook_handle,
			.flags = PA_HOOK_FLAGS,
			.private = pa_output_skip,
		},
	}, {
		.name = "perf_get_aux",
		.ops = {
			.func = pa_hook_handle,
			.flags = PA_HOOK_FLAGS,
			.private = pa_output_get_aux,
		},
	}, {
		.name = "perf_output_copy_aux",
		.ops = {
			.func = pa_hook_handle,
			.flags = PA_HOOK_FLAGS,
			.private = pa_output_copy_aux,
		},
	}, {
		.name = "perf_aux_output_begin",
		.ops = {
			.func = pa_hook_begin,
			.flags = PA_HOOK_FLAGS,
		},
	},
};

static void pa_unhook(struct pa_hook *hook)
{
	unregister_ftrace_function(&hook->ops);
	ftrace_free_filter(&hook->ops);
}

/* Returns 0, -ENOMEM or, with a message, -errno. */
static int pa_hook(struct pa_hook *hook)
{
	int ret = pa_function_filter(&hook->ops, hook->name);

	if (!ret)
		ret = register_ftrace_function(&hook->ops);
	if (!ret)
		return 0;
	if (ret != -ENOMEM)
		pr_err("cannot redirect %s() (%d): is ftrace off (kernel.ftrace_enabled=0), does a livepatch hold the function, or was the kernel built without the function tracer for it?\n",
		       hook->name, ret);
	ftrace_free_filter(&hook->ops);
	return ret;
}

int pa_redirect_init(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(pa_hooks); i++) {
		ret = pa_hook(&pa_hooks[i]);
		if (ret) {
			while (i--)
				pa_unhook(&pa_hooks[i]);
			return ret;
		}
	}
	return 0;
}

/* No ring and no span is left: either would keep the module from being removed. */
void pa_redirect_exit(void)
{
	int i;

	for (i = ARRAY_SIZE(pa_hooks) - 1; i >= 0; i--)
		pa_unhook(&pa_hooks[i]);
	/* The pa_output_end() that dropped the last reference may still run: wait for its end. */
	synchronize_rcu();
}
