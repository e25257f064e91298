// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/session/attr_period.c: which samples tell their period; and of
 * session/same_event.c: which events must be alike.
 */
#include "kselftest_harness.h"
#include "session/attr_period.h"
#include "session/same_event.h"

#define HAS	(PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define HAS_NOT	(PERF_SAMPLE_IP | PERF_SAMPLE_CPU)

/* Return what attr_drop_period() leaves of sample_type. */
static __u64 left(__u32 type, __u64 config, bool freq, __u64 period)
{
	struct perf_event_attr attr = {
		.type = type, .config = config, .freq = freq,
		.sample_period = period, .sample_type = HAS,
	};

	attr_drop_period(&attr);
	return attr.sample_type;
}

static const struct kind {
	__u32 type;
	__u64 config;
	bool singly;
} kinds[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, false },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, true },
	{ PERF_TYPE_TRACEPOINT, PERF_COUNT_SW_CPU_CLOCK, true },
	{ PERF_TYPE_TRACEPOINT, 300, true },
	{ PERF_TYPE_BREAKPOINT, 0, true },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false },
	{ PERF_TYPE_HW_CACHE, 0, false },
	{ PERF_TYPE_RAW, 0x3c, false },
	{ PERF_TYPE_MAX + 2, 0, false },
};

static const struct kind * const end = kinds + sizeof(kinds) / sizeof(*kinds);

TEST(counted_singly)
{
	const struct kind *k;

	for (k = kinds; k < end; k++) {
		const struct perf_event_attr attr = { .type = k->type, .config = k->config };

		EXPECT_EQ(k->singly, attr_is_counted_singly(&attr))
			TH_LOG("type %u config %llu", k->type, k->config);
	}
}

TEST(fixed)
{
	const struct kind *k;

	for (k = kinds; k < end; k++) {
		EXPECT_EQ(k->singly ? HAS_NOT : HAS, left(k->type, k->config, false, 2))
			TH_LOG("type %u config %llu", k->type, k->config);
		EXPECT_EQ(k->singly ? HAS_NOT : HAS, left(k->type, k->config, false, 1000));
		/*
		 * With period 1, a sample may stand for more than one occurrence, such as the
		 * time that a task ran.
		 */
		EXPECT_EQ(HAS, left(k->type, k->config, false, 1));
		/* The event is in a group whose first event has the samples. */
		EXPECT_EQ(HAS, left(k->type, k->config, false, 0));
	}
}

TEST(frequency)
{
	const struct kind *k;

	for (k = kinds; k < end; k++)
		EXPECT_EQ(HAS, left(k->type, k->config, true, 1000));
}

TEST(twins)
{
	const struct kind *a, *b;

	for (a = kinds; a < end; a++) {
		for (b = kinds; b < end; b++) {
			struct perf_event_attr x = {
				.type = a->type, .config = a->config, .sample_period = 1,
			};
			struct perf_event_attr y = {
				.type = b->type, .config = b->config, .sample_period = 2,
			};

			EXPECT_EQ(a == b && a->singly && a->type == PERF_TYPE_SOFTWARE &&
				  a->config != PERF_COUNT_SW_DUMMY,
				  attr_are_twins(&x, &y))
				TH_LOG("type %u config %llu", a->type, a->config);
			x.exclude_user = 1;
			y.exclude_kernel = 1;
			EXPECT_FALSE(attr_are_twins(&x, &y));
			EXPECT_FALSE(attr_are_twins(&y, &x));
			y.exclude_kernel = 0;
			y.sample_period = 0;
			EXPECT_FALSE(attr_are_twins(&x, &y));
		}
	}
}

TEST(united)
{
	struct perf_event_attr a = {
		.sample_type = HAS | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 3, .sample_period = 1,
	};
	struct perf_event_attr b = {
		.sample_type = HAS_NOT | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK,
		.sample_stack_user = 64, .branch_sample_type = PERF_SAMPLE_BRANCH_USER,
		.sample_period = 1000, .exclude_callchain_user = 1,
	};

	EXPECT_TRUE(attr_unite(&a, &b));
	EXPECT_EQ(HAS_NOT | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
		  PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK, a.sample_type);
	EXPECT_EQ(a.sample_type, b.sample_type);
	EXPECT_EQ(3, b.sample_regs_user);
	EXPECT_EQ(64, a.sample_stack_user);
	EXPECT_EQ(1, a.exclude_callchain_user + 0U);
	EXPECT_EQ(PERF_SAMPLE_BRANCH_USER, a.branch_sample_type);
	EXPECT_EQ(1, a.sample_period);
	EXPECT_EQ(1000, b.sample_period);
}

/* One event has a frequency, so its samples must tell their period; the other's must not. */
TEST(not_united)
{
	struct perf_event_attr a = { .sample_type = HAS, .freq = 1, .sample_freq = 4000 };
	struct perf_event_attr b = { .sample_type = HAS_NOT, .sample_period = 1000 };

	EXPECT_FALSE(attr_unite(&a, &b));
	EXPECT_EQ(HAS, a.sample_type);
	EXPECT_EQ(HAS_NOT, b.sample_type);
	EXPECT_FALSE(attr_unite(&b, &a));
	b.sample_type = HAS;
	b.sample_period = 1;
	EXPECT_TRUE(attr_unite(&a, &b));
	EXPECT_EQ(HAS, a.sample_type);
	EXPECT_EQ(HAS, b.sample_type);
}

TEST_HARNESS_MAIN
