// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a context of the model has of the kernel: its CPU, its thread, sections of RCU, a
 * clock of its own, memory.
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

/* Times of two contexts are never compared. */
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

/* Does anybody wait for grace periods here? Else sections need not be told apart. */
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
 * A section begins at a stop: were it earlier a grace period would wait for more than it
 * has to. That it ends early, with what is no stop behind it, hides nothing.
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
	/* Who is in one by now, which is a moment when others may run. */
	model_stop(MODEL_RCU, NULL, 0, NULL);
	for (i = 0; i < MODEL_CTX; i++)
		self()->sections[i] = world.ctx[i].rcu ? world.ctx[i].rcu_id : 0;
	self()->waits = true;
	model_stop(MODEL_WAIT, NULL, 0, NULL);
	self()->waits = false;
	memset(self()->sections, 0, sizeof(self()->sections));
}

/* --- interrupts of one CPU by another ------------------------------------------- */

/* Only where there are such interrupts: others need no stop. */
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

/* Who runs on @cpu, or NULL */
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
 * It is under way for as long as it pleases; who is interrupted makes the call, as that is
 * on its stack in the kernel too. Where nobody runs there is nothing to be done.
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

/* What is given back is no part of the state. */
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

/* The module asks for what there is none of in the model. */
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
