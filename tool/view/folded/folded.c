// SPDX-License-Identifier: GPL-2.0-only
/*
 * Add up the time in each call stack, or the weights of samples if there are no calls.
 *
 * The number of nodes, and the length of a line, have limits. The time of a stack beyond a limit is
 * added to a node HIDDEN, which ends the stack. So no time is lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/util.h"
#include "view/folded/folded.h"
#include "view/timeline/file.h"

#define NO_NODE		(~0U)

/*
 * The functions in a line. A recursion has a line for each of its depths, so without a limit the
 * output would grow with the square of the depth.
 */
#define DEPTH_MAX	1024
/* If there are this many nodes, a node gets no new child except for its HIDDEN one. */
#define NODES_MAX	(1U << 20)

/* The name of a node that stands for all functions beyond a limit */
#define HIDDEN		(~0U)
#define HIDDEN_NAME	"[not shown]"

/* A function at the end of a call stack. Its parent is the function that called it. */
struct node {
	__u32	parent;		/* NO_NODE: a thread's first function */
	__u32	root;		/* the thread's name, an index in folded.roots */
	__u32	name;
	__u32	depth;		/* 1: a thread's first function */
	__u64	time;
	__u64	weight;		/* of samples */
};

struct folded_lane {
	__u32	root;
	__u32	top;		/* node, or NO_NODE */
	__u64	hidden;		/* calls that the node HIDDEN on top stands for */
	__u64	since;		/* the time up to which the nodes have the lane's time */
};

struct folded {
	struct timeline timeline;
	FILE *out;
	struct node *nodes;
	size_t	nr_nodes;
	struct read_map by_key;
	struct folded_lane *lanes;
	size_t	nr_lanes;
	char	**names;
	size_t	nr_names;
	char	**roots;	/* names of threads */
	size_t	nr_roots;
	bool	has_calls;
	__u32	path[DEPTH_MAX + 1];	/* the nodes of the line that is printed */
};

struct key {
	__u32 parent, root, name;
};

static bool is_same(const void *elements, __u32 value, const void *key)
{
	const struct node *n = &((const struct node *)elements)[value];
	const struct key *k = key;

	return n->parent == k->parent && n->root == k->root && n->name == k->name;
}

static __u64 hash_of(const struct key *k)
{
	const __u64 hash = (k->parent * 0x9e3779b97f4a7c15ULL ^ k->name) * 0xff51afd7ed558ccdULL ^
			   k->root;

	return hash ^ hash >> 29;
}

static __u32 depth_of(const struct folded *f, __u32 node)
{
	return node == NO_NODE ? 0 : f->nodes[node].depth;
}

/* Find a node, or add it. Beyond a limit, find or add the HIDDEN child of the same parent. */
static int get_node(struct folded *f, struct key *k, __u32 *node)
{
	__u64 hash = hash_of(k);

	if (read_map_find(&f->by_key, &hash, is_same, f->nodes, k, node))
		return 0;
	if (k->name != HIDDEN &&
	    (f->nr_nodes >= NODES_MAX || depth_of(f, k->parent) >= DEPTH_MAX)) {
		k->name = HIDDEN;
		hash = hash_of(k);
		if (read_map_find(&f->by_key, &hash, is_same, f->nodes, k, node))
			return 0;
	}
	if (grow((void **)&f->nodes, f->nr_nodes, sizeof(*f->nodes)) ||
	    read_map_set(&f->by_key, hash, f->nr_nodes))
		return -ENOMEM;
	*node = f->nr_nodes;
	f->nodes[f->nr_nodes++] = (struct node) {
		.parent = k->parent, .root = k->root, .name = k->name,
		.depth = depth_of(f, k->parent) + 1 };
	return 0;
}

/* Add a string to a list, without the characters that end a name or a line. */
static int add_string(char ***list, size_t *nr, const char *text)
{
	char *copy = strdup(text), *p;

	if (!copy || grow((void **)list, *nr, sizeof(**list))) {
		free(copy);
		return -ENOMEM;
	}
	for (p = copy; *p; p++)
		if (*p == ';' || *p == '\n')
			*p = ':';
	(*list)[(*nr)++] = copy;
	return 0;
}

