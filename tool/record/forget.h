/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Forget tasks, maps and cgroups that do not exist any more, although no record tells their end. A
 * recorder that keeps the state (history/state.h) for months calls these functions after each
 * round. They look only if the state has become large.
 */
#ifndef AUXREC_FORGET_H
#define AUXREC_FORGET_H

#include <linux/types.h>
#include <stddef.h>

#include "history/recent.h"

/*
 * No record tells what was unmapped, so look that up, but not too often. @looked: now_ns() of the
 * last look, at first 0. Return how many maps that may still exist were forgotten.
 */
size_t forget_maps(struct recent *recent, __u64 *looked);

/* No record tells which cgroup was removed. @now: the time on the clock of the records */
void forget_cgroups(struct recent *recent, __u64 now);

#endif /* AUXREC_FORGET_H */
