// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out why the kernel's symbols are not in /proc/kallsyms.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "synth/kallsyms.h"

#define KALLSYMS	"/proc/kallsyms"
#define RESTRICT	"/proc/sys/kernel/kptr_restrict"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* Return the level, or -1 if it cannot be read. */
static int read_level(const char *path)
{
	int level = -1;
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%d", &level) != 1)
		level = -1;
	if (f)
		fclose(f);
	return level;
}

/* Is @fd the kernel's own file? A service manager may have mounted an empty file over it. */
static bool is_of_kernel(int fd)
{
	struct statfs st;

	return !fstatfs(fd, &st) && st.f_type == PROC_SUPER_MAGIC;
}

/* Give the reason, following the kernel's kallsyms_show_value(). */
static void why_zero(char *why, size_t size)
{
	const int level = read_level(RESTRICT);

	if (level > 1)
		snprintf(why, size, RESTRICT " is %d: 0 or 1 shows addresses", level);
	else if (level == 1)
		snprintf(why, size, RESTRICT " is 1: it needs root or CAP_SYSLOG");
	else
		snprintf(why, size, PARANOID " is %d: from 2 on it needs root or CAP_SYSLOG",
			 read_level(PARANOID));
}

void kallsyms_why_hidden(char *why, size_t size)
{
	const int fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		snprintf(why, size, KALLSYMS ": %s", strerror(errno));
	else if (!is_of_kernel(fd))
		snprintf(why, size,
			 KALLSYMS " is hidden by a mount, as systemd's ProtectKernelTunables=yes makes it");
	else
		why_zero(why, size);
	if (fd >= 0)
		close(fd);
}
