// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take triggers from signals, the control socket, BPF's ring buffers, pressure, tasks that hang,
 * and a raw ring that an event has frozen, and prepare the triggers that are events. flight.c looks
 * for the samples of events.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include "bpf/call_time.h"
#include "flight/flight.h"
#include "flight/bpf.h"
#include "flight/hang.h"
#include "flight/pressure.h"
#include "session/signals.h"

/*
 * A sample can come later than the freeze that its event made. This is how long the recorder
 * waits for it.
 */
#define FROZEN_MAX	(200ULL * 1000000)

/* --- the control socket ---------------------------------------------------- */

static struct trigger *socket_trigger(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->opt->flight.nr_triggers; i++)
		if (s->opt->flight.triggers[i].kind == TRIGGER_SOCKET)
			return &s->opt->flight.triggers[i];
	return NULL;
}

static int on_snapshot(void *ctx, const char *name, __u64 token, struct diag *d)
{
	struct session *s = ctx;

	if (s->opt->flight.only_task)
		return diag(d, -EINVAL,
			    "with --only-trigger-task, a snapshot needs a process that triggers");
	flight_wish(s, socket_trigger(s), name, perf_clock_now(s->clock), token,
		    NULL, 0);
	return 0;
}

static int on_stop(void *ctx, __u64 token)
{
	struct session *s = ctx;

	s->flight->stop = true;
	/*
	 * If another client has asked before, answer that client now. Only the last client that
	 * asks gets its answer when the recording is over.
	 */
	if (s->flight->stop_token)
		control_answer(s->flight->control, s->flight->stop_token, "ok");
	s->flight->stop_token = token;
	return 0;
}

static int open_socket(struct session *s, const struct trigger *t, struct diag *d)
{
	static const struct control_ops ops = {
		.snapshot = on_snapshot, .status = flight_status, .stop = on_stop,
	};
	struct flight *f = s->flight;
	struct epoll_event ev = { .events = EPOLLIN };
	int err;

	f->control = control_open(t->value, &ops, s, d);
	if (!f->control)
		return -EINVAL;
	if (s->opt->flight.control_group) {
		err = control_allow(f->control, s->opt->flight.control_gid, d);
		if (err)
			return err;
	}
	if (epoll_ctl(f->epoll_fd, EPOLL_CTL_ADD, control_fd(f->control), &ev))
		return diag(d, -errno, "%s: %s", t->value, strerror(errno));
	return 0;
}

/* --- events ---------------------------------------------------------------- */

static int open_latency(struct session *s, size_t i, struct diag *d)
{
	const struct trigger *t = &s->opt->flight.triggers[i];
	struct flight *f = s->flight;
	struct diag why;
	int err;

	if (!f->call_times)
		f->call_times = calloc(s->opt->flight.nr_triggers, sizeof(*f->call_times));
	if (!f->call_times)
		return diag(d, -ENOMEM, "out of memory");
	/* Mangled names of C++ and Rust */
	if (!s->opt->quiet && (!strncmp(t->value, "_Z", 2) || !strncmp(t->value, "_R", 2)))
		say("--trigger %s: an exception or panic that leaves this function aborts its program, because the kernel replaces the return address",
		    t->name);
	err = call_time_open(&f->call_times[i], t->value, t->latency.time, s->cpus.list[0], &why);
	return err ? diag(d, err, "--trigger %s: %.900s", t->name, why.msg) : 0;
}

static void close_latency(struct session *s, size_t i)
{
	struct flight *f = s->flight;
	__u64 lost;

	if (!f->call_times)
		return;
	lost = call_time_lost(f->call_times[i]);
	f->stats.untimed += lost;
	if (lost)
		say("trigger %s: the time of %llu calls is not known, because their start was forgotten",
		    s->opt->flight.triggers[i].name, (unsigned long long)lost);
	call_time_close(f->call_times[i]);
	f->call_times[i] = NULL;
}

int flight_trigger_event(struct session *s, const struct sev *sev, const struct opened *o,
			 struct diag *d)
{
	const size_t i = sev->trigger - s->opt->flight.triggers;
	int err;

	if (sev->trigger->kind == TRIGGER_LATENCY) {
		err = call_time_event(s->flight->call_times[i], o->cpu, o->fd);
		if (err)
			return diag(d, err, "--trigger %s: the event of CPU %d: %s",
				    sev->trigger->name, o->cpu, strerror(-err));
	}
	err = read_map_set(&s->flight->trigger_ids, o->id, i);
	/* A trigger with post=TIME must not freeze the ring, not even for other triggers. */
	if (!err && s->have_raw && !sev->trigger->post)
		err = rawring_attach_trigger(&s->raw, o->fd, sev->trigger->post_segments,
					     SESSION_COOKIE + (sev - s->sev));
	return err ? diag(d, err, "--trigger %s: cannot freeze the raw ring: %s",
			  sev->trigger->name, strerror(-err)) : 0;
}

static int open_events(struct session *s, struct diag *d)
{
	size_t i, j;
	int err = 0;

	for (i = 0; i < s->nr_sev; i++)
		for (j = 0; !err && s->sev[i].trigger && j < s->sev[i].nr_fds; j++)
			err = flight_trigger_event(s, &s->sev[i], &s->sev[i].fds[j], d);
	return err;
}

