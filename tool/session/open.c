// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open the events: one descriptor per event, task and CPU, and a main ring per CPU. When tasks are
 * recorded, an AUX event has one descriptor per task, for all CPUs, which writes to the raw ring.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/raw_size.h"
#include "session/session.h"

/* The fewest segments of a raw ring that is smaller than the default */
#define RAW_MIN_SEGS	4
/* How long events are enabled or disabled before the rings are read again */
#define SWITCH_NS	10000000ULL

static int sys_open(const void *attr, pid_t pid, int cpu, int group)
{
	int fd;

	fd = syscall(SYS_perf_event_open, attr, pid, cpu, group,
		     PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Does the kernel know PERF_FORMAT_LOST? Try a software event, because another PMU may return
 * EINVAL for another reason.
 */
static bool knows_lost(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY, .read_format = PERF_FORMAT_LOST,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	static int known = -1;
	int fd;

	if (known < 0) {
		fd = sys_open(&attr, 0, -1, -1);
		known = fd != -EINVAL;
		if (fd >= 0)
			close(fd);
	}
	return known;
}

/*
 * Drop one feature that an older kernel may not have, the newest one first. Return false if none is
 * left.
 */
static bool drop_newest(struct sev *sev)
{
	struct perf_event_attr *attr = &sev->attr;

	/*
	 * Features that the user asked for are not dropped: open_check() has seen that the kernel
	 * knows them.
	 */
	if (attr->read_format & PERF_FORMAT_LOST && !knows_lost())
		attr->read_format &= ~(__u64)PERF_FORMAT_LOST;
	else if (attr->build_id)
		attr->build_id = 0;
	else if (attr->bpf_event)
		attr->bpf_event = 0;
	else if (attr->ksymbol)
		attr->ksymbol = 0;
	else if (attr->exclude_guest && !sev->ev->attr.exclude_guest)
		attr->exclude_guest = 0;
	else
		return false;
	return true;
}

/* As perf does, record only user space if the user has no right to record the kernel. */
static bool drop_kernel(struct sev *sev)
{
	if (sev->attr.exclude_kernel || sev->attr.exclude_user ||
	    (sev->ev && sev->ev->has_modifier))
		return false;
	sev->attr.exclude_kernel = 1;
	sev->attr.exclude_hv = 1;
	sev->kernel_dropped = true;
	return true;
}

/*
 * Newer kernels (7.2) do not let users record the kernel's part of call chains. An event without
 * the kernel has samples, and so chains, of user space only.
 */
static bool drop_kernel_chains(struct sev *sev)
{
	if (!(sev->attr.sample_type & PERF_SAMPLE_CALLCHAIN) || !sev->attr.exclude_kernel ||
	    sev->attr.exclude_callchain_kernel)
		return false;
	sev->attr.exclude_callchain_kernel = 1;
	return true;
}

/* Modifier P asks for the highest precision that the PMU has, which can be 0. */
static bool drop_precision(struct sev *sev)
{
	if (!sev->ev || !sev->ev->precise_max || !sev->attr.precise_ip)
		return false;
	sev->attr.precise_ip--;
	return true;
}

/* The attr to open the event with. The stream's attr has no address of a probe's file. */
static void open_attr(const struct sev *sev, __u64 attr[AUXREC_ATTR_SIZE / sizeof(__u64)])
{
	sev_attr(sev, (unsigned char *)attr);
	if (sev->ev && sev->ev->probe_file)
		attr[offsetof(struct perf_event_attr, uprobe_path) / sizeof(__u64)] =
			(unsigned long)sev->ev->probe_file;
}

static int open_retry(struct sev *sev, pid_t tid, int cpu, int group)
{
	__u64 attr[AUXREC_ATTR_SIZE / sizeof(__u64)];
	int fd;

	for (;;) {
		open_attr(sev, attr);
		fd = sys_open(attr, tid, cpu, group);
		/*
		 * All descriptors of an event must be alike, so change nothing after the
		 * first one.
		 */
		if (sev->nr_fds)
			return fd;
		if (fd == -EINVAL && drop_newest(sev))
			continue;
		if ((fd == -EACCES || fd == -EPERM) &&
		    (drop_kernel(sev) || drop_kernel_chains(sev)))
			continue;
		if ((fd == -EINVAL || fd == -EOPNOTSUPP || fd == -ENOENT) &&
		    drop_precision(sev))
			continue;
		return fd;
	}
}

static int set_filter(const struct sev *sev, int fd, struct diag *d)
{
	const struct auxrec_event *ev = sev->ev;
	const char *typed = ev->filter_typed ?: ev->filter;

	if (!ioctl(fd, PERF_EVENT_IOC_SET_FILTER, ev->filter))
		return 0;
	if (errno == EOPNOTSUPP)
		return diag(d, -errno,
			    "%s: the PMU cannot do the filter '%s': it has too many ranges, a single address to start or stop at, or a file for whole CPUs",
			    sev->name, typed);
	if (errno != EINVAL)
		return diag(d, -errno, "%s: filter '%s': %s", sev->name,
			    typed, strerror(errno));
	if (ev->tp_system)
		return diag(d, -EINVAL,
			    "%s: the kernel does not understand the filter '%s'; fields are in tracefs, events/%s/%s/format",
			    sev->name, typed, ev->tp_system, ev->tp_name);
	return diag(d, -EINVAL,
		    "%s: the kernel does not accept the filter '%s': it is wrong, or this PMU has no filters",
		    sev->name, typed);
}

static int keep_fd(struct sev *sev, int fd, int cpu, pid_t tid, struct diag *d)
{
	struct opened *o;

	if (grow((void **)&sev->fds, sev->nr_fds, sizeof(*sev->fds))) {
		close(fd);
		return diag(d, -ENOMEM, "out of memory");
	}
	o = &sev->fds[sev->nr_fds++];
	*o = (struct opened){ .fd = fd, .cpu = cpu, .tid = tid };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &o->id))
		return diag(d, -errno, "%s: no id: %s", sev->name,
			    strerror(errno));
	return sev->ev && sev->ev->filter ? set_filter(sev, fd, d) : 0;
}

