// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers of pressure. The kernel watches one threshold and window for each open file of
 * /proc/pressure (psi_write() in kernel/sched/psi.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flight/flight.h"
#include "flight/pressure.h"
#include "trigger/pressure.h"

struct flight_pressure {
	struct flight_pressure *next;
	struct trigger *trigger;
	int fd;				/* -1: the kernel does not watch any more */
};

static int cannot_open(const char *path, const char *name, int err, struct diag *d)
{
	switch (err) {
	case -ENOENT:
		return diag(d, err, "--trigger %s: there is no %s: this kernel does not measure pressure; it must have CONFIG_PSI, and psi=1 on its command line",
			    name, path);
	case -EACCES:
	case -EPERM:
		return diag(d, err, "--trigger %s: %s: %s; the kernel wants CAP_SYS_RESOURCE",
			    name, path, strerror(-err));
	case -EROFS:
		return diag(d, err, "--trigger %s: %s is read-only here: a service must have ReadWritePaths=/proc/pressure",
			    name, path);
	default:
		return diag(d, err, "--trigger %s: %s: %s", name, path, strerror(-err));
	}
}

static int cannot_watch(const char *path, const char *name, const struct pressure *p, int err,
			struct diag *d)
{
	switch (err) {
	case -EINVAL:
		if (p->window_us % PRESSURE_USER_WINDOW_US)
			return diag(d, err, "--trigger %s: the kernel refuses the window of %ums: without CAP_SYS_RESOURCE, the window must be 2s, 4s, 6s, 8s or 10s",
				    name, p->window_us / 1000);
		break;
	case -EOPNOTSUPP:
		return diag(d, err, "--trigger %s: this kernel does not measure pressure: give psi=1 on its command line",
			    name);
	}
	return diag(d, err, "--trigger %s: %s: the kernel refuses it: %s", name, path,
		    strerror(-err));
}

/* Ask the kernel to watch. Return a descriptor to poll for POLLPRI, or -errno with a message. */
static int watch(const char *name, const struct pressure *p, struct diag *d)
{
	char path[64], text[64];
	int fd, err, len;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/pressure/%s", p->resource);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return cannot_open(path, name, -errno, d);
	len = snprintf(text, sizeof(text), "%s %u %u", p->full ? "full" : "some",
		       p->threshold_us, p->window_us);
	/* psi_write() replaces the last byte by a NUL. */
	n = write(fd, text, len + 1);
	if (n == len + 1)
		return fd;
	err = n < 0 ? -errno : -EIO;
	close(fd);
	return cannot_watch(path, name, p, err, d);
}

int flight_pressure_open(struct session *s, const struct trigger *t, struct diag *d)
{
	struct flight_pressure *p = calloc(1, sizeof(*p));

	if (!p)
		return diag(d, -ENOMEM, "out of memory");
	p->trigger = (struct trigger *)t;
	p->fd = watch(t->name, &t->pressure, d);
	if (p->fd < 0) {
		const int err = p->fd;

		free(p);
		return err;
	}
	p->next = s->flight->pressure;
	s->flight->pressure = p;
	return 0;
}

size_t flight_pressure_nr(const struct session *s)
{
	const struct flight_pressure *p;
	size_t nr = 0;

	for (p = s->flight->pressure; p; p = p->next)
		nr++;
	return nr;
}

void flight_pressure_poll(const struct session *s, struct pollfd *fds)
{
	const struct flight_pressure *p;

	for (p = s->flight->pressure; p; p = p->next)
		*fds++ = (struct pollfd){ .fd = p->fd, .events = POLLPRI };
}

void flight_pressure_polled(struct session *s, const struct pollfd *fds)
{
	struct flight_pressure *p;

	for (p = s->flight->pressure; p; p = p->next, fds++) {
		if (fds->revents & (POLLERR | POLLHUP | POLLNVAL)) {
			say("trigger %s: the kernel does not watch this pressure any more",
			    p->trigger->name);
			close(p->fd);
			p->fd = -1;
		} else if (fds->revents & POLLPRI) {
			flight_wish(s, p->trigger, NULL, perf_clock_now(s->clock), 0, NULL, 0);
		}
	}
}

void flight_pressure_last(struct session *s)
{
	struct flight_pressure *p;

	for (p = s->flight->pressure; p; p = p->next) {
		struct pollfd fd = { .fd = p->fd, .events = POLLPRI };

		if (poll(&fd, 1, 0) > 0 && fd.revents & POLLPRI)
			flight_wish(s, p->trigger, NULL, perf_clock_now(s->clock), 0, NULL, 0);
	}
}

void flight_pressure_close(struct session *s)
{
	struct flight_pressure *next;

	for (; s->flight->pressure; s->flight->pressure = next) {
		next = s->flight->pressure->next;
		if (s->flight->pressure->fd >= 0)
			close(s->flight->pressure->fd);
		free(s->flight->pressure);
	}
}
