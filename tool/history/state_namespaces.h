/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sets of namespaces in the state. Each task has a set, but few sets differ, because a task
 * has its parent's namespaces. So tasks with equal sets share one.
 */
#ifndef AUXREC_STATE_NAMESPACES_H
#define AUXREC_STATE_NAMESPACES_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stddef.h>

struct state_namespaces {
	size_t refs;
	size_t size;
	__u64 list[];		/* the part of the record between its tid and its sample id */
};

/*
 * Return the set of a NAMESPACES record. @tree contains all sets. Each returned set must be given
 * back by state_namespaces_put(). NULL: no memory.
 */
struct state_namespaces *state_namespaces_get(void **tree, const struct perf_event_header *rec,
					      size_t *bytes);
void state_namespaces_put(void **tree, struct state_namespaces *set, size_t *bytes);

#endif /* AUXREC_STATE_NAMESPACES_H */
