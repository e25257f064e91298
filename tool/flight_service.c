// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flight recorder in the background: as a daemon, or as a service of systemd.
 */
#include "daemon.h"
#include "flight.h"
#include "notify.h"

#define AGE_NS		(60 * NSEC_PER_SEC)

int flight_daemon(const struct options *opt, struct diag *d)
{
	const struct daemon_options daemon = {
		.pid_file = opt->flight.pid_file, .log = opt->flight.log,
	};

	return daemon_begin(&daemon, d);
}

int flight_begun(struct session *s, struct diag *d)
{
	notify_ready();
	return s->opt->flight.daemon ? daemon_ready(d) : 0;
}

void flight_over(struct session *s)
{
	notify_stopping();
	(void)s;
}

void flight_watch(struct session *s)
{
	const __u64 interval = notify_watchdog_interval(), now = now_ns();
	struct flight *f = s->flight;

	if (interval && now - f->watched >= interval / 2) {
		notify_watchdog();
		f->watched = now;
	}
	if (s->opt->flight.keep.age && now - f->aged >= AGE_NS) {
		flight_remove_old(s, NULL);
		f->aged = now;
	}
}
