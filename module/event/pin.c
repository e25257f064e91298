// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep a task's events with the task.
 *
 * When two tasks with inherited copies of the same events follow each other on
 * a CPU, perf_event_context_sched_out() swaps their contexts instead of
 * stopping and starting the events. For counters the result is the same, but a
 * span would contain the trace of both tasks. context_equiv() does not swap a
 * pinned context, so each context with a span is pinned once.
 *
 * The pin adds more than one to pin_count: perf itself pins a context for a
 * moment, in fork() for instance (perf_pin_task_context()), and a span must not
 * rely on that pin.
 *
 * ctx->lock guards pin_count and may be held around begin; hence the irq_work.
 * The irq_work runs on the CPU of the span. If it finds the span's event there,
 * the event is active on this CPU. The event stays active, and its context
 * stays, until the handler returns.
 */
#include <linux/smp.h>

#include "event/event.h"

/* More than the pins that perf itself may hold at a time. */
#define PA_PIN		BIT(20)

static void pa_pin_work(struct irq_work *work)
{
	struct pa_cpu *cpu = container_of(work, struct pa_cpu, pin_work);
	struct perf_event *event = READ_ONCE(cpu->pin_event);
	struct perf_event_context *ctx;
	unsigned long flags;

	/* Some architectures run irq_work from any CPU's tick. */
	if (!event || pa_cpu_of(event) != smp_processor_id())
		return;
	ctx = event->ctx;
	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx->pin_count < PA_PIN)
		ctx->pin_count += PA_PIN;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/* Writer. */
void pa_pin_begin(struct pa_ring *ring, struct perf_event *event)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);

	if (!(event->attach_state & PERF_ATTACH_TASK))
		return;
	/*
	 * The core may change pin_count at the same time (perf_pin_task_context()), by less
	 * than PA_PIN. If a change by pa_pin_work() is not visible here yet, pa_pin_work()
	 * looks again, with ctx->lock held.
	 */
	if (data_race(event->ctx->pin_count) >= PA_PIN)
		return;
	WRITE_ONCE(cpu->pin_event, event);
	irq_work_queue(&cpu->pin_work);
}

/* Writer. */
void pa_pin_end(struct pa_ring *ring, struct perf_event *event)
{
	struct pa_cpu *cpu = this_cpu_ptr(ring->cpu);

	if (READ_ONCE(cpu->pin_event) == event)
		WRITE_ONCE(cpu->pin_event, NULL);
}

void pa_pin_init(struct pa_ring *ring)
{
	int i;

	for_each_possible_cpu(i)
		per_cpu_ptr(ring->cpu, i)->pin_work =
			IRQ_WORK_INIT_HARD(pa_pin_work);
}

/* Process context, no writer left. */
void pa_pin_sync(struct pa_ring *ring)
{
	int i;

	for_each_possible_cpu(i)
		irq_work_sync(&per_cpu_ptr(ring->cpu, i)->pin_work);
}
