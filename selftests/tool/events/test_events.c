// SPDX-License-Identifier: GPL-2.0-only
/*
 * Golden cases of the event parser: test_events [-g] cases.txt
 *
 * Prints TAP. With -g, print cases.txt again, with what the parser says now instead of what was
 * expected. Read the difference before you keep it.
 *
 * Each line of cases.txt is one of these. Blank lines and lines that begin with # are skipped.
 *   tree NAME [BASE]     begin a tree, with everything that BASE has
 *   file PATH TEXT       a file in the tree, below sysfs/ or tracefs/
 *   dir PATH             an empty directory
 *   case NAME TREE       begin a case
 *   spec TEXT            an argument of -e; \xNN is a byte; may be repeated
 *   long N TEXT          the same, with TEXT N times; then "tail TEXT" appends
 *   list ARGS            instead of spec: run `auxrec list` on the tree
 *   no-ext               the kernel does not know types of cores
 *   event ...            expected: one line per event
 *   error ERRNO MESSAGE  expected: the last spec fails; $ROOT is the tree
 *   out TEXT, err TEXT, status N   expected: what `auxrec list` prints
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "text.h"
#include "tree.h"
#include "base/util.h"

#define MAX_TREES	16
#define MAX_TREE_LINES	256
#define MAX_SPECS	4

struct tree {
	char *name;
	char dir[PATH_MAX];
	char *lines[MAX_TREE_LINES];
	int nr_lines;
};

struct test {
	char *name;
	struct tree *tree;
	char *specs[MAX_SPECS];
	int nr_specs;
	bool no_ext;
	char *list;
	struct text expected;
};

static char tmp[32] = "/tmp/test_events.XXXXXX";
static struct tree trees[MAX_TREES];
static int nr_trees;
static int nr_tests, nr_failed;
static bool generate;

static struct tree *find_tree(const char *name)
{
	for (int i = 0; i < nr_trees; i++) {
		if (!strcmp(trees[i].name, name))
			return &trees[i];
	}
	errx(2, "no tree '%s'", name);
}

static void tree_line(struct tree *tree, const char *line)
{
	char *copy = strdup(line);
	char *path = copy + strcspn(copy, " ") + 1;
	char *text = path + strcspn(path, " ");

	if (tree->nr_lines == MAX_TREE_LINES)
		errx(2, "tree %s is too large", tree->name);
	tree->lines[tree->nr_lines++] = strdup(line);
	if (*text)
		*text++ = '\0';
	if (!strncmp(line, "dir ", 4))
		tree_dir(tree->dir, path);
	else
		tree_file(tree->dir, path, text);
	free(copy);
}

static void begin_tree(char *args)
{
	char *base = args + strcspn(args, " ");
	struct tree *tree = &trees[nr_trees];
	struct tree *from;

	if (nr_trees == MAX_TREES)
		errx(2, "too many trees");
	if (*base)
		*base++ = '\0';
	tree->name = strdup(args);
	snprintf(tree->dir, sizeof(tree->dir), "%s/%s", tmp, args);
	tree_dir(tree->dir, "tracefs/events");
	tree_dir(tree->dir, "sysfs/bus/event_source/devices");
	nr_trees++;
	if (!*base)
		return;
	from = find_tree(base);
	for (int i = 0; i < from->nr_lines; i++)
		tree_line(tree, from->lines[i]);
}

static char *unescape(const char *text)
{
	char *result = malloc(strlen(text) + 1);
	char *to = result;
	unsigned int byte;

	while (*text) {
		if (sscanf(text, "\\x%2x", &byte) == 1 && byte) {
			*to++ = byte;
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
	return result;
}

static char *repeat(const char *args)
{
	struct text text = { 0 };
	char *end;
	long n = strtol(args, &end, 10);

	text_add(&text, "%s", "");
	while (n--)
		text_add(&text, "%s", end + 1);
	return text.s;
}

/* The only thing that the parser asks the hardware is which types of cores it has. */
static bool no_ext(const struct perf_event_attr *attr)
{
	(void)attr;
	return false;
}

static void add_hex(struct text *out, const char *name, unsigned long long value)
{
	if (value)
		text_add(out, " %s=0x%llx", name, value);
}

/* @none is the value if nothing was given. */
static void add_int(struct text *out, const char *name, long long value,
		    long long none)
{
	if (value != none)
		text_add(out, " %s=%lld", name, value);
}

static void add_string(struct text *out, const char *name, const char *value)
{
	if (value)
		text_add(out, " %s='%s'", name, value);
}

