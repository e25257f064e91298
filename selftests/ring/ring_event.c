// SPDX-License-Identifier: GPL-2.0-only
/* Events of auxgen. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_lib.h"

int auxgen_type(void)
{
	char text[32];

	if (file_read("/sys/bus/event_source/devices/auxgen/type", text,
		      sizeof(text)))
		return -1;
	return atoi(text);
}

int auxgen_open(const struct auxgen_config *config, pid_t pid, int cpu,
		unsigned int flags)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = auxgen_type(),
		.config = config->config,
		.config1 = config->period,
		.disabled = !(flags & EV_ENABLED),
		.inherit = !!(flags & EV_INHERIT),
		.pinned = !!(flags & EV_PINNED),
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int event_enable(int event)
{
	return ioctl(event, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int event_disable(int event)
{
	return ioctl(event, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}