/* Return the descriptor of the group's leader for the same task and CPU, or -1. */
static int group_fd(const struct session *s, const struct sev *sev, pid_t tid,
		    int cpu)
{
	size_t i, j;

	if (sev->group < 0 || sev->leader)
		return -1;
	for (i = 0; i < s->nr_sev; i++) {
		const struct sev *l = &s->sev[i];

		if (!l->leader || l->group != sev->group)
			continue;
		for (j = 0; j < l->nr_fds; j++)
			if (l->fds[j].tid == tid && l->fds[j].cpu == cpu &&
			    l->fds[j].fd >= 0)
				return l->fds[j].fd;
	}
	return -1;
}

/*
 * A default size that exceeds the limit of locked memory is reduced. A size that the
 * user gave is not.
 */
static int map_main(struct session *s, struct mainring *r, int fd, int cpu,
		    struct diag *d)
{
	size_t bytes = s->opt->main_bytes;
	int err;

	if (bytes) {
		err = mainring_map(r, fd, cpu, bytes);
	} else {
		const size_t page = sysconf(_SC_PAGESIZE);

		bytes = s->nr_rings ? s->rings[0].size : session_main_bytes(s);
		do {
			err = mainring_map(r, fd, cpu, bytes);
			bytes /= 2;
		} while (err == -EPERM && bytes >= page);
	}
	if (err == -EPERM)
		return diag(d, err,
			    "main rings of this size are more than you may lock: give smaller ones with -m, or raise /proc/sys/kernel/perf_event_mlock_kb or ulimit -l");
	if (err)
		return diag(d, err, "mapping a main ring: %s", strerror(-err));
	return 0;
}

static int attach_main(struct session *s, int fd, int cpu, struct diag *d)
{
	struct mainring *r;
	size_t i;
	int err;

	for (i = 0; i < s->nr_rings; i++) {
		if (s->rings[i].cpu != cpu)
			continue;
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, s->rings[i].fd))
			return diag(d, -errno,
				    "joining the main ring of CPU %d: %s", cpu,
				    strerror(errno));
		return 0;
	}

	if (grow((void **)&s->rings, s->nr_rings, sizeof(*s->rings)))
		return diag(d, -ENOMEM, "out of memory");
	r = &s->rings[s->nr_rings];
	err = map_main(s, r, fd, cpu, d);
	if (!err)
		s->nr_rings++;
	return err;
}

static int attach_raw(struct session *s, const struct sev *sev, int fd,
		      struct diag *d)
{
	int err = rawring_attach(&s->raw, fd,
				 sev->raw_ring ? PERFAUX_ATTACH_RAW : 0,
				 SESSION_COOKIE + (sev - s->sev));

	return err ? attach_error(s, sev, err, d) : 0;
}

