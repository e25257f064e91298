// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flight recorder: it keeps records in memory and decides when a snapshot is written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "flight/flight.h"
#include "flight/pressure.h"
#include "flight/survive.h"
#include "service/journal.h"
#include "service/notify.h"
#include "stream/records.h"
#include "session/signals.h"
#include "snapfile/snapfile.h"
#include "record/forget.h"
#include "record/wait.h"

/*
 * How long a task is known after its EXIT record. The task still runs for a moment after the
 * record, and may wait for a CPU before.
 */
#define LINGER_NS	NSEC_PER_SEC
/* The kernel does not report when the post= segments are used up; later data is lost. */
#define POST_TICK_MS	5
/* How long the recorder waits at its end for the removal of old snapshots. */
#define REMOVAL_NS	(10 * NSEC_PER_SEC)
/* How often the recorder looks for signals while commands of --on-snapshot end */
#define HOOK_TICK_MS	1000
/* How long the recorder waits at its end for commands of --on-snapshot */
#define HOOK_NS		(10 * NSEC_PER_SEC)

/* --- open and close -------------------------------------------------------- */

static int check_segments(const struct session *s, struct diag *d)
{
	const struct flight_options *opt = &s->opt->flight;
	size_t i;

	for (i = 0; i < opt->nr_triggers && !s->have_raw; i++)
		if (opt->triggers[i].post_segments)
			return diag(d, -EINVAL,
				    "--trigger %s: post=%u counts segments of a raw ring, and there is none: give a time, e.g. post=20ms, or --raw-ring, or record AUX data",
				    opt->triggers[i].name, opt->triggers[i].post_segments);
	return 0;
}

int flight_open(struct session *s, struct diag *d)
{
	struct flight *f = s->flight;
	struct recent_limits limits;
	int err;

	err = check_segments(s, d);
	if (!err)
		err = only_tasks_check(s, d);
	if (!err)
		err = flight_divide(s, &f->memory, d);
	if (err)
		return err;
	limits = (struct recent_limits){
		.memory = f->memory.records,
		.window = s->opt->flight.window,
		.linger = LINGER_NS,
		.block = s->opt->flight.block,
		.late = ROUND_NS,
		.names = f->exit_records,
	};
	f->gaps.per_task = session_per_task(s);
	f->recent = recent_new(&limits);
	f->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!f->recent)
		return diag(d, -ENOMEM, "-M %lluM: there is not this much memory: give less",
			    (unsigned long long)f->memory.limit >> 20);
	if (f->epoll_fd < 0)
		return diag(d, -errno, "epoll_create1: %s", strerror(errno));
	err = perf_clock_open(s->clock, s->opt->use_clock, s->opt->clock);
	s->clock_tried = true;
	if (err)
		return diag(d, err, "cannot open auxrec's own event for the time: %s",
			    strerror(-err));
	err = snapfile_clean(s->opt->flight.name, s->opt->output, d);
	if (err >= 0)
		err = keep_start(&f->keep, &s->opt->flight.keep, s->opt->flight.name,
				 s->opt->output, d);
	if (err)
		return err;
	flight_setup_open(s);
	err = flight_cpus_open(s);
	if (err)
		return diag(d, err, "cannot read which CPUs are online: %s",
			    strerror(-err));
	return flight_triggers_open(s, d);
}

int flight_prepare(struct session *s, struct diag *d)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (!f)
		return diag(d, -ENOMEM, "out of memory");
	/* Call this before the command is started, because the command is not the service. */
	notify_init();
	if (!s->opt->flight.daemon && journal_is_stderr())
		f->journal = JOURNAL_SOCKET;
	f->result_fd = -1;
	f->epoll_fd = -1;
	f->uevents = -1;
	f->end = &f->first;
	f->hook.fd = -1;
	while (!s->recording)
		if (getrandom(&s->recording, sizeof(s->recording), 0) < 0)
			s->recording = now_ns();
	s->flight = f;
	if (!s->opt->flight.on_snapshot || s->opt->dry_run)
		return 0;
	/*
	 * The process that runs commands is a copy of this one, so start it before there are rings
	 * and histories.
	 */
	return hook_open(&f->hook, s->opt->flight.on_snapshot, d);
}

