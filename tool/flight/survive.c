// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep the records of a flight recorder in memory that survives a crash of the machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "flight/flight.h"
#include "flight/survive.h"
#include "history/journal.h"

struct survive {
	struct journal journal;
	__u64 lost;		/* records since the last checkpoint that was complete */
	bool changed;		/* a checkpoint is due, even if the half is not full */
	bool failed;		/* the last checkpoint did not fit, and a message said so */
	__u64 tried;		/* now_ns() of the last checkpoint */
	struct journal_settled settled;
	__u64 began;		/* when the recorder began to read the rings; perf's clock */
};

static bool in_use(const struct session *s)
{
	return s->flight && s->flight->survive;
}

/* --- a checkpoint ----------------------------------------------------------- */

static __u32 event_flags(const struct sev *sev)
{
	return (sev->sideband ? SURVIVE_EVENT_SIDEBAND : 0) |
	       (sev->raw_ring ? SURVIVE_EVENT_RAW_RING : 0) |
	       (sev->payloads ? SURVIVE_EVENT_PAYLOADS : 0) |
	       (sev->snapshots ? SURVIVE_EVENT_SNAPSHOTS : 0);
}

static __u8 *pack_event(__u8 *to, const struct sev *sev)
{
	const struct survive_event event = {
		.attr = sev->attr,
		.chunk_id = sev->chunk_id,
		.aux = sev->aux,
		.flags = event_flags(sev),
		.nr_fds = sev->nr_fds,
	};
	size_t i;

	memcpy(to, &event, sizeof(event));
	to += sizeof(event);
	for (i = 0; i < sev->nr_fds; i++) {
		const struct survive_fd fd = { .id = sev->fds[i].id, .cpu = sev->fds[i].cpu };

		memcpy(to, &fd, sizeof(fd));
		to += sizeof(fd);
	}
	return to;
}

static int add_session(struct session *s)
{
	struct survive_session head = {
		.version = SURVIVE_VERSION,
		.flags = (s->opt->system_wide ? SURVIVE_SYSTEM_WIDE : 0) |
			 (s->have_payloads ? SURVIVE_PAYLOADS : 0),
		.recording = s->recording,
		.number = s->flight->number,
		.nr_events = s->nr_sev,
		.pid = getpid(),
	};
	size_t size = sizeof(head), i;
	__u8 *data, *to;
	int err;

	for (i = 0; i < s->nr_sev; i++)
		size += sizeof(struct survive_event) + s->sev[i].nr_fds * sizeof(struct survive_fd);
	data = malloc(size);
	if (!data)
		return -ENOMEM;
	slurp_line("/proc/sys/kernel/random/boot_id", head.boot_id, sizeof(head.boot_id));
	memcpy(data, &head, sizeof(head));
	to = data + sizeof(head);
	for (i = 0; i < s->nr_sev; i++)
		to = pack_event(to, &s->sev[i]);
	err = journal_add(&s->flight->survive->journal, JOURNAL_SESSION, data, size);
	free(data);
	return err;
}

/* A later description replaces an earlier one. */
static int describe(struct session *s)
{
	const struct flight *f = s->flight;

	return add_session(s) ?: journal_add(&f->survive->journal, JOURNAL_SETUP,
					     f->setup.bytes, f->setup.size);
}

static int add_state(void *ctx, const struct perf_event_header *rec)
{
	return journal_add(ctx, JOURNAL_STATE, rec, rec->size);
}

static int add_record(void *ctx, const struct perf_event_header *rec)
{
	return journal_add(ctx, JOURNAL_RECORD, rec, rec->size);
}

/*
 * Write the description of the recording, the state, the sideband after the state, and the gaps. If
 * the checkpoint does not fit, the other half stays valid, and records are lost until one fits.
 */
