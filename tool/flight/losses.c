// SPDX-License-Identifier: GPL-2.0-only
/*
 * Note what a snapshot lacks while it is written, so that the journal's entry says what auxrec info
 * will say, and nobody has to read the file for it.
 */
#include "flight/flight.h"
#include "stream/cause.h"
#include "stream/records.h"

static void add(struct snapshot_losses *l, struct snapshot_loss loss)
{
	if (loss.end < loss.begin)
		loss.end = loss.begin;
	if (complete_break(&l->breaks, loss.begin, loss.end))
		l->failed = true;
	l->newest[l->nr++ % SNAPSHOT_LOSSES] = loss;
}

/*
 * Records of losses have a fixed layout. Before the records of a loss, a record with a count of 0
 * tells when the loss began (record/losses.c), so this function does not have to parse other
 * records.
 */
void snapshot_losses_record(struct session *s, const struct perf_event_header *h)
{
	struct snapshot_losses *l = s->flight->losses;
	const struct read_record rec = { .hdr = h, .type = h->type, .size = h->size };
	struct read_sample sample = { .has = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU };
	const struct rec_sample_id *id;
	struct read_gap gap;
	__u64 event, lost;
	int found;

	if (!l || (h->type != PERF_RECORD_LOST && h->type != PERF_RECORD_LOST_SAMPLES))
		return;
	id = (const void *)((const __u8 *)h + h->size - sizeof(*id));
	sample.id = id->id;
	sample.time = id->time;
	sample.tid = id->tid;
	sample.cpu = id->cpu;
	sample.rest = h->size - sizeof(*h) - sizeof(*id);
	lost = read_lost(&rec, &sample, &event);
	l->facts.lost += lost;
	found = read_loss(&l->rings, &rec, &sample, 0, &gap);
	if (found < 0)
		l->failed = true;
	if (found > 0)
		add(l, (struct snapshot_loss){
			.cause = "main ring full", .begin = gap.begin, .end = gap.end,
			.records = lost,
		});
}

void snapshot_losses_gap(struct session *s, const struct perfaux_gap *gap)
{
	struct snapshot_losses *l = s->flight->losses;

	if (!l)
		return;
	l->facts.gaps++;
	l->facts.gap_bytes += gap->bytes;
	add(l, (struct snapshot_loss){
		.cause = gap_cause_name(gap->cause), .begin = gap->t_begin, .end = gap->t_end,
		.bytes = gap->bytes,
	});
}

void snapshot_losses_end(struct snapshot_losses *l, const struct auxrec_snapshot *mark)
{
	l->facts.trigger = mark->t_trigger;
	complete_breaks_end(&l->breaks);
	if (!l->failed)
		l->facts.complete = complete_time(&l->breaks, mark);
	complete_breaks_free(&l->breaks);
	read_losses_free(&l->rings);
}
