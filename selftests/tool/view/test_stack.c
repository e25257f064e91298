// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how call stacks are rebuilt from flow, with the cases of a file: test_stack FILE
 *
 * stacks.txt explains the cases. Prints TAP.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"
#include "view/stack/stack.h"

#define MOST_FUNCTIONS	32
#define SPAN		0x1000

/* The functions of a case, in the order in which it names them */
static struct object object = { .path = "test" };
static struct object kernel = { .path = "[kernel]", .kind = OBJECT_KERNEL };
static struct function functions[MOST_FUNCTIONS];
static char symbols[MOST_FUNCTIONS][32];
static size_t nr_functions;
static char told[4096];
static size_t nr_entered, nr_left;	/* by test_deep() */

static int name(struct timeline *t, __u32 number, const struct tl_name *desc)
{
	(void)t;
	(void)number;
	(void)desc;
	return 0;
}

static const char *name_of(__u32 number)
{
	size_t i;

	for (i = 0; i < nr_functions; i++)
		if (functions[i].number == number)
			return symbols[i];
	return "nowhere";
}

static void tell(const char *kind, const char *what)
{
	const size_t len = strlen(told);

	snprintf(told + len, sizeof(told) - len, "%s%s%s", len ? " " : "", kind, what);
}

static int enter(struct timeline *t, __u32 lane, __u64 time, __u32 name, unsigned int flags)
{
	(void)t;
	(void)lane;
	(void)time;
	tell(flags & TL_BEGAN_EARLIER ? "~" : "+", name_of(name));
	return 0;
}

static int leave(struct timeline *t, __u32 lane, __u64 time, unsigned int flags)
{
	(void)t;
	(void)lane;
	(void)time;
	tell(flags & TL_CUT ? "!" : "-", "");
	return 0;
}

static const struct timeline_ops ops = { .name = name, .enter = enter, .leave = leave };

/* Find "NAME" or "NAME+OFFSET", and return its address. */
static __u64 address(const char *word, struct function **function, bool *is_begin)
{
	const char *plus = strchr(word, '+');
	const size_t len = plus ? (size_t)(plus - word) : strlen(word);
	size_t i = 0;

	while (i < nr_functions && (strncmp(symbols[i], word, len) || symbols[i][len]))
		i++;
	if (i == nr_functions) {
		if (i == MOST_FUNCTIONS || len >= sizeof(*symbols))
			errx(2, "too many functions, or a long name: %s", word);
		memcpy(symbols[i], word, len);
		symbols[i][len] = '\0';
		functions[i] = (struct function) {
			.start = (i + 1) * SPAN, .end = (i + 2) * SPAN,
			.symbol = *word == '?' ? NULL : symbols[i],
			.object = strncmp(word, "sys_", 4) ? &object : &kernel,
			.number = FUNCTION_NO_NUMBER,
		};
		nr_functions++;
	}
	*function = &functions[i];
	*is_begin = !plus && *word != '?';
	return functions[i].start + (plus ? atoi(plus + 1) : 0);
}

static const struct {
	const char *word;
	enum flow_kind kind;
	bool has_from;
} kinds[] = {
	{ "call", FLOW_CALL, true },
	{ "return", FLOW_RETURN, true },
	{ "jump", FLOW_JUMP, true },
	{ "syscall", FLOW_FAR_CALL, true },
	{ "sysret", FLOW_FAR_RETURN, true },
	{ "interrupt", FLOW_INTERRUPT, true },
	{ "begin", FLOW_BEGIN, false },
	{ "end", FLOW_END, false },
	{ "sync", FLOW_SYNC, false },
	{ "cut", FLOW_CUT, false },
};

#define CALL_SIZE	5

