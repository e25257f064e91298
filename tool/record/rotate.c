// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switch from one file of a live recording to the next, see record/rotate.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/recent.h"
#include "record/auxdata.h"
#include "record/forget.h"
#include "record/made.h"
#include "record/rotate.h"
#include "record/wait.h"
#include "session/signals.h"
#include "stream/map_kind.h"
#include "stream/records.h"

/*
 * If the state is larger than a quarter of this (STATE_PART), forget_maps() makes it smaller. The
 * sideband since session.flushed_time is kept, whatever its size is.
 */
#define SIDEBAND_MAX	(64U << 20)
/* A task is known for this time after its EXIT, as in a flight recorder. */
#define LINGER_NS	NSEC_PER_SEC

struct rotate {
	struct recent *recent;		/* sideband and state, no samples */
	struct made setup;		/* the records that describe the recording */
	size_t before_state;		/* bytes of @setup before the first record of the state */
	bool in_setup;
	bool repeating;			/* records are written that are in another file, too */
	bool due;
	bool refused;			/* the last switch has failed, and a message tells it */
	__u64 rounds;			/* session.rounds when the switch became due */
	__u64 begun;			/* now_ns() when this file began, 0: not yet */
	__u64 own_bytes;		/* stream.stored where this file's own records begin */
	__u64 looked;			/* for forget_maps() */
	struct file_list files;
};

/* --- what has been written -------------------------------------------------- */

static __u64 record_time(const struct session *s, const struct perf_event_header *rec)
{
	struct rec_sample_id id;

	if (rec->type >= REC_ATTR || rec->size < sizeof(*rec) + sizeof(id))
		return s->main.max_time;
	memcpy(&id, (const __u8 *)rec + rec->size - sizeof(id), sizeof(id));
	return id.time;
}

/* For stream.note: keep what the next file needs. */
static int note(void *ctx, const void *head, size_t head_len, const void *data, size_t len,
		size_t pad)
{
	const struct perf_event_header *h = head;
	struct session *s = ctx;
	struct rotate *r = s->rotate;

	if (r->repeating || h->type == REC_FINISHED_INIT || h->type == REC_FINISHED_ROUND)
		return 0;
	if (!r->in_setup)
		return !len && recent_is_sideband(h) ?
		       recent_add(r->recent, h, record_time(s, h)) : 0;
	if (!len && made_is_state(h)) {
		if (!r->before_state)
			r->before_state = r->setup.size;
		return recent_fold(r->recent, h);
	}
	return made_add_record(&r->setup, head, head_len, data, len, pad);
}

int rotate_open(struct session *s, struct diag *d)
{
	const struct recent_limits limits = {
		.memory = SIDEBAND_MAX,
		.window = 1,
		.linger = LINGER_NS,
	};
	int err;

	if (!s->opt->switching)
		return 0;
	if (!s->out.regular)
		return diag(d, -EINVAL,
			    "--switch-output: %s is not a regular file: name one with -o",
			    s->opt->output);
	s->rotate = calloc(1, sizeof(*s->rotate));
	if (s->rotate)
		s->rotate->recent = recent_new(&limits);
	if (!s->rotate || !s->rotate->recent)
		return diag(d, -ENOMEM, "out of memory");
	err = s->opt->switch_signal ? signals_trigger(SIGUSR2) : 0;
	if (err)
		return diag(d, err, "SIGUSR2: %s", strerror(-err));
	s->out.note = note;
	s->out.ctx = s;
	return 0;
}

void rotate_free(struct session *s)
{
	struct rotate *r = s->rotate;

	if (!r)
		return;
	if (r->recent)
		recent_free(r->recent);
	made_free(&r->setup);
	file_list_free(&r->files);
	free(r);
	s->rotate = NULL;
}

void rotate_setup(struct session *s, bool begin)
{
	if (!s->rotate)
		return;
	s->rotate->in_setup = begin;
	/* Only after a flush, out.stored includes the state. An error stays in out.err. */
	if (!begin)
		stream_flush(&s->out);
	s->rotate->own_bytes = s->out.stored;
}

void rotate_round(struct session *s)
{
	struct rotate *r = s->rotate;

	if (!r)
		return;
	if (recent_trim(r->recent, s->main.max_time, s->flushed_time, ~0ULL))
		say("--switch-output: out of memory, the next file has not all tasks and maps");
	forget_maps(r->recent, &r->looked);
	if (s->opt->cgroups)
		forget_cgroups(r->recent, s->main.max_time);
}

/* --- when to switch --------------------------------------------------------- */

int rotate_timeout(const struct session *s, int timeout)
{
	const struct rotate *r = s->rotate;

	if (!r || !s->opt->switch_ns || !r->begun || r->due)
		return timeout;
	return wait_until(timeout, r->begun + s->opt->switch_ns);
}

void rotate_look(struct session *s)
{
	const struct options *opt = s->opt;
	struct rotate *r = s->rotate;

	/* If the round cannot end yet, the switch stays due. */
	if (!r || r->due)
		return;
	if (!r->begun)
		r->begun = now_ns();
	if ((opt->switch_signal && signals_triggered(SIGUSR2)) ||
	    (opt->switch_ns && now_ns() - r->begun >= opt->switch_ns) ||
	    (opt->switch_bytes && s->out.stored >= r->own_bytes + opt->switch_bytes))
		r->due = true;
	if (!r->due)
		return;
	r->rounds = s->rounds;
	if (s->have_raw)
		rawring_flush(&s->raw, 0);
}

