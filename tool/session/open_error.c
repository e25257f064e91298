// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tell why an event cannot be opened or attached, and what to do instead. The kernel
 * returns no more than an errno; the rest follows from what was asked for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "origin/clock_name.h"
#include "session/session.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define PARANOID_NONE	(-2)		/* the file cannot be read */

/* The kernel's own error number, which user space can see all the same */
#define KERNEL_ENOTSUPP	524

static int paranoid_level(void)
{
	char line[32];

	if (slurp_line(PARANOID, line, sizeof(line)))
		return PARANOID_NONE;
	return atoi(line);
}

/* Follow the kernel's perf_allow_*(), from the strictest rule to the weakest one. */
static int permission_error(const struct session *s, const struct sev *sev,
			    pid_t tid, int err, struct diag *d)
{
	const int level = paranoid_level();
	/* The user did not ask for the sideband, which is opened first. */
	const char *name = sev->ev ? sev->name : s->sev[0].name;

	if (!geteuid())
		return diag(d, err,
			    "%s: no permission, though you are root: CAP_PERFMON is missing (a container?), or a security policy forbids perf events",
			    name);
	/*
	 * Levels from 3 on come from a patch of Debian and others; the kernel itself has
	 * levels up to 2.
	 */
	if (level >= 3)
		return diag(d, err,
			    "%s: no permission: perf_event_paranoid is %d, then only root may record. With 2 you may record your own processes: sysctl kernel.perf_event_paranoid=2",
			    name, level);
	if (s->opt->system_wide && level >= 1)
		return diag(d, err,
			    "%s: no permission: only root may record whole CPUs (-a, -C) unless perf_event_paranoid is 0 or less, and it is %d. You may record a command or your own processes",
			    name, level);
	if (sev->attr.type == PERF_TYPE_TRACEPOINT && level >= 0)
		return diag(d, err,
			    "%s: no permission: only root may record tracepoints unless perf_event_paranoid is -1, and it is %d",
			    name, level);
	if (!sev->attr.exclude_kernel && level >= 2)
		return diag(d, err,
			    "%s: no permission: only root may record the kernel unless perf_event_paranoid is 1 or less, and it is %d. You may record user space: %s",
			    name, level, s->opt->kernel ?
			    "leave --kernel out" : "with :u or --user");
	if (s->opt->nr_targets)
		return diag(d, err,
			    "%s: no permission: thread %d is another user's, or may not be traced: record it as root",
			    name, tid);
	return diag(d, err, "%s: no permission: record as root, or lower %s",
		    name, PARANOID);
}

static int missing_error(const struct sev *sev, int err, struct diag *d)
{
	const bool hardware = sev->attr.type == PERF_TYPE_HARDWARE ||
			      sev->attr.type == PERF_TYPE_HW_CACHE;

	/* Most virtual machines have no hardware counters at all. */
	if (hardware)
		return diag(d, err,
			    "%s: this machine or kernel does not have this event as asked for: 'auxrec list hw cache' shows those that it has; cpu-clock samples by time, without hardware",
			    sev->name);
	return diag(d, err,
		    "%s: this machine or kernel does not have this event as asked for",
		    sev->name);
}

bool sev_is_softpt(const struct sev *sev)
{
	char path[256];
	__u64 is = 0;

	if (!sev->ev || !sev->ev->pmu)
		return false;
	snprintf(path, sizeof(path),
		 "/sys/bus/event_source/devices/%s/caps/softpt", sev->ev->pmu);
	return !slurp_u64(path, &is) && is;
}

/* See spt_event_init(): softpt steps the tasks that it is given. */
static int softpt_error(const struct session *s, const struct sev *sev, pid_t tid,
			int err, struct diag *d)
{
	if (s->opt->system_wide)
		return diag(d, err,
			    "%s: intel_pt is softpt here, which steps programs: it cannot trace whole CPUs (-a, -C): give processes with -p, or a command",
			    sev->name);
	if (sev->attr.exclude_user)
		return diag(d, err,
			    "%s: intel_pt is softpt here, which steps programs: it cannot trace the kernel, %s",
			    sev->name, s->opt->kernel ? "leave --kernel out" :
							"record with :u");
	return diag(d, err,
		    "%s: intel_pt is softpt here, which steps programs: it cannot trace %d, which is a thread of the kernel",
		    sev->name, tid);
}

/* EINVAL: the PMU refuses the event. Name the term in the message if it can be found. */
static int refused_error(const struct session *s, const struct sev *sev, pid_t tid, int err,
			 struct diag *d)
{
	/* As in open_sev(), an AUX event of tasks is for all CPUs. */
	const int cpu = session_per_task(s) ? -1 : s->cpus.list[0];
	char terms[256];

