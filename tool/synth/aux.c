// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make AUXTRACE_INFO, which tells perf's decoders about the PMU. Its layout is that
 * of perf's intel-pt.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include("cpuid.h")
#include <cpuid.h>
#endif

#include "pmu/pmu.h"
#include "stream/records.h"
#include "stream/build.h"
#include "synth/synth.h"

/* How readers learn which task ran on a CPU: not at all, or from SWITCH records. */
enum {
	SWITCH_NONE		= 0,
	SWITCH_CPU_WIDE		= 3,
};

/*
 * Set @pmu to the PMU of an event, or to NULL if sysfs cannot be read. The caller must free the
 * set. Return 0 or -ENOMEM.
 */
static int find_pmu(struct pmu_set *set, const struct sev *sev, const struct pmu **pmu)
{
	struct pmu *found;
	int err = pmu_set_read(set, "/sys");

	*pmu = NULL;
	if (err)
		return err == -ENOMEM ? err : 0;
	found = pmu_find(set, sev->ev->pmu);
	err = found ? pmu_load(found) : 0;
	if (!err)
		*pmu = found;
	return err == -ENOMEM ? err : 0;
}

/* Return the mask of a term of "config", or 0 if the PMU has no such term. */
static __u64 format_bits(const struct pmu *pmu, const char *name)
{
	const struct pmu_format *format = pmu ? pmu_format(pmu, name) : NULL;

	return format && !format->config ? format->bits : 0;
}

static __u64 pmu_number(const struct pmu *pmu, const char *file)
{
	return pmu ? pmu_read_number(pmu, file, 0, 0) : 0;
}

/* Read the ratio of TSC to crystal clock: CPUID leaf 15H, EBX / EAX. */
static void tsc_ctc_ratio(__u32 *n, __u32 *d)
{
	*n = 0;
	*d = 0;
#if __has_include("cpuid.h")
	{
		unsigned int a = 0, b = 0, c, e;

		if (__get_cpuid(0x15, &a, &b, &c, &e)) {
			*n = b;
			*d = a;
		}
	}
#endif
}

static void get_time_conv(const struct session *s, struct time_conv *tc)
{
	memset(tc, 0, sizeof(*tc));
	if (s->nr_rings)
		mainring_time_conv(&s->rings[0], tc);
	/* perf's readers need all of these fields, or none. */
	if (!tc->cap_zero)
		memset(tc, 0, sizeof(*tc));
}

static void add_time_conv(struct session *s, const struct sev *sev)
{
	struct time_conv tc;

	get_time_conv(s, &tc);
	build_add_u64(&s->out, sev->attr.type);
	build_add_u64(&s->out, tc.shift);
	build_add_u64(&s->out, tc.mult);
	build_add_u64(&s->out, tc.zero);
	build_add_u64(&s->out, tc.cap_zero);
}

static void intel_pt(struct session *s, const struct sev *sev, const struct pmu *pmu)
{
	const char *filter = sev->ev->filter;
	size_t filter_len = filter ? strlen(filter) : 0;
	bool per_cpu = !session_per_task(s);
	const __u64 tsc = format_bits(pmu, "tsc");
	/* Without TSC, readers cannot relate the trace to the times of switches. */
	bool switches = per_cpu && (sev->attr.config & tsc);
	__u32 n, d;

	tsc_ctc_ratio(&n, &d);
	build_begin(&s->out, REC_AUXTRACE_INFO, 0);
	build_add_u32(&s->out, REC_AUX_INTEL_PT);
	build_add_u32(&s->out, 0);
	add_time_conv(s, sev);
	build_add_u64(&s->out, tsc);
	build_add_u64(&s->out, format_bits(pmu, "noretcomp"));
	build_add_u64(&s->out, switches ? SWITCH_CPU_WIDE : SWITCH_NONE);
	build_add_u64(&s->out, 0);				/* no snapshot */
	build_add_u64(&s->out, per_cpu);
	build_add_u64(&s->out, format_bits(pmu, "mtc"));
	build_add_u64(&s->out, format_bits(pmu, "mtc_period"));
	build_add_u64(&s->out, n);
	build_add_u64(&s->out, d);
	build_add_u64(&s->out, format_bits(pmu, "cyc"));
	build_add_u64(&s->out, pmu_number(pmu, "max_nonturbo_ratio"));
	/* The length excludes the NUL and the padding. */
	build_add_u64(&s->out, filter_len);
	if (filter_len)
		build_add_name(&s->out, filter);
	build_add_u64(&s->out, pmu_number(pmu, "caps/event_trace"));
}

int synth_auxtrace_info(struct session *s)
{
	struct pmu_set set = { .nr = 0 };
	const struct pmu *pmu;
	size_t i = 0;
	int err;

	while (i < s->nr_sev && s->sev[i].aux != AUX_INTEL_PT)
		i++;
	if (i == s->nr_sev)
		return 0;
	err = find_pmu(&set, &s->sev[i], &pmu);
	if (!err) {
		intel_pt(s, &s->sev[i], pmu);
		err = build_end(&s->out);
	}
	pmu_set_free(&set);
	return err;
}
