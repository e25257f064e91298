// SPDX-License-Identifier: GPL-2.0-only
/*
 * Millions of calls in eight threads, as programs make them: call trees by level, loops, gaps, a
 * counter, and running periods. Instead of a log, feed_many() writes sums, which page_test.py
 * computes again from the page.
 */
#include <stdio.h>

#include "feed.h"

#define THREADS	8
#define NAMES	600
#define DEEPEST	28

struct call {
	__u64	begin;
	__u32	name;
};

struct thread {
	__u32		lane;
	__u64		time;
	struct call	stack[DEEPEST];
	__u32		depth;
	__u64		runs;		/* since when */
	__u64		calls;
};

struct sums {
	__u64	calls[THREADS];
	__u32	hash[THREADS];
	__u64	by_name[NAMES];
	__u64	gaps;
	__u64	gap_bytes;
};

static __u32 mix(__u32 hash, __u32 value)
{
	hash = (hash ^ value) * 16777619U;
	return hash ^ hash >> 15;
}

static void leave(struct feed *f, struct thread *t, struct sums *s, int number, unsigned int flags)
{
	const __u64 base = 1000000000ULL;
	struct call *call = &t->stack[--t->depth];
	__u64 begin = call->begin - base, end = t->time - base;
	__u32 hash = 2166136261U;

	feed_leave(f, t->lane, t->time, flags);
	hash = mix(hash, begin);
	hash = mix(hash, begin >> 32);
	hash = mix(hash, end);
	hash = mix(hash, end >> 32);
	hash = mix(hash, t->depth);
	hash = mix(hash, call->name);
	s->hash[number] += hash;
}

/* A function calls mostly the same few others, which are on a deeper level. */
static __u32 callee(struct feed *f, const struct thread *t)
{
	__u32 caller = t->depth ? t->stack[t->depth - 1].name : 0;
	__u32 way = feed_random(f, 16);

	if (way < 14)
		way = way % 4;
	return (caller * 7 + way * 13 + t->depth * 21 + 1) % NAMES;
}

static void gap(struct feed *f, struct thread *t, struct sums *s, int number)
{
	__u64 bytes = 4096 * (1 + feed_random(f, 64));

	while (t->depth)
		leave(f, t, s, number, TL_CUT);
	feed_mark(f, t->lane, TL_MARK_GAP, t->time, t->time + bytes, bytes, "no segment is free");
	t->time += bytes;
	s->gaps++;
	s->gap_bytes += bytes;
}

static void step(struct feed *f, struct thread *t, struct sums *s, int number)
{
	__u32 name;

	t->time += 20 + feed_random(f, 120);
	if (!feed_random(f, 4000)) {
		feed_mark(f, t->lane, TL_MARK_RUNS, t->runs, t->time, feed_random(f, 4), NULL);
		t->time += feed_random(f, 400000);
		t->runs = t->time;
		feed_point(f, t->lane, t->time, t->calls % 1000000, "calls so far");
	}
	if (!feed_random(f, 500000))
		gap(f, t, s, number);
	if (t->depth > 3 && (t->depth == DEEPEST || feed_random(f, 48) < 12 + t->depth * 2)) {
		leave(f, t, s, number, 0);
		return;
	}
	name = callee(f, t);
	feed_enter(f, t->lane, t->time, name, 0);
	t->stack[t->depth].begin = t->time;
	t->stack[t->depth++].name = name;
	t->calls++;
	s->calls[number]++;
	s->by_name[name]++;
}

static void print_sums(struct feed *f, const struct sums *s)
{
	int i;

	fputs("calls", f->sums);
	for (i = 0; i < THREADS; i++)
		fprintf(f->sums, " %llu", s->calls[i]);
	fputs("\nhash", f->sums);
	for (i = 0; i < THREADS; i++)
		fprintf(f->sums, " %u", s->hash[i]);
	fputs("\nnames", f->sums);
	for (i = 0; i < NAMES; i++)
		fprintf(f->sums, " %llu", s->by_name[i]);
	fprintf(f->sums, "\ngaps %llu %llu\n", s->gaps, s->gap_bytes);
}

static const char * const objects[] = {
	"request", "row", "index", "page", "cache", "lock", "tree", "buffer",
};

void feed_many(struct feed *f)
{
	__u64 n = f->number ? f->number : 10000000, done = 0;
	struct thread t[THREADS] = { 0 };
	struct sums s = { 0 };
	char text[80];
	int i;

	for (i = 0; i < NAMES; i++) {
		snprintf(text, sizeof(text), "%s%s_%s_%d", i % 3 ? "" : "ns::",
			 i % 2 ? "handle" : "update", objects[i % 8], i);
		feed_name(f, text, i % 5 ? "/usr/lib/libwork.so.1" : "[kernel]", 0x1000 + i * 256);
	}
	for (i = 0; i < THREADS; i++) {
		snprintf(text, sizeof(text), "worker%d", i);
		t[i].lane = feed_lane(f, TL_LANE_THREAD, 1000 + i / 4 * 4, 1000 + i, TL_NOBODY,
				      text);
		t[i].time = 1000000000ULL + 20000 * i;
		t[i].runs = t[i].time;
	}
	feed_mark(f, 0, TL_MARK_START, 1000000000ULL, 1000000000ULL, 0, NULL);
	while (done < n) {
		/* Feed the threads by turns, as a source that merges threads does. */
		i = feed_random(f, THREADS);
		done -= s.calls[i];
		do {
			step(f, &t[i], &s, i);
		} while (feed_random(f, 64));
		done += s.calls[i];
	}
	for (i = 0; i < THREADS; i++)
		while (t[i].depth)
			leave(f, &t[i], &s, i, TL_CUT);
	print_sums(f, &s);
}
