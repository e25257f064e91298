// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers that are perf events. event= is used as given. exec=, exit= and crash are
 * tracepoints with a filter, so that they, too, freeze the raw ring where they happen. latency= is
 * an event to which a BPF program writes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/attr_period.h"
#include "flight/flight.h"
#include "event/tracefs.h"

static const char *event_spec(const struct trigger *t)
{
	switch (t->kind) {
	case TRIGGER_EXEC:
		return "sched:sched_process_exec";
	case TRIGGER_EXIT:
		return "sched:sched_process_exit";
	case TRIGGER_CRASH:
		return "signal:signal_deliver";
	case TRIGGER_LATENCY:
		return "bpf-output";
	default:
		return t->value;
	}
}

/*
 * The tracepoint signal_deliver comes before the signal is acted on (get_signal()).
 * Without a handler each of these signals ends the process.
 */
static char *crash_filter(const struct trigger *t)
{
	char *filter = strdup("sa_handler == 0 && ("), *longer;
	const char *or = "";
	unsigned int i;

	for (i = 0; filter && i < 64; i++) {
		if (!(t->signals & 1ULL << i))
			continue;
		if (asprintf(&longer, "%s%ssig == %u", filter, or, i + 1) < 0)
			longer = NULL;
		free(filter);
		filter = longer;
		or = " || ";
	}
	if (!filter || asprintf(&longer, "%s)", filter) < 0)
		longer = NULL;
	free(filter);
	return longer;
}

/*
 * The event to which the BPF program of a latency trigger writes, see bpf/call_time.h. Its name is
 * the only difference between such events.
 */
static int make_latency_event(struct session *s, const struct trigger *t, struct auxrec_event *ev,
			      struct diag *d)
{
	char *name;

	if (!s->opt->system_wide)
		return diag(d, -EOPNOTSUPP,
			    "--trigger %s: the kernel cannot let a probe of a function follow tasks: record whole CPUs, with -a or -C",
			    t->name);
	if (asprintf(&name, "latency=%s", t->value) < 0)
		return diag(d, -ENOMEM, "out of memory");
	free(ev->name);
	ev->name = name;
	/* Each write of the program is a sample. */
	ev->attr.sample_period = 1;
	return 0;
}

/* At exec the task already has its new name (begin_new_exec() is over). */
static char *event_filter(const struct trigger *t)
{
	char *filter = NULL;

	switch (t->kind) {
	case TRIGGER_EXEC:
	case TRIGGER_EXIT:
		if (asprintf(&filter, "comm ~ \"%s\"", t->value) < 0)
			filter = NULL;
		return filter;
	case TRIGGER_CRASH:
		return crash_filter(t);
	default:
		return strdup(t->filter);
	}
}

static int add_events(struct session *s, __u32 i, struct diag *d)
{
	const struct trigger *t = &s->opt->flight.triggers[i];
	struct flight *f = s->flight;
	const size_t first = s->events.nr;
	char msg[900];
	size_t k;
	int err;

	err = auxrec_events_parse(&s->events, event_spec(t), NULL, msg, sizeof(msg));
	if (err) {
		auxrec_event_caret(event_spec(t), msg, sizeof(msg));
		return diag(d, err, "--trigger %s: %s", t->name, msg);
	}
	for (k = first; k < s->events.nr; k++) {
		struct auxrec_event *ev = &s->events.list[k];

		if (t->kind == TRIGGER_LATENCY) {
			err = make_latency_event(s, t, ev, d);
			if (err)
				return err;
		} else if (t->kind != TRIGGER_EVENT || t->filter) {
			free(ev->filter);
			ev->filter = event_filter(t);
			if (!ev->filter)
				return diag(d, -ENOMEM, "out of memory");
		}
		if (event_has_aux(ev))
			return diag(d, -EINVAL,
				    "--trigger %s: an event with AUX data has no samples; give another event",
				    t->name);
		if (grow((void **)&f->event_triggers, k, sizeof(*f->event_triggers)))
			return diag(d, -ENOMEM, "out of memory");
		f->event_triggers[k] = i;
	}
	return 0;
}

/*
 * Kernels whose sched_process_exit has no group_dead yet (6.1 and 6.12) write samples of it only
 * for events of CPUs, and not for events of tasks. Stock perf gets none, either. For events of
 * tasks, the EXIT record takes the sample's place, but an EXIT record does not freeze the ring.
 */
static bool exits_are_seen(const struct options *opt)
{
	char dir[PATH_MAX - 64], path[PATH_MAX], line[256];
	bool seen = opt->system_wide;
	FILE *f;

	if (seen || tracepoint_find_tracefs(dir, sizeof(dir)))
		return true;
	snprintf(path, sizeof(path), "%s/events/sched/sched_process_exit/format", dir);
	f = fopen(path, "re");
	if (!f)
		return true;
	while (!seen && fgets(line, sizeof(line), f))
		seen = strstr(line, " group_dead;");
	fclose(f);
	return seen;
}

int flight_events(struct session *s, struct diag *d)
{
	const struct trigger *t = s->opt->flight.triggers;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->opt->flight.nr_triggers; i++, t++) {
		if (t->kind == TRIGGER_EXIT && !exits_are_seen(s->opt))
			s->flight->exit_records = true;
		else if (trigger_is_event(t))
			err = add_events(s, i, d);
	}
	return err;
}

/*
 * Without a period each occurrence is a trigger; -c and -F are for recorded events. Counters and
 * clocks need a period: a sample of each occurrence would keep the machine from anything else.
 */
static int set_period(struct sev *sev, struct diag *d)
{
	const struct auxrec_event *ev = sev->ev;

	if (ev->freq_given && !ev->attr.sample_period)
		return diag(d, -EINVAL, "--trigger %s: %s with period 0 never triggers",
			    sev->trigger->name, sev->name);
	if (ev->freq_given)
		return 0;
	if (!ev->attr.sample_period && !attr_is_counted_singly(&ev->attr))
		return diag(d, -EINVAL,
			    "--trigger %s: %s occurs too often for a trigger: give it a period, as in event=cycles/period=1000000/",
			    sev->trigger->name, sev->name);
	sev->attr.freq = 0;
	sev->attr.sample_period = ev->attr.sample_period ? ev->attr.sample_period : 1;
	return 0;
}

/* The event must wake the recorder immediately. Its raw data stays in the sample. */
int flight_event(struct session *s, size_t i, struct sev *sev, struct diag *d)
{
	sev->trigger = &s->opt->flight.triggers[s->flight->event_triggers[i]];
	sev->raw_ring = false;
	sev->attr.watermark = 0;
	sev->attr.wakeup_events = 1;
	return set_period(sev, d);
}
