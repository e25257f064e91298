// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/record/file_list.c: no name is used twice, and no other file is replaced. All files
 * are complete in the same hundredth of a second.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../tap.h"
#include "../flight/wrap.h"
#include "record/file_list.h"

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ .tv_sec = 1000000, .tv_nsec = 50000000 };
	return 0;
}

static void put(const char *path, const char *text)
{
	const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

static bool has(const char *path, const char *text)
{
	const int fd = open(path, O_RDONLY);
	char buf[32] = "";

	if (fd < 0)
		return false;
	if (read(fd, buf, sizeof(buf) - 1) < 0)
		buf[0] = '\0';
	close(fd);
	return !strcmp(buf, text);
}

int main(void)
{
	char dir[] = "/tmp/test_file_list.XXXXXX", command[64];
	struct file_list l = { .names = NULL };
	int fd;

	setenv("TZ", "UTC", 1);
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	put("f.1970011213464005", "of another recorder");
	put("f", "one");
	fd = file_list_next(&l, "f");
	tap_report(fd >= 0 && has("f.1970011213464005", "of another recorder") &&
		   has("f.1970011213464005-1", "one") && has("f", ""),
		   "a file that exists is not replaced");
	close(fd);
	tap_report(!file_list_complete(&l, "f") && has("f.1970011213464005-2", "") &&
		   access("f", F_OK), "the next file of the same moment has another name");
	tap_report(file_list_complete(&l, "f") < 0 && l.nr == 2, "a file that is missing");
	file_list_limit(&l, 1);
	tap_report(l.nr == 1 && l.removed == 1 && access("f.1970011213464005-1", F_OK) &&
		   has("f.1970011213464005", "of another recorder"),
		   "only files of this recording are removed, the oldest first");
	file_list_free(&l);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || tap_end();
}
