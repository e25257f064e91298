// SPDX-License-Identifier: GPL-2.0-only
/* Tests of tool/snapfile/files.c: a long run's list of snapshots is bounded, and has the newest. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "snapfile/files.h"
#include "kselftest_harness.h"

FIXTURE(files)
{
	char dir[32];
	struct flight_files list;
};

static void path_of(const char *dir, unsigned int i, char path[64])
{
	snprintf(path, 64, "%s/%u", dir, i);
}

FIXTURE_SETUP(files)
{
	self->list = (struct flight_files){ NULL };
	snprintf(self->dir, sizeof(self->dir), "/tmp/files.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(files)
{
	flight_files_free(&self->list);
	rmdir(self->dir);
}

/* As with --keep=10: snapshots that were removed are forgotten. */
TEST_F(files, removed)
{
	const unsigned int nr = 3 * FLIGHT_FILES_MAX;
	char path[64];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		path_of(self->dir, i, path);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		flight_files_add(&self->list, path);
		ASSERT_GE(FLIGHT_FILES_MAX, self->list.nr);
		ASSERT_STREQ(path, self->list.paths[self->list.nr - 1]);
		if (i < 10)
			continue;
		path_of(self->dir, i - 10, path);
		unlink(path);
	}
	flight_files_look(&self->list);
	EXPECT_EQ(10, self->list.nr);
	EXPECT_EQ(0, self->list.forgotten);
	for (i = nr - 10; i < nr; i++) {
		path_of(self->dir, i, path);
		unlink(path);
	}
}

/* No snapshot is removed: the oldest are forgotten, and counted. */
TEST_F(files, all_stay)
{
	const unsigned int nr = 3 * FLIGHT_FILES_MAX;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		flight_files_add(&self->list, self->dir);
		ASSERT_GE(FLIGHT_FILES_MAX, self->list.nr);
	}
	EXPECT_LE(FLIGHT_FILES_MAX / 2, self->list.nr);
	EXPECT_EQ(nr, self->list.nr + self->list.forgotten);
}

TEST_HARNESS_MAIN