static int lane(struct timeline *t, __u32 number, const struct tl_lane *desc)
{
	struct folded *f = (struct folded *)t;
	size_t root = 0;

	(void)number;
	while (root < f->nr_roots && strcmp(f->roots[root], desc->name))
		root++;
	if (root == f->nr_roots && add_string(&f->roots, &f->nr_roots, desc->name))
		return -ENOMEM;
	if (grow((void **)&f->lanes, f->nr_lanes, sizeof(*f->lanes)))
		return -ENOMEM;
	f->lanes[f->nr_lanes++] = (struct folded_lane) { .root = root, .top = NO_NODE };
	return 0;
}

static int name(struct timeline *t, __u32 number, const struct tl_name *desc)
{
	struct folded *f = (struct folded *)t;

	(void)number;
	return add_string(&f->names, &f->nr_names, desc->function);
}

static void count(struct folded *f, struct folded_lane *l, __u64 time)
{
	if (l->top != NO_NODE)
		f->nodes[l->top].time += time - l->since;
	l->since = time;
}

static int enter(struct timeline *t, __u32 lane, __u64 time, __u32 name, unsigned int flags)
{
	struct folded *f = (struct folded *)t;
	struct folded_lane *l = &f->lanes[lane];
	struct key k = { l->top, l->root, name };
	int rc = 0;

	(void)flags;
	f->has_calls = true;
	count(f, l, time);
	if (!l->hidden)
		rc = get_node(f, &k, &l->top);
	if (k.name == HIDDEN || l->hidden)
		l->hidden++;
	return rc;
}

static int leave(struct timeline *t, __u32 lane, __u64 time, unsigned int flags)
{
	struct folded *f = (struct folded *)t;
	struct folded_lane *l = &f->lanes[lane];

	(void)flags;
	count(f, l, time);
	if (l->hidden)
		l->hidden--;
	if (!l->hidden)
		l->top = f->nodes[l->top].parent;
	return 0;
}

static int stack(struct timeline *t, __u32 lane, __u64 time, const __u32 *names, unsigned int nr,
		 __u64 weight)
{
	struct folded *f = (struct folded *)t;
	struct key k = { .root = f->lanes[lane].root };
	__u32 node = NO_NODE;
	unsigned int i;
	int rc = 0;

	(void)time;
	for (i = 0; i < nr && !rc && k.name != HIDDEN; i++) {
		k.parent = node;
		k.name = names[i];
		rc = get_node(f, &k, &node);
	}
	if (!rc && nr)
		f->nodes[node].weight += weight;
	return rc;
}

static int mark(struct timeline *t, __u32 lane, const struct tl_mark *m)
{
	(void)t;
	(void)lane;
	(void)m;
	return 0;
}

static int point(struct timeline *t, __u32 lane, const struct tl_point *p)
{
	(void)t;
	(void)lane;
	(void)p;
	return 0;
}

static const char *name_of(const struct folded *f, __u32 node)
{
	const __u32 name = f->nodes[node].name;

	return name == HIDDEN ? HIDDEN_NAME : f->names[name];
}

/* Print the functions from the outermost one to @node. */
static void print(struct folded *f, __u32 node)
{
	size_t nr = 0;
	__u32 n;

	for (n = node; n != NO_NODE; n = f->nodes[n].parent)
		f->path[nr++] = n;
	fputs(f->roots[f->nodes[node].root], f->out);
	while (nr--)
		fprintf(f->out, ";%s", name_of(f, f->path[nr]));
	fprintf(f->out, " %llu\n", f->has_calls ? f->nodes[node].time : f->nodes[node].weight);
}

static int end(struct timeline *t)
{
	struct folded *f = (struct folded *)t;
	size_t i;

	for (i = 0; i < f->nr_nodes; i++)
		if (f->has_calls ? f->nodes[i].time : f->nodes[i].weight)
			print(f, i);
	return timeline_file_flush(f->out);
}

static void free_strings(char **list, size_t nr)
{
	while (nr)
		free(list[--nr]);
	free(list);
}

static void release(struct timeline *t)
{
	struct folded *f = (struct folded *)t;

	timeline_file_close(f->out);
	free_strings(f->names, f->nr_names);
	free_strings(f->roots, f->nr_roots);
	free(f->nodes);
	free(f->lanes);
	read_map_free(&f->by_key);
	free(f);
}

static const struct timeline_ops ops = {
	.lane = lane, .name = name, .enter = enter, .leave = leave, .stack = stack, .mark = mark,
	.point = point, .end = end, .free = release,
};

struct timeline *folded_new(const char *path, const char *title)
{
	struct folded *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->timeline = (struct timeline) { .ops = &ops, .title = title };
	new->out = timeline_file_open(path);
	if (!new->out) {
		free(new);
		return NULL;
	}
	return &new->timeline;
}
