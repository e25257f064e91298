// SPDX-License-Identifier: GPL-2.0-only
/*
 * crashgen - a module that stops the machine by panic(), in a context that a parameter names:
 *
 *	how=task	in the task that inserts the module
 *	how=irq		in the interrupt of a timer
 *	how=nmi		in an NMI that interrupts this CPU
 *	how=hang	in an NMI that interrupts a CPU which loops with interrupts off. This is
 *			what a watchdog for hung CPUs does
 *
 * how=keyboard lets the keyboard controller reset the machine, without a panic. User space could do
 * this with ioperm(), but not every kernel has it (CONFIG_X86_IOPL_IOPERM).
 *
 * how=look does not stop the machine: inserting the module fails with ENODATA if the region of kept
 * rings is clear, and with EEXIST if it is not.
 *
 * The message of the panic is CRASHGEN_MESSAGE and the context's name.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "../../module/compat/reserve_mem.h"
#include "next_cpu.h"

#define CRASHGEN_MESSAGE	"crashgen: asked to panic"

static char *how = "";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "Context of the panic: task, irq, nmi or hang; or keyboard: no panic");

static unsigned long delay;
module_param(delay, ulong, 0444);
MODULE_PARM_DESC(delay, "ns until the panic in an interrupt or NMI");

static struct hrtimer crashgen_timer;
static DEFINE_PER_CPU(bool, crashgen_pending);
static bool crashgen_hangs;

static void crashgen_panic(void)
{
	panic("%s in %s", CRASHGEN_MESSAGE, how);
}

static int crashgen_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!this_cpu_read(crashgen_pending))
		return NMI_DONE;
	crashgen_panic();
	return NMI_HANDLED;
}

static void crashgen_send(unsigned int cpu)
{
	per_cpu(crashgen_pending, cpu) = true;
	/* The CPU sees the flag before the NMI comes. */
	smp_wmb();
	auxgen_send_nmi(cpu);
}

static void crashgen_hang(void *unused)
{
	local_irq_disable();
	WRITE_ONCE(crashgen_hangs, true);
	for (;;)
		cpu_relax();
}

static enum hrtimer_restart crashgen_run(struct hrtimer *timer)
{
	if (!strcmp(how, "irq"))
		crashgen_panic();
	crashgen_send(smp_processor_id());
	return HRTIMER_NORESTART;
}

/* Let another CPU hang, and interrupt it there. */
static void crashgen_find_hung(void)
{
	const unsigned int cpu = next_online_cpu(raw_smp_processor_id());

	smp_call_function_single(cpu, crashgen_hang, NULL, 0);
	while (!READ_ONCE(crashgen_hangs))
		cpu_relax();
	crashgen_send(cpu);
	/* The handler must stay until the NMI comes. The panic stops this CPU, too. */
	for (;;)
		cpu_relax();
}

/* Pulse the reset line of the processors, as native_machine_emergency_restart() does. */
static void crashgen_reset(void)
{
	outb(0xfe, 0x64);
	mdelay(1000);
}

static int crashgen_look(void)
{
	phys_addr_t start, size, at;

	if (!pa_reserve_mem_find("perfaux", &start, &size))
		return -ENODEV;
	for (at = 0; at < size; at += PAGE_SIZE) {
		if (memchr_inv(phys_to_virt(start + at), 0, PAGE_SIZE))
			return -EEXIST;
		cond_resched();
	}
	return -ENODATA;
}

static int __init crashgen_init(void)
{
	int ret;

	if (!strcmp(how, "look"))
		return crashgen_look();
	if (!strcmp(how, "keyboard")) {
		crashgen_reset();
		return -EIO;
	}
	ret = register_nmi_handler(NMI_LOCAL, crashgen_nmi, 0, "crashgen");

	if (ret)
		return ret;
	if (!strcmp(how, "task")) {
		crashgen_panic();
	} else if (!strcmp(how, "hang")) {
		crashgen_find_hung();
	} else if (!strcmp(how, "irq") || !strcmp(how, "nmi")) {
		auxgen_timer_setup(&crashgen_timer, crashgen_run);
		hrtimer_start(&crashgen_timer, ns_to_ktime(delay), HRTIMER_MODE_REL_HARD);
		return 0;
	}
	unregister_nmi_handler(NMI_LOCAL, "crashgen");
	return -EINVAL;
}

static void __exit crashgen_exit(void)
{
	hrtimer_cancel(&crashgen_timer);
	unregister_nmi_handler(NMI_LOCAL, "crashgen");
}

module_init(crashgen_init);
module_exit(crashgen_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Stop the machine by a panic in a named context");
