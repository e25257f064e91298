// SPDX-License-Identifier: GPL-2.0-only
/*
 * Defaults that perf sets for some PMUs before the user's terms, and values that
 * their drivers are known to refuse, so that the message says more than EINVAL.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"

static void set(struct auxrec_event *ev, const struct pmu *pmu,
		const char *term, __u64 value)
{
	const struct pmu_format *format = pmu_format(pmu, term);

	if (format && format->config >= 0)
		pmu_format_set(format, ev_config(ev, format->config), value);
}

/* Return the highest set bit up to @wanted, or else the lowest set bit above it. */
static int nearest_bit(unsigned int bits, int wanted)
{
	unsigned int low = bits & ((2U << wanted) - 1);

	return low ? 31 - __builtin_clz(low) : __builtin_ctz(bits);
}

/* As in perf, exclude guests if KVM lets them trace themselves (pt_mode 1, host-guest mode). */
static bool pt_excludes_guest(const char *sysfs)
{
	char path[PATH_MAX];
	char mode[8];

	if (snprintf(path, sizeof(path),
		     "%s/module/kvm_intel/parameters/pt_mode", sysfs) >=
	    (int)sizeof(path))
		return false;
	return !read_line_file(path, mode, sizeof(mode)) && !strcmp(mode, "1");
}

/*
 * Enable the timestamps that cost little. A decoder needs TSC to order the trace
 * relative to other records, MTC to refine the order, and PSB to start. caps/ tells
 * what the CPU has; its files "..._periods" are bit masks of the values that the CPU takes.
 * 3 is a medium value.
 */
static void intel_pt_default(struct auxrec_event *ev, const struct pmu *pmu,
			     const char *sysfs)
{
	bool mtc = pmu_read_number(pmu, "caps/mtc", 10, 1);
	bool psb = pmu_read_number(pmu, "caps/psb_cyc", 10, 1);
	unsigned int mtc_periods = 0, psb_periods = 0;

	set(ev, pmu, "tsc", 1);
	if (mtc)
		mtc_periods = pmu_read_number(pmu, "caps/mtc_periods", 16, 0);
	if (mtc_periods) {
		set(ev, pmu, "mtc", 1);
		set(ev, pmu, "mtc_period", nearest_bit(mtc_periods, 3));
	}
	if (psb && mtc_periods)
		psb_periods = pmu_read_number(pmu, "caps/psb_periods", 16, 0);
	if (psb_periods)
		set(ev, pmu, "psb_period", nearest_bit(psb_periods, 3));
	/* An event with "pt" records branches only if it also has "branch". */
	if (pmu_format(pmu, "pt") && pmu_format(pmu, "branch")) {
		set(ev, pmu, "pt", 1);
		set(ev, pmu, "branch", 1);
	}
	ev->attr.sample_period = 1;
	ev->attr.exclude_guest = pt_excludes_guest(sysfs);
}

static bool is_intel_pt(const struct pmu *pmu)
{
	return !strcmp(pmu->name, "intel_pt");
}

void ev_pmu_default(struct auxrec_event *ev, const struct pmu *pmu,
		    const char *sysfs)
{
	if (is_intel_pt(pmu))
		intel_pt_default(ev, pmu, sysfs);
	/* The period is the interval between sampled operations. */
	if (!strncmp(pmu->name, "arm_spe_", 8))
		ev->attr.sample_period =
			pmu_read_number(pmu, "caps/min_interval", 10, 4096);
}

/* Check the value of a term that must be 0 or a bit that is set in a file of caps/. */
static int check_bits(struct ev_ctx *ctx, struct auxrec_event *ev,
		      const struct pmu *pmu, struct ev_text at,
		      const char *term, const char *caps, const char *needs)
{
	const struct pmu_format *format = pmu_format(pmu, term);
	struct ev_buf list = { 0 };
	__u64 valid, value;

	if (!format || format->config < 0)
		return 0;
	valid = pmu_read_number(pmu, caps, 16, 0);
	if (!pmu_read_number(pmu, needs, 10, 1))
		valid = 0;
	valid |= 1;
	value = pmu_format_get(format, *ev_config(ev, format->config));
	if (value < 64 && valid >> value & 1)
		return 0;
	for (int i = 0; i < 64; i++) {
		if (valid >> i & 1)
			ev_printf(&list, "%s%d", list.len ? ", " : "", i);
	}
	return ev_fail(ctx, at.p, -ERANGE,
		       "this CPU does not accept %s=%llu; there are: %s", term,
		       (unsigned long long)value, list.s);
}

int ev_pmu_check(struct ev_ctx *ctx, struct auxrec_event *ev,
		 const struct pmu *pmu, struct ev_text at)
{
	int ret;

	if (!is_intel_pt(pmu))
		return 0;
	/* The driver refuses "branch" without "pt". As in perf, set "pt" if the user cleared it. */
	if (pmu_format(pmu, "pt"))
		set(ev, pmu, "pt", 1);
	ret = check_bits(ctx, ev, pmu, at, "cyc_thresh",
			 "caps/cycle_thresholds", "caps/psb_cyc");
	if (!ret)
		ret = check_bits(ctx, ev, pmu, at, "mtc_period",
				 "caps/mtc_periods", "caps/mtc");
	if (!ret)
		ret = check_bits(ctx, ev, pmu, at, "psb_period",
				 "caps/psb_periods", "caps/psb_cyc");
	return ret;
}
