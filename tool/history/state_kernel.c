// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's part of the state: symbols of code that is made at run time, BPF programs,
 * cgroups, and code that was changed. The state has the last record of each of these. A record
 * tells when a symbol or a program is gone; no record tells when a cgroup is gone. The state
 * also has late ids and types of BPF programs, as many as there is room for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "stream/records.h"
#include "history/state_kernel.h"
#include "history/state_maps.h"
#include "base/util.h"

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
	char path[];
};

/* A FEATURE with one entry, as bpf_write() makes it for a flight recorder */
struct feature {
	struct perf_event_header header;
	__u64 feature;
	__u32 nr;
	union {
		struct {
			__u32 info_len, data_len;
			__u64 arrays;
			__u32 type;
			__u32 id;	/* of the program */
		} __attribute__((packed)) program;
		__u32 btf_id;
	};
};

struct build_id {
	struct perf_event_header header;
	__u32 pid;
	__u8 id[24];
	char name[];
};

/*
 * Limits for late ids and types, of which the oldest are forgotten. A snapshot does not need all
 * ids and types of several months.
 */
#define MAX_IDS		4096
#define MAX_TYPES	(4U << 20)	/* bytes */

struct known {
	__u64 key;
	union {
		__u64 gone;	/* cgroup: time when it was noted as removed; 0: it exists */
		__u64 number;	/* late id: the larger, the newer */
	};
	struct perf_event_header rec[];
};

static size_t known_bytes(const struct known *entry)
{
	return sizeof(*entry) + entry->rec->size + TREE_COST + ALLOC_COST;
}

