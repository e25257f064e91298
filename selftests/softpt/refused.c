// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print what softpt's own event_init() returns for events that auxrec does not even
 * try: of the kernel, of a whole CPU, of a kernel thread. There is one line for each
 * event, with its name and the errno. The last line is for an event that softpt accepts.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* kthreadd */
#define KTHREAD	2

static unsigned int type;

static void try(const char *name, pid_t pid, int cpu, int exclude_user, int exclude_kernel)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_user = exclude_user,
		.exclude_kernel = exclude_kernel,
	};
	const int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	printf("%s %d\n", name, fd < 0 ? errno : 0);
	if (fd >= 0)
		close(fd);
}

int main(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/intel_pt/type", "r");

	if (!f || fscanf(f, "%u", &type) != 1) {
		perror("intel_pt");
		return 1;
	}
	fclose(f);
	try("kernel", 0, -1, 1, 0);
	try("cpu", -1, 0, 0, 1);
	try("kthread", KTHREAD, -1, 0, 1);
	try("user", 0, -1, 0, 1);
	return 0;
}
