/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All interleavings of a few contexts that run the module's code.
 *
 * A context is a coroutine. It stops before each access to memory that others access
 * too; the explorer then lets each context go on in turn that can, from a copy of all
 * that there is: memory, the model's own knowledge, stacks. A state that was seen is not
 * gone on from again.
 *
 * What needs no stop, because it makes no difference to others when it happens:
 *  - memory that only one context accesses, or that nobody writes;
 *  - sums to which contexts only add, reading nothing;
 *  - memory that is accessed only by who owns it at that moment (world_owner()): it came
 *    by it, and will let go of it, by accesses that are stops (R. Lipton, Reduction, 1975).
 * This is not assumed. It begins so for all memory, and each access checks it; if it was
 * wrong the granule is one of stops, and all is explored anew.
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
	MODEL_ADD,		/* nothing is learned */
	MODEL_START,		/* not accesses: an NMI comes, ... */
	MODEL_RCU,		/* ... a section of RCU begins */
	MODEL_WAIT,		/* ... a grace period ends, ... */
	MODEL_IRQS,		/* ... interrupts are on, ... */
	MODEL_CALL,		/* ... an interrupt is sent to a CPU, ... */
	MODEL_CALLED,		/* ... and was answered, ... */
	MODEL_SPIN,		/* ... a value changes */
};

enum model_run {
	MODEL_WAITING,		/* has not started */
	MODEL_RUNNING,
	MODEL_DONE,
};

/* All of it is part of the state. */
struct model_ctx {
	void *sp;
	unsigned long long time;
	unsigned char run;		/* enum model_run */
	signed char cpu;		/* -1: none of its own, it may run at any time */
	unsigned char level;		/* 0: a task, else what interrupts lower ones */
	unsigned char rcu;		/* depth */
	unsigned char rcu_id;		/* of the outermost section */
	bool waits;			/* for those sections: */
	unsigned char sections[MODEL_CTX];
	unsigned char call_cpu;		/* + 1: where it wants to interrupt */
	unsigned char call_by;		/* context + 1 that interrupts it, ... */
	bool irqs_on;			/* ... which is possible now */
	void (*call)(void *arg);	/* what it wants to be done there */
	void *call_arg;
	const unsigned long long *spin;	/* it waits until that is not ... */
	unsigned long long spin_value;
	unsigned char heap_used;
	char heap[MODEL_HEAP] __attribute__((aligned(8)));
};

struct model_result {
	unsigned long long states;
	unsigned long long steps;
	double paths;			/* interleavings that were told apart */
	unsigned int stops;		/* granules of memory that are stops */
	unsigned int rounds;
	unsigned int depth;
	bool failed;
	char what[256];			/* then: what was wrong, ... */
	char schedule[4096];		/* ... and how to get there */
};

/* explore.c */
void model_explore(struct model_result *result);
void model_replay(const char *schedule, bool quiet, struct model_result *result);
/* The context that runs, or -1. What is wrong ends the exploration. */
extern int model_current;
void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool model_failed(void);
void model_stop(enum model_access kind, const void *at, size_t size, void *pc);
void model_again(void);
/* Every access is a stop. */
extern bool model_is_replay;
/* For what happens since the last stop, see model_replay() */
extern unsigned int model_count;

/* access.c */
void model_access_reset(void);
unsigned int model_access_stops(void);
void model_access_print(void);
void model_access(enum model_access kind, const void *at, size_t size, void *pc);

/* What the shim has instead of the kernel's */
unsigned long long model_cmpxchg(void *at, size_t size, unsigned long long from,
				 unsigned long long to);
unsigned long long model_xchg(void *at, size_t size, unsigned long long to);
void model_add(void *at, size_t size, long long n);
long long model_inc_return(long long *at);
int model_or(int *at, int bits);
void model_andnot(int *at, int bits);
int model_dec_if_positive(int *at);

/* context.c */
int model_cpu(void);
unsigned int model_tid(void);
unsigned long long model_clock(void);
bool model_ref(int n);
void model_rcu_enter(void);
void model_rcu_exit(void);
void model_synchronize_rcu(void);
bool model_grace_is_over(int ctx);
/* Of a task: here an interrupt may come. Nowhere else. */
void model_interruptible(void);
int model_call(int cpu, void (*call)(void *arg), void *arg);
/* Goes on when it is not @value any more. */
void model_spin(const void *at, unsigned long long value);
/* May the interrupt of @ctx come now? */
bool model_call_can(int ctx);
void *model_alloc(size_t size);
void model_free(void *at);
void *model_no_such(void);
void model_sort(void *base, size_t nr, size_t size,
		int (*cmp)(const void *, const void *));

#endif /* MODEL_EXPLORE_H */
