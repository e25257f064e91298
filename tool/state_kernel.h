/* SPDX-License-Identifier: GPL-2.0-only */
/* Of the state: what is not of a task. */
#ifndef AUXREC_STATE_KERNEL_H
#define AUXREC_STATE_KERNEL_H

#include <stddef.h>

#include "state.h"

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
	size_t nr_ids;
	size_t nr_symbols;
};

int state_kernel_fold(struct state_kernel *k, const struct perf_event_header *rec,
		      size_t *bytes);
int state_kernel_emit(const struct state_kernel *k, __u64 time, state_fn fn, void *ctx);
void state_kernel_free(struct state_kernel *k, size_t *bytes);

#endif /* AUXREC_STATE_KERNEL_H */
