// SPDX-License-Identifier: GPL-2.0-only
/*
 * Redirect perf_event_mmap_event()'s call of the kernel's build-id parser to
 * pa_ids_parse(), while somebody wants ids.
 *
 * lib/ is built without ftrace, so the hook is a kprobe that sets the instruction
 * pointer. The kprobe has a post_handler so that it is not optimised into a jump,
 * which would lose the change (see optimized_callback()). If a hit is missed, the
 * kernel's own parser runs, which is harmless.
 *
 * The kprobe stays for up to PA_HOOK_STAYS after nobody wants ids any more: removing
 * and inserting it interrupts all CPUs, and any user may ask for ids at any rate.
 *
 * The handler runs in the exception, so in_task() and the like do not tell the
 * context of the call. The handler looks at the caller instead: BPF calls the parser
 * too, in NMI, and such calls must go to the kernel's parser.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include "ids/ids.h"

#define PA_HOOK_STAYS	(5 * HZ)

/* The parser that perf calls instead, see pa_ids_hook_init() */
static typeof(pa_build_id_parser) *pa_hook_parser;
static DEFINE_MUTEX(pa_hook_lock);
static unsigned int pa_hook_users;
static bool pa_hook_is_in;
/* Calls that were redirected and have not returned. */
static atomic_t pa_hook_calls = ATOMIC_INIT(0);
/* Whether any call was redirected */
static bool pa_hook_used;

/*
 * The addresses from which perf, and others, called the parser last. There is one
 * such call in perf. Both words are written at any time, in any context.
 */
static unsigned long pa_caller_perf;
static unsigned long pa_caller_other;

static bool pa_caller_is_perf(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	if (address == READ_ONCE(pa_caller_perf))
		return true;
	if (address == READ_ONCE(pa_caller_other))
		return false;
	sprint_symbol(name, address);
	/* perf_event_mmap_event(), or a function into which it was inlined */
	if (str_has_prefix(name, "perf_event_mmap")) {
		WRITE_ONCE(pa_caller_perf, address);
		return true;
	}
	WRITE_ONCE(pa_caller_other, address);
	return false;
}

static int pa_hook_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (!READ_ONCE(pa_hook_users) ||
	    !pa_caller_is_perf(pa_caller_address(regs)))
		return 0;
	/* Preemption is off: pa_ids_hook_exit() waits for this handler, or sees the count. */
	atomic_inc(&pa_hook_calls);
	WRITE_ONCE(pa_hook_used, true);
	instruction_pointer_set(regs, (unsigned long)pa_hook_parser);
	return 1;
}

static void pa_hook_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
}

static struct kprobe pa_hook;

static int pa_hook_register(void)
{
	int ret;

	/* Registration fails with what an earlier one left in the structure. */
	memset(&pa_hook, 0, sizeof(pa_hook));
	pa_hook.symbol_name = __stringify(pa_build_id_parser);
	pa_hook.pre_handler = pa_hook_pre;
	pa_hook.post_handler = pa_hook_post;
	ret = register_kprobe(&pa_hook);
	pa_hook_is_in = !ret;
	return ret && ret != -ENOMEM ? -EOPNOTSUPP : ret;
}

static void pa_hook_unregister(struct work_struct *work)
{
	mutex_lock(&pa_hook_lock);
	if (!pa_hook_users && pa_hook_is_in) {
		unregister_kprobe(&pa_hook);
		pa_hook_is_in = false;
	}
	pa_ids_header_unhook(pa_hook_is_in);
	mutex_unlock(&pa_hook_lock);
}

static DECLARE_DELAYED_WORK(pa_hook_work, pa_hook_unregister);
static DECLARE_WORK(pa_header_work, pa_hook_unregister);

void pa_ids_hook_init(typeof(pa_build_id_parser) *parser)
{
	pa_hook_parser = parser;
}

int pa_ids_hook_get(void)
{
	int ret = 0;

	mutex_lock(&pa_hook_lock);
	if (!pa_hook_is_in)
		ret = pa_hook_register();
	if (!ret) {
		pa_ids_header_hook();
		WRITE_ONCE(pa_hook_users, pa_hook_users + 1);
	}
	mutex_unlock(&pa_hook_lock);
	return ret;
}

void pa_ids_hook_put(void)
{
	mutex_lock(&pa_hook_lock);
	WRITE_ONCE(pa_hook_users, pa_hook_users - 1);
	if (!pa_hook_users)
		schedule_delayed_work(&pa_hook_work, PA_HOOK_STAYS);
	mutex_unlock(&pa_hook_lock);
}

void pa_ids_hook_header_unneeded(void)
{
	schedule_work(&pa_header_work);
}

void pa_ids_hook_done(void)
{
	if (atomic_dec_and_test(&pa_hook_calls))
		wake_up_var(&pa_hook_calls);
}

/* Nobody wants ids any more. When this returns, no call may be in this module. */
void pa_ids_hook_exit(void)
{
	cancel_delayed_work_sync(&pa_hook_work);
	pa_hook_unregister(NULL);
	if (!READ_ONCE(pa_hook_used))
		return;
	wait_var_event(&pa_hook_calls, !atomic_read(&pa_hook_calls));
	cancel_work_sync(&pa_header_work);
	/*
	 * Wait for tasks in the last instructions of pa_ids_parse(), which may be
	 * preempted. This may take a second or more.
	 */
	synchronize_rcu_tasks();
}
