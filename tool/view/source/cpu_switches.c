// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each CPU ran. Full blocks of switches are in a file, and memory has the time and the place
 * of each block.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "view/source/switches.h"
#include "view/temporary/temporary.h"

#define NOT_KNOWN	(~0U)

int cpus_init(struct cpus *c)
{
	*c = (struct cpus) { .fd = temporary_open() };
	return c->fd < 0 ? c->fd : 0;
}

void cpus_free(struct cpus *c)
{
	size_t i;

	for (i = 0; i < c->nr; i++) {
		free(c->list[i]->last);
		free(c->list[i]->blocks);
		free(c->list[i]);
	}
	free(c->list);
	/* A struct of zeros was not initialized. */
	if (c->fd > 0)
		close(c->fd);
	*c = (struct cpus) { .fd = -1 };
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
	if (!s)
		return NULL;
	s->cpu = cpu;
	s->last = calloc(CPU_BLOCK, sizeof(*s->last));
	if (!s->last || grow((void **)&c->list, c->nr, sizeof(*c->list))) {
		free(s->last);
		free(s);
		return NULL;
	}
	c->list[c->nr++] = s;
	return s;
}

static int write_block(struct cpus *c, struct cpu_switches *s)
{
	const size_t size = CPU_BLOCK * sizeof(*s->last);
	int rc;

	if (grow((void **)&s->blocks, s->nr_blocks, sizeof(*s->blocks)))
		return -ENOMEM;
	rc = temporary_write(c->fd, s->last, size, c->size);
	if (rc)
		return rc;
	s->blocks[s->nr_blocks++] = (struct cpu_block) { s->last[0].time, c->size };
	c->size += size;
	s->nr_last = 0;
	return 0;
}

int cpus_add(struct cpus *c, __u32 cpu, __u64 time, __u32 tid)
{
	struct cpu_switches *s = get(c, cpu);

	if (!s)
		return -ENOMEM;
	s->last[s->nr_last++] = (struct cpu_switch) { time, tid };
	return s->nr_last == CPU_BLOCK ? write_block(c, s) : 0;
}

static __u32 search(const struct cpu_switch *list, size_t nr, __u64 time)
{
	size_t low = 0, high = nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (list[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? list[low - 1].tid : NOT_KNOWN;
}

/* Return the last block that begins at or before a time, or NULL. */
static const struct cpu_block *find_block(const struct cpu_switches *s, __u64 time)
{
	size_t low = 0, high = s->nr_blocks, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->blocks[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &s->blocks[low - 1] : NULL;
}

__u32 cpus_tid(const struct cpus *c, const struct cpu_switches *s, __u64 time)
{
	struct cpu_switch list[CPU_BLOCK];
	const struct cpu_block *block;

	if (!s)
		return NOT_KNOWN;
	if (s->nr_last && s->last[0].time <= time)
		return search(s->last, s->nr_last, time);
	block = find_block(s, time);
	if (!block || temporary_read(c->fd, list, sizeof(list), block->at))
		return NOT_KNOWN;
	return search(list, CPU_BLOCK, time);
}
