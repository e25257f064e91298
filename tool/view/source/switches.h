/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switches of a recording, of which there can be any number: most of them are in files without
 * a name, and memory has a few blocks.
 */
#ifndef VIEW_SWITCHES_H
#define VIEW_SWITCHES_H

#include <linux/types.h>
#include <stddef.h>

#include "view/temporary/blocks.h"

/* ends.c: when each time of a thread on a CPU ends, in the order in which these times begin */
struct ends {
	int	fd;
	__u64	*window;	/* of the last ones, or of the next ones */
	__u64	base;		/* number of the first one in the window */
	__u64	nr;
	__u64	next;		/* that ends_next() returns */
};

/* All of these return 0 or -errno. A time on a CPU has a number from 0. */
int ends_init(struct ends *e);
void ends_free(struct ends *e);
int ends_add(struct ends *e, __u64 *number);
int ends_set(struct ends *e, __u64 number, __u64 time);
/* Call this when nothing more will be added. */
int ends_finish(struct ends *e);
/* The next one, from number 0 on; 0: it was not set, or there is none. */
int ends_next(struct ends *e, __u64 *time);

/* cpu_switches.c: what each CPU ran */
struct cpu_switch {
	__u64	time;
	__u64	tid;
};

struct cpu_switches {
	__u32	cpu;
	struct blocks list;
};

struct cpus {
	struct blocks_file file;
	struct cpu_switches **list;
	size_t	nr;
};

int cpus_init(struct cpus *c);
void cpus_free(struct cpus *c);
/* A CPU runs a thread from a time on, which is not before that of the last switch. */
int cpus_add(struct cpus *c, __u32 cpu, __u64 time, __u32 tid);

/* Return the switches of a CPU, or NULL. */
const struct cpu_switches *cpus_find(const struct cpus *c, __u32 cpu);

/*
 * Return the thread that a CPU ran at a time, or ~0 if it is not known. Several threads can call
 * this at the same time.
 */
__u32 cpus_tid(const struct cpu_switches *s, __u64 time);

#endif /* VIEW_SWITCHES_H */
