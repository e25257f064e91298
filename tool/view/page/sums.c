// SPDX-License-Identifier: GPL-2.0-only
/* Trees of calls, with the sums of times, calls and weights. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/page/format.h"
#include "view/page/sums.h"

static __u32 slot_of(const struct sums *s, __u32 parent, __u32 name)
{
	__u64 hash = ((__u64)parent << 32 | name) * 0x9e3779b97f4a7c15ULL;

	return (hash >> 32) & (s->size_hash - 1);
}

static void insert(struct sums *s, __u32 node)
{
	__u32 slot = slot_of(s, s->nodes[node].parent, s->nodes[node].name);

	while (s->hash[slot])
		slot = (slot + 1) & (s->size_hash - 1);
	s->hash[slot] = node;
}

static int more_nodes(struct sums *s)
{
	__u32 size = s->size ? s->size * 2 : 64;
	struct sum_node *nodes;
	__u32 *hash;
	__u32 i;

	if (size > 1U << 30)
		return -ENOMEM;
	nodes = realloc(s->nodes, size * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	s->nodes = nodes;
	hash = calloc(size * 2, sizeof(*hash));
	if (!hash)
		return -ENOMEM;
	free(s->hash);
	s->hash = hash;
	s->size = size;
	s->size_hash = size * 2;
	for (i = 1; i < s->nr; i++)
		insert(s, i);
	return 0;
}

int sums_child(struct sums *s, __u32 parent, __u32 name, __u32 *node)
{
	struct sum_node *n;
	__u32 slot;

	if (s->nr + 1 >= s->size && more_nodes(s))
		return -ENOMEM;
	if (!s->nr)
		s->nodes[s->nr++] = (struct sum_node){ 0 };
	for (slot = slot_of(s, parent, name); s->hash[slot];
	     slot = (slot + 1) & (s->size_hash - 1)) {
		n = &s->nodes[s->hash[slot]];
		if (n->parent == parent && n->name == name) {
			*node = s->hash[slot];
			return 0;
		}
	}
	*node = s->nr++;
	s->hash[slot] = *node;
	s->nodes[*node] = (struct sum_node){
		.parent = parent, .name = name, .next = s->nodes[parent].first,
	};
	s->nodes[parent].first = *node;
	return 0;
}

struct name_count {
	__u32	name;
	__u64	count;
};

static int by_name(const void *a, const void *b)
{
	const struct name_count *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

/* Write how often each name is called, in the order of the names. */
static int write_calls(const struct sums *s, struct buf *column)
{
	struct name_count *list = malloc((size_t)s->nr * sizeof(*list));
	__u32 i, j, before = 0;
	__u64 count;

	if (!list)
		return -ENOMEM;
	for (i = 1; i < s->nr; i++) {
		list[i - 1].name = s->nodes[i].name;
		list[i - 1].count = s->nodes[i].count;
	}
	qsort(list, s->nr - 1, sizeof(*list), by_name);
	for (i = 0; i < s->nr - 1; i = j) {
		count = 0;
		for (j = i; j < s->nr - 1 && list[j].name == list[i].name; j++)
			count += list[j].count;
		buf_varint(column, list[i].name - before);
		buf_varint(column, count);
		before = list[i].name;
	}
	free(list);
	return 0;
}

/* The sums of a node and of all nodes below it. The time of a call includes its callees anyway. */
struct whole {
	__u64	time;
	__u64	weight;
	__u64	count;
};

static struct whole *find_whole(const struct sums *s)
{
	struct whole *w = calloc(s->nr, sizeof(*w));
	__u32 i;

	if (!w)
		return NULL;
	for (i = s->nr; i-- > 1;) {
		const struct sum_node *n = &s->nodes[i];

		w[i].time = n->time;
		w[i].weight += n->weight;
		w[i].count += n->count;
		w[n->parent].weight += w[i].weight;
		w[n->parent].count += w[i].count;
		if (!n->parent)
			w[0].time += n->time;
	}
	return w;
}

struct writer {
	struct sums		*s;
	struct buf		*columns;
	const struct whole	*whole;
	__u32			last;		/* depth of the node that was written last */
	bool			prune;
};

static void write_node(struct writer *w, __u32 depth, __u64 name, const struct whole *values)
{
	buf_varint(&w->columns[1], w->last + 1 - depth);
	buf_varint(&w->columns[2], name);
	buf_varint(&w->columns[3], values->time);
	buf_varint(&w->columns[4], values->count);
	buf_varint(&w->columns[5], values->weight);
	w->last = depth;
}

static bool is_small(const struct writer *w, __u32 node)
{
	const struct whole *whole = &w->whole[node], *all = &w->whole[0];

	return w->prune && whole->time <= all->time / PAGE_SMALL &&
	       whole->weight <= all->weight / PAGE_SMALL;
}

/* Write the small children of a node as one node, after its other children. */
static void write_smaller(struct writer *w, __u32 parent, __u32 depth)
{
	struct whole rest = { 0 };
	bool any = false;
	__u32 i;

	if (!w->prune)
		return;
	for (i = w->s->nodes[parent].first; i; i = w->s->nodes[i].next) {
		if (!is_small(w, i))
			continue;
		rest.time += w->whole[i].time;
		rest.weight += w->whole[i].weight;
		rest.count += w->whole[i].count;
		any = true;
	}
	if (any)
		write_node(w, depth, 0, &rest);
}

/* A recursion could overflow the stack: the tree is as deep as the deepest recorded stack. */
static void write_tree(struct writer *w)
{
	const struct sum_node *nodes = w->s->nodes;
	__u32 at = nodes[0].first, parent = 0, depth = 1;

	for (;;) {
		while (at && is_small(w, at))
			at = nodes[at].next;
		if (at) {
			struct whole own = {
				.time = nodes[at].time, .weight = nodes[at].weight,
				.count = nodes[at].count,
			};

			write_node(w, depth, 1ULL + nodes[at].name, &own);
			parent = at;
			at = nodes[at].first;
			depth++;
			continue;
		}
		write_smaller(w, parent, depth);
		if (!parent)
			break;
		at = nodes[parent].next;
		parent = nodes[parent].parent;
		depth--;
	}
}

int sums_write(struct sums *s, struct buf *columns)
{
	struct writer w = { .s = s, .columns = columns, .prune = s->nr > PAGE_PRUNE_NODES };
	struct whole *whole;

	if (s->nr <= 1) {
		buf_byte(&columns[0], 0);
		return 0;
	}
	whole = find_whole(s);
	if (!whole)
		return -ENOMEM;
	w.whole = whole;
	buf_byte(&columns[0], w.prune);
	write_tree(&w);
	free(whole);
	return write_calls(s, &columns[6]);
}

void sums_clear(struct sums *s)
{
	free(s->nodes);
	free(s->hash);
	*s = (struct sums){ 0 };
}
