// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols of code that is made at run time, programs of BPF, cgroups, code that was
 * changed: of each the last record, until one says that it is gone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "state_kernel.h"
#include "state_maps.h"

struct ksymbol {
	struct perf_event_header header;
	__u64 addr;
	__u32 len;
	__u16 type;
	__u16 flags;
};

struct bpf_event {
	struct perf_event_header header;
	__u16 type;
	__u16 flags;
	__u32 id;
};

struct text_poke {
	struct perf_event_header header;
	__u64 addr;
};

struct cgroup {
	struct perf_event_header header;
	__u64 id;
};

struct known {
	__u64 key;
	struct perf_event_header rec[];
};

static int by_key(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Returns whether it was there. */
static bool forget(void **tree, __u64 key, size_t *bytes)
{
	const struct known wanted = { .key = key };
	struct known **node = tfind(&wanted, tree, by_key), *entry;

	if (!node)
		return false;
	entry = *node;
	tdelete(entry, tree, by_key);
	*bytes -= sizeof(*entry) + entry->rec->size;
	free(entry);
	return true;
}

/* Returns 1, 0 if it takes another one's place, or -ENOMEM. */
static int keep(void **tree, __u64 key, const struct perf_event_header *rec,
		size_t *bytes)
{
	struct known *entry = malloc(sizeof(*entry) + rec->size);
	bool replaces;

	if (!entry)
		return -ENOMEM;
	entry->key = key;
	memcpy(entry->rec, rec, rec->size);
	replaces = forget(tree, key, bytes);
	if (!tsearch(entry, tree, by_key)) {
		free(entry);
		return -ENOMEM;
	}
	*bytes += sizeof(*entry) + rec->size;
	return !replaces;
}

static int fold_symbol(struct state_kernel *k, const struct ksymbol *rec, size_t *bytes)
{
	int ret;

	if (rec->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
		k->nr_symbols -= forget(&k->symbols, rec->addr, bytes);
		return 0;
	}
	ret = keep(&k->symbols, rec->addr, &rec->header, bytes);
	if (ret < 0)
		return ret;
	k->nr_symbols += ret;
	return 0;
}

static int fold_program(struct state_kernel *k, const struct bpf_event *rec,
			size_t *bytes)
{
	int ret = 0;

	if (rec->type == PERF_BPF_EVENT_PROG_UNLOAD)
		forget(&k->programs, rec->id, bytes);
	else
		ret = keep(&k->programs, rec->id, &rec->header, bytes);
	return ret < 0 ? ret : 0;
}

int state_kernel_fold(struct state_kernel *k, const struct perf_event_header *rec,
		      size_t *bytes)
{
	int ret = 0;

	switch (rec->type) {
	case PERF_RECORD_KSYMBOL:
		return fold_symbol(k, (const void *)rec, bytes);
	case PERF_RECORD_BPF_EVENT:
		return fold_program(k, (const void *)rec, bytes);
	case PERF_RECORD_CGROUP:
		ret = keep(&k->cgroups, ((const struct cgroup *)rec)->id, rec, bytes);
		break;
	case PERF_RECORD_TEXT_POKE:
		ret = keep(&k->code, ((const struct text_poke *)rec)->addr, rec, bytes);
		break;
	}
	return ret < 0 ? ret : 0;
}

struct emit {
	__u64 time;
	state_fn fn;
	void *ctx;
	int err;
	__u8 rec[REC_SIZE_MAX] __attribute__((aligned(8)));
};

static void emit_entry(const void *node, VISIT which, void *ctx)
{
	const struct known *entry = *(struct known * const *)node;
	struct rec_sample_id *id;
	struct emit *e = ctx;

	if ((which != postorder && which != leaf) || e->err)
		return;
	memcpy(e->rec, entry->rec, entry->rec->size);
	id = (void *)(e->rec + entry->rec->size - sizeof(*id));
	id->time = e->time;
	e->err = e->fn(e->ctx, (const void *)e->rec);
}

int state_kernel_emit(const struct state_kernel *k, __u64 time, state_fn fn, void *ctx)
{
	struct emit *e = malloc(sizeof(*e));
	int err;

	if (!e)
		return -ENOMEM;
	e->time = time;
	e->fn = fn;
	e->ctx = ctx;
	e->err = 0;
	twalk_r(k->symbols, emit_entry, e);
	twalk_r(k->programs, emit_entry, e);
	twalk_r(k->cgroups, emit_entry, e);
	twalk_r(k->code, emit_entry, e);
	err = e->err;
	free(e);
	return err;
}

static void forget_all(void **tree, size_t *bytes)
{
	while (*tree)
		forget(tree, (*(struct known **)*tree)->key, bytes);
}

void state_kernel_free(struct state_kernel *k, size_t *bytes)
{
	state_maps_put(k->maps, bytes);
	forget_all(&k->symbols, bytes);
	forget_all(&k->programs, bytes);
	forget_all(&k->cgroups, bytes);
	forget_all(&k->code, bytes);
}