#define FLAG(name)		add_int(out, #name, ev->attr.name, 0)
#define NUMBER(name)		add_hex(out, #name, ev->attr.name)
#define STRING(name)		add_string(out, #name, ev->name)
#define INTEGER(name, none)	add_int(out, #name, ev->name, none)

static void print_event(struct text *out, const struct auxrec_event *ev)
{
	bool bp = ev->attr.type == PERF_TYPE_BREAKPOINT;

	text_add(out, "event type=%u", ev->attr.type);
	NUMBER(config);
	if (bp) {
		NUMBER(bp_addr);
		NUMBER(bp_len);
		NUMBER(bp_type);
	} else {
		NUMBER(config1);
		NUMBER(config2);
	}
	INTEGER(config3, 0);
	INTEGER(config4, 0);
	if (ev->attr.sample_period)
		text_add(out, " %s=%llu", ev->attr.freq ? "freq" : "period",
			 (unsigned long long)ev->attr.sample_period);
	INTEGER(freq_given, 0);
	FLAG(exclude_user);
	FLAG(exclude_kernel);
	FLAG(exclude_hv);
	FLAG(exclude_idle);
	FLAG(exclude_host);
	FLAG(exclude_guest);
	FLAG(precise_ip);
	FLAG(pinned);
	FLAG(exclusive);
	FLAG(write_backward);
	FLAG(aux_output);
	NUMBER(aux_sample_size);
	NUMBER(branch_sample_type);
	STRING(pmu);
	STRING(cpus);
	STRING(unit);
	if (ev->scale != 1.0)
		text_add(out, " scale=%g", ev->scale);
	STRING(tp_system);
	STRING(tp_name);
	STRING(callgraph);
	STRING(sink);
	INTEGER(stack_size, 0);
	INTEGER(max_stack, 0);
	INTEGER(max_events, 0);
	INTEGER(inherit, AUXREC_UNSET);
	INTEGER(overwrite, AUXREC_UNSET);
	INTEGER(time, AUXREC_UNSET);
	INTEGER(max_precise, -1);
	INTEGER(has_modifier, 0);
	INTEGER(gh_given, 0);
	INTEGER(precise_max, 0);
	INTEGER(sample_read, 0);
	INTEGER(weak_group, 0);
	INTEGER(snapshot, 0);
	INTEGER(per_pkg, 0);
	INTEGER(branch_given, 0);
	INTEGER(group, -1);
	INTEGER(leader, 0);
	STRING(name);
	text_add(out, "\n");
}

/* Print the same message wherever the trees are. */
static void print_error(struct text *out, int ret, const char *message)
{
	const char *at;

	text_add(out, "error %s ", strerrorname_np(-ret));
	while ((at = strstr(message, tmp))) {
		text_add(out, "%.*s$ROOT", (int)(at - message), message);
		message = at + strlen(tmp);
	}
	text_add(out, "%s\n", message);
}

/* A failure must not add events, and must have a message. */
static void check_failure(struct text *out, size_t before, size_t after,
			  const char *message)
{
	if (before != after)
		text_add(out, "bug: %zu events were added\n", after - before);
	if (!*message)
		text_add(out, "bug: no message\n");
	for (; *message; message++) {
		if (*message < ' ' || *message > '~') {
			text_add(out, "bug: the message is not plain text\n");
			return;
		}
	}
}

static void run(struct test *test, struct text *out)
{
	struct auxrec_events events = { 0 };
	char sysfs[PATH_MAX + 8], tracefs[PATH_MAX + 8];
	struct auxrec_sysroot root = { sysfs, tracefs, NULL };
	char message[2048];

	snprintf(sysfs, sizeof(sysfs), "%s/sysfs", test->tree->dir);
	snprintf(tracefs, sizeof(tracefs), "%s/tracefs", test->tree->dir);
	if (test->no_ext)
		root.supported = no_ext;
	for (int i = 0; i < test->nr_specs; i++) {
		size_t before = events.nr;
		int ret;

		ret = auxrec_events_parse(&events, test->specs[i], &root,
					  message, sizeof(message));
		if (!ret)
			continue;
		print_error(out, ret, message);
		check_failure(out, before, events.nr, message);
	}
	for (size_t i = 0; i < events.nr; i++)
		print_event(out, &events.list[i]);
	auxrec_events_free(&events);
}

static void diagnose(const char *what, const char *text)
{
	printf("# %s:\n", what);
	while (text && *text) {
		int len = strcspn(text, "\n");

		printf("#   %.*s\n", len, text);
		text += len + (text[len] == '\n');
	}
}