void flight_close(struct session *s)
{
	struct flight *f = s->flight;

	if (!f)
		return;
	hook_close(&f->hook);
	flight_triggers_close(s);
	flight_cpus_close(s);
	survive_free(s);
	recent_free(f->recent);
	read_map_free(&f->trigger_ids);
	free(f->event_triggers);
	flight_wishes_free(f->first);
	flight_wishes_free(f->writing);
	flight_files_free(&f->files);
	made_free(&f->setup);
	gaps_free(&f->gaps);
	/*
	 * A removal that still waits for the disk belongs to its thread and ends with the
	 * thread.
	 */
	f->removal = NULL;
	keep_free(&f->keep);
	if (f->epoll_fd >= 0)
		close(f->epoll_fd);
	free(f);
	s->flight = NULL;
}

/* --- records --------------------------------------------------------------- */

static void look_for_trigger(struct session *s, const struct perf_event_header *rec,
			     __u64 time)
{
	/* All samples begin like this, see SAMPLE_COMMON in session/attr.c. */
	const struct {
		struct perf_event_header header;
		__u64 id, ip;
		__u32 pid, tid;
	} *sample = (const void *)rec;
	struct flight *f = s->flight;
	__u32 i;

	if (rec->type != PERF_RECORD_SAMPLE || !f->trigger_ids.nr || rec->size < sizeof(*sample) ||
	    !read_map_get(&f->trigger_ids, sample->id, &i))
		return;
	flight_wish(s, &s->opt->flight.triggers[i], NULL, time, 0, NULL, 0);
	flight_wish_task(s, &s->opt->flight.triggers[i], sample->pid, sample->tid, time);
}

/*
 * Look for an exit= trigger in an EXIT record. The record that names the task may be in a ring
 * that was not read yet, but usually the name is known.
 */
static void look_for_exit(struct session *s, const struct perf_event_header *rec,
			  __u64 time)
{
	const struct {
		struct perf_event_header header;
		__u32 pid, ppid, tid, ptid;
	} *ids = (const void *)rec;
	const char *name;
	size_t i;

	if (rec->type != PERF_RECORD_EXIT || !s->flight->exit_records)
		return;
	name = recent_name(s->flight->recent, ids->pid, ids->tid);
	for (i = 0; name && i < s->opt->flight.nr_triggers; i++) {
		struct trigger *t = &s->opt->flight.triggers[i];

		if (t->kind != TRIGGER_EXIT || fnmatch(t->value, name, 0))
			continue;
		flight_wish(s, t, NULL, time, 0, NULL, 0);
		flight_wish_task(s, t, ids->pid, ids->tid, time);
	}
}

/* If there is no memory for the record, only this record is lost. The recording goes on. */
void flight_record(struct session *s, const struct perf_event_header *rec)
{
	const __u64 time = flight_record_time(rec);
	struct flight *f = s->flight;

	look_for_trigger(s, rec, time);
	look_for_exit(s, rec, time);
	if (!recent_is_sideband(rec) && !flight_has_room(f, rec->size)) {
		flight_drop(s, rec, time);
		return;
	}
	survive_record(s, rec);
	if (recent_add(f->recent, rec, time))
		f->stats.not_kept++;
}

void flight_settle(struct session *s)
{
	struct flight *f = s->flight;
	__u64 wanted = ~0ULL, now = perf_clock_about(s->clock);

	s->flushed_time = s->round_time;
	s->round_time = s->main.max_time;
	if (s->have_raw)
		wanted = rawring_history(&s->raw);
	if (now < s->main.max_time)
		now = s->main.max_time;
	if (recent_trim(f->recent, now, s->flushed_time, wanted))
		f->stats.not_kept++;
	flight_forget_gaps(f, wanted);
	f->stats.forgotten_maps += forget_maps(f->recent, &f->shrunk);
	if (s->opt->cgroups)
		forget_cgroups(f->recent, now);
	flight_look_short(s, now);
	survive_settle(s);
}