static void checkpoint(struct session *s)
{
	struct flight *f = s->flight;
	struct survive *survive = f->survive;
	size_t i;
	int err;

	survive->tried = now_ns();
	journal_begin(&survive->journal);
	err = describe(s);
	if (!err)
		err = recent_emit_state(f->recent, add_state, &survive->journal);
	if (!err)
		err = recent_emit_sideband(f->recent, add_record, &survive->journal);
	for (i = 0; !err && i < f->gaps.nr; i++)
		err = journal_add(&survive->journal, JOURNAL_GAP, &f->gaps.list[i],
				  sizeof(f->gaps.list[i]));
	if (err) {
		journal_give_up(&survive->journal);
		if (!survive->failed)
			say("--survive-crash: the state of all tasks does not fit into the reserved memory: after a crash of the machine, newer records will be missing; reserve more memory (reserve_mem=)");
		survive->failed = true;
		return;
	}
	/* Every sample with a later time is still in a main ring. */
	journal_seal(&survive->journal, s->main.max_time, survive->lost);
	survive->failed = false;
	survive->changed = false;
	survive->lost = 0;
}

/* --- called by the flight recorder ------------------------------------------ */

int survive_begin(struct session *s, struct diag *d)
{
	if (!s->opt->flight.survive)
		return 0;
	s->flight->survive = calloc(1, sizeof(*s->flight->survive));
	if (!s->flight->survive)
		return diag(d, -ENOMEM, "out of memory");
	journal_init(&s->flight->survive->journal, s->raw.user, s->raw.user_size);
	checkpoint(s);
	if (s->flight->survive->failed)
		return diag(d, -ENOSPC,
			    "--survive-crash: the reserved memory is too small for the tasks of this machine: reserve more (reserve_mem=)");
	return 0;
}

void survive_free(struct session *s)
{
	if (in_use(s))
		free(s->flight->survive);
	s->flight->survive = NULL;
}

void survive_changed(struct session *s)
{
	if (in_use(s))
		s->flight->survive->changed = true;
}

void survive_record(struct session *s, const struct perf_event_header *rec)
{
	struct survive *survive;

	if (!in_use(s))
		return;
	survive = s->flight->survive;
	if (!journal_add(&survive->journal, JOURNAL_RECORD, rec, rec->size))
		return;
	/* If this checkpoint does not fit, survive_settle() tries again. */
	survive->changed = true;
	if (!survive->failed) {
		checkpoint(s);
		if (!survive->failed &&
		    !journal_add(&survive->journal, JOURNAL_RECORD, rec, rec->size))
			return;
	}
	journal_lose(&survive->journal, ++survive->lost);
}

/* If the gap does not fit, the next checkpoint has it. */
void survive_gap(struct session *s, const struct perfaux_gap *gap)
{
	if (in_use(s) && journal_add(&s->flight->survive->journal, JOURNAL_GAP, gap, sizeof(*gap)))
		s->flight->survive->changed = true;
}

void survive_look(struct session *s)
{
	if (in_use(s))
		s->flight->survive->began = perf_clock_about(s->clock);
}

/*
 * Return whether to add a JOURNAL_SETTLED entry. If each look added one, these entries would push
 * out all records while the machine is idle.
 */
static bool is_news(const struct journal_settled *last, const struct journal_settled *now)
{
	if (now->looked <= last->looked)
		return false;
	return now->flushed != last->flushed || now->newest != last->newest ||
	       now->looked - last->looked >= NSEC_PER_SEC;
}

void survive_settle(struct session *s)
{
	struct journal_settled now = {
		.flushed = s->flushed_time, .newest = s->main.max_time,
	};
	struct survive *survive;

	if (!in_use(s))
		return;
	survive = s->flight->survive;
	now.looked = survive->began;
	/* Try without a checkpoint first, because the records of the other half stay then. */
	if (survive->changed && !survive->failed && !describe(s))
		survive->changed = false;
	/* A checkpoint takes time even if it does not fit: try it once a second. */
	if (survive->changed && (!survive->failed || now_ns() - survive->tried > NSEC_PER_SEC))
		checkpoint(s);
	if (!is_news(&survive->settled, &now))
		return;
	if (journal_add(&survive->journal, JOURNAL_SETTLED, &now, sizeof(now)))
		survive->changed = true;
	else
		survive->settled = now;
}

int survive_timeout(const struct session *s, int timeout)
{
	if (in_use(s) && (timeout < 0 || timeout > SURVIVE_LOOK_MS))
		return SURVIVE_LOOK_MS;
	return timeout;
}