int session_open_one(struct session *s, struct sev *sev, pid_t tid, int cpu,
		     struct diag *d)
{
	int group = group_fd(s, sev, tid, cpu);
	struct perf_event_attr *attr = &sev->attr;
	int fd, err;

	/* The members of a group are enabled with their leader. */
	attr->disabled = group < 0;
	fd = open_retry(sev, tid, cpu, group);
	if ((fd == -ESRCH && s->opt->nr_targets) ||
	    (fd == -ENODEV && cpu >= 0))
		return 0;
	if (fd < 0)
		return open_error(s, sev, tid, fd, d);
	err = keep_fd(sev, fd, cpu, tid, d);
	if (err)
		return err;
	/*
	 * ITRACE_START tells which thread runs when the trace of a CPU begins; no SWITCH
	 * record tells that. Traces of threads need no ITRACE_START, and an event for
	 * all CPUs cannot write to a main ring.
	 */
	if (!sev->aux || cpu >= 0)
		err = attach_main(s, fd, cpu, d);
	if (!err && (sev->aux || sev->raw_ring))
		err = attach_raw(s, sev, fd, d);
	return err;
}

static int open_sev(struct session *s, struct sev *sev, struct diag *d)
{
	struct cpus mask = { NULL, 0 };
	size_t t, c;
	int err = 0;

	/*
	 * The events of a command begin when it calls exec, not when auxrec enables
	 * them.
	 */
	sev->attr.enable_on_exec = s->child && session_per_task(s) &&
				   !s->opt->nr_targets &&
				   (sev->sideband || !s->opt->delay_ms);
	if (sev->group >= 0 && !sev->leader)
		sev->attr.enable_on_exec = 0;
	if (sev->ev && sev->ev->cpus && *sev->ev->cpus)
		cpus_parse(&mask, sev->ev->cpus);

	for (t = 0; !err && t < s->nr_tids; t++) {
		/* One event for all CPUs: only the raw ring can take its data. */
		if (sev->aux && session_per_task(s)) {
			err = session_open_one(s, sev, s->tids[t], -1, d);
			continue;
		}
		for (c = 0; !err && c < s->cpus.nr; c++) {
			int cpu = s->cpus.list[c];

			if (!mask.nr || cpus_has(&mask, cpu))
				err = session_open_one(s, sev, s->tids[t], cpu, d);
		}
	}
	if (!err && !sev->nr_fds)
		err = diag(d, -ESRCH, "%s: nothing left to record: %s",
			   sev->name, s->opt->nr_targets ?
			   "the tasks have ended" :
			   "this PMU has none of the CPUs");
	sev->attr.disabled = 1;
	cpus_free(&mask);
	return err;
}

static bool is_weak(const struct sev *sev)
{
	return sev->group >= 0 && sev->ev->weak_group;
}

/*
 * Modifier W: if the events cannot be a group, record them as single events. Return the
 * first event that must be opened again.
 */
static size_t ungroup(struct session *s, int group)
{
	size_t i, j, first = s->nr_sev;

	for (i = 0; i < s->nr_sev; i++) {
		struct sev *sev = &s->sev[i];

		if (sev->group != group)
			continue;
		if (first == s->nr_sev)
			first = i;
		for (j = 0; j < sev->nr_fds; j++)
			close(sev->fds[j].fd);
		sev->nr_fds = 0;
		sev->group = -1;
		sev->leader = false;
	}
	return first;
}

/*
 * A kept ring: AUX data and frames have half of the reserved memory, unless -m tells the size, and
 * records have the rest.
 */
static int open_kept(struct session *s, bool aux, struct diag *d)
{
	const __s64 region = rawring_region(d);
	struct raw_kept kept;
	int err;

	if (region < 0)
		return region;
	err = raw_size_kept(s->opt, region, aux || s->have_payloads, &kept, d);
	return err ?: rawring_open(&s->raw, PERFAUX_RING_OVERWRITE | PERFAUX_RING_KEPT,
				   kept.seg_size, kept.nr_segs, kept.user_size, d);
}

/*
 * As in map_main(), a default size that exceeds the limit of locked memory is reduced,
 * and a size that the user gave is not. First reduce the number of segments, but leave
 * enough that one CPU never waits for itself.
 */