static void end_test(struct test *test)
{
	struct text out = { 0 };
	bool good;

	if (!test->name)
		return;
	if (!test->nr_specs && !test->list)
		errx(2, "case %s has no spec", test->name);
	if (test->list)
		list_run(&out, test->tree->dir, test->list, tmp);
	else
		run(test, &out);
	good = test->expected.s && out.s && !strcmp(out.s, test->expected.s);
	nr_tests++;
	nr_failed += !good;
	if (generate) {
		printf("%s\n", out.s ? out.s : "");
	} else {
		printf("%sok %d %s\n", good ? "" : "not ", nr_tests,
		       test->name);
		if (!good) {
			diagnose("expected", test->expected.s);
			diagnose("got", out.s);
		}
	}
	free(out.s);
	free(test->expected.s);
	for (int i = 0; i < test->nr_specs; i++)
		free(test->specs[i]);
	free(test->list);
	free(test->name);
	memset(test, 0, sizeof(*test));
}

static void begin_test(struct test *test, char *args)
{
	char *tree = args + strcspn(args, " ");

	if (!*tree)
		errx(2, "case %s has no tree", args);
	*tree++ = '\0';
	test->name = strdup(args);
	test->tree = find_tree(tree);
}

static void add_spec(struct test *test, char *spec)
{
	if (test->nr_specs == MAX_SPECS)
		errx(2, "case %s has too many specs", test->name);
	test->specs[test->nr_specs++] = spec;
}

static void add_tail(struct test *test, const char *tail)
{
	struct text text = { 0 };
	char **spec = &test->specs[test->nr_specs - 1];

	text_add(&text, "%s%s", *spec, tail);
	free(*spec);
	*spec = text.s;
}

static bool is_expected(const char *line)
{
	static const char *const words[] = {
		"event ", "error ", "out ", "err ", "status ",
	};

	if (!strcmp(line, "out"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!strncmp(line, words[i], strlen(words[i])))
			return true;
	}
	return false;
}

static void parse_line(struct test *test, char *line)
{
	char *args = line + strcspn(line, " ");
	bool known = true;

	if (!strncmp(line, "tree ", 5) || !strncmp(line, "case ", 5) ||
	    *line == '#')
		end_test(test);
	if (generate && *line && !is_expected(line))
		puts(line);
	if (!*line || *line == '#')
		return;
	if (*args)
		args++;
	if (!strncmp(line, "tree ", 5))
		begin_tree(args);
	else if (!strncmp(line, "case ", 5))
		begin_test(test, args);
	else if (!strncmp(line, "file ", 5) || !strncmp(line, "dir ", 4))
		tree_line(&trees[nr_trees - 1], line);
	else if (!strcmp(line, "spec") || !strncmp(line, "spec ", 5))
		add_spec(test, unescape(args));
	else if (!strncmp(line, "long ", 5))
		add_spec(test, repeat(args));
	else if (!strncmp(line, "tail ", 5))
		add_tail(test, args);
	else if (!strcmp(line, "no-ext"))
		test->no_ext = true;
	else if (!strcmp(line, "list") || !strncmp(line, "list ", 5))
		test->list = strdup(args);
	else if (is_expected(line))
		text_add(&test->expected, "%s\n", line);
	else
		known = false;
	if (!known)
		errx(2, "what is '%s'?", line);
}

int main(int argc, char **argv)
{
	struct test test = { 0 };
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	FILE *file;

	generate = argc == 3 && !strcmp(argv[1], "-g");
	if (argc != 2 && !generate)
		errx(2, "usage: %s [-g] cases.txt", argv[0]);
	file = fopen(argv[argc - 1], "r");
	if (!file)
		err(2, "%s", argv[argc - 1]);
	if (!mkdtemp(tmp))
		err(2, "%s", tmp);
	if (!generate)
		puts("TAP version 13");
	while ((len = getline(&line, &room, file)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		parse_line(&test, line);
	}
	end_test(&test);
	if (!generate) {
		printf("1..%d\n", nr_tests);
		printf("# %d passed, %d failed\n", nr_tests - nr_failed,
		       nr_failed);
	}
	free(line);
	fclose(file);
	for (int i = 0; i < nr_trees; i++) {
		for (int j = 0; j < trees[i].nr_lines; j++)
			free(trees[i].lines[j]);
		free(trees[i].name);
	}
	tree_remove(tmp);
	return nr_failed || !nr_tests;
}
