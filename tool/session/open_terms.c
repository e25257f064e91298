// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the term of an event that its PMU refuses. The kernel returns EINVAL and no more, so
 * each term is tried with its default.
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/parse.h"
#include "session/session.h"

#define SYSFS	"/sys"

static __u64 *config(struct perf_event_attr *attr, int number)
{
	switch (number) {
	case 0:
		return &attr->config;
	case 1:
		return &attr->config1;
	case 2:
		return &attr->config2;
	default:
		return NULL;
	}
}

struct search {
	const struct sev *sev;
	struct auxrec_event defaults;	/* defaults of the PMU */
	pid_t tid;
	int cpu;
};

/* Return whether the event can be opened with @attr. config3 and config4 stay as they are. */
static bool opens(const struct search *search, const struct perf_event_attr *attr)
{
	const struct auxrec_event *ev = search->sev->ev;
	__u64 buf[AUXREC_ATTR_SIZE / sizeof(__u64)];
	int fd;

	auxrec_attr(attr, ev->config3, ev->config4, (unsigned char *)buf);
	fd = syscall(SYS_perf_event_open, buf, search->tid, search->cpu, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Does the PMU refuse @format? Put its name and value into @text if it is not the default. */
static bool is_refused(struct search *search, const struct pmu_format *format, char *text,
		       size_t size)
{
	struct perf_event_attr attr = search->sev->attr;
	const __u64 *from = config(&search->defaults.attr, format->config);
	__u64 *now = config(&attr, format->config);
	__u64 value, usual;

	*text = '\0';
	if (!now || !from)
		return false;
	value = pmu_format_get(format, *now);
	usual = pmu_format_get(format, *from);
	if (value == usual)
		return false;
	snprintf(text, size, "%s=%llu", format->name, (unsigned long long)value);
	pmu_format_set(format, now, usual);
	return opens(search, &attr);
}

/* Try the bits that no format names: config=0x... */
static bool is_refused_config(struct search *search, int number, char *text, size_t size)
{
	struct perf_event_attr attr = search->sev->attr;
	const __u64 *from = config(&search->defaults.attr, number);
	__u64 *now = config(&attr, number);
	__u64 usual;

	if (!now || !from || *now == *from)
		return false;
	usual = *from;
	snprintf(text, size, "config%.*d=%#llx", number ? 1 : 0, number,
		 (unsigned long long)*now);
	*now = usual;
	return opens(search, &attr);
}

static bool search_configs(struct search *search, char *text, size_t size)
{
	char one[64];
	int i;

	for (i = 0; i <= 2; i++) {
		if (!is_refused_config(search, i, one, sizeof(one)))
			continue;
		snprintf(text, size, "%s", one);
		return true;
	}
	return false;
}

static bool search_terms(struct search *search, const struct pmu *pmu, char *text, size_t size)
{
	char one[128];
	size_t i, len = 0;

	*text = '\0';
	for (i = 0; i < pmu->nr_formats; i++) {
		const bool found = is_refused(search, &pmu->formats[i], one, sizeof(one));

		if (found) {
			snprintf(text, size, "%s", one);
			return true;
		}
		if (*one && len < size)
			len += snprintf(text + len, size - len, "%s%s", len ? ", " : "", one);
	}
	return false;
}

enum open_term open_refused_term(const struct sev *sev, pid_t tid, int cpu, char *text,
				 size_t size)
{
	struct search search = { .sev = sev, .tid = tid, .cpu = cpu };
	enum open_term which = TERM_UNKNOWN;
	struct pmu_set set;
	struct pmu *pmu;

	*text = '\0';
	if (!sev->ev || !sev->ev->pmu || pmu_set_read(&set, SYSFS))
		return TERM_UNKNOWN;
	pmu = pmu_find(&set, sev->ev->pmu);
	if (pmu && !pmu_load(pmu)) {
		ev_pmu_default(&search.defaults, pmu, SYSFS);
		if (search_terms(&search, pmu, text, size) || search_configs(&search, text, size))
			which = TERM_ONE;
		else if (*text)
			which = TERM_SOME;
	}
	pmu_set_free(&set);
	return which;
}