static int open_raw(struct session *s, struct diag *d)
{
	const __u32 page = sysconf(_SC_PAGESIZE);
	bool aux = false;
	__u32 size, nr;
	__u64 wanted;
	size_t i;
	int err;

	for (i = 0; i < s->nr_sev; i++)
		aux |= s->sev[i].aux != AUX_NONE;
	if (s->opt->flight.survive)
		return open_kept(s, aux, d);
	raw_size(s->opt, s->have_payloads, aux, s->cpus.nr, &size, &nr);
	if (!s->opt->raw_given && session_only_aux(s))
		raw_size_tasks(s->nr_tids, s->cpus.nr, &size, &nr);
	wanted = (__u64)size * nr;
	for (;;) {
		err = rawring_open(&s->raw, s->mode->overwrite ? PERFAUX_RING_OVERWRITE : 0,
				   size, nr, 0, d);
		if (err != -EPERM || s->opt->raw_given)
			break;
		if (nr > RAW_MIN_SEGS)
			nr /= 2;
		else if (size > page)
			size /= 2;
		else
			break;
	}
	s->raw_less = (__u64)size * nr < wanted;
	return err;
}

int session_open(struct session *s, struct diag *d)
{
	size_t i;
	int err;

	raise_nofile();
	err = open_check(s->opt, d);
	if (err)
		return err;
	if (s->have_raw) {
		err = open_raw(s, d);
		if (err)
			return err;
	}

	if (s->opt->bpf_ring) {
		err = bpf_ring_open(s, d);
		if (err)
			return err;
	}

	/* Open the sideband events first: their descriptors own the main rings. */
	for (i = 0; i < s->nr_sev; i++) {
		if (s->sev[i].sideband) {
			err = open_sev(s, &s->sev[i], d);
			if (err)
				return err;
			s->ids_in_records = s->sev[i].attr.build_id;
		}
	}
	for (i = 0; i < s->nr_sev; i++) {
		if (!s->sev[i].ev)
			continue;
		err = open_sev(s, &s->sev[i], d);
		if (err == -EINVAL && is_weak(&s->sev[i])) {
			i = ungroup(s, s->sev[i].group) - 1;
			continue;
		}
		if (err)
			return err;
		if (s->sev[i].ev->bpf_map)
			err = bpf_map_fill(s, &s->sev[i], d);
		if (err)
			return err;
	}
	open_notes(s);
	return 0;
}

/* Enable or disable some events, for SWITCH_NS. Return whether all are done. */
bool session_switch_some(struct session *s, struct session_switch *sw)
{
	const __u64 until = now_ns() + SWITCH_NS;
	const struct sev *sev;

	for (; sw->sev < s->nr_sev; sw->sev++, sw->fd = 0) {
		sev = &s->sev[sw->sev];
		if (sev->sideband != sw->sideband ||
		    (sev->group >= 0 && !sev->leader) ||
		    (sw->request == PERF_EVENT_IOC_ENABLE &&
		     sev->attr.enable_on_exec))
			continue;
		for (; sw->fd < sev->nr_fds; sw->fd++) {
			if (now_ns() >= until)
				return false;
			ioctl(sev->fds[sw->fd].fd, sw->request, 0);
		}
	}
	return true;
}

/* All events must be disabled already. */
void session_detach(struct session *s)
{
	if (!s->have_raw)
		return;
	rawring_detach_all(&s->raw);
	rawring_flush(&s->raw, PERFAUX_FLUSH_SPANS |
		      (s->have_payloads ? PERFAUX_FLUSH_ABANDON : 0));
}

void session_close_events(struct session *s)
{
	size_t i, j;

	for (i = 0; i < s->nr_rings; i++)
		mainring_unmap(&s->rings[i]);
	s->nr_rings = 0;
	for (i = 0; i < s->nr_sev; i++) {
		for (j = 0; j < s->sev[i].nr_fds; j++)
			if (s->sev[i].fds[j].fd >= 0)
				close(s->sev[i].fds[j].fd);
		s->sev[i].nr_fds = 0;
	}
}

void session_close(struct session *s)
{
	size_t i;

	session_close_events(s);
	perf_clock_close(s->clock);
	if (s->have_raw && s->raw.ctl)
		rawring_close(&s->raw);
	for (i = 0; i < s->nr_sev; i++) {
		free(s->sev[i].fds);
		if (s->sev[i].map_fd > 0)
			close(s->sev[i].map_fd);
	}
	free(s->sev);
	free(s->rings);
	free(s->tids);
	cpus_free(&s->cpus);
	queues_free(&s->queues);
	auxrec_events_free(&s->events);
	if (s->bpf_ring_fd >= 0)
		close(s->bpf_ring_fd);
	if (s->json_fd >= 0)
		close(s->json_fd);
}
