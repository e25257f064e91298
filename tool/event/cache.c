// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing cache events: "L1-dcache-load-misses". An event names a cache, then an
 * operation and a result. The operation and the result can stand in any order, and
 * each can be left out.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/parse.h"
#include "base/util.h"

#define MAX_NAMES	5

struct spelling {
	const char *names[MAX_NAMES];
};

static const struct spelling caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {
		{ "L1-dcache", "l1-d", "l1d", "L1-data" } },
	[PERF_COUNT_HW_CACHE_L1I] = {
		{ "L1-icache", "l1-i", "l1i", "L1-instruction" } },
	[PERF_COUNT_HW_CACHE_LL] = {
		{ "LLC", "L2" } },
	[PERF_COUNT_HW_CACHE_DTLB] = {
		{ "dTLB", "d-tlb", "Data-TLB" } },
	[PERF_COUNT_HW_CACHE_ITLB] = {
		{ "iTLB", "i-tlb", "Instruction-TLB" } },
	[PERF_COUNT_HW_CACHE_BPU] = {
		{ "branch", "branches", "bpu", "btb", "bpc" } },
	[PERF_COUNT_HW_CACHE_NODE] = {
		{ "node" } },
};

static const struct spelling ops[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {
		{ "load", "loads", "read" } },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {
		{ "store", "stores", "write" } },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {
		{ "prefetch", "prefetches", "speculative-read",
		  "speculative-load" } },
};

static const struct spelling results[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {
		{ "refs", "Reference", "ops", "access" } },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {
		{ "misses", "miss" } },
};

/* Some combinations have no event: nobody stores to an instruction cache. */
static bool is_possible(unsigned int cache, unsigned int op)
{
	switch (cache) {
	case PERF_COUNT_HW_CACHE_L1I:
		return op != PERF_COUNT_HW_CACHE_OP_WRITE;
	case PERF_COUNT_HW_CACHE_ITLB:
	case PERF_COUNT_HW_CACHE_BPU:
		return op == PERF_COUNT_HW_CACHE_OP_READ;
	default:
		return true;
	}
}

/*
 * Remove the longest possible name, and the '-' after it, from the front of @rest.
 * The name must end at a '-' or at the end of @rest. Return the index of the name's
 * element in @table, or -1.
 */
static int take(struct ev_text *rest, const struct spelling *table, size_t nr)
{
	size_t longest = 0;
	int found = -1;

	for (size_t i = 0; i < nr; i++) {
		for (int j = 0; j < MAX_NAMES && table[i].names[j]; j++) {
			const char *name = table[i].names[j];
			size_t len = strlen(name);

			if (len <= longest || len > rest->len ||
			    memcmp(rest->p, name, len) ||
			    (len < rest->len && rest->p[len] != '-'))
				continue;
			longest = len;
			found = i;
		}
	}
	if (found >= 0 && longest < rest->len)
		longest++;	/* the '-' */
	rest->p += longest;
	rest->len -= longest;
	return found;
}

int ev_cache_config(struct ev_text name, __u64 *config)
{
	struct ev_text rest = name;
	int op = -1, result = -1;
	int cache, found;

	if (!name.len || name.p[name.len - 1] == '-')
		return -ENOENT;
	cache = take(&rest, caches, ARRAY_LEN(caches));
	if (cache < 0)
		return -ENOENT;
	while (rest.len) {
		found = op < 0 ? take(&rest, ops, ARRAY_LEN(ops)) : -1;
		if (found >= 0) {
			op = found;
			continue;
		}
		found = result < 0 ? take(&rest, results, ARRAY_LEN(results)) : -1;
		if (found < 0)
			return -ENOENT;
		result = found;
	}
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	if (!is_possible(cache, op))
		return -EINVAL;
	*config = cache | op << 8 | result << 16;
	return 0;
}

int ev_cache(struct ev_ctx *ctx, const struct ev_item *item, __u64 config)
{
	return ev_add_legacy(ctx, item, PERF_TYPE_HW_CACHE, config);
}

/* Append the names as perf list prints them: LLC-loads, LLC-load-misses. */
int ev_cache_names(struct names *names)
{
	char name[64];
	int ret = 0;

	for (size_t cache = 0; cache < ARRAY_LEN(caches); cache++) {
		for (size_t op = 0; op < ARRAY_LEN(ops); op++) {
			if (!is_possible(cache, op))
				continue;
			snprintf(name, sizeof(name), "%s-%s",
				 caches[cache].names[0], ops[op].names[1]);
			ret = names_add(names, name);
			if (ret)
				return ret;
			snprintf(name, sizeof(name), "%s-%s-%s",
				 caches[cache].names[0], ops[op].names[0],
				 results[1].names[0]);
			ret = names_add(names, name);
			if (ret)
				return ret;
		}
	}
	return 0;
}
