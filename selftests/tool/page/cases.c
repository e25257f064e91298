// SPDX-License-Identifier: GPL-2.0-only
/* The time lines of page_test.py. */
#include <stddef.h>

#include "base/util.h"
#include "feed.h"

#define T	1000000000ULL

static __u32 thread(struct feed *f, __u32 pid, __u32 tid, const char *name)
{
	return feed_lane(f, TL_LANE_THREAD, pid, tid, TL_NOBODY, name);
}

/* One of each, with times that can be checked by eye */
static void run_small(struct feed *f)
{
	__u32 all = feed_lane(f, TL_LANE_RECORDING, TL_NOBODY, TL_NOBODY, TL_NOBODY, "recording");
	__u32 cpu = feed_lane(f, TL_LANE_CPU, TL_NOBODY, TL_NOBODY, 3, "");
	__u32 a = thread(f, 4711, 4711, "demo"), b = thread(f, 4711, 4712, "worker");
	__u32 main_ = feed_name(f, "main", "/usr/bin/demo", 0x401000);
	__u32 tree = feed_name(f, "tree", "/usr/bin/demo", 0x401200);
	__u32 leaf = feed_name(f, "leaf", "/usr/bin/demo", 0x401300);
	__u32 sys = feed_name(f, "do_syscall_64", "[kernel]", 0xffffffff81000000ULL);
	__u32 no = feed_name(f, "[unknown]", "", 0);
	const __u32 s1[] = { main_, tree, leaf }, s2[] = { main_, tree, sys }, s3[] = { main_ };
	int i;

	feed_mark(f, all, TL_MARK_TRIGGER, T + 6000, T + 6000, 0, "signal 11 of demo");
	feed_mark(f, all, TL_MARK_LOST, T + 2000, T + 2600, 17, NULL);
	feed_mark(f, cpu, TL_MARK_GAP, T + 1000, T + 1500, 4096, "no segment is free");
	feed_point(f, cpu, T, 0, "AUX bytes");
	for (i = 1; i <= 20; i++)
		feed_point(f, cpu, T + i * 500, i * i % 37 * 64.0, "AUX bytes");

	feed_mark(f, a, TL_MARK_START, T, T, 0, NULL);
	feed_mark(f, a, TL_MARK_COMM, T + 100, T + 100, 0, "demo");
	feed_mark(f, a, TL_MARK_RUNS, T + 100, T + 4500, 1, NULL);
	feed_enter(f, a, T + 100, main_, TL_BEGAN_EARLIER);
	feed_enter(f, a, T + 200, tree, 0);
	feed_enter(f, a, T + 300, leaf, 0);
	feed_leave(f, a, T + 900, 0);
	feed_enter(f, a, T + 1000, leaf, 0);
	feed_leave(f, a, T + 1000, 0);
	feed_enter(f, a, T + 1100, sys, 0);
	feed_leave(f, a, T + 3000, TL_CUT);
	feed_leave(f, a, T + 3000, TL_CUT);
	feed_leave(f, a, T + 3000, TL_CUT);
	feed_mark(f, a, TL_MARK_GAP, T + 3000, T + 4000, 65536, "the ring is full");
	feed_enter(f, a, T + 4000, no, TL_BEGAN_EARLIER);
	feed_enter(f, a, T + 4100, tree, 0);
	feed_leave(f, a, T + 4400, 0);
	feed_mark(f, a, TL_MARK_ERROR, T + 4500, T + 4700, 0, "no code at 0x7f0011223344");
	feed_mark(f, a, TL_MARK_RUNS, T + 5000, T + 9000, 2, NULL);
	feed_leave(f, a, T + 7000, 0);
	feed_enter(f, a, T + 8000, main_, 0);
	feed_mark(f, a, TL_MARK_EXIT, T + 9900, T + 9900, 0, NULL);

	feed_mark(f, b, TL_MARK_SAMPLE, T + 150, T + 150, 0, "page-faults");
	feed_mark(f, b, TL_MARK_RAW, T + 650, T + 650, 128, "sched:sched_switch");
	feed_stack(f, b, T + 1000, s1, 3, 1000);
	feed_stack(f, b, T + 2000, s1, 3, 1000);
	feed_stack(f, b, T + 3000, s2, 3, 1000);
	feed_stack(f, b, T + 4000, s3, 1, 1000);
	feed_stack(f, b, T + 9000, s1, 3, 3000);
	feed_stack(f, b, T + 9500, s1, 0, 500);
}

static void run_empty(struct feed *f)
{
	(void)f;
}

