// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test of a kernel that is locked down for confidentiality: notices tell that a
 * module was loaded and its id, but not its address. Only a reboot ends the
 * lockdown, so this is the last suite of a VM.
 */
#define _GNU_SOURCE
#include <fcntl.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

#define LOCKDOWN	"/sys/kernel/security/lockdown"
/* The kernel's own modules are signed; no others can be loaded then. */
#define MODULE		"msr"

/* Load MODULE and get its notice. Returns 0 or what failed. */
static const char *load(int fd, struct perfaux_notice *told)
{
	struct notices notices = { 0 };
	const struct perfaux_notice *notice;
	const char *error = "no notice of it";

	if (system("modprobe -r " MODULE "; modprobe " MODULE))
		return "modprobe failed";
	if (notices_read(fd, &notices) <= 0)
		return "no notices";
	for (notice = notices_next(&notices); notice; notice = notices_next(&notices)) {
		if (notice->type != PERFAUX_NOTICE_MODULE || strcmp(notice_name(notice), MODULE))
			continue;
		*told = *notice;
		error = NULL;
	}
	free(notices.buf);
	return error;
}

TEST(address)
{
	struct perfaux_notice before, after;
	char state[128] = "";
	int fd;

	if (access(LOCKDOWN, W_OK))
		SKIP(return, "the kernel has no lockdown");
	ASSERT_EQ(0, file_read(LOCKDOWN, state, sizeof(state)));
	ASSERT_NE(NULL, strstr(state, "[none]"))
		TH_LOG("%s", state);
	fd = ids_open(0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(NULL, load(fd, &before));
	EXPECT_NE(0, before.start);
	EXPECT_LT(0, before.length);
	ASSERT_EQ(0, file_write(LOCKDOWN, "confidentiality"));
	ASSERT_EQ(NULL, load(fd, &after));
	EXPECT_EQ(0, after.start);
	EXPECT_EQ(before.length, after.length);
	EXPECT_EQ(before.id_size, after.id_size);
	close(fd);
}

TEST_HARNESS_MAIN