bool rotate_is_due(const struct session *s)
{
	return s->rotate && s->rotate->due;
}

/* --- the end of a file ------------------------------------------------------ */

static int put_sideband(void *ctx, const void *rec)
{
	struct session *s = ctx;

	return recent_is_sideband(rec) ? stream_record(&s->out, rec) : 0;
}

/*
 * Samples and AUX data of the file can be younger than some sideband that the main rings still
 * contain, because the rings are read one after the other. So write this sideband now. It stays in
 * the rings, and comes in the next file, too.
 */
static int end_file(struct session *s)
{
	const struct perf_event_header round = { REC_FINISHED_ROUND, 0, sizeof(round) };
	size_t i;
	int err = 0;

	s->rotate->repeating = true;
	for (i = 0; !err && i < s->nr_rings; i++)
		err = mainring_peek(&s->rings[i], put_sideband, s, s->ids_in_records);
	if (!err)
		err = stream_record(&s->out, &round);
	s->rotate->repeating = false;
	return err ?: stream_flush(&s->out);
}

/* --- the begin of a file ---------------------------------------------------- */

/* The parts of the state, in the order of a stream */
enum part { PART_KERNEL, PART_MODULES, PART_REST };

struct part_ctx {
	struct session *s;
	enum part part;
};

static enum part part_of(const struct perf_event_header *rec)
{
	const size_t at = rec->type == PERF_RECORD_MMAP ? REC_MMAP_NAME : REC_MMAP2_NAME;
	__s32 pid;

	if (rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2)
		return PART_REST;
	memcpy(&pid, rec + 1, sizeof(pid));
	if (pid != -1)
		return PART_REST;
	return map_kind((const char *)rec + at) == MAP_KIND_KERNEL ? PART_KERNEL : PART_MODULES;
}

/* Records before FINISHED_INIT have the time 0, as those of the first file. */
static int put_part(void *ctx, const struct perf_event_header *rec)
{
	__u64 copy[REC_SIZE_MAX / 8 + 1];
	const struct part_ctx *c = ctx;
	struct rec_sample_id *id;

	if (part_of(rec) != c->part)
		return 0;
	if (rec->type >= REC_ATTR || rec->size < sizeof(*rec) + sizeof(*id))
		return stream_record(&c->s->out, rec);
	memcpy(copy, rec, rec->size);
	id = (void *)((__u8 *)copy + rec->size - sizeof(*id));
	id->time = 0;
	return stream_record(&c->s->out, copy);
}

static int put_state(struct session *s, enum part part)
{
	struct part_ctx c = { s, part };

	return recent_emit_state(s->rotate->recent, put_part, &c);
}

static int put(void *ctx, const struct perf_event_header *rec)
{
	struct session *s = ctx;

	return stream_record(&s->out, rec);
}

static int put_begin(struct session *s)
{
	const struct perf_event_header init = { REC_FINISHED_INIT, 0, sizeof(init) };
	struct rotate *r = s->rotate;
	struct made *m = &r->setup;

	made_set_clock(m);
	return stream_bytes(&s->out, m->bytes, r->before_state) ?:
	       put_state(s, PART_KERNEL) ?:
	       put_state(s, PART_MODULES) ?:
	       stream_bytes(&s->out, m->bytes + r->before_state, m->size - r->before_state) ?:
	       put_state(s, PART_REST) ?:
	       stream_record(&s->out, &init) ?:
	       recent_emit_sideband(r->recent, put, s) ?:
	       stream_flush(&s->out);
}

/* A failure is the stream's, and ends the recording. */
static void begin_file(struct session *s)
{
	int err;

	s->rotate->repeating = true;
	err = put_begin(s);
	s->rotate->repeating = false;
	/* The size of --switch-output counts from here: each file may begin with a large state. */
	s->rotate->own_bytes = s->out.stored;
	if (err && !s->out.err)
		s->out.err = err;
	auxdata_begin_stream(s);
}

/* --- switch ----------------------------------------------------------------- */

void rotate_switch(struct session *s)
{
	struct rotate *r = s->rotate;
	int fd;

	if (!r || !r->due || s->rounds == r->rounds || stream_flush(&s->out))
		return;
	/* If this fails, try again when the next switch is due. */
	r->due = false;
	r->begun = now_ns();
	fd = file_list_next(&r->files, s->opt->output);
	if (fd < 0) {
		if (!r->refused)
			say("cannot begin another file %s: %s: the recording goes on in the same file",
			    s->opt->output, strerror(-fd));
		r->refused = true;
		return;
	}
	r->refused = false;
	/* If the end cannot be written, the stream has failed, and the next file stays empty. */
	end_file(s);
	file_list_limit(&r->files, s->opt->switch_files);
	if (!stream_next(&s->out, fd))
		begin_file(s);
}

void rotate_finish(struct session *s)
{
	struct rotate *r = s->rotate;
	int err = 0;

	if (!r)
		return;
	if (s->out.bytes != s->out.first)
		err = file_list_complete(&r->files, s->opt->output);
	else if (unlink(s->opt->output))
		err = -errno;
	if (err)
		say("--switch-output: cannot rename %s: %s", s->opt->output, strerror(-err));
	else
		file_list_limit(&r->files, s->opt->switch_files);
}

const struct file_list *rotate_files(const struct session *s)
{
	return s->rotate ? &s->rotate->files : NULL;
}
