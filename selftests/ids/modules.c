// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of notices about kernel modules that are loaded.
 */
#define _GNU_SOURCE

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

FIXTURE(modules) {
	struct notices notices;
	int fd;
};

FIXTURE_SETUP(modules)
{
	ids_insert(NO_HURRY_US);
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(modules)
{
}

static int expected_module(struct id *id)
{
	char command[256], line[256] = "";
	FILE *out;

	snprintf(command, sizeof(command),
		 "readelf -n /perfaux/build/modules/%s/auxgen.ko | sed -n 's/^ *Build ID: //p'",
		 getenv("PERFAUX_KERNEL"));
	out = popen(command, "r");
	if (!out || !fgets(line, sizeof(line), out))
		return -1;
	pclose(out);
	line[strcspn(line, "\n")] = 0;
	return id_parse(line, id);
}

static uint64_t module_start(const char *name)
{
	char line[512], this[64];
	uint64_t start = 0;
	FILE *modules = fopen("/proc/modules", "re");
	unsigned long at;

	while (fgets(line, sizeof(line), modules))
		if (sscanf(line, "%63s %*s %*s %*s %*s %lx", this, &at) == 2 &&
		    !strcmp(this, name))
			start = at;
	fclose(modules);
	return start;
}

TEST_F(modules, kernel_module)
{
	const struct perfaux_notice *notice;
	struct id expected, id;
	uint64_t before;

	ASSERT_EQ(0, expected_module(&expected));
	ASSERT_LT(0, expected.size);
	ASSERT_EQ(0, module_remove_wait("auxgen"));
	before = now_ns();
	ASSERT_EQ(0, module_insert("auxgen", ""));
	ASSERT_LT(0, notices_read(self->fd, &self->notices));
	notice = notices_next(&self->notices);
	ASSERT_NE(NULL, notice);
	id = notice_id(notice);
	EXPECT_EQ(PERFAUX_NOTICE_MODULE, notice->type);
	EXPECT_TRUE(id_equal(&expected, &id))
		TH_LOG("%s, not %s", id_text(&id), id_text(&expected));
	EXPECT_EQ(module_start("auxgen"), notice->start);
	EXPECT_LT(0, notice->length);
	EXPECT_EQ(UINT32_MAX, notice->pid);
	EXPECT_EQ(UINT32_MAX, notice->tid);
	EXPECT_STREQ("auxgen", notice_name(notice));
	/* perf's clock and this clock start together and differ little. */
	EXPECT_LT(before - 1000000000, notice->time);
	EXPECT_GT(now_ns() + 1000000000, notice->time);
	EXPECT_EQ(NULL, notices_next(&self->notices));
}

/* The code of the module ran, so a trace of it may exist. */
TEST_F(modules, module_that_fails)
{
	const struct perfaux_notice *notice;

	ASSERT_EQ(0, module_remove_wait("auxgen"));
	ASSERT_EQ(-EINVAL, module_insert("auxgen", "name="));
	ASSERT_LT(0, notices_read(self->fd, &self->notices));
	notice = notices_next(&self->notices);
	ASSERT_NE(NULL, notice);
	EXPECT_EQ(PERFAUX_NOTICE_MODULE, notice->type);
	EXPECT_EQ(0, notice->id_size);
	EXPECT_NE(0, notice->start);
	EXPECT_LT(0, notice->length);
	EXPECT_STREQ("auxgen", notice_name(notice));
	EXPECT_EQ(NULL, notices_next(&self->notices));
	EXPECT_EQ(0, module_insert("auxgen", ""));
}

TEST_HARNESS_MAIN
