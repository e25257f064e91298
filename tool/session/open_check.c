// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check, before events are opened, that the kernel can record what was asked
 * for.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session.h"

/*
 * Try to open an event of auxrec itself that needs no rights. Return 0 or
 * -errno.
 */
static int try_open(struct perf_event_attr attr)
{
	int fd;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.disabled = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/*
 * Return the error with which the kernel refuses @attr, or 0. If no event can
 * be opened at all, return 0: opening the events reports that.
 */
static int refused(struct perf_event_attr attr)
{
	const int err = try_open(attr);

	return err && !try_open((struct perf_event_attr){ .type = 0 }) ? err : 0;
}

static int check_namespaces(struct diag *d)
{
	const int err = refused((struct perf_event_attr){ .namespaces = 1 });

	switch (err) {
	case 0:
		return 0;
	case -EACCES:
	case -EPERM:
		return diag(d, err,
			    "--namespaces: no permission: it needs root or CAP_PERFMON, whatever is recorded; leave it out");
	case -EINVAL:
		return diag(d, err,
			    "--namespaces: this kernel does not report them, Linux 4.12 and later do: leave it out");
	default:
		return diag(d, err, "--namespaces: %s", strerror(-err));
	}
}

static int check_cgroups(struct diag *d)
{
	const int err = refused((struct perf_event_attr){
		.cgroup = 1, .sample_type = PERF_SAMPLE_CGROUP,
	});

	if (!err)
		return 0;
	if (err == -EINVAL)
		return diag(d, err,
			    "--all-cgroups: this kernel does not report them, Linux 5.7 and later do, with CONFIG_CGROUP_PERF: leave it out");
	return diag(d, err, "--all-cgroups: %s", strerror(-err));
}

int open_check(const struct options *opt, struct diag *d)
{
	int err = 0;

	if (opt->namespaces)
		err = check_namespaces(d);
	if (!err && opt->cgroups)
		err = check_cgroups(d);
	return err;
}
