// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flight recorder in the background: as a daemon, or as a service of systemd.
 */
#include "service/daemon.h"
#include "flight/flight.h"
#include "flight/survive.h"
#include "service/notify.h"
#include "record/wait.h"

/*
 * Bounds of the time between two looks for snapshots that are too old. The time is half of the
 * age that a snapshot can have.
 */
#define LOOK_LEAST_NS	NSEC_PER_SEC
#define LOOK_MOST_NS	(60 * NSEC_PER_SEC)

#define STATUS_NS	(5 * NSEC_PER_SEC)

/*
 * How long the service manager is told to wait for the last snapshots. The recorder cannot
 * know whether a disk is slow, or never answers and only delays the shutdown of the machine.
 */
#define LAST_NS		(600 * NSEC_PER_SEC)

int flight_daemon(const struct options *opt, struct diag *d)
{
	const struct daemon_options daemon = {
		.pid_file = opt->flight.pid_file, .log = opt->flight.log,
	};

	return daemon_begin(&daemon, d);
}

int flight_begun(struct session *s, struct diag *d)
{
	const int err = survive_begin(s, d);

	if (err)
		return err;
	s->flight->begun = true;
	notify_ready();
	return s->opt->flight.daemon ? daemon_ready(d) : 0;
}

void flight_over(struct session *s)
{
	notify_stopping();
	s->flight->over = now_ns();
}

void flight_busy(struct session *s)
{
	if (now_ns() - s->flight->over < LAST_NS)
		notify_busy();
}

static __u64 look_interval(__u64 age)
{
	if (age / 2 < LOOK_LEAST_NS)
		return LOOK_LEAST_NS;
	return age / 2 < LOOK_MOST_NS ? age / 2 : LOOK_MOST_NS;
}

/* Write the line for `systemctl status`. */
static void tell_status(struct session *s, __u64 now)
{
	struct flight *f = s->flight;
	struct recent_stats stats;

	if (f->told && now - f->told < STATUS_NS)
		return;
	f->told = now;
	recent_stats(f->recent, &stats);
	notify_status("%llu snapshots, %llu failed; the newest %.1f s; %llu records lost",
		      (unsigned long long)f->stats.snapshots,
		      (unsigned long long)f->stats.failed, flight_history(s, &stats) / 1e9,
		      (unsigned long long)main_losses(&s->main));
}

int flight_watch_timeout(const struct session *s, int timeout)
{
	const __u64 interval = notify_watchdog_interval(), age = s->opt->flight.keep.age;

	if (interval)
		timeout = wait_until(timeout, s->flight->watched + interval / 2);
	if (age)
		timeout = wait_until(timeout, s->flight->aged + look_interval(age));
	return timeout;
}

void flight_watch(struct session *s)
{
	const __u64 age = s->opt->flight.keep.age;
	const __u64 interval = notify_watchdog_interval(), now = now_ns();
	struct flight *f = s->flight;

	if (interval && now - f->watched >= interval / 2) {
		notify_watchdog();
		f->watched = now;
	}
	if (!f->over)
		tell_status(s, now);
	if (age && now - f->aged >= look_interval(age)) {
		flight_remove_old(s, NULL);
		f->aged = now;
	}
}
