// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding out which events have AUX data, and in which format the stream has it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../module/event/aux_pmus.h"
#include "base/util.h"
#include "event/aux.h"
#include "event/event.h"

static const struct pa_aux_pmu *known_pmu(const struct auxrec_event *ev)
{
	return ev->pmu ? pa_aux_pmu_find(ev->pmu) : NULL;
}

enum aux_format event_aux_format(const struct auxrec_event *ev)
{
	const struct pa_aux_pmu *known = known_pmu(ev);

	return known && known->intel_pt ? AUX_INTEL_PT : AUX_CHUNKS;
}

const char *event_aux_refused(const struct auxrec_event *ev)
{
	const struct pa_aux_pmu *known = known_pmu(ev);

	return known ? known->refused : NULL;
}

/*
 * Open an event of the PMU. A user without permission to record the kernel gets an event of user
 * space, which has the same PMU.
 */
static int probe_open(const struct auxrec_event *ev)
{
	struct perf_event_attr attr = ev->attr;
	int fd = -1, user;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.freq = 0;
	attr.sample_period = 1;
	for (user = 0; user < 2; user++) {
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && errno != EACCES && errno != EPERM)
			fd = syscall(SYS_perf_event_open, &attr, -1,
				     ev->cpus ? atoi(ev->cpus) : 0, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0 || (errno != EACCES && errno != EPERM) || attr.exclude_kernel)
			break;
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
	}
	return fd;
}

/*
 * Does a PMU have AUX data? sysfs does not tell, so try to map an AUX area: rb_alloc_aux() fails
 * with EOPNOTSUPP exactly if the PMU has no setup_aux(). If the limit of locked memory is reached,
 * perf_mmap() fails before that. An event that cannot be opened here cannot be recorded either;
 * the code that opens it for recording reports why.
 */
static bool probe_aux(const struct auxrec_event *ev)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *pg;
	const int fd = probe_open(ev);
	int err = 0;
	void *aux;

	if (fd < 0)
		return false;
	pg = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pg == MAP_FAILED) {
		err = errno;
	} else {
		pg->aux_offset = 2 * page;
		pg->aux_size = page;
		aux = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2 * page);
		if (aux == MAP_FAILED)
			err = errno;
		else
			munmap(aux, page);
		munmap(pg, 2 * page);
	}
	close(fd);
	if (err == EPERM || pg == MAP_FAILED) {
		say("%s: cannot tell whether its PMU has AUX data (%s), so none is recorded: raise ulimit -l or /proc/sys/kernel/perf_event_mlock_kb",
		    ev->name, strerror(err));
		return false;
	}
	return err != EOPNOTSUPP;
}

bool event_has_aux(const struct auxrec_event *ev)
{
	/* Types below PERF_TYPE_MAX are perf's own. Other PMUs have a dynamic type. */
	if (!ev->pmu || ev->attr.type < PERF_TYPE_MAX)
		return false;
	return known_pmu(ev) || probe_aux(ev);
}
