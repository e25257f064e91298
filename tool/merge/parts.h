/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of merge/ share.
 */
#ifndef AUXREC_MERGE_PARTS_H
#define AUXREC_MERGE_PARTS_H

#include <stdbool.h>

#include "base/hash_map.h"
#include "merge/merge.h"
#include "stream/read.h"
#include "stream/read_sample.h"
#include "stream/snapshot_mark.h"

#define MERGE_NEVER	(~0ULL)

/* --- what is read (merge/scan.c) ------------------------------------------- */

/* A file to be merged */
struct merge_input {
	const char *path;
	int	inflated;	/* descriptor of the decompressed file; 0: it is not compressed */
	__u64	size;		/* decompressed, as are all offsets */
	__u64	dev, ino;
	__u64	body;		/* offset after FINISHED_INIT */
	size_t	nr_marks;
	__u64	numbers;	/* hash of the snapshots' numbers */
	bool	used;
};

/*
 * The part of a file that belongs to a snapshot, from the snapshot's own sample on. In a merged
 * stream the section has only what other snapshots did not have.
 */
struct merge_section {
	size_t	input;
	__u64	start, end;	/* offsets in the file */
	struct auxrec_snapshot mark;
	__u64	hash;		/* hash of the snapshot's own samples */
	__u64	since;		/* it has all records from here on; MERGE_NEVER: none */
	bool	initial;	/* its state is before FINISHED_INIT */
	bool	had_state;	/* its state was needed when it was merged */
	__u64	oldest;		/* start of its oldest span or gap */
	/* merge_plan() */
	bool	covered;	/* none of its records are needed */
	bool	state;		/* its state is needed */
	/* Times of the records that are needed, without @to and without those that came late */
	__u64	from, to;
	/* first and last time of what is written, for FINISHED_ROUND */
	__u64	first, last;
};

static inline void merge_time(struct merge_section *s, __u64 time)
{
	/* Readers process records without a time immediately, outside the order. */
	if (!time || time == MERGE_NEVER)
		return;
	if (time < s->first)
		s->first = time;
	if (time > s->last)
		s->last = time;
}

/* merge/plan.c */
/*
 * merge_plan() - decide which records to take from which section
 * @list: sections with different numbers, in order of t_settled
 */
void merge_plan(struct merge_section **list, size_t nr);

/* --- what was written already (merge/seen.c) ------------------------------- */

enum merge_kind {
	MERGE_SPAN, MERGE_CHUNK, MERGE_AUX, MERGE_GAP, MERGE_RAW, MERGE_BYTES, MERGE_TIMED,
};

/* The key by which an item is recognized; all words count */
struct merge_key {
	__u64 word[5];
};

struct merge_seen {
	struct merge_entry *list;
	size_t nr;
	struct read_map index;	/* of list, by the hash of the key */
};

/* Return 1 if @key was there, 0 if it was added, or -ENOMEM. @time: see merge_seen_forget() */
int merge_seen_add(struct merge_seen *seen, const struct merge_key *key, __u64 time);
/* Forget keys of an earlier time: they will not be looked up any more. */
int merge_seen_forget(struct merge_seen *seen, __u64 before);
/*
 * Use the same table for values. _set() returns 0 or -ENOMEM. _get() returns the value, or 0 if
 * there is none.
 */
int merge_seen_set(struct merge_seen *seen, const struct merge_key *key, __u64 value);
__u64 merge_seen_get(const struct merge_seen *seen, const struct merge_key *key);
void merge_seen_free(struct merge_seen *seen);

/* --- what is written (merge/out.c) ----------------------------------------- */

struct merge_out {
	const char *path;
	char	*tmp;		/* renamed to path at the end; NULL: written directly */
	int	fd;		/* -1: nothing is written, only counted */
	__u8	*buf;
	size_t	len;
	int	err;
	__u64	bytes;
	__u64	synced;		/* bytes that are on disk */
	__u64	records;
	struct write_frames *frames;	/* NULL: not compressed */
	__u64	frame;		/* bytes that were put into the frame */
};

int merge_out_open(struct merge_out *o, const char *path, struct diag *d);
/* Add bytes of a record, or data that follows it. merge_out_close() reports errors. */
void merge_out_add(struct merge_out *o, const void *data, size_t len);
/* A record begins here: end a zstd frame that has 1 MiB or more. */
void merge_out_boundary(struct merge_out *o);
static inline void merge_out_record(struct merge_out *o, const void *rec)
{
	const struct perf_event_header *h = rec;

	o->records++;
	merge_out_boundary(o);
	merge_out_add(o, rec, h->size);
}

/*
 * If @err, writing the stream failed: remove the file and return @err. Otherwise return an error
 * of this function itself.
 */
int merge_out_close(struct merge_out *o, int err, struct diag *d);

/* --- the whole merge ------------------------------------------------------- */

/* An entry of ID_INDEX */
struct merge_id {
	struct {
		__u64 id, idx, cpu, tid;
	} entry;
	__u32 attr;		/* index of its event */
};

/* An AUXTRACE queue of the merged stream */
struct merge_queue {
	__u32 idx;
	__u64 offset;		/* bytes so far */
};