/* Lanes that have nothing, or only some kinds of things */
static void run_lanes(struct feed *f)
{
	__u32 name = feed_name(f, "work", "/bin/work", 16);
	char text[32];
	__u32 lane;
	int i;

	feed_lane(f, TL_LANE_RECORDING, TL_NOBODY, TL_NOBODY, TL_NOBODY, "");
	for (i = 0; i < 4; i++)
		feed_lane(f, TL_LANE_CPU, TL_NOBODY, TL_NOBODY, i, "");
	for (i = 0; i < 60; i++) {
		snprintf(text, sizeof(text), "task%d", i / 3);
		lane = thread(f, 100 + i / 3 * 3, 100 + i, text);
		if (i % 5 == 4)
			continue;
		feed_mark(f, lane, TL_MARK_RUNS, T + i * 100, T + i * 100 + 5000, i % 4, NULL);
		feed_enter(f, lane, T + i * 100, name, 0);
		feed_enter(f, lane, T + i * 110, name, 0);
		feed_leave(f, lane, T + i * 110 + 1000, 0);
	}
}

/* A recursion of 5000 levels, twice, and one that stays open */
static void run_deep(struct feed *f)
{
	__u32 lane = thread(f, 1, 1, "deep"), name = feed_name(f, "recurse", "/bin/deep", 4096);
	__u32 leaf = feed_name(f, "leaf", "/bin/deep", 8192);
	__u64 time = T;
	int round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 5000; i++)
			feed_enter(f, lane, time += 3, name, 0);
		for (i = 0; i < 2000; i++) {
			feed_enter(f, lane, time += 2, leaf, 0);
			feed_leave(f, lane, time += 5, 0);
		}
		for (i = 0; i < 5000 && round < 2; i++)
			feed_leave(f, lane, time += 4, 0);
	}
}

/* Names that are no HTML, no UTF-8, or long */
static void run_hostile(struct feed *f)
{
	static const char * const names[] = {
		"</script><script>document.title='broken'</script>", "<img src=x onerror=alert(1)>",
		"<!--", "-->", "]]>", "&amp;&lt;", "\"quoted\" 'single' \\n", "caf\xc3\xa9 \xe2\x82\xac",
		"\xff\xfe\xc3", "\xed\xa0\x80 surrogate", "\xf0\x9f\x94\xa5 fire", "new\nline\ttab\r",
		"\x01\x02\x1b[31m", "", " ", "__proto__", "constructor", "toString",
		"std::vector<std::map<int, std::string>>::operator[](unsigned long) const",
	};
	__u32 lane = thread(f, 7, 7, "</title><b>x"), other = thread(f, 8, 8, "\xff\xff");
	char longest[20001];
	__u64 time = T;
	unsigned int i;
	__u32 name;

	for (i = 0; i < sizeof(longest) - 1; i++)
		longest[i] = 'a' + i % 26;
	longest[i] = 0;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		name = feed_name(f, names[i], i % 2 ? "</script>" : "/tmp/\xff\xfe<b>", i);
		feed_enter(f, lane, time, name, 0);
		feed_enter(f, lane, time + 10, name, 0);
		feed_leave(f, lane, time + 90, 0);
		feed_leave(f, lane, time += 100, 0);
		feed_mark(f, other, TL_MARK_GAP, time, time + 50, i, names[i]);
		feed_point(f, other, time, i, i % 2 ? "</script>" : "\xff");
	}
	name = feed_name(f, longest, longest, ~0ULL);
	feed_enter(f, lane, time, name, 0);
	feed_leave(f, lane, time + 500, 0);
	feed_mark(f, other, TL_MARK_ERROR, time + 100, time + 200, 0, longest);
	feed_mark(f, other, TL_MARK_COMM, time + 100, time + 100, 0, "</script><!--");
	feed_mark(f, other, TL_MARK_TRIGGER, time + 150, time + 150, 0, "</script>");
}

/* Calls without length, several at one time */
static void run_zero(struct feed *f)
{
	__u32 lane = thread(f, 1, 1, "zero"), name[3];
	int i, k;

	name[0] = feed_name(f, "a", "o", 0);
	name[1] = feed_name(f, "b", "o", 0);
	name[2] = feed_name(f, "c", "o", 0);
	for (i = 0; i < 30000; i++) {
		__u64 time = T + i / 100 * 7;

		for (k = 0; k < 3; k++)
			feed_enter(f, lane, time, name[k], 0);
		for (k = 0; k < 3; k++)
			feed_leave(f, lane, time, 0);
	}
}

/* All at one time */
static void run_instant(struct feed *f)
{
	__u32 lane = thread(f, 1, 1, "instant"), name = feed_name(f, "now", "o", 0);

	feed_enter(f, lane, T, name, 0);
	feed_leave(f, lane, T, 0);
	feed_mark(f, lane, TL_MARK_GAP, T, T, 1, "instant");
	feed_point(f, lane, T, -1.5, "value");
}

