// SPDX-License-Identifier: GPL-2.0-only
/*
 * rawprod - writes records to raw rings from every context, see rawprod.h.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "../../module/perfaux.h"
#include "next_cpu.h"
#include "pace.h"
#include "rawprod.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

struct rawprod {
	struct mutex lock;	/* one run at a time */
	struct perfaux_ring *ring;
	void *held[RAWPROD_HELD];
	int nr_held;

	/* the run; one context at a time changes it */
	struct rawprod_run run;
	u32 at;			/* records that were tried */
	struct completion done;
	struct tasklet_struct tasklet;
	struct hrtimer timer;
	ktime_t pause;
};

/* The rawprod whose record the next NMI of a CPU writes */
static DEFINE_PER_CPU(struct rawprod *, rawprod_nmi_of);

/* Called in any context. noinline, because BPF programs are attached to it. */
static noinline void rawprod_write(struct rawprod *p)
{
	struct rawprod_run *run = &p->run;
	u64 cookie = run->cookie + (u64)run->step * p->at;
	void *data = perfaux_reserve(p->ring, run->length, cookie);

	if (data) {
		run->written++;
		if (!run->unfilled)
			rawprod_fill(data, cookie, run->length);
	}
	if (data && run->end == RAWPROD_HOLD)
		p->held[p->nr_held++] = data;
	else if (data && run->end == RAWPROD_DISCARD)
		perfaux_discard(p->ring, data);
	else if (data)
		perfaux_commit(p->ring, data);
	/* Pairs with rawprod_is_done(): afterwards the run may be gone. */
	smp_store_release(&p->at, p->at + 1);
}

static bool rawprod_is_done(const struct rawprod *p)
{
	/* Pairs with rawprod_write(). */
	return smp_load_acquire(&p->at) == p->run.count;
}

static void rawprod_in_task(struct rawprod *p)
{
	while (!rawprod_is_done(p)) {
		rawprod_write(p);
		if (p->run.pause_us)
			usleep_range(p->run.pause_us, p->run.pause_us + 1);
		cond_resched();
	}
}

static void rawprod_tasklet(struct tasklet_struct *tasklet)
{
	struct rawprod *p = container_of(tasklet, struct rawprod, tasklet);

	rawprod_write(p);
	complete(&p->done);
}

static void rawprod_in_softirq(struct rawprod *p)
{
	while (!rawprod_is_done(p)) {
		reinit_completion(&p->done);
		/* The softirq runs here, when softirqs are enabled again. */
		local_bh_disable();
		tasklet_schedule(&p->tasklet);
		local_bh_enable();
		wait_for_completion(&p->done);
	}
}

#ifdef CONFIG_X86_LOCAL_APIC
static int rawprod_nmi(unsigned int type, struct pt_regs *regs)
{
	struct rawprod *p = this_cpu_read(rawprod_nmi_of);

	if (!p)
		return NMI_DONE;
	if (!rawprod_is_done(p))
		rawprod_write(p);
	/* Pairs with the cmpxchg of the next sender. */
	smp_store_release(this_cpu_ptr(&rawprod_nmi_of), NULL);
	return NMI_HANDLED;
}

static void rawprod_send_nmi(struct rawprod *p)
{
	struct rawprod **of = per_cpu_ptr(&rawprod_nmi_of, p->run.cpu);

	/* Send no NMI before the last one has been served. */
	if (cmpxchg(of, NULL, p))
		return;
	if (rawprod_is_done(p))
		WRITE_ONCE(*of, NULL);
	else
		auxgen_send_nmi(p->run.cpu);
}
#endif

/* Interrupt p->run.cpu at any instruction. */
static enum hrtimer_restart rawprod_timer(struct hrtimer *timer)
{
	struct rawprod *p = container_of(timer, struct rawprod, timer);
	const ktime_t begin = ktime_get();

	if (p->run.context == RAWPROD_HARDIRQ)
		rawprod_write(p);
#ifdef CONFIG_X86_LOCAL_APIC
	else
		rawprod_send_nmi(p);
#endif
	if (rawprod_is_done(p)) {
		complete(&p->done);
		return HRTIMER_NORESTART;
	}
	hrtimer_set_expires(timer, paced(begin, p->pause, 0, 1));
	return HRTIMER_RESTART;
}

static void rawprod_start_timer(void *arg)
{
	struct rawprod *p = arg;

	hrtimer_start(&p->timer, p->pause, HRTIMER_MODE_REL_PINNED_HARD);
}

/* Return the CPU where the timer runs. An NMI comes from another CPU, if there is one. */
static unsigned int rawprod_timer_cpu(const struct rawprod *p)
{
	if (p->run.context == RAWPROD_HARDIRQ)
		return p->run.cpu;
	return next_online_cpu(p->run.cpu);
}

