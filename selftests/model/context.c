// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's services for a context of the model: a CPU, a thread, RCU, a clock, interrupts of
 * other CPUs, and memory.
 */
#include <stdlib.h>

#include "world.h"

static struct model_ctx *self(void)
{
	return &world.ctx[model_current];
}

int model_cpu(void)
{
	return model_current < 0 ? 0 : self()->cpu;
}

unsigned int model_tid(void)
{
	return model_current < 0 ? MODEL_CTX + 1 : model_current + 1;
}

/* Each context has its own clock, because times of two contexts are never compared. */
unsigned long long model_clock(void)
{
	return model_current < 0 ? 200 : ++self()->time;
}

bool model_ref(int n)
{
	world.known.refs += n;
	if (world.known.refs < 0)
		model_fail("a reference is given back that was not taken");
	return true;
}

/* Does a context of this case wait for grace periods? If not, RCU sections have no effect. */
static bool somebody_waits(void)
{
	int i, k;

	for (i = 0; i < MODEL_CTX; i++)
		for (k = 0; world_case->actors[i].ops[k].kind != OP_END; k++)
			switch (world_case->actors[i].ops[k].kind) {
			case OP_FLUSH:
			case OP_ABANDON:
				return true;
			case OP_HOLD:
			case OP_HOLD_SPANS:
			case OP_HOLD_THAW:
				if (world_case->frames)
					return true;
				break;
			default:
				break;
			}
	return false;
}

/*
 * Begin an RCU section. The section must begin at a stop: if it began earlier, a grace period
 * would wait longer than it has to. A section can end before accesses that are not stops:
 * this hides no error.
 */
void model_rcu_enter(void)
{
	if (model_current < 0 || !somebody_waits())
		return;
	watch();
	if (!self()->rcu) {
		if (self()->sp && !self()->level)
			model_stop(MODEL_RCU, NULL, 0, NULL);
		self()->rcu_id++;
	}
	self()->rcu++;
}

void model_rcu_exit(void)
{
	watch();
	if (model_current >= 0 && somebody_waits())
		self()->rcu--;
}

bool model_grace_is_over(int ctx)
{
	const struct model_ctx *waiter = &world.ctx[ctx];
	int i;

	for (i = 0; i < MODEL_CTX; i++)
		if (waiter->sections[i] && world.ctx[i].rcu &&
		    world.ctx[i].rcu_id == waiter->sections[i])
			return false;
	return true;
}

void model_synchronize_rcu(void)
{
	int i;

	if (model_current < 0)
		return;
	watch();
	/* Other contexts can run before this context looks which ones are in a section. */
	model_stop(MODEL_RCU, NULL, 0, NULL);
	for (i = 0; i < MODEL_CTX; i++)
		self()->sections[i] = world.ctx[i].rcu ? world.ctx[i].rcu_id : 0;
	self()->waits = true;
	model_stop(MODEL_WAIT, NULL, 0, NULL);
	self()->waits = false;
	memset(self()->sections, 0, sizeof(self()->sections));
}

/* --- interrupts of one CPU by another ------------------------------------------- */

/* Let other CPUs interrupt this context here, in cases that have such interrupts (kicks). */
void model_interruptible(void)
{
	struct model_ctx *by;

	if (model_current < 0 || self()->level || !world_case->kicks)
		return;
	for (;;) {
		watch();
		self()->irqs_on = true;
		model_stop(MODEL_IRQS, NULL, 0, NULL);
		self()->irqs_on = false;
		if (!self()->call_by)
			return;
		by = &world.ctx[self()->call_by - 1];
		by->call(by->call_arg);
		watch();
		self()->call_by = 0;
		by->call = NULL;
	}
}

/* Return the context that runs on @cpu, or NULL. */
static struct model_ctx *who_runs(int cpu)
{
	int i;

	for (i = 0; i < MODEL_CTX; i++)
		if (world.ctx[i].cpu == cpu && world.ctx[i].run == MODEL_RUNNING)
			return &world.ctx[i];
	return NULL;
}

bool model_call_can(int ctx)
{
	int cpu = world.ctx[ctx].call_cpu - 1, i;

	for (i = 0; i < MODEL_CTX; i++)
		if (world.ctx[i].cpu == cpu && world.ctx[i].run == MODEL_RUNNING &&
		    (!world.ctx[i].irqs_on || world.ctx[i].call_by))
			return false;
	return true;
}

/*
 * Interrupt @cpu. The interrupt can take any time to arrive. The interrupted context makes the
 * call, because the call runs on its stack in the kernel, too. If no context runs on @cpu, the
 * call would have no effect.
 */
int model_call(int cpu, void (*call)(void *arg), void *arg)
{
	struct model_ctx *who;

	watch();
	self()->call_cpu = cpu + 1;
	self()->call = call;
	self()->call_arg = arg;
	model_stop(MODEL_CALL, NULL, 0, NULL);
	who = who_runs(cpu);
	if (who) {
		who->call_by = model_current + 1;
		model_stop(MODEL_CALLED, NULL, 0, NULL);
	}
	self()->call_cpu = 0;
	self()->call = NULL;
	self()->call_arg = NULL;
	return 0;
}

void model_spin(const void *at, unsigned long long value)
{
	watch();
	self()->spin = at;
	self()->spin_value = value;
	model_stop(MODEL_SPIN, NULL, 0, NULL);
	self()->spin = NULL;
	self()->spin_value = 0;
}

/* --- memory ------------------------------------------------------------------------- */

/* Clear the memory, so that states do not differ by its old contents. */
void model_free(void *at)
{
	if (model_current < 0)
		return;
	self()->heap_used = (char *)at - self()->heap;
	memset(at, 0, MODEL_HEAP - self()->heap_used);
}

void *model_alloc(size_t size)
{
	static char memory[MODEL_HEAP];
	void *at;

	if (model_current < 0)
		return memory;
	at = self()->heap + self()->heap_used;
	self()->heap_used += (size + 7) & ~7;
	if (self()->heap_used > MODEL_HEAP)
		abort();
	return at;
}

/* The module called a function that the model does not have. */
void *model_no_such(void)
{
	abort();
}

void model_sort(void *base, size_t nr, size_t size,
		int (*cmp)(const void *, const void *))
{
	char *at = base, swap[64];
	size_t i, k;

	if (size > sizeof(swap))
		abort();
	for (i = 1; i < nr; i++)
		for (k = i; k && cmp(at + (k - 1) * size, at + k * size) > 0; k--) {
			memcpy(swap, at + k * size, size);
			memcpy(at + k * size, at + (k - 1) * size, size);
			memcpy(at + (k - 1) * size, swap, size);
		}
}