/* Times near 2^63 and up to 2^64 - 1 */
static void run_late(struct feed *f)
{
	const __u64 base = (1ULL << 63) - 5000;
	__u32 lane = thread(f, 1, 1, "late"), name = feed_name(f, "late", "o", ~0ULL);
	__u32 last = thread(f, 2, 2, "last");
	__u64 i;

	for (i = 0; i < 100; i++) {
		feed_enter(f, lane, base + i * 100, name, 0);
		feed_leave(f, lane, base + i * 100 + 60, 0);
	}
	feed_mark(f, lane, TL_MARK_GAP, base + 4000, base + 6000, 1ULL << 50, "across 2^63");
	feed_enter(f, last, base, name, 0);
	feed_leave(f, last, base + 12345, 0);
}

/* The whole range of times: a browser cannot be exact there, but the page must open. */
static void run_range(struct feed *f)
{
	__u32 lane = thread(f, 1, 1, "range"), name = feed_name(f, "long", "o", 1);

	feed_enter(f, lane, 0, name, 0);
	feed_enter(f, lane, 1ULL << 62, name, 0);
	feed_leave(f, lane, 1ULL << 63, 0);
	feed_leave(f, lane, ~0ULL, 0);
	feed_mark(f, lane, TL_MARK_GAP, 0, ~0ULL, ~0ULL, "everything");
}

/* A counter over many chunks, and its lane's only call */
static void run_counter(struct feed *f)
{
	__u32 lane = thread(f, 1, 1, "counter"), name = feed_name(f, "count", "o", 1);
	int i;

	feed_enter(f, lane, T, name, 0);
	for (i = 0; i < 100000; i++)
		feed_point(f, lane, T + i * 1000, i, "counter");
	feed_leave(f, lane, T + i * 1000, 0);
}

/* Calls, samples, marks and points at random, in turn in several lanes, over many chunks */
static void run_random(struct feed *f)
{
	__u64 time[4], n = f->number ? f->number : 100000, before;
	__u32 lane[4], depth[4] = { 0 }, stack[12], i, k;
	char text[40];

	for (i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "random%u", i);
		lane[i] = thread(f, 10, 10 + i, text);
		time[i] = T + i * 1000;
	}
	for (i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "function_%03u", i);
		feed_name(f, text, i % 7 ? "/usr/lib/libx.so" : "[kernel]", 0x1000 + i * 64);
	}
	while (n--) {
		i = feed_random(f, 4);
		time[i] += feed_random(f, 8) ? feed_random(f, 200) : feed_random(f, 20000);
		switch (feed_random(f, 20)) {
		case 0:
			k = feed_random(f, 10);
			/* Half of the marks are told later than they begin. */
			before = feed_random(f, 2) ? feed_random(f, 500000) : 0;
			snprintf(text, sizeof(text), "text %llu", feed_random(f, 100));
			feed_mark(f, lane[i], k, time[i] - before, time[i] + feed_random(f, 500),
				  feed_random(f, 1 << 20), k == TL_MARK_RUNS ? NULL : text);
			break;
		case 1:
			feed_point(f, lane[i], time[i], feed_random(f, 1000) / 8.0 - 20,
				   feed_random(f, 2) ? "first" : "second");
			break;
		case 2:
			for (k = 0; k < ARRAY_LEN(stack); k++)
				stack[k] = feed_random(f, 2) ? k : feed_random(f, 200);
			feed_stack(f, lane[i], time[i], stack, feed_random(f, 12),
				   feed_random(f, 5000));
			break;
		default:
			if (feed_random(f, 40) < 20 + depth[i] && depth[i]) {
				feed_leave(f, lane[i], time[i],
					   feed_random(f, 50) ? 0 : TL_CUT);
				depth[i]--;
			} else {
				feed_enter(f, lane[i], time[i], feed_random(f, 200),
					   feed_random(f, 50) ? 0 : TL_BEGAN_EARLIER);
				depth[i]++;
			}
		}
	}
}

const struct feed_case feed_cases[] = {
	{ .name = "small", .run = run_small, .title = "demo.auxrec" },
	{ .name = "empty", .run = run_empty },
	{ .name = "lanes", .run = run_lanes },
	{ .name = "deep", .run = run_deep },
	{ .name = "hostile", .run = run_hostile,
	  .title = "</title></script><script>window.broken=1</script>\xff" },
	{ .name = "zero", .run = run_zero },
	{ .name = "instant", .run = run_instant },
	{ .name = "late", .run = run_late },
	{ .name = "range", .run = run_range },
	{ .name = "counter", .run = run_counter },
	{ .name = "random", .run = run_random },
	{ .name = "many", .run = feed_many, .sums_only = true },
	{ .name = "unfinished", .run = run_small, .no_end = true },
	{ .name = NULL },
};