static int by_key(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Return whether @key was in the tree. */
static bool forget(void **tree, __u64 key, size_t *bytes)
{
	const struct known wanted = { .key = key };
	struct known **node = tfind(&wanted, tree, by_key), *entry;

	if (!node)
		return false;
	entry = *node;
	tdelete(entry, tree, by_key);
	*bytes -= known_bytes(entry);
	free(entry);
	return true;
}

/* Return 1 if @rec is new, 0 if it replaces another record, or -ENOMEM: nothing has changed. */
static int keep(void **tree, __u64 key, const struct perf_event_header *rec,
		size_t *bytes)
{
	struct known *entry = malloc(sizeof(*entry) + rec->size), **node, *old;

	if (!entry)
		return -ENOMEM;
	entry->key = key;
	entry->gone = 0;
	memcpy(entry->rec, rec, rec->size);
	node = tsearch(entry, tree, by_key);
	if (!node) {
		free(entry);
		return -ENOMEM;
	}
	*bytes += known_bytes(entry);
	old = *node;
	if (old == entry)
		return 1;
	*node = entry;
	*bytes -= known_bytes(old);
	free(old);
	return 0;
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

struct first {
	const struct known *entry;
};

static void note_first(const void *node, VISIT which, void *ctx)
{
	struct first *first = ctx;

	if ((which == postorder || which == leaf) && !first->entry)
		first->entry = *(struct known * const *)node;
}

static __u64 smallest_key(void *tree)
{
	struct first first = { NULL };

	twalk_r(tree, note_first, &first);
	return first.entry->key;
}

/* The oldest types are forgotten first. They have the smallest ids, which are not used again. */
static int fold_types(struct state_kernel *k, const struct feature *rec, size_t *bytes)
{
	const size_t before = *bytes;
	int ret = keep(&k->types, rec->btf_id, &rec->header, bytes);

	k->types_bytes += *bytes - before;
	while (ret >= 0 && k->types_bytes > (k->types_limit ?: MAX_TYPES)) {
		const size_t with = *bytes;

		forget(&k->types, smallest_key(k->types), bytes);
		k->types_bytes -= with - *bytes;
	}
	return ret;
}

static int fold_feature(struct state_kernel *k, const struct feature *rec, size_t *bytes)
{
	if (rec->header.size < sizeof(*rec) || rec->nr != 1)
		return 0;
	if (rec->feature == REC_FEAT_BPF_BTF)
		return fold_types(k, rec, bytes);
	return keep(&k->infos, rec->program.id, &rec->header, bytes);
}

static void note_oldest(const void *node, VISIT which, void *ctx)
{
	struct first *oldest = ctx;
	const struct known *entry = *(struct known * const *)node;

	if ((which == postorder || which == leaf) &&
	    (!oldest->entry || entry->number < oldest->entry->number))
		oldest->entry = entry;
}

/* Late ids are rare, so it does not matter that this looks at all of them. */
static __u64 oldest_id(void *tree)
{
	struct first oldest = { NULL };

	twalk_r(tree, note_oldest, &oldest);
	return oldest.entry->key;
}

static int fold_id(struct state_kernel *k, const struct build_id *rec, size_t *bytes)
{
	const struct known wanted = { .key = hash_string(rec->name) };
	int ret = keep(&k->ids, wanted.key, &rec->header, bytes);

	if (ret < 0)
		return ret;
	(*(struct known **)tfind(&wanted, &k->ids, by_key))->number = ++k->last_id;
	if (ret > 0 && ++k->nr_ids > MAX_IDS) {
		forget(&k->ids, oldest_id(k->ids), bytes);
		k->nr_ids--;
	}
	return ret;
}

static int fold_program(struct state_kernel *k, const struct bpf_event *rec,
			size_t *bytes)
{
	int ret = 0;

	if (rec->type == PERF_BPF_EVENT_PROG_UNLOAD) {
		forget(&k->programs, rec->id, bytes);
		forget(&k->infos, rec->id, bytes);
	} else {
		ret = keep(&k->programs, rec->id, &rec->header, bytes);
	}
	return ret < 0 ? ret : 0;
}

static int fold_cgroup(struct state_kernel *k, const struct cgroup *rec, size_t *bytes)
{
	const struct known wanted = { .key = rec->id };
	struct known **node = tfind(&wanted, &k->cgroups, by_key);
	const bool gone = node && (*node)->gone;
	const int ret = keep(&k->cgroups, rec->id, &rec->header, bytes);

	if (ret < 0)
		return ret;
	k->nr_cgroups += ret;
	k->nr_gone -= gone;
	return 0;
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
		return fold_cgroup(k, (const void *)rec, bytes);
	case PERF_RECORD_TEXT_POKE:
		ret = keep(&k->code, ((const struct text_poke *)rec)->addr, rec, bytes);
		break;
	case REC_FEATURE:
		ret = fold_feature(k, (const void *)rec, bytes);
		break;
	case REC_BUILD_ID:
		ret = fold_id(k, (const void *)rec, bytes);
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
	if (entry->rec->type >= REC_ATTR) {
		e->err = e->fn(e->ctx, entry->rec);
		return;
	}
	memcpy(e->rec, entry->rec, entry->rec->size);
	id = (void *)(e->rec + entry->rec->size - sizeof(*id));
	id->time = e->time;
	/* See emit_record() in history/state.c. */
	id->id = 0;
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
	/* Types and infos come first: readers need them when they process a program's record. */
	twalk_r(k->types, emit_entry, e);
	twalk_r(k->infos, emit_entry, e);
	twalk_r(k->ids, emit_entry, e);
	twalk_r(k->symbols, emit_entry, e);
	twalk_r(k->programs, emit_entry, e);
	twalk_r(k->cgroups, emit_entry, e);
	twalk_r(k->code, emit_entry, e);
	err = e->err;
	free(e);
	return err;
}

/* --- cgroups: no record tells that one was removed -------------------------- */

struct look {
	struct state_kernel *k;
	const struct state_ask *ask;
	size_t left;
	__u64 time;
	bool all;
};

/* twalk_r() calls this in the order of keys. */
static void look_at(const void *node, VISIT which, void *ctx)
{
	struct known *entry = *(struct known * const *)node;
	const struct cgroup *rec = (const void *)entry->rec;
	struct look *look = ctx;
	struct state_kernel *k = look->k;

	if ((which != postorder && which != leaf) || entry->key < k->next_cgroup ||
	    !look->all)
		return;
	if (!look->left) {
		k->next_cgroup = entry->key;
		look->all = false;
		return;
	}
	if (entry->gone)
		return;
	look->left--;
	if (look->ask->cgroup(look->ask->ctx, rec->id, rec->path))
		return;
	entry->gone = look->time;
	if (!k->nr_gone++ || look->time < k->first_gone)
		k->first_gone = look->time;
}

bool state_kernel_look(struct state_kernel *k, const struct state_ask *ask, size_t nr,
		       __u64 time)
{
	struct look look = { .k = k, .ask = ask, .left = nr, .time = time, .all = true };

	twalk_r(k->cgroups, look_at, &look);
	if (look.all)
		k->next_cgroup = 0;
	return look.all;
}

struct gone {
	__u64 time;
	__u64 first;		/* earliest time of those that stay */
	__u64 *keys;
	size_t nr;
};

static void find_gone(const void *node, VISIT which, void *ctx)
{
	const struct known *entry = *(struct known * const *)node;
	struct gone *gone = ctx;

	if ((which != postorder && which != leaf) || !entry->gone)
		return;
	/* If there is no memory, the next call forgets the cgroup. */
	if (entry->gone < gone->time &&
	    !grow((void **)&gone->keys, gone->nr, sizeof(*gone->keys)))
		gone->keys[gone->nr++] = entry->key;
	else if (entry->gone < gone->first)
		gone->first = entry->gone;
}

void state_kernel_forget(struct state_kernel *k, __u64 time, size_t *bytes)
{
	struct gone gone = { .time = time, .first = ~0ULL };
	size_t i;

	if (!k->nr_gone || k->first_gone >= time)
		return;
	twalk_r(k->cgroups, find_gone, &gone);
	for (i = 0; i < gone.nr; i++)
		forget(&k->cgroups, gone.keys[i], bytes);
	k->nr_cgroups -= gone.nr;
	k->nr_gone -= gone.nr;
	k->first_gone = gone.first;
	free(gone.keys);
}

struct oldest {
	size_t nr;		/* how many must be forgotten */
	size_t nr_gone;		/* how many of the found ones were noted as removed */
	size_t found;
	__u64 *keys;
};

/* twalk_r() calls this in the order of keys. Ids grow, so the smallest one is the oldest. */
static void find_oldest(const void *node, VISIT which, void *ctx)
{
	const struct known *entry = *(struct known * const *)node;
	struct oldest *oldest = ctx;

	if ((which != postorder && which != leaf) || oldest->found == oldest->nr)
		return;
	oldest->keys[oldest->found++] = entry->key;
	oldest->nr_gone += !!entry->gone;
}

void state_kernel_shrink(struct state_kernel *k, size_t nr, size_t *bytes)
{
	struct oldest oldest = { .nr = k->nr_cgroups > nr ? k->nr_cgroups - nr : 0 };
	size_t i;

	/* If there is no memory, the next call forgets the cgroups. */
	oldest.keys = calloc(oldest.nr, sizeof(*oldest.keys));
	if (!oldest.keys)
		return;
	twalk_r(k->cgroups, find_oldest, &oldest);
	for (i = 0; i < oldest.found; i++)
		forget(&k->cgroups, oldest.keys[i], bytes);
	k->nr_cgroups -= oldest.found;
	k->nr_gone -= oldest.nr_gone;
	free(oldest.keys);
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
	forget_all(&k->types, bytes);
	forget_all(&k->infos, bytes);
	forget_all(&k->ids, bytes);
}
