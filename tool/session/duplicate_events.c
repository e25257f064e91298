// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find twins, two events of a session that are the same event: the kernel can give samples of one
 * the id of the other, see session/same_event.h. Warn the user, and give both the same fields, so
 * that samples can be read as samples of either.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/same_event.h"
#include "session/session.h"
#include "trigger/trigger.h"

/*
 * Can this kernel mix the ids of twins? Nothing in the interface tells this. But the first version
 * that mixes them (6.3) is also the first one with attr.config3, and perf_copy_attr() of an older
 * kernel returns E2BIG for config3.
 */
static bool kernel_mixes_them(void)
{
	const struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	__u64 attr[AUXREC_ATTR_SIZE / sizeof(__u64)];
	int fd;

	auxrec_attr(&dummy, 1, 0, (unsigned char *)attr);
	fd = syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != E2BIG;
}

static const char *what(const struct sev *sev)
{
	return sev->trigger ? "--trigger event=" : "-e ";
}

static int refuse(const struct sev *a, const struct sev *b, const char *why, struct diag *d)
{
	if (!kernel_mixes_them())
		return 0;
	return diag(d, -EINVAL,
		    "%s%s and %s%s are the same event, and the kernel (6.3 and later) may give samples of one the id of the other, but %s",
		    what(a), a->name, what(b), b->name, why);
}

static int unite(struct sev *a, struct sev *b, struct diag *d)
{
	/* The values of READ depend on the event that took the sample, not on the sample's id. */
	if ((a->attr.sample_type | b->attr.sample_type) & PERF_SAMPLE_READ)
		return refuse(a, b, "only one can be read with modifier S: leave that out, or the other event",
			      d);
	if (!attr_unite(&a->attr, &b->attr))
		return refuse(a, b,
			      "only one event's samples would tell how many occurrences they stand for: give both a period= or both a freq= (for -e, -c or -F as well)",
			      d);
	return 0;
}

static void warn(const struct session *s, const struct sev *a, const struct sev *b)
{
	/* If both are triggers, or both are recorded, no sample is missed. */
	if (a->trigger && !b->trigger)
		say("--trigger %s: when -e %s has a sample of the same moment, the kernel (6.3 and later) may give the trigger's sample the id of the other event; the trigger is then missed, or noticed late with a raw ring: record another event",
		    a->trigger->name, b->name);
	else if (!s->opt->quiet)
		say("%s%s and %s%s are the same event: when both have a sample of the same moment, the kernel (6.3 and later) may give both samples the id of one event",
		    what(a), a->name, what(b), b->name);
}

int session_unite_twins(struct session *s, struct diag *d)
{
	size_t i, k;

	for (i = 0; i < s->nr_sev; i++) {
		for (k = i + 1; k < s->nr_sev; k++) {
			struct sev *a = &s->sev[i], *b = &s->sev[k];
			int err;

			if (!attr_are_twins(&a->attr, &b->attr))
				continue;
			err = unite(a, b, d);
			if (err)
				return err;
			warn(s, a, b);
		}
	}
	return 0;
}
