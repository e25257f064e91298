// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline and come back, with -a or -C. perf_event_exit_cpu_context() permanently
 * removes the events of a CPU from their context, so the recorder closes them and opens new
 * ones. Records that are in memory have the old ids. An old id stays known until no record
 * has it any more.
 *
 * The reader of BPF programs (bpf/bpf.h) does not see programs that are loaded on a CPU that
 * came back. Only the kernel's own records tell of these.
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

/* Time between two looks at the CPUs where no uevents come */
#define LOOK_NS		NSEC_PER_SEC
/* The kernel's PROC_USER_INIT_INO */
#define FIRST_USER_NS	0xEFFFFFFDU

/*
 * Do uevents come to auxrec's network namespace? The kernel sends uevents only to the network
 * namespaces of the first user namespace (uevent_net_init()). Return false if auxrec cannot find
 * out whether its network namespace is one of these.
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
 * Read the uevents, such as "offline@/devices/system/cpu/cpu1". A CPU that went offline counts
 * as offline until the next look; otherwise a CPU that went offline and came back between two
 * looks would not be noticed. Return true if there were uevents, or too many of them.
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
			/* Any CPU may have been offline. */
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
 * Close the descriptors of @cpu, which do nothing any more, and forget ids that no record can
 * have. @oldest: time of the oldest record, which can be a sideband record that is older than
 * all samples.
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
			/* The event may go on until its ring is closed. */
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

/*
 * Stop the events of a CPU, so that nothing that they count or write is missed when they are
 * closed.
 */
static void disable_cpu(struct session *s, int cpu)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++)
		for (j = 0; j < s->sev[i].nr_fds; j++)
			if (s->sev[i].fds[j].cpu == cpu && s->sev[i].fds[j].fd >= 0)
				ioctl(s->sev[i].fds[j].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * Read the records that were written between the last look and the moment when the CPU went
 * offline. Usually there are none, but the CPU may have come back immediately.
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

/* Must the event be opened on this CPU? */
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

	/*
	 * The CPU may have been online all the time: if uevents were lost, each CPU counts as
	 * offline.
	 */
	disable_cpu(s, cpu);
	read_rest(s, cpu);
	recent_stats(s->flight->recent, &stats);
	for (i = 0; i < s->nr_sev; i++)
		close_old(s, &s->sev[i], cpu, stats.oldest);
	close_ring(s, cpu);
	/* Open the sideband event first: its descriptor owns the main ring. */
	for (sideband = 1; sideband >= 0; sideband--)
		for (i = 0; !err && i < s->nr_sev; i++)
			if (s->sev[i].sideband == sideband && is_wanted(&s->sev[i], cpu))
				err = open_again(s, &s->sev[i], cpu, d);
	return err;
}

/* --- all CPUs -------------------------------------------------------------- */

/*
 * Open the events of CPUs that came back. A CPU whose events cannot be opened is removed from
 * @online, so that the next look tries again.
 */
static void compare(struct session *s, struct cpus *online)
{
	struct flight *f = s->flight;
	struct diag d = { "" };
	bool changed = false, failed = false;
	size_t i;

	/* Go backwards: remove_cpu() does not move the entries before the removed one. */
	for (i = online->nr; i--;) {
		const int cpu = online->list[i];

		if (cpus_has(&f->online, cpu) || (s->opt->cpus && !cpus_has(&s->cpus, cpu)))
			continue;
		changed = true;
		if (cpu_back(s, cpu, &d)) {
			/* Do not repeat the message each second. */
			if (!f->cpus_failed)
				say("CPU %d came online and cannot be recorded; auxrec tries again: %s",
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
		say("out of memory: the next snapshots may lack setup records");
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
