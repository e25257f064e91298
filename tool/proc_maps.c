// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc_maps.h"
#include "util.h"

/* Of those outside of our PID namespace nothing is known: then it is EINVAL. */
static bool lives(void *ctx, __u32 pid, __u32 tid)
{
	(void)ctx;
	return !syscall(SYS_tgkill, pid, tid, 0) || errno != ESRCH;
}

static bool begin(void *ctx, __u32 pid)
{
	struct proc_maps *maps = ctx;
	uint64_t start, end;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	maps->nr = 0;
	while (fscanf(f, "%" SCNx64 "-%" SCNx64 "%*[^\n]", &start, &end) == 2) {
		if (grow((void **)&maps->list, maps->nr, sizeof(*maps->list)))
			break;
		maps->list[maps->nr++] = (struct proc_range){ start, end - 1 };
	}
	fclose(f);
	/* A kernel thread, or one that has just ended */
	return maps->nr;
}

static bool mapped(void *ctx, __u64 start, __u64 last)
{
	const struct proc_maps *maps = ctx;
	size_t low = 0, high = maps->nr;

	/* The first one that ends at start or behind it */
	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (maps->list[mid].last < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low < maps->nr && maps->list[low].start <= last;
}

struct state_ask proc_maps_ask(struct proc_maps *maps)
{
	return (struct state_ask){
		.lives = lives, .begin = begin, .mapped = mapped, .ctx = maps,
	};
}

void proc_maps_free(struct proc_maps *maps)
{
	free(maps->list);
}
