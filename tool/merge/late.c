// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that came late: a snapshot says up to which time it has all records, but a CPU may have
 * taken a record's time and be stopped before it publishes the record, a virtual one for as long
 * as its host likes. It is in the next snapshot then, among those of a time that the one
 * before has. So of the last MERGE_LATE before that moment is not taken what is in a later
 * snapshot again, as often as it was there already, but what is not.
 */
#include <errno.h>
#include <string.h>

#include "merge/parts.h"
#include "stream/payload.h"

/*
 * Longer than a host stops one virtual CPU and not the others; not longer than that, for all
 * records of this time are remembered.
 */
#define MERGE_LATE	NSEC_PER_SEC

/* The first time of which records of @s may be late; MERGE_NEVER: there is none. */
static __u64 late_since(const struct merge_section *s)
{
	const __u64 from = s->from > MERGE_LATE ? s->from - MERGE_LATE : 0;

	/* In a merged stream are those that were late then, and before what others lacked: */
	if (s->covered || s->state || s->since == MERGE_NEVER)
		return MERGE_NEVER;
	/* its state, if nothing was known of the time before. */
	return (s->initial || s->had_state) && s->since > from ? s->since : from;
}

void merge_late_begin(struct merge *m, size_t i)
{
	m->late_since = MERGE_NEVER;
	while (++i < m->nr_list) {
		const __u64 since = late_since(m->list[i]);

		if (since < m->late_since)
			m->late_since = since;
	}
}

/*
 * What a record is known by, besides how many like it came before: all of it. But raw data of a
 * sample may have been overwritten since, and then be told by samples of another event, see
 * payload.h: of these it is where and when they were taken.
 */
static struct merge_key key_of(const struct read_record *rec, const struct read_sample *s)
{
	struct merge_key key = { { MERGE_TIMED | rec->type << 8, s->time } };
	const size_t skip = sizeof(*rec->hdr);
	__u64 id = s->id;

	if (rec->type != PERF_RECORD_SAMPLE || !(s->has & PERF_SAMPLE_RAW)) {
		key.word[2] = merge_hash(rec->hdr->misc, (const __u8 *)rec->hdr + skip,
					 rec->size - skip);
		return key;
	}
	if (is_payload_event(&s->event->attr) && merge_has_payload(s)) {
		struct auxrec_payload h;

		memcpy(&h, s->raw, sizeof(h));
		id = h.id;
	}
	key.word[2] = id;
	key.word[3] = (__u64)s->tid << 32 | s->cpu;
	return key;
}

int merge_late_note(struct merge *m, const struct read_record *rec, const struct read_sample *s)
{
	struct merge_key key = key_of(rec, s);
	int rc;

	if (s->time < m->late_since)
		return 0;
	do {
		rc = merge_seen_add(&m->timed, &key, s->time);
		key.word[4]++;
	} while (rc > 0);
	return rc;
}

int merge_late_take(struct merge *m, const struct merge_section *s, struct merge_seen *counted,
		    const struct read_record *rec, const struct read_sample *sample)
{
	struct merge_key key = key_of(rec, sample);
	__u64 nr;
	int rc;

	/*
	 * A thread's LOST_SAMPLES is of a sample whose raw data were overwritten, and which
	 * the snapshot before has. Those of a main ring have no thread, see losses.c.
	 */
	if (sample->time < late_since(s) || sample->time >= s->from ||
	    (rec->type == PERF_RECORD_LOST_SAMPLES && sample->tid != (__u32)-1))
		return 0;
	nr = merge_seen_get(counted, &key);
	if (merge_seen_set(counted, &key, nr + 1))
		return -ENOMEM;
	key.word[4] = nr;
	rc = merge_seen_add(&m->timed, &key, sample->time);
	return rc < 0 ? rc : !rc;
}