struct merge {
	const char *target;	/* the name of the output */
	struct merge_input *inputs;
	size_t nr_inputs;
	struct merge_section *sections;
	size_t nr_sections;
	__u64 recording;
	/* the sections that are used, one for each number, in order */
	struct merge_section **list;
	size_t nr_list;
	/* events of all files that are used; see merge_events() */
	struct perf_event_header **attr_recs;
	size_t nr_attr_recs;
	struct read_attrs attrs;
	struct merge_id *ids;		/* of ID_INDEX */
	size_t nr_ids;
	struct merge_section *base;	/* the stream begins with its file's setup and state */
	struct merge_out out;
	struct merge_summary *sum;
	struct diag *d;
	/* while the stream is written, see begin() in merge.c */
	struct merge_seen seen;
	struct merge_seen timed;	/* records from late_since on, see merge/late.c */
	__u64 late_since;
	/*
	 * For covered sections and the section that covers them: for each item, the section
	 * (counted from 1) that begins earliest of those that have the item. The item is written
	 * there. The other sections lack older items, which would come after it.
	 */
	struct merge_seen group;
	struct read_map queue_by_owner;	/* (tid, cpu) -> index in queues */
	struct merge_queue *queues;
	size_t nr_queues;
	bool primed;			/* the primer is written, see stream/primer.h */
	__u64 payload;			/* number of the last payload */
	__u64 spans, repeated;
};

/* A part of a file that is read record by record */
struct merge_reader {
	int fd;
	__u64 at, end;		/* the next byte that is read from the file */
	__u64 start;
	const struct merge_input *in;
	struct read_stream *stream;
};

/* merge/inflate.c */
/* If the file is compressed as a whole, decompress it. Return 0, or -errno with a message. */
int merge_inflate(struct merge *m, struct merge_input *in);
void merge_inflate_free(struct merge_input *in);

/* merge/reader.c */
/* Return 0, or -errno with a message. */
int merge_reader_open(struct merge *m, struct merge_reader *r, size_t input,
		      __u64 start, __u64 end);
void merge_reader_close(struct merge_reader *r);
/* Read from a merge_reader, for read_open(). */
ssize_t merge_reader_fill(void *ctx, void *buf, size_t len);

/* merge/read.c */
/* Return 1, or 0 at the end, or -errno with a message. */
int merge_reader_next(struct merge *m, struct merge_reader *r,
		      struct read_record *rec);
/* Copy the last @len bytes of data after a record to m->out. */
int merge_reader_copy(struct merge *m, struct merge_reader *r,
		      const struct read_record *rec, __u64 len);

/* merge/check.c */
/*
 * Return 0 if the file of inputs[@i] keeps all rules that auxrec check knows, else -errno with a
 * message.
 */
int merge_check(struct merge *m, size_t i);
/*
 * Return -EBADMSG. The message is "FILE: WHAT at offset N", and tells whether auxrec check finds
 * the file invalid.
 */
int merge_damaged(struct merge *m, const struct merge_reader *r,
		  const struct read_record *rec, const char *what);

/* merge/scan.c: fill inputs[@i] and add its sections. */
int merge_scan(struct merge *m, size_t i);

/* merge/setup.c; merge_events() is in merge/events.c */
/* Merge the events of all files: ATTRs, and ID_INDEX with all ids. */
int merge_events(struct merge *m);
/* Write the start of the stream, from the header to FINISHED_INIT. */
int merge_setup(struct merge *m);
/* Write those parts of a later file's setup that the stream needs. */
int merge_late_setup(struct merge *m, struct merge_section *s);
/*
 * Write the BUILD_IDs and the FEATUREs of BPF programs of the sections that list[@i] covers, after
 * list[@i]'s own records. Usually list[@i] has all of these, and nothing is written.
 */
int merge_covered(struct merge *m, size_t i);
/* Write a FEATURE of BPF programs, or a BUILD_ID, unless it was written before. */
int merge_once(struct merge *m, const struct read_record *rec);
/* Can the record be part of a state? */
bool merge_is_state(__u32 type);

/* merge/scan.c: does the sample's raw data have a payload's number (stream/payload.h)? */
bool merge_has_payload(const struct read_sample *s);
/* Is the sample a frame of a producer, not of an event? */
bool merge_is_raw(const struct read_sample *s);

/* merge/body.c: write list[@i], from its own sample on. */
int merge_body(struct merge *m, size_t i);
/* Fill m->group, before the covered sections that begin with list[@i] are written. */
int merge_group(struct merge *m, size_t i);

/*
 * merge/late.c: records of a time that an earlier snapshot should have completely.
 * merge_late_begin() is called before list[@i] is written. merge_late_note() notes a record that
 * is written, and returns 0 or -ENOMEM. merge_late_take() returns 1 if the record is late, so
 * that it must be written, too; it then notes the record. Otherwise it returns 0 or -ENOMEM.
 * @counted: the records of @s so far, empty at first.
 */
void merge_late_begin(struct merge *m, size_t i);
int merge_late_note(struct merge *m, const struct read_record *rec, const struct read_sample *s);
int merge_late_take(struct merge *m, const struct merge_section *s, struct merge_seen *counted,
		    const struct read_record *rec, const struct read_sample *sample);

#endif /* AUXREC_MERGE_PARTS_H */