	if (s->opt->use_clock && !clock_is_nmi_safe(s->opt->clock) &&
	    sev->attr.type != PERF_TYPE_SOFTWARE)
		return diag(d, err,
			    "%s: the kernel allows -k %s only for software events such as cpu-clock, because it cannot read this clock in an NMI: give -k mono, and perf script -F +tod prints the time of day",
			    sev->name, clock_name(s->opt->clock));
	if (sev->ev && sev->ev->cpus && session_per_task(s))
		return diag(d, err,
			    "%s: the kernel refuses the event as asked for (%s): it counts for whole CPUs, record it with -a",
			    sev->name, strerrorname_np(-err));
	switch (open_refused_term(sev, tid, cpu, terms, sizeof(terms))) {
	case TERM_ONE:
		return diag(d, err, "%s: its PMU refuses the term %s: leave it out", sev->name,
			    terms);
	case TERM_SOME:
		return diag(d, err,
			    "%s: its PMU refuses these terms, at least together: %s: leave some out",
			    sev->name, terms);
	default:
		return diag(d, err, "%s: the kernel refuses the event as asked for (%s)",
			    sev->name, strerrorname_np(-err));
	}
}

/* See perf_uprobe_event_init() and prepare_uprobe() in the kernel. */
static int probe_error(const struct sev *sev, int err, struct diag *d)
{
	if (err == -EACCES || err == -EPERM)
		return diag(d, err,
			    "%s: no permission: only root may record probes of functions (CAP_SYS_ADMIN)",
			    sev->name);
	return diag(d, err, "%s: the kernel cannot set a probe at offset %#llx of %.300s: %s",
		    sev->name, (unsigned long long)sev->ev->attr.probe_offset,
		    sev->ev->probe_file, err == -KERNEL_ENOTSUPP ?
		    "it cannot execute this instruction out of its place" : strerror(-err));
}

int open_error(const struct session *s, const struct sev *sev, pid_t tid,
	       int err, struct diag *d)
{
	if (sev->ev && sev->ev->probe_file && err != -EMFILE && err != -ENFILE)
		return probe_error(sev, err, d);
	switch (err) {
	case -EACCES:
	case -EPERM:
		return permission_error(s, sev, tid, err, d);
	case -EMFILE:
	case -ENFILE:
		return diag(d, err,
			    "%s: too many open files: raise the limit (ulimit -n), or record fewer threads or events",
			    sev->name);
	case -EOPNOTSUPP:
		if (sev_is_softpt(sev))
			return softpt_error(s, sev, tid, err, d);
		return missing_error(sev, err, d);
	case -ENOENT:
		return missing_error(sev, err, d);
	case -EINVAL:
		return refused_error(s, sev, tid, err, d);
	case -E2BIG:
		/* perf_copy_attr() in the kernel refuses fields that it does not know. */
		return diag(d, err,
			    "%s: this kernel does not know config%s: leave that out, or use %s or later",
			    sev->name, sev->ev && sev->ev->config4 ? "4" : "3",
			    sev->ev && sev->ev->config4 ? "Linux 6.17" : "Linux 6.3");
	case -EBUSY:
		return diag(d, err, "%s: busy: another program uses this PMU",
			    sev->name);
	default:
		return diag(d, err, "%s: %s", sev->name, strerror(-err));
	}
}

int attach_error(const struct session *s, const struct sev *sev, int err,
		 struct diag *d)
{
	if (err == -EOPNOTSUPP && sev->raw_ring)
		return diag(d, err,
			    "%s: its samples cannot be sent to the raw ring, the kernel's log says why: leave --raw-ring out, or give --no-raw-ring",
			    sev->name);
	switch (err) {
	case -EOPNOTSUPP:
		return diag(d, err,
			    "%s: nobody has tried its PMU with a raw ring, so it needs perf's own AUX area: record it with perf record",
			    sev->name);
	case -ENOMEM:
		return diag(d, err,
			    "%s: not enough memory, or its PMU needs segments of contiguous memory and there is none of %u KiB: give smaller ones (-m MAIN,64Kx64)",
			    sev->name, s->raw.ctl->segment_size >> 10);
	case -EBUSY:
		return diag(d, err, "%s: already attached to a raw ring",
			    sev->name);
	case -EXDEV:
		return diag(d, err,
			    "%s: one recording has AUX data of one PMU only",
			    sev->name);
	default:
		return diag(d, err, "%s: attaching to the raw ring: %s",
			    sev->name, strerror(-err));
	}
}