/* Stop the events of triggers whose count= is used up, so that they interrupt no CPU in vain. */
static void disable_used_up(struct session *s)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++) {
		struct sev *sev = &s->sev[i];
		const struct trigger *t = sev->trigger;

		if (!t || !t->count || t->taken < t->count)
			continue;
		for (j = 0; j < sev->nr_fds; j++)
			if (sev->fds[j].fd >= 0)
				ioctl(sev->fds[j].fd, PERF_EVENT_IOC_DISABLE, 0);
		close_latency(s, t - s->opt->flight.triggers);
		sev->trigger = NULL;
		sev->used_up = true;
	}
}

/*
 * No sample of the event that froze the ring has come, although all main rings were read since.
 * The sample is lost, or has the id of another event, see session/duplicate_events.c. The control
 * page tells which event froze the ring. If count= or rate= suppress the trigger, flight_wish()
 * thaws the ring.
 */
static void give_up_waiting(struct session *s)
{
	const struct perfaux_control *ctl = s->raw.ctl;
	struct flight *f = s->flight;
	__u64 i;

	flight_lost_all(s);
	if (flight_event_waits(f) || !f->frozen_since)
		return;
	i = session_cookie_index(s, ctl->frozen_cookie);
	if (i != SESSION_COOKIE_NONE && s->sev[i].trigger)
		flight_wish_lost(s, s->sev[i].trigger, ctl->frozen_time, 1);
	if (flight_event_waits(f) || !f->frozen_since)
		return;
	rawring_thaw(&s->raw);
	flight_thawed(s);
}

static void look_at_ring(struct session *s)
{
	/*
	 * Read the counter before checking the freeze, so that @lost contains no loss of a later
	 * freeze.
	 */
	const __u64 lost = rawring_lost(&s->raw, PERFAUX_CAUSE_FROZEN);
	struct flight *f = s->flight;
	const __u64 now = now_ns();

	if (!rawring_is_frozen(&s->raw)) {
		f->frozen_lost = lost;
		f->frozen_since = 0;
		return;
	}
	if (!f->frozen_since)
		f->frozen_since = now;
	/* At the end all samples have been read, so there is nothing to wait for. */
	if (!flight_event_waits(f) && (f->quit || now - f->frozen_since > FROZEN_MAX))
		give_up_waiting(s);
}

/* --- SIGUSR1, if it is no trigger ------------------------------------------ */

static bool has_signal(const struct flight_options *opt, int sig)
{
	size_t i;

	for (i = 0; i < opt->nr_triggers; i++)
		if (opt->triggers[i].kind == TRIGGER_SIGNAL &&
		    opt->triggers[i].signal == sig)
			return true;
	return false;
}

/* A user who is used to SIGUSR1 and gave other triggers must not kill the recorder with it. */
static void look_at_usr1(const struct session *s)
{
	static bool told;

	if (told || has_signal(&s->opt->flight, SIGUSR1) || !signals_triggered(SIGUSR1))
		return;
	told = true;
	say("SIGUSR1 is not a trigger here, and does nothing: give --trigger signal=USR1 as well");
}

/* --- all triggers ---------------------------------------------------------- */

int flight_triggers_open(struct session *s, struct diag *d)
{
	const struct flight_options *opt = &s->opt->flight;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < opt->nr_triggers; i++) {
		const struct trigger *t = &opt->triggers[i];

		switch (t->kind) {
		case TRIGGER_SIGNAL:
			err = signals_trigger(t->signal);
			if (err)
				diag(d, err, "--trigger signal %d: %s", t->signal,
				     strerror(-err));
			break;
		case TRIGGER_SOCKET:
			err = open_socket(s, t, d);
			break;
		case TRIGGER_BPF:
			err = flight_bpf_open(s, t, d);
			break;
		case TRIGGER_HANG:
			err = flight_hang_open(s, t, d);
			break;
		case TRIGGER_LATENCY:
			err = open_latency(s, i, d);
			break;
		case TRIGGER_PRESSURE:
			err = flight_pressure_open(s, t, d);
			break;
		default:
			break;
		}
	}
	if (!err)
		err = signals_trigger(SIGUSR1);
	if (!err)
		err = signals_merge_init();
	return err ?: open_events(s, d);
}

void flight_triggers_run(struct session *s)
{
	const struct flight_options *opt = &s->opt->flight;
	struct flight *f = s->flight;
	size_t i;

	for (i = 0; i < opt->nr_triggers; i++) {
		struct trigger *t = &opt->triggers[i];
		unsigned int nr;

		if (t->kind != TRIGGER_SIGNAL)
			continue;
		nr = signals_triggered(t->signal);
		if (nr)
			flight_wish(s, t, NULL, perf_clock_now(s->clock), 0, NULL, 0);
		/* The signals came as one, but each of them counts. */
		if (nr > 1)
			flight_wish_more(s, t, nr - 1);
	}
	look_at_usr1(s);
	if (f->control)
		control_run(f->control);
	flight_bpf_run(s);
	flight_hang_run(s);
	disable_used_up(s);
	if (s->have_raw)
		look_at_ring(s);
	flight_wait_for_segments(s);
}

void flight_triggers_close(struct session *s)
{
	struct flight *f = s->flight;
	size_t i;

	for (i = 0; i < s->opt->flight.nr_triggers; i++)
		close_latency(s, i);
	free(f->call_times);
	f->call_times = NULL;
	if (f->control && f->stop_token)
		control_answer(f->control, f->stop_token, "ok");
	control_close(f->control);
	f->control = NULL;
	flight_bpf_close(s);
	flight_hang_close(s);
	flight_pressure_close(s);
}
