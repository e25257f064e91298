// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any string as the argument of -e, on the sysfs trees of the golden cases.
 * The first byte of the input selects the tree: 'a' is the first one. A capital letter means a
 * kernel that does not know types of cores.
 *
 * FUZZ_CASES in the environment: the file of cases, if not selftests/tool/events/cases.txt
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tool/events/tree.h"
#include "../scratch.h"
#include "event/event.h"

#define CASES		"selftests/tool/events/cases.txt"
#define MAX_TREES	26
#define MAX_SPEC	4096

struct tree {
	char name[64];
	char dir[PATH_MAX - 64];
	char *text;		/* the tree's lines, for trees that are based on it */
	size_t len;
};

static struct tree trees[MAX_TREES];
static int nr_trees;

static void tree_line(struct tree *tree, const char *line)
{
	char copy[1024], *path, *text;

	snprintf(copy, sizeof(copy), "%s", line);
	path = copy + strcspn(copy, " ") + 1;
	text = path + strcspn(path, " ");
	if (*text)
		*text++ = '\0';
	if (copy[0] == 'd')
		tree_dir(tree->dir, path);
	else
		tree_file(tree->dir, path, text);
}

static void tree_copy(struct tree *tree, const struct tree *from)
{
	char *line = scratch_string(from->text ?: "", from->len), *text = line;

	while (*line) {
		char *end = strchr(line, '\n');

		*end = '\0';
		tree_line(tree, line);
		line = end + 1;
	}
	free(text);
	tree->text = scratch_string(from->text ?: "", from->len);
	tree->len = from->len;
}

/* Begin a tree. @args is "NAME [BASE]"; the tree begins as a copy of BASE. */
static void tree_begin(char *args)
{
	struct tree *tree = &trees[nr_trees++];
	char *base = strchr(args, ' ');
	int i;

	must(nr_trees <= MAX_TREES);
	if (base)
		*base++ = '\0';
	snprintf(tree->name, sizeof(tree->name), "%s", args);
	snprintf(tree->dir, sizeof(tree->dir), "%s/%s", scratch_dir(), args);
	tree_dir(tree->dir, "tracefs/events");
	tree_dir(tree->dir, "sysfs/bus/event_source/devices");
	for (i = 0; base && i < nr_trees; i++)
		if (!strcmp(trees[i].name, base))
			tree_copy(tree, &trees[i]);
}

static void tree_add(struct tree *tree, const char *line)
{
	const size_t len = strlen(line);

	tree_line(tree, line);
	tree->text = realloc(tree->text, tree->len + len + 2);
	must(tree->text);
	tree->len += sprintf(tree->text + tree->len, "%s\n", line);
}

static void remove_trees(void)
{
	int i;

	for (i = 0; i < nr_trees; i++) {
		tree_remove(trees[i].dir);
		free(trees[i].text);
	}
}

static void make_trees(void)
{
	const char *cases = getenv("FUZZ_CASES");
	FILE *f = fopen(cases ?: CASES, "r");
	char line[4096];

	must(f);
	/*
	 * Make the scratch directory first: functions of atexit() run in reverse order, so the
	 * trees in it are removed before it.
	 */
	scratch_dir();
	atexit(remove_trees);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "tree ", 5))
			tree_begin(line + 5);
		else if (!strncmp(line, "file ", 5) || !strncmp(line, "dir ", 4))
			tree_add(&trees[nr_trees - 1], line);
	}
	fclose(f);
	must(nr_trees);
}

static bool all(const struct perf_event_attr *attr)
{
	(void)attr;
	return true;
}

static bool none(const struct perf_event_attr *attr)
{
	(void)attr;
	return false;
}

static void check(const struct auxrec_events *events, int ret, const char *err, size_t room)
{
	unsigned char attr[AUXREC_ATTR_SIZE] __attribute__((aligned(8)));
	size_t i;

	must(strnlen(err, room) < room);
	must(!ret == !!events->nr && !ret == !*err);
	for (; *err; err++)
		must(*err >= ' ' && *err <= '~');
	for (i = 0; i < events->nr; i++) {
		const struct auxrec_event *ev = &events->list[i];

		must(ev->name &&
		     auxrec_attr(&ev->attr, ev->config3, ev->config4, attr) <= sizeof(attr));
		/* The leader of a group comes first, and the other members follow it. */
		must(ev->group < 0 || ev->leader || (i && ev[-1].group == ev->group));
	}
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	char sysfs[PATH_MAX], tracefs[PATH_MAX], err[1024] = "", *spec;
	struct auxrec_sysroot root = { sysfs, tracefs, all };
	struct auxrec_events events = { 0 };
	const struct tree *tree;
	size_t room;
	int ret;

	if (!nr_trees)
		make_trees();
	if (!size || size > MAX_SPEC)
		return 0;
	if (*data >= 'A' && *data <= 'Z')
		root.supported = none;
	tree = &trees[(*data % 32 + 31) % 32 % nr_trees];
	snprintf(sysfs, sizeof(sysfs), "%s/sysfs", tree->dir);
	snprintf(tracefs, sizeof(tracefs), "%s/tracefs", tree->dir);
	spec = scratch_string(data + 1, size - 1);
	/* Sometimes the buffer for messages is short. */
	room = size % 7 ? sizeof(err) : size % 64 + 2;
	ret = auxrec_events_parse(&events, spec, &root, err, room);
	check(&events, ret, err, room);
	auxrec_events_free(&events);
	free(spec);
	return 0;
}
