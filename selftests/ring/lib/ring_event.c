// SPDX-License-Identifier: GPL-2.0-only
/* Events of auxgen and of PMUs like it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring_lib.h"

int pmu_type(const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type",
		 name);
	if (file_read(path, text, sizeof(text)))
		return -1;
	return atoi(text);
}

const char *auxgen_name(void)
{
	const char *name = getenv("AUXGEN");

	return name && *name ? name : "auxgen";
}

int auxgen_type(void)
{
	return pmu_type(auxgen_name());
}

int pmu_open(const char *pmu, const struct auxgen_config *config, pid_t pid,
	     int cpu, unsigned int flags)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = pmu_type(pmu),
		.config = config->config,
		.config1 = config->period,
		.aux_watermark = (flags >> 8) * 1024,
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

int auxgen_open(const struct auxgen_config *config, pid_t pid, int cpu,
		unsigned int flags)
{
	return pmu_open(auxgen_name(), config, pid, cpu, flags);
}

int pt_attach(struct ring *ring, pid_t pid)
{
	/* The terms pt, tsc and branch, see the PMU's format/ */
	const struct auxgen_config config = { .config = 1 | 1 << 10 | 1 << 13 };
	int event = pmu_open("intel_pt", &config, pid, -1, 0), ret;

	if (event < 0)
		return event;
	ret = ring_attach(ring, event, 1) ?: event_enable(event);
	if (!ret)
		return event;
	close(event);
	return ret;
}

int event_enable(int event)
{
	return ioctl(event, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int event_disable(int event)
{
	return ioctl(event, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}
