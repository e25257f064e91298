/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of the state: sets of namespaces. Each task has one, but there are few: tasks have their
 * parent's. So there is one of each, for all that have it.
 */
#ifndef AUXREC_STATE_NAMESPACES_H
#define AUXREC_STATE_NAMESPACES_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stddef.h>

struct state_namespaces {
	size_t refs;
	size_t size;
	__u64 list[];		/* of the record: what is behind its pid and tid */
};

/*
 * That of a NAMESPACES record; in the @tree of all. Each one is to be given back. NULL: no
 * memory.
 */
struct state_namespaces *state_namespaces_get(void **tree, const struct perf_event_header *rec,
					      size_t *bytes);
void state_namespaces_put(void **tree, struct state_namespaces *set, size_t *bytes);

#endif /* AUXREC_STATE_NAMESPACES_H */