static int take(struct stack *s, char *line, __u64 time)
{
	struct flow f = { .time = time };
	const char *word = strtok(line, " \t\n"), *from = NULL, *to;
	struct function *unused;
	bool unused_begin;
	size_t i = 0;

	if (!strcmp(word, "exec"))
		return stack_exec(s, time);
	if (!strcmp(word, "exit"))
		return stack_end(s, time, 0);
	while (i < sizeof(kinds) / sizeof(*kinds) && strcmp(kinds[i].word, word))
		i++;
	if (i == sizeof(kinds) / sizeof(*kinds))
		errx(2, "no such step: %s", word);
	f.kind = kinds[i].kind;
	if (kinds[i].has_from)
		from = strtok(NULL, " \t\n");
	to = strtok(NULL, " \t\n");
	if (from)
		f.from = address(from, &unused, &unused_begin);
	if (to)
		f.to = address(to, &f.function, &f.is_begin);
	if (f.kind == FLOW_CALL)
		f.size = CALL_SIZE;
	return stack_take(s, &f);
}

struct test {
	char title[128];
	struct timeline timeline;
	struct names names;
	struct stack stack;
	__u64 time;
	bool checked;
};

static void begin(struct test *t, const char *title)
{
	nr_functions = 0;
	told[0] = '\0';
	snprintf(t->title, sizeof(t->title), "%.*s", (int)strcspn(title, "\n"), title);
	t->timeline.ops = &ops;
	t->time = 0;
	names_init(&t->names, &t->timeline);
	stack_init(&t->stack, &t->names, 0);
}

static void check(struct test *t, char *wanted)
{
	wanted[strcspn(wanted, "\n")] = '\0';
	wanted += strspn(wanted, " \t");
	if (strcmp(told, wanted))
		printf("# wanted: %s\n# told:   %s\n", wanted, told);
	tap_report(!strcmp(told, wanted), "%s", t->title);
	stack_free(&t->stack);
}

static int count_enter(struct timeline *t, __u32 lane, __u64 time, __u32 name, unsigned int flags)
{
	(void)t;
	(void)lane;
	(void)time;
	(void)name;
	(void)flags;
	nr_entered++;
	return 0;
}

static int count_leave(struct timeline *t, __u32 lane, __u64 time, unsigned int flags)
{
	(void)t;
	(void)lane;
	(void)time;
	nr_left += !!(flags & TL_CUT);
	return 0;
}

/* A thread that calls and never returns: its stack begins anew. */
static void test_deep(void)
{
	static const struct timeline_ops count_ops = {
		.name = name, .enter = count_enter, .leave = count_leave };
	struct timeline t = { .ops = &count_ops };
	struct function function = { .object = &object, .number = FUNCTION_NO_NUMBER };
	const size_t nr = 2 * STACK_MOST + 10;
	size_t i, most = 0;
	struct names names;
	struct stack s;
	int rc = 0;

	names_init(&names, &t);
	stack_init(&s, &names, 0);
	for (i = 0; i < nr && !rc; i++) {
		rc = stack_take(&s, &(struct flow) {
			.kind = FLOW_CALL, .time = i, .from = 16 * i, .size = 5,
			.to = 16 * i + 16, .function = &function });
		most = s.now.nr > most ? s.now.nr : most;
	}
	tap_report(!rc && most == STACK_MOST && s.now.nr == 10 && nr_entered == nr &&
		   nr_left == 2 * STACK_MOST,
		   "%zu calls without a return: at most %zu frames, %zu of %zu end", nr, most,
		   nr_left, nr_entered);
	stack_free(&s);
}

int main(int argc, char **argv)
{
	struct test t = { .time = 0 };
	char line[1024];
	FILE *cases;

	if (argc != 2)
		errx(2, "usage: test_stack FILE");
	cases = fopen(argv[1], "r");
	if (!cases)
		err(2, "%s", argv[1]);
	printf("TAP version 13\n");
	while (fgets(line, sizeof(line), cases)) {
		if (!strncmp(line, "case ", 5))
			begin(&t, line + 5);
		else if (line[0] == '=')
			check(&t, line + 1);
		else if (line[0] == '\t' && take(&t.stack, line, ++t.time))
			errx(2, "%s: no memory", t.title);
	}
	fclose(cases);
	test_deep();
	return tap_end();
}
