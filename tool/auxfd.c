// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which PMUs have AUX data.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../module/aux_pmus.h"
#include "session.h"

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
 * sysfs does not tell. The kernel does: rb_alloc_aux() fails with EOPNOTSUPP
 * exactly if the PMU has no setup_aux().
 */
static bool probe_aux(const struct auxrec_event *ev)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = ev->attr;
	struct perf_event_mmap_page *pg;
	bool has_aux = false;
	void *aux;
	int fd;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.freq = 0;
	attr.sample_period = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fd = syscall(SYS_perf_event_open, &attr, -1,
			     ev->cpus ? atoi(ev->cpus) : 0, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;

	pg = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pg != MAP_FAILED) {
		pg->aux_offset = 2 * page;
		pg->aux_size = 4 * page;
		aux = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED,
			   fd, 2 * page);
		if (aux != MAP_FAILED)
			munmap(aux, 4 * page);
		has_aux = aux != MAP_FAILED || errno != EOPNOTSUPP;
		munmap(pg, 2 * page);
	}
	close(fd);
	return has_aux;
}

bool event_has_aux(const struct auxrec_event *ev)
{
	/* PMUs with a number of their own; the first ones are perf's ABI. */
	if (!ev->pmu || ev->attr.type < PERF_TYPE_MAX)
		return false;
	return known_pmu(ev) || probe_aux(ev);
}