static int rawprod_in_timer(struct rawprod *p)
{
	int ret;

	p->pause = ns_to_ktime(1000ULL * (p->run.pause_us ?: 20));
	reinit_completion(&p->done);
	ret = smp_call_function_single(rawprod_timer_cpu(p),
				       rawprod_start_timer, p, 1);
	if (ret)
		return ret;
	wait_for_completion(&p->done);
	hrtimer_cancel(&p->timer);
	return 0;
}

/* Called with p->lock held. */
static int rawprod_run(struct rawprod *p, struct rawprod_run __user *arg)
{
	struct rawprod_run *run = &p->run;
	int ret = 0;

	if (copy_from_user(run, arg, sizeof(*run)))
		return -EFAULT;
	if (!p->ring || !run->count || run->context > RAWPROD_NMI ||
	    run->end > RAWPROD_HOLD || run->cpu >= nr_cpu_ids ||
	    (run->end == RAWPROD_HOLD &&
	     run->count > RAWPROD_HELD - p->nr_held))
		return -EINVAL;
	p->at = 0;
	run->written = 0;
	if (run->context == RAWPROD_TASK)
		rawprod_in_task(p);
	else if (run->context == RAWPROD_SOFTIRQ)
		rawprod_in_softirq(p);
	else
		ret = rawprod_in_timer(p);
	if (!ret && copy_to_user(arg, run, sizeof(*run)))
		ret = -EFAULT;
	return ret;
}

static int rawprod_end(struct rawprod *p, unsigned long how)
{
	int i, nr = p->nr_held;

	for (i = 0; i < nr; i++)
		if (how == RAWPROD_DISCARD)
			perfaux_discard(p->ring, p->held[i]);
		else
			perfaux_commit(p->ring, p->held[i]);
	p->nr_held = 0;
	return nr;
}

static int rawprod_ring(struct rawprod *p, int fd)
{
	struct perfaux_ring *ring;

	if (p->ring)
		return -EBUSY;
	ring = perfaux_ring_get(fd);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	p->ring = ring;
	return 0;
}

static int rawprod_put(struct rawprod *p)
{
	if (!p->ring)
		return -EINVAL;
	rawprod_end(p, RAWPROD_DISCARD);
	perfaux_ring_put(p->ring);
	p->ring = NULL;
	return 0;
}

static long rawprod_do(struct rawprod *p, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case RAWPROD_IOC_RING:
		return rawprod_ring(p, arg);
	case RAWPROD_IOC_PUT:
		return rawprod_put(p);
	case RAWPROD_IOC_RUN:
		return rawprod_run(p, (void __user *)arg);
	case RAWPROD_IOC_END:
		return rawprod_end(p, arg);
	case RAWPROD_IOC_CLOSED:
		return p->ring ? perfaux_ring_closed(p->ring) : -EINVAL;
	}
	return -ENOTTY;
}

static long rawprod_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	struct rawprod *p = file->private_data;
	long ret;

	mutex_lock(&p->lock);
	ret = rawprod_do(p, cmd, arg);
	mutex_unlock(&p->lock);
	return ret;
}

static int rawprod_open(struct inode *inode, struct file *file)
{
	struct rawprod *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	mutex_init(&p->lock);
	init_completion(&p->done);
	tasklet_setup(&p->tasklet, rawprod_tasklet);
	auxgen_timer_setup(&p->timer, rawprod_timer);
	file->private_data = p;
	return 0;
}

static int rawprod_release(struct inode *inode, struct file *file)
{
	struct rawprod *p = file->private_data;

	rawprod_put(p);
	tasklet_kill(&p->tasklet);
	kfree(p);
	return 0;
}

static const struct file_operations rawprod_fops = {
	.owner		= THIS_MODULE,
	.open		= rawprod_open,
	.release	= rawprod_release,
	.unlocked_ioctl	= rawprod_ioctl,
	.llseek		= noop_llseek,
};

static struct miscdevice rawprod_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "rawprod",
	.fops	= &rawprod_fops,
	.mode	= 0600,
};

static int __init rawprod_init(void)
{
	int ret = 0;

#ifdef CONFIG_X86_LOCAL_APIC
	ret = register_nmi_handler(NMI_LOCAL, rawprod_nmi, 0, "rawprod");
	if (ret)
		return ret;
#endif
	ret = misc_register(&rawprod_device);
#ifdef CONFIG_X86_LOCAL_APIC
	if (ret)
		unregister_nmi_handler(NMI_LOCAL, "rawprod");
#endif
	return ret;
}

static void __exit rawprod_exit(void)
{
	misc_deregister(&rawprod_device);
#ifdef CONFIG_X86_LOCAL_APIC
	unregister_nmi_handler(NMI_LOCAL, "rawprod");
#endif
}

module_init(rawprod_init);
module_exit(rawprod_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Records in raw rings for perfaux's tests");
