// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mode of a live recording, which writes records as they come, in rounds.
 */
#include "record/auxdata.h"
#include "record/payloads.h"
#include "record/record.h"
#include "record/rotate.h"
#include "stream/records.h"

/* A span that does not end is cut after this time, so that readers can go on. */
#define HELD_MAX		NSEC_PER_SEC

/*
 * Readers sort records by time. At a FINISHED_ROUND they process all records up to the
 * largest time that they had seen at the FINISHED_ROUND before. AUX data of that time must
 * be in the stream by then. So a round waits for spans that are being written and began
 * before that time. It also waits for the infos of programs whose BPF_EVENTs it has, but
 * for HELD_MAX at most. A round takes at least ROUND_NS, see record/record.h.
 */
static int finish_round(struct session *s, bool last)
{
	const struct perf_event_header h = {
		REC_FINISHED_ROUND, 0, sizeof(h)
	};
	int err;

	s->round_due = !last && !s->held_since && now_ns() - s->round_began < ROUND_NS;
	if (s->round_due)
		return 0;
	if (!last && (!s->bpf_settled ||
		      (s->have_raw && s->round_time > s->raw.oldest))) {
		const __u64 now = now_ns();

		if (!s->held_since) {
			s->held_since = now;
			return 0;
		}
		if (now - s->held_since <= HELD_MAX)
			return 0;
		if (s->have_raw && s->round_time > s->raw.oldest) {
			rawring_flush(&s->raw, PERFAUX_FLUSH_SPANS);
			s->held_since = now;
			return 0;
		}
	}

	s->held_since = 0;
	s->round_began = now_ns();
	err = stream_record(&s->out, &h);
	if (!err)
		err = stream_flush(&s->out);
	s->rounds++;
	s->flushed_time = s->round_time;
	s->round_time = s->main.max_time;
	rotate_round(s);
	return err;
}

/* prepare() calls this last, so that only a recording that can begin replaces an old file. */
static int live_open(struct session *s, struct diag *d)
{
	int err;

	if (s->opt->compress && !write_frames_memory(s->opt->compress))
		return diag(d, -ENOMEM, "--compress: out of memory");
	err = stream_open(&s->out, s->opt->output, d);
	if (!err && s->opt->compress)
		err = stream_compress(&s->out, s->opt->compress, d);
	if (!err && s->opt->pack)
		err = stream_pack(&s->out, s->opt->pack, d);
	return err ?: rotate_open(s, d);
}

static int live_record(struct session *s, const struct perf_event_header *rec)
{
	const __u64 samples = s->out.samples;
	int err;

	if (rec->type == PERF_RECORD_SAMPLE && s->have_payloads)
		err = payload_sample(s, rec);
	else
		err = stream_record(&s->out, rec);
	/* After an error the record stays in the ring, and count_rest() counts it. */
	if (err && s->out.samples != samples)
		s->out.lost_samples--;
	return err;
}

static int live_looked(struct session *s, __u64 seen, bool last)
{
	int err = stream_flush(&s->out);

	if (!err && (s->out.records != seen || s->held_since || s->round_due || rotate_is_due(s)))
		err = finish_round(s, last);
	return err;
}

static int live_finish(struct session *s, int err)
{
	if (!err && s->have_raw)
		err = auxdata_summary(s);
	if (!err)
		err = finish_round(s, true);
	rotate_finish(s);
	return err;
}

const struct session_mode live_mode = {
	.open = live_open,
	.record = live_record,
	.raw = auxdata_pass,
	.looked = live_looked,
	.finish = live_finish,
	.setup = rotate_setup,
	.timeout = rotate_timeout,
	.run = rotate_look,
	.is_due = rotate_is_due,
	.write_due = rotate_switch,
	.close = rotate_free,
};
