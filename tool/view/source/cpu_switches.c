// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each CPU ran.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "view/source/switches.h"

#define NOT_KNOWN	(~0U)

int cpus_init(struct cpus *c)
{
	*c = (struct cpus) { .nr = 0 };
	return blocks_open(&c->file);
}

void cpus_free(struct cpus *c)
{
	size_t i;

	for (i = 0; i < c->nr; i++) {
		blocks_free(&c->list[i]->list);
		free(c->list[i]);
	}
	free(c->list);
	c->list = NULL;
	c->nr = 0;
	blocks_close(&c->file);
}

const struct cpu_switches *cpus_find(const struct cpus *c, __u32 cpu)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		if (c->list[i]->cpu == cpu)
			return c->list[i];
	return NULL;
}

static struct cpu_switches *get(struct cpus *c, __u32 cpu)
{
	struct cpu_switches *s = (struct cpu_switches *)cpus_find(c, cpu);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s || grow((void **)&c->list, c->nr, sizeof(*c->list))) {
		free(s);
		return NULL;
	}
	s->cpu = cpu;
	blocks_init(&s->list, &c->file, sizeof(struct cpu_switch));
	c->list[c->nr++] = s;
	return s;
}

int cpus_add(struct cpus *c, __u32 cpu, __u64 time, __u32 tid)
{
	struct cpu_switches *s = get(c, cpu);

	return s ? blocks_add(&s->list, &(struct cpu_switch) { time, tid }) : -ENOMEM;
}

__u32 cpus_tid(const struct cpu_switches *s, __u64 time)
{
	struct cpu_switch list[BLOCKS_NR];
	struct blocks_window w = { .elements = list };
	const struct cpu_switch *found;
	size_t i;

	found = s ? blocks_find(&s->list, &w, time, &i) : NULL;
	return found ? found->tid : NOT_KNOWN;
}
