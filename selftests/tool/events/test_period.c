// SPDX-License-Identifier: GPL-2.0-only
/*
 * tool/attr_period.c: which samples tell their period.
 */
#include "kselftest_harness.h"
#include "attr_period.h"

#define HAS	(PERF_SAMPLE_IP | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define HAS_NOT	(PERF_SAMPLE_IP | PERF_SAMPLE_CPU)

/* What is left of sample_type */
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
		/* They may tell of more than one, such as the time that somebody ran. */
		EXPECT_EQ(HAS, left(k->type, k->config, false, 1));
		/* Of a group whose first event has the samples */
		EXPECT_EQ(HAS, left(k->type, k->config, false, 0));
	}
}

TEST(frequency)
{
	const struct kind *k;

	for (k = kinds; k < end; k++)
		EXPECT_EQ(HAS, left(k->type, k->config, true, 1000));
}

TEST_HARNESS_MAIN
