// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that came late. Snapshot A tells up to which time (t_settled) it has all records. But a
 * CPU can be stopped between taking a record's time and publishing the record; a virtual CPU can be
 * stopped for as long as its host likes. The record is then only in the next snapshot B, although
 * its time is before A's t_settled. So merge also looks at B's records of the last MERGE_LATE
 * before A's t_settled, and takes those that the stream does not have yet. If the stream has a
 * record n times, merge skips the first n of B's equal records.
 */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "merge/parts.h"
#include "stream/read_raw.h"

/*
 * A host usually stops one virtual CPU for less than this while others run. A longer time would
 * cost memory: merge remembers all records of this time.
 */
#define MERGE_LATE	NSEC_PER_SEC

/* Return the first time at which records of @s may be late; MERGE_NEVER: none are. */
static __u64 late_since(const struct merge_section *s)
{
	const __u64 from = s->from > MERGE_LATE ? s->from - MERGE_LATE : 0;

	if (s->covered || s->state || s->since == MERGE_NEVER)
		return MERGE_NEVER;
	/*
	 * If the section is the first of its file, or nothing was known of the time before it,
	 * only its state is before @since. Otherwise, in a merged stream, the records before
	 * @since are those that were late when it was merged.
	 */
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
 * Return the key of a record; the caller adds how many equal records came before. The key is the
 * whole record, except for a sample with raw data. The raw data may have been overwritten since,
 * and then a sample of another event tells that, see stream/payload.h. The key of such a sample is
 * where and when it was taken.
 */
static struct merge_key key_of(const struct read_record *rec, const struct read_sample *s)
{
	struct merge_key key = { { MERGE_TIMED | rec->type << 8, s->time } };
	const size_t skip = sizeof(*rec->hdr);
	struct auxrec_payload payload;
	__u64 id = s->id;

	if (rec->type != PERF_RECORD_SAMPLE || !(s->has & PERF_SAMPLE_RAW)) {
		key.word[2] = hash_bytes(rec->hdr->misc, (const __u8 *)rec->hdr + skip,
					 rec->size - skip);
		return key;
	}
	if (is_payload_event(&s->event->attr) && read_payload(s, &payload))
		id = payload.id;
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
	 * A LOST_SAMPLES with a thread is for a sample whose raw data was overwritten; the
	 * previous snapshot has that sample. A LOST_SAMPLES of a main ring has no thread, see
	 * record/losses.c.
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
