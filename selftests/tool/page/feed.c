// SPDX-License-Identifier: GPL-2.0-only
/*
 * feed CASE PAGE LOG [NUMBER [SEED]]: write the page of a time line that is made up, and to LOG
 * what the page was told, for page_test.py. `feed list` prints the names of the cases.
 *
 * A line of LOG is a call of an output's function: its name and arguments, with strings in
 * hexadecimal digits. The case "many" has NUMBER calls, and LOG has sums of them only.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

static void failed(const char *what, int err)
{
	fprintf(stderr, "feed: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void hex(struct feed *f, const char *s)
{
	if (!f->log)
		return;
	fputs(" x", f->log);
	for (; *s; s++)
		fprintf(f->log, "%02x", (unsigned char)*s);
}

static void end_line(struct feed *f)
{
	if (f->log)
		fputc('\n', f->log);
}

static void __attribute__((format(printf, 2, 3))) note(struct feed *f, const char *format, ...)
{
	va_list args;

	if (!f->log)
		return;
	va_start(args, format);
	vfprintf(f->log, format, args);
	va_end(args);
}

__u32 feed_lane(struct feed *f, enum tl_lane_kind kind, __u32 pid, __u32 tid, __u32 cpu,
		const char *name)
{
	struct tl_lane desc = { .kind = kind, .pid = pid, .tid = tid, .cpu = cpu, .name = name };
	int err = f->t->ops->lane(f->t, f->lanes, &desc);

	if (err)
		failed("lane", err);
	note(f, "lane %u %d %u %u %u", f->lanes, kind, pid, tid, cpu);
	hex(f, name);
	end_line(f);
	return f->lanes++;
}

__u32 feed_name(struct feed *f, const char *function, const char *object, __u64 address)
{
	struct tl_name desc = { .function = function, .object = object, .address = address };
	int err = f->t->ops->name(f->t, f->names, &desc);

	if (err)
		failed("name", err);
	note(f, "name %u", f->names);
	hex(f, function);
	hex(f, object);
	note(f, " %llu", address);
	end_line(f);
	return f->names++;
}

void feed_enter(struct feed *f, __u32 lane, __u64 time, __u32 name, unsigned int flags)
{
	int err = f->t->ops->enter(f->t, lane, time, name, flags);

	if (err)
		failed("enter", err);
	note(f, "enter %u %llu %u %u\n", lane, time, name, flags);
}

void feed_leave(struct feed *f, __u32 lane, __u64 time, unsigned int flags)
{
	int err = f->t->ops->leave(f->t, lane, time, flags);

	if (err)
		failed("leave", err);
	note(f, "leave %u %llu %u\n", lane, time, flags);
}

void feed_stack(struct feed *f, __u32 lane, __u64 time, const __u32 *names, unsigned int nr,
		__u64 weight)
{
	int err = f->t->ops->stack(f->t, lane, time, names, nr, weight);
	unsigned int i;

	if (err)
		failed("stack", err);
	note(f, "stack %u %llu %llu", lane, time, weight);
	for (i = 0; i < nr; i++)
		note(f, " %u", names[i]);
	end_line(f);
}

void feed_mark(struct feed *f, __u32 lane, enum tl_mark_kind kind, __u64 begin, __u64 end,
	       __u64 value, const char *text)
{
	struct tl_mark mark = {
		.kind = kind, .begin = begin, .end = end, .value = value, .text = text,
	};
	int err = f->t->ops->mark(f->t, lane, &mark);

	if (err)
		failed("mark", err);
	note(f, "mark %u %d %llu %llu %llu", lane, kind, begin, end, value);
	if (text)
		hex(f, text);
	end_line(f);
}

void feed_point(struct feed *f, __u32 lane, __u64 time, double value, const char *what)
{
	struct tl_point point = { .time = time, .value = value, .what = what };
	int err = f->t->ops->point(f->t, lane, &point);

	if (err)
		failed("point", err);
	note(f, "point %u %llu %.17g", lane, time, value);
	hex(f, what);
	end_line(f);
}

/* xorshift64*: the same numbers everywhere */
__u64 feed_random(struct feed *f, __u64 below)
{
	f->seed ^= f->seed >> 12;
	f->seed ^= f->seed << 25;
	f->seed ^= f->seed >> 27;
	return (f->seed * 0x2545f4914f6cdd1dULL >> 20) % below;
}

int main(int argc, char **argv)
{
	const struct feed_case *c;
	struct feed f = { 0 };
	int err;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (c = feed_cases; c->name; c++)
			puts(c->name);
		return 0;
	}
	if (argc < 4) {
		fprintf(stderr, "usage: feed CASE PAGE LOG [NUMBER [SEED]]\n");
		return 2;
	}
	for (c = feed_cases; c->name && strcmp(c->name, argv[1]); c++)
		;
	if (!c->name) {
		fprintf(stderr, "feed: there is no case '%s'\n", argv[1]);
		return 2;
	}
	f.number = argc > 4 ? strtoull(argv[4], NULL, 0) : 0;
	f.seed = argc > 5 ? strtoull(argv[5], NULL, 0) : 1;
	f.sums = fopen(argv[3], "w");
	if (!f.sums)
		failed(argv[3], -errno);
	f.log = c->sums_only ? NULL : f.sums;
	f.t = page_new(argv[2], c->title ? c->title : c->name);
	if (!f.t)
		failed(argv[2], -errno);
	c->run(&f);
	if (!c->no_end) {
		err = f.t->ops->end(f.t);
		if (err)
			failed("end", err);
	}
	f.t->ops->free(f.t);
	return fclose(f.sums) ? 1 : 0;
}
