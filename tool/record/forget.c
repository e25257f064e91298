// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forget tasks, maps and cgroups that do not exist any more, although no record tells their end.
 */
#include <unistd.h>

#include "base/util.h"
#include "record/forget.h"
#include "synth/cgroups.h"
#include "synth/proc_maps.h"

/* Time between two looks at the maps of processes */
#define SHRINK_NS	NSEC_PER_SEC

size_t forget_maps(struct recent *recent, __u64 *looked)
{
	struct proc_maps maps = { .list = NULL };
	const struct state_ask ask = proc_maps_ask(&maps);
	size_t forgotten;

	if (!recent_is_over(recent, now_ns() - *looked >= SHRINK_NS))
		return 0;
	forgotten = recent_shrink(recent, &ask);
	proc_maps_free(&maps);
	*looked = now_ns();
	return forgotten;
}

void forget_cgroups(struct recent *recent, __u64 now)
{
	struct state_ask ask = { .cgroup = cgroups_is_there };
	int dir;

	if (!recent_wants_cgroups(recent))
		return;
	dir = cgroups_open();
	ask.ctx = &dir;
	recent_look_for_cgroups(recent, dir >= 0 && cgroups_is_root(dir) ? &ask : NULL, now);
	if (dir >= 0)
		close(dir);
}