/* --- the loop -------------------------------------------------------------- */

static bool is_due(const struct session *s, const struct flight_wish *w)
{
	return s->flight->quit || now_ns() >= w->due || flight_post_is_over(s, w);
}

/* All wishes that are due share one snapshot. */
static bool take_due(struct session *s)
{
	struct flight *f = s->flight;
	struct flight_wish **at = &f->first, **to = &f->writing;

	while (*at) {
		struct flight_wish *w = *at;

		if (!is_due(s, w)) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		w->next = NULL;
		*to = w;
		to = &w->next;
	}
	f->end = at;
	return f->writing;
}

bool flight_is_due(const struct session *s)
{
	const struct flight_wish *w;

	for (w = s->flight->first; w && !s->flight->child; w = w->next)
		if (is_due(s, w))
			return true;
	return false;
}

void flight_run(struct session *s)
{
	flight_cpus_run(s);
	flight_triggers_run(s);
	flight_dump_end(s, false);
	flight_remove_end(s, 0);
	flight_watch(s);
}

void flight_write_due(struct session *s)
{
	/* The last look at the main rings may have found a trigger. */
	flight_wait_for_segments(s);
	if (!s->flight->child && take_due(s))
		flight_dump_begin(s);
}

int flight_timeout(const struct session *s, int timeout)
{
	const struct flight *f = s->flight;
	const struct flight_wish *w;

	for (w = f->first; w && !f->child; w = w->next) {
		timeout = wait_until(timeout, w->due);
		if (w->overwritten && (timeout < 0 || timeout > POST_TICK_MS))
			timeout = POST_TICK_MS;
	}
	/*
	 * Nothing wakes the recorder when the child, the removal or the freeze ends, or for an
	 * EXIT record.
	 */
	if ((f->child || f->removal || f->frozen_since || f->exit_records) &&
	    (timeout < 0 || timeout > WAIT_TICK_MS))
		timeout = WAIT_TICK_MS;
	timeout = survive_timeout(s, flight_cpus_timeout(s, timeout));
	return flight_watch_timeout(s, timeout);
}

/*
 * If the removal does not finish in time, the next recorder that writes a snapshot removes the
 * rest. So the recorder does not wait for a disk that does not answer, and does not wait at all
 * after a second signal.
 */
static void end_removal(struct session *s)
{
	const __u64 until = now_ns() + REMOVAL_NS;

	while (s->flight->removal && signals_count() < 2 && now_ns() < until) {
		flight_remove_end(s, 1);
		flight_watch(s);
	}
	if (s->flight->removal)
		say("more old snapshots than the limits allow may be left: the recorder has not finished looking for them or removing them");
}

/* A command that hangs must not delay the next recorder. A second signal means: do not wait. */
static void end_hook(struct session *s)
{
	const __u64 until = now_ns() + HOOK_NS;

	hook_finish(&s->flight->hook);
	while (!hook_has_ended(&s->flight->hook, HOOK_TICK_MS)) {
		flight_watch(s);
		flight_busy(s);
		if (signals_count() < 2 && now_ns() < until)
			continue;
		say("--on-snapshot: commands still run, and go on without the recorder");
		return;
	}
}

/* A second signal means: do not wait for a slow disk. */
void flight_finish(struct session *s)
{
	struct flight *f = s->flight;

	flight_over(s);
	f->quit = true;
	flight_lost_all(s);
	flight_pressure_last(s);
	flight_triggers_run(s);
	while (f->child || f->first) {
		flight_dump_end(s, true);
		flight_watch(s);
		if (f->child || !take_due(s))
			continue;
		if (signals_count() < 2)
			flight_dump_begin(s);
		else
			flight_dump_give_up(s, "it waited, and the recorder was told twice to stop");
	}
	end_removal(s);
	end_hook(s);
}
