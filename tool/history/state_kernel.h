/* SPDX-License-Identifier: GPL-2.0-only */
/* Of the state: what is not of a task. */
#ifndef AUXREC_STATE_KERNEL_H
#define AUXREC_STATE_KERNEL_H

#include <stddef.h>

#include "history/state.h"

struct state_maps;

/* All zero is an empty one. */
struct state_kernel {
	struct state_maps *maps;	/* of the kernel and its modules */
	void *symbols;			/* trees of records: KSYMBOL by address, */
	void *programs;			/* BPF_EVENT by number, */
	void *cgroups;			/* CGROUP by number, */
	void *code;			/* TEXT_POKE by address, */
	void *types;			/* FEATURE with BTF by its number, */
	void *infos;			/* FEATURE with a program's info by its number, */
	void *ids;			/* BUILD_ID by its name's hash */
	size_t types_bytes;
	size_t types_limit;		/* see state_limit_types() */
	size_t nr_ids;
	size_t nr_symbols;
	size_t nr_cgroups;
	size_t nr_gone;			/* of these */
	__u64 first_gone;		/* when the first of them was, at most */
	__u64 next_cgroup;		/* that is to be looked at */
};

int state_kernel_fold(struct state_kernel *k, const struct perf_event_header *rec,
		      size_t *bytes);
int state_kernel_emit(const struct state_kernel *k, __u64 time, state_fn fn, void *ctx);
/* Of cgroups; see state_look_for_cgroups(), state_forget_cgroups(). */
bool state_kernel_look(struct state_kernel *k, const struct state_ask *ask, size_t nr,
		       __u64 time);
void state_kernel_forget(struct state_kernel *k, __u64 time, size_t *bytes);
void state_kernel_shrink(struct state_kernel *k, size_t nr, size_t *bytes);
void state_kernel_free(struct state_kernel *k, size_t *bytes);

#endif /* AUXREC_STATE_KERNEL_H */
