// SPDX-License-Identifier: GPL-2.0-only
/*
 * Three kinds of interrupts for rawgen: NMIs from another CPU or from this one,
 * hard interrupts by irq_work, and softirqs.
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "next_cpu.h"
#include "rawgen_pmu.h"

/* Loops that wait for an NMI */
#define RAWGEN_WAIT	10000

struct rawgen_cpu {
	struct irq_work work;
	struct tasklet_struct tasklet;
	int nmi_pending;
	ktime_t nmi_time;	/* the length of the last NMI, in ns */
};

static DEFINE_PER_CPU(struct rawgen_cpu, rawgen_cpu);

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>

static int rawgen_nmi(unsigned int type, struct pt_regs *regs)
{
	u64 begin = ktime_get_mono_fast_ns();

	if (!this_cpu_xchg(rawgen_cpu.nmi_pending, 0))
		return NMI_DONE;
	rawgen_run(RAWGEN_NMI);
	this_cpu_write(rawgen_cpu.nmi_time, ktime_get_mono_fast_ns() - begin);
	return NMI_HANDLED;
}

/*
 * Send one NMI at a time: of two NMIs the CPU may see only one, and a single
 * handler cannot know of both.
 */
static void rawgen_nmi_send(int cpu)
{
	if (!xchg(&per_cpu(rawgen_cpu, cpu).nmi_pending, 1))
		auxgen_send_nmi(cpu);
}

static int rawgen_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, rawgen_nmi, 0, "rawgen");
}

static void rawgen_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "rawgen");
}

bool rawgen_nmi_works(void)
{
	return true;
}

#else

static void rawgen_nmi_send(int cpu)
{
}

static int rawgen_nmi_init(void)
{
	return 0;
}

static void rawgen_nmi_exit(void)
{
}

bool rawgen_nmi_works(void)
{
	return false;
}
#endif

static void rawgen_tasklet(struct tasklet_struct *tasklet)
{
	rawgen_run(RAWGEN_SOFTIRQ);
}

/* If this interrupts a softirq, the new softirq would run after it. */
static void rawgen_work(struct irq_work *work)
{
	rawgen_run(RAWGEN_HARDIRQ);
	if (!in_serving_softirq())
		tasklet_hi_schedule(this_cpu_ptr(&rawgen_cpu.tasklet));
}

/* Interrupts are off. */
void rawgen_irq_others(u64 config)
{
	unsigned int cpu = next_online_cpu(smp_processor_id());

	if (config & RAWGEN_CONTEXT(RAWGEN_NMI))
		rawgen_nmi_send(cpu);
	if (config & RAWGEN_CONTEXT(RAWGEN_SOFTIRQ))
		tasklet_hi_schedule(this_cpu_ptr(&rawgen_cpu.tasklet));
}

ktime_t rawgen_nmi_time(u64 config)
{
	unsigned int cpu = next_online_cpu(smp_processor_id());

	if (!(config & RAWGEN_CONTEXT(RAWGEN_NMI)))
		return 0;
	return READ_ONCE(per_cpu(rawgen_cpu, cpu).nmi_time);
}

void rawgen_irq_here(enum rawgen_context context)
{
	struct rawgen_cpu *cpu = this_cpu_ptr(&rawgen_cpu);
	int i;

	if (context == RAWGEN_NMI)
		return;
	if (!irqs_disabled())
		irq_work_queue(&cpu->work);
	rawgen_nmi_send(smp_processor_id());
	for (i = 0; i < RAWGEN_WAIT && READ_ONCE(cpu->nmi_pending); i++)
		cpu_relax();
}

int rawgen_irq_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rawgen_cpu *c = &per_cpu(rawgen_cpu, cpu);

		c->work = IRQ_WORK_INIT_HARD(rawgen_work);
		tasklet_setup(&c->tasklet, rawgen_tasklet);
	}
	return rawgen_nmi_init();
}

/* Called when no event is left. */
void rawgen_irq_exit(void)
{
	int cpu;

	rawgen_nmi_exit();
	for_each_possible_cpu(cpu) {
		irq_work_sync(&per_cpu(rawgen_cpu, cpu).work);
		tasklet_kill(&per_cpu(rawgen_cpu, cpu).tasklet);
	}
}
