/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's part of the state: all that does not belong to a task.
 */
#ifndef AUXREC_STATE_KERNEL_H
#define AUXREC_STATE_KERNEL_H

#include <stddef.h>

#include "history/state.h"

struct state_maps;

/* A state_kernel that is all zero is empty. */
struct state_kernel {
	struct state_maps *maps;	/* of the kernel and its modules */
	/* trees of records */
	void *symbols;			/* KSYMBOL by address */
	void *programs;			/* BPF_EVENT by the program's id */
	void *cgroups;			/* CGROUP by id */
	void *code;			/* TEXT_POKE by address */
	void *types;			/* FEATURE with BTF, by the BTF's id */
	void *infos;			/* FEATURE with a program's info, by the program's id */
	void *ids;			/* BUILD_ID by the hash of the file's name */
	size_t types_bytes;
	size_t types_limit;		/* see state_limit_types() */
	size_t nr_ids;
	__u64 last_id;			/* number of the newest one */
	size_t nr_symbols;
	size_t nr_cgroups;
	size_t nr_gone;			/* of @nr_cgroups: noted as removed */
	__u64 first_gone;		/* the first one was noted at this time or later */
	__u64 next_cgroup;		/* the id with which the next look begins */
};

int state_kernel_fold(struct state_kernel *k, const struct perf_event_header *rec,
		      size_t *bytes);
int state_kernel_emit(const struct state_kernel *k, __u64 time, state_fn fn, void *ctx);
/* See state_look_for_cgroups(), state_forget_cgroups() and state_shrink_cgroups(). */
bool state_kernel_look(struct state_kernel *k, const struct state_ask *ask, size_t nr,
		       __u64 time);
void state_kernel_forget(struct state_kernel *k, __u64 time, size_t *bytes);
void state_kernel_shrink(struct state_kernel *k, size_t nr, size_t *bytes);
void state_kernel_free(struct state_kernel *k, size_t *bytes);

#endif /* AUXREC_STATE_KERNEL_H */
