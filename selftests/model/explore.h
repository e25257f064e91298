/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Explore all interleavings of a few contexts that run the module's code.
 *
 * A context is a coroutine. It stops before each access to memory that other contexts access,
 * too. The explorer then continues with each context that can run, one after the other. Each
 * continues from a copy of the whole state: memory, what the model knows, and stacks. The
 * explorer does not continue from a state that it has seen before.
 *
 * An access is not a stop if its moment makes no difference to other contexts:
 *  - memory that only one context accesses, or that no context writes;
 *  - sums to which contexts only add without reading them;
 *  - memory that only its current owner accesses (world_owner()). A context becomes the owner,
 *    and stops being it, by accesses that are stops (R. Lipton, Reduction, 1975).
 * The explorer first takes this to be true for all memory. Each access checks it. If it turns
 * out to be wrong for a granule, accesses to that granule become stops, and the explorer
 * starts again.
 */
#ifndef MODEL_EXPLORE_H
#define MODEL_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MODEL_CPUS	2
#define MODEL_CTX	5
#define MODEL_STACK	16384
#define MODEL_HEAP	96

enum model_access {
	MODEL_READ,
	MODEL_WRITE,
	MODEL_RMW,
	MODEL_ADD,		/* add, without using the result */
	/* The others are no accesses, but steps of their own. */
	MODEL_START,		/* an NMI comes */
	MODEL_RCU,		/* an RCU section begins */
	MODEL_WAIT,		/* a grace period ends */
	MODEL_IRQS,		/* interrupts are on again */
	MODEL_CALL,		/* an interrupt is sent to a CPU */
	MODEL_CALLED,		/* the CPU has answered this interrupt */
	MODEL_SPIN,		/* the value that a context waits for has changed */
};

enum model_run {
	MODEL_WAITING,		/* has not started */
	MODEL_RUNNING,
	MODEL_DONE,
};

/* All members are part of the state. */
struct model_ctx {
	void *sp;
	unsigned long long time;
	unsigned char run;		/* enum model_run */
	signed char cpu;		/* -1: no CPU, it can run at any time */
	unsigned char level;		/* 0: a task; a higher level interrupts lower ones */
	unsigned char rcu;		/* depth of RCU sections */
	unsigned char rcu_id;		/* number of the outermost section */
	bool waits;			/* it waits for @sections to end */
	unsigned char sections[MODEL_CTX];
	unsigned char call_cpu;		/* the CPU that it interrupts, plus 1 */
	unsigned char call_by;		/* the context that interrupts it, plus 1 */
	bool irqs_on;			/* it can be interrupted now */
	void (*call)(void *arg);	/* what the interrupt calls on that CPU */
	void *call_arg;
	const unsigned long long *spin;	/* it waits until *spin is not @spin_value */
	unsigned long long spin_value;
	unsigned char heap_used;
	char heap[MODEL_HEAP] __attribute__((aligned(8)));
};

struct model_result {
	unsigned long long states;
	unsigned long long steps;
	double paths;			/* number of different interleavings */
	unsigned int stops;		/* granules of memory that are stops */
	unsigned int rounds;
	unsigned int depth;
	bool failed;
	char what[256];			/* if it failed: what was wrong */
	char schedule[4096];		/* if it failed: the schedule that leads there */
};

/* explore.c */
void model_explore(struct model_result *result);
void model_replay(const char *schedule, bool quiet, struct model_result *result);
/* The context that runs, or -1. model_fail() ends the exploration. */
extern int model_current;
void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool model_failed(void);
void model_stop(enum model_access kind, const void *at, size_t size, void *pc);
void model_again(void);
/* During a replay, every access is a stop. */
extern bool model_is_replay;
/* The number of accesses since the last stop, see model_replay() */
extern unsigned int model_count;

/* access.c */
void model_access_reset(void);
unsigned int model_access_stops(void);
void model_access_print(void);
void model_access(enum model_access kind, const void *at, size_t size, void *pc);

/* The shim's versions of the kernel's functions */
unsigned long long model_cmpxchg(void *at, size_t size, unsigned long long from,
				 unsigned long long to);
unsigned long long model_xchg(void *at, size_t size, unsigned long long to);
void model_add(void *at, size_t size, long long n);
long long model_inc_return(long long *at);
int model_or(int *at, int bits);
void model_andnot(int *at, int bits);
int model_dec_if_positive(int *at);
void model_set_bit(unsigned long *at, unsigned int bit, bool on);
bool model_test_and_set_bit(unsigned long *at, unsigned int bit, bool on);

/* context.c */
int model_cpu(void);
unsigned int model_tid(void);
unsigned long long model_clock(void);
bool model_ref(int n);
void model_rcu_enter(void);
void model_rcu_exit(void);
void model_synchronize_rcu(void);
bool model_grace_is_over(int ctx);
/* A task calls this where an interrupt can come. Interrupts come nowhere else. */
void model_interruptible(void);
int model_call(int cpu, void (*call)(void *arg), void *arg);
/* Wait until *@at is not @value any more. */
void model_spin(const void *at, unsigned long long value);
/* Can the interrupt that @ctx sent arrive now? */
bool model_call_can(int ctx);
void *model_alloc(size_t size);
void model_free(void *at);
void *model_no_such(void);
void model_sort(void *base, size_t nr, size_t size,
		int (*cmp)(const void *, const void *));

#endif /* MODEL_EXPLORE_H */
