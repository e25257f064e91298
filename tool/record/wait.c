// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait between two looks at the rings, until something happens or some time has passed.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/late_ids.h"
#include "record/record.h"
#include "session/signals.h"
#include "record/wait.h"

/* Time between two looks if somebody watches and no records come */
#define SLOW_MS		1000
/* After this many looks without a new record, which take a second, wait longer */
#define QUIET_LOOKS	10
/* Number of descriptors that come before those of the mode and of the main rings in fds */
#define FIRST_OF_MODE	3

/* Is @fd a pipe, a socket or a terminal, but not /dev/null? */
static bool is_watched(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(fd);
}

/*
 * Did the limit of locked memory allow only main rings so small that the kernel does not wake the
 * recorder in time?
 */
static bool rings_are_late(const struct session *s)
{
	const size_t watermark = session_main_bytes(s) / 4;
	size_t i;

	for (i = 0; i < s->nr_rings; i++)
		if (s->rings[i].size < 2 * watermark)
			return true;
	return false;
}

int wait_begin(struct waiting *w, const struct session *s)
{
	const size_t first = FIRST_OF_MODE + (s->mode->poll ? s->mode->nr_polled(s) : 0);
	/* flight/cpus.c may add CPUs. */
	const size_t nr = first + s->nr_rings + sysconf(_SC_NPROCESSORS_CONF);

	*w = (struct waiting){
		.fds = calloc(nr, sizeof(*w->fds)),
		.first_ring = first,
		.signals = signals_fd(),
		.late = rings_are_late(s),
		.watched = status_is_on(s) || is_watched(s->out.fd),
	};
	return w->fds ? 0 : -ENOMEM;
}

void wait_end(struct waiting *w)
{
	free(w->fds);
	w->fds = NULL;
}

int wait_timeout(struct waiting *w, const struct session *s)
{
	const __u64 seen = s->main.records + s->out.records;

	/* A round can be held back only for a limited time, see finish_round(). */
	if (seen != w->seen || s->held_since)
		w->quiet = 0;
	else if (w->quiet < QUIET_LOOKS)
		w->quiet++;
	w->seen = seen;
	if (w->quiet < QUIET_LOOKS || w->late)
		return WAIT_TICK_MS;
	return w->watched ? SLOW_MS : -1;
}

void wait_no_longer(struct waiting *w)
{
	w->quiet = 0;
}

int wait_sooner(int timeout, __u64 ns)
{
	const __u64 ms = ns / 1000000 + 1;

	if (ms > INT_MAX || (timeout >= 0 && (__u64)timeout <= ms))
		return timeout;
	return ms;
}

int wait_until(int timeout, __u64 when)
{
	const __u64 now = now_ns();

	return when > now ? wait_sooner(timeout, when - now) : 0;
}

/*
 * The task whose event's descriptor was polled for the ring has ended, but events of other
 * tasks write to the ring. Poll the descriptor of one of these, until all tasks have ended.
 */
static void next_owner(const struct session *s, struct mainring *r)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++) {
		const struct sev *sev = &s->sev[i];

		for (j = 0; sev->sideband && j < sev->nr_fds; j++) {
			struct pollfd p = { .fd = sev->fds[j].fd };

			if (sev->fds[j].cpu != r->cpu || p.fd < 0 || poll(&p, 1, 0) < 0 ||
			    p.revents & (POLLHUP | POLLERR))
				continue;
			r->fd = p.fd;
			return;
		}
	}
	/* poll() would report the ended tasks again and again. Read the ring without poll(). */
	r->hangup = true;
}

static nfds_t fill(struct waiting *w, const struct session *s)
{
	nfds_t nr = 0;
	size_t i;

	w->fds[nr++] = (struct pollfd){ .fd = w->signals, .events = POLLIN };
	w->fds[nr++] = (struct pollfd){
		.fd = s->have_raw ? s->raw.fd : -1,
		.events = POLLIN,
	};
	w->fds[nr++] = (struct pollfd){ .fd = s->ids->fd, .events = POLLIN };
	if (s->mode->poll)
		w->fds[1].events |= s->mode->poll(s, &w->fds[nr]);
	for (nr = w->first_ring, i = 0; i < s->nr_rings; i++)
		w->fds[nr++] = (struct pollfd){
			.fd = s->rings[i].hangup ? -1 : s->rings[i].fd,
			.events = POLLIN,
		};
	return nr;
}

int wait_events(struct waiting *w, struct session *s, int timeout)
{
	const nfds_t nr = fill(w, s);
	const int came = poll(w->fds, nr, timeout);
	size_t i;

	if (came < 0 && errno != EINTR)
		return -errno;
	/*
	 * Empty the descriptor of signals now, before the caller looks which signals came. A
	 * signal that comes after that look wakes the next poll().
	 */
	signals_fd();
	if (came > 0 && s->mode->polled)
		s->mode->polled(s, &w->fds[FIRST_OF_MODE]);
	for (i = 0; i < s->nr_rings; i++)
		if (w->fds[w->first_ring + i].revents & (POLLHUP | POLLERR))
			next_owner(s, &s->rings[i]);
	return 0;
}
