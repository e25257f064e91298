// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline and come back, with -a. perf_event_exit_cpu_context() takes the
 * events of a CPU out of their context for good: they are closed and opened anew. Records
 * that are there have the old ids, which stay known until there are none any more.
 *
 * Not so for BPF programs that are loaded on a CPU that came back (bpf.h): of these there is
 * what the kernel's own records say.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flight/flight.h"
#include "record/losses.h"
#include "synth/synth.h"
#include "record/wait.h"

/* Where no uevents come */
#define LOOK_NS		NSEC_PER_SEC
/* PROC_USER_INIT_INO of the kernel */
#define FIRST_USER_NS	0xEFFFFFFDU

/*
 * uevent_net_init(): they are sent to the network namespaces of the first user namespace. The
 * answer is no where that cannot be found out.
 */
static bool uevents_come(void)
{
	const int net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	const int user = net < 0 ? -1 : ioctl(net, NS_GET_USERNS);
	struct stat st;
	bool come;

	come = user >= 0 && !fstat(user, &st) && st.st_ino == FIRST_USER_NS;
	if (user >= 0)
		close(user);
	if (net >= 0)
		close(net);
	return come;
}

static int open_uevents(struct flight *f)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	struct epoll_event ev = { .events = EPOLLIN };
	const int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && !bind(fd, (void *)&addr, sizeof(addr)) &&
	    !epoll_ctl(f->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int flight_cpus_open(struct session *s)
{
	struct flight *f = s->flight;

	if (!s->opt->system_wide)
		return 0;
	f->uevents = open_uevents(f);
	f->uevents_come = f->uevents >= 0 && uevents_come();
	return cpus_online(&f->online);
}

void flight_cpus_close(struct session *s)
{
	if (s->flight->uevents >= 0)
		close(s->flight->uevents);
	cpus_free(&s->flight->online);
}

static void remove_cpu(struct cpus *cpus, int cpu)
{
	size_t i, nr = 0;

	for (i = 0; i < cpus->nr; i++)
		if (cpus->list[i] != cpu)
			cpus->list[nr++] = cpus->list[i];
	cpus->nr = nr;
}

/*
 * So that one that went offline and came back between two looks is seen: it is taken for
 * offline until the next look. "offline@/devices/system/cpu/cpu1". Returns whether there
 * was anything, or too much.
 */
static bool read_uevents(struct flight *f)
{
	static const char offline[] = "offline@/devices/system/cpu/cpu";
	bool any = false;
	char buf[4096];
	ssize_t n;

	for (;;) {
		n = recv(f->uevents, buf, sizeof(buf) - 1, 0);
		if (n < 0 && errno == ENOBUFS) {
			/* Any of them may have been away. */
			f->online.nr = 0;
			return true;
		}
		if (n <= 0)
			return any;
		buf[n] = 0;
		any = true;
		if (!strncmp(buf, offline, sizeof(offline) - 1))
			remove_cpu(&f->online, atoi(buf + sizeof(offline) - 1));
	}
}

/* --- one CPU --------------------------------------------------------------- */

/*
 * Ids that no record can have any more, and descriptors that do nothing. @oldest: there are
 * records since; where the samples are gone sideband may be older than what is whole.
 */
static void close_old(struct session *s, struct sev *sev, int cpu, __u64 oldest)
{
	size_t i, nr = 0;

	for (i = 0; i < sev->nr_fds; i++) {
		struct opened *o = &sev->fds[i];

		if (o->cpu == cpu && o->fd >= 0) {
			if (s->have_raw && (sev->aux || sev->raw_ring || sev->trigger ||
					    sev->used_up))
				rawring_detach(&s->raw, o->fd);
			close(o->fd);
			o->fd = -1;
			/* It may go on until the ring is closed. */
			o->closed = perf_clock_about(s->clock) + NSEC_PER_SEC;
		}
		if (o->fd >= 0 || o->closed >= oldest)
			sev->fds[nr++] = *o;
	}
	sev->nr_fds = nr;
}

static size_t find_ring(const struct session *s, int cpu)
{
	size_t i;

	for (i = 0; i < s->nr_rings && s->rings[i].cpu != cpu; i++)
		;
	return i;
}

/* Nothing that a CPU's events count or write is missed when they are closed. */
static void disable_cpu(struct session *s, int cpu)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++)
		for (j = 0; j < s->sev[i].nr_fds; j++)
			if (s->sev[i].fds[j].cpu == cpu && s->sev[i].fds[j].fd >= 0)
				ioctl(s->sev[i].fds[j].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * What was written since the last look, before the CPU went: mostly nothing, but it may have
 * come back at once.
 */
static void read_rest(struct session *s, int cpu)
{
	const size_t i = find_ring(s, cpu);
	int err;

	if (i == s->nr_rings)
		return;
	mainring_snapshot(&s->rings[i]);
	err = session_copy_ring(s, &s->rings[i]);
	if (!err)
		err = losses_look(s, &s->rings[i], LOSSES_ALL);
	if (err)
		say("CPU %d: its last records before it went offline are lost: %s", cpu,
		    strerror(-err));
}

static void close_ring(struct session *s, int cpu)
{
	const size_t i = find_ring(s, cpu);

	if (i == s->nr_rings)
		return;
	mainring_unmap(&s->rings[i]);
	s->nr_rings--;
	memmove(&s->rings[i], &s->rings[i + 1], (s->nr_rings - i) * sizeof(*s->rings));
}

static int open_again(struct session *s, struct sev *sev, int cpu, struct diag *d)
{
	const size_t nr = sev->nr_fds;
	int err;

	if (sev->used_up)
		return 0;
	err = session_open_one(s, sev, -1, cpu, d);
	sev->attr.disabled = 1;
	if (err || sev->nr_fds == nr)
		return err;
	if (sev->trigger)
		err = flight_trigger_event(s, sev, &sev->fds[nr], d);
	if (!err && (sev->group < 0 || sev->leader))
		ioctl(sev->fds[nr].fd, PERF_EVENT_IOC_ENABLE, 0);
	return err;
}

/* Is it an event of this CPU? */
static bool is_wanted(const struct sev *sev, int cpu)
{
	struct cpus mask = { NULL, 0 };
	bool wanted;

	if (!sev->ev || !sev->ev->cpus || !*sev->ev->cpus)
		return sev->ev || sev->sideband;
	cpus_parse(&mask, sev->ev->cpus);
	wanted = cpus_has(&mask, cpu);
	cpus_free(&mask);
	return wanted;
}

static int cpu_back(struct session *s, int cpu, struct diag *d)
{
	struct recent_stats stats;
	int err = 0, sideband;
	size_t i;

	/* It may not have gone at all: uevents were lost, and it was taken for away. */
	disable_cpu(s, cpu);
	read_rest(s, cpu);
	recent_stats(s->flight->recent, &stats);
	for (i = 0; i < s->nr_sev; i++)
		close_old(s, &s->sev[i], cpu, stats.oldest);
	close_ring(s, cpu);
	/* The sideband first: its descriptor owns the main ring. */
	for (sideband = 1; sideband >= 0; sideband--)
		for (i = 0; !err && i < s->nr_sev; i++)
			if (s->sev[i].sideband == sideband && is_wanted(&s->sev[i], cpu))
				err = open_again(s, &s->sev[i], cpu, d);
	return err;
}

/* --- all of them ----------------------------------------------------------- */

/* What cannot be opened is taken out of @online, for the next look. */
static void compare(struct session *s, struct cpus *online)
{
	struct flight *f = s->flight;
	struct diag d = { "" };
	bool changed = false, failed = false;
	size_t i;

	/* From the last one on: those before it stay where they are. */
	for (i = online->nr; i--;) {
		const int cpu = online->list[i];

		if (cpus_has(&f->online, cpu) || (s->opt->cpus && !cpus_has(&s->cpus, cpu)))
			continue;
		changed = true;
		if (cpu_back(s, cpu, &d)) {
			/* Not each second */
			if (!f->cpus_failed)
				say("CPU %d came online and cannot be recorded, which is tried again: %s",
				    cpu, d.msg);
			failed = true;
			remove_cpu(online, cpu);
		} else if (!s->opt->quiet) {
			say("CPU %d came online: it is recorded again", cpu);
		}
	}
	f->cpus_failed = failed;
	if (!changed)
		return;
	flight_setup(s, true);
	if (synth_setup(s, &d))
		say("out of memory: the next snapshots may lack what describes them");
	flight_setup(s, false);
}

int flight_cpus_timeout(const struct session *s, int timeout)
{
	const struct flight *f = s->flight;

	if (!s->opt->system_wide || (f->uevents_come && !f->cpus_failed))
		return timeout;
	return wait_until(timeout, f->cpus_seen + LOOK_NS);
}

void flight_cpus_run(struct session *s)
{
	struct flight *f = s->flight;
	const __u64 now = now_ns();
	struct cpus online;
	bool look;

	if (!s->opt->system_wide)
		return;
	look = f->uevents >= 0 && read_uevents(f);
	if (!look && now - f->cpus_seen < LOOK_NS)
		return;
	f->cpus_seen = now;
	if (cpus_online(&online))
		return;
	compare(s, &online);
	cpus_free(&f->online);
	f->online = online;
}
