/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files merge*.c share.
 */
#ifndef AUXREC_MERGE_PARTS_H
#define AUXREC_MERGE_PARTS_H

#include <stdbool.h>

#include "merge/merge.h"
#include "stream/read.h"
#include "stream/read_sample.h"
#include "stream/snapshot_mark.h"

#define MERGE_NEVER	(~0ULL)

/* --- what is read (merge_scan.c) ------------------------------------------- */

/* One of @paths. */
struct merge_input {
	const char *path;
	__u64	size;
	__u64	dev, ino;
	__u64	body;		/* offset behind FINISHED_INIT */
	size_t	nr_marks;
	__u64	numbers;	/* hash of the snapshots' numbers */
	bool	used;
};

/*
 * What a file has of a snapshot, from its sample on: all, or in a merged stream what
 * others had not.
 */
struct merge_section {
	size_t	input;
	__u64	start, end;	/* offsets in the file */
	struct auxrec_snapshot mark;
	__u64	hash;		/* of its samples */
	__u64	since;		/* all records from here on are in it, MERGE_NEVER: none */
	bool	initial;	/* its state is that before FINISHED_INIT */
	bool	had_state;	/* or was needed when it was merged */
	__u64	oldest;		/* begin of its oldest span, or gap */
	/* merge_plan() */
	bool	covered;	/* no records of it are needed */
	bool	state;		/* its state is needed */
	__u64	from, to;	/* times of the records that are, without to and what came late */
	/* of what is written of it, for the rounds */
	__u64	first, last;
};

static inline void merge_time(struct merge_section *s, __u64 time)
{
	/* Readers take these at once, outside of the order. */
	if (!time || time == MERGE_NEVER)
		return;
	if (time < s->first)
		s->first = time;
	if (time > s->last)
		s->last = time;
}

/*
 * merge_plan() - which records to take from where
 * @list: sections of different numbers, in order of t_settled
 */
void merge_plan(struct merge_section **list, size_t nr);

/* --- what was written already (merge_seen.c) ------------------------------- */

enum merge_kind {
	MERGE_SPAN, MERGE_CHUNK, MERGE_AUX, MERGE_GAP, MERGE_RAW, MERGE_BYTES, MERGE_TIMED,
};

/* What a thing is known by; all of it. */
struct merge_key {
	__u64 word[5];
};

struct merge_seen {
	struct merge_entry *slots;
	size_t size;		/* 0 or a power of two */
	size_t nr;
};

/* Returns 1: it was there; 0: it is now; -ENOMEM. @time: see merge_seen_forget() */
int merge_seen_add(struct merge_seen *seen, const struct merge_key *key, __u64 time);
/* Nothing of an earlier time will be asked for. */
int merge_seen_forget(struct merge_seen *seen, __u64 before);
/* A table of values: returns 0 or -ENOMEM; the value, 0 if there is none. */
int merge_seen_set(struct merge_seen *seen, const struct merge_key *key, __u64 value);
__u64 merge_seen_get(const struct merge_seen *seen, const struct merge_key *key);
void merge_seen_free(struct merge_seen *seen);

__u64 merge_hash(__u64 seed, const void *data, size_t len);

/* --- what is written (merge_out.c) ----------------------------------------- */

struct merge_out {
	const char *path;
	char	*tmp;		/* renamed to path at the end; NULL: written directly */
	int	fd;		/* -1: nothing is written, only counted */
	__u8	*buf;
	size_t	len;
	int	err;
	__u64	bytes;
	__u64	synced;		/* of these, on disk */
	__u64	records;
};

int merge_out_open(struct merge_out *o, const char *path, struct diag *d);
/* Bytes of a record, or behind it. Errors come with merge_out_close(). */
void merge_out_add(struct merge_out *o, const void *data, size_t len);
static inline void merge_out_record(struct merge_out *o, const void *rec)
{
	const struct perf_event_header *h = rec;

	o->records++;
	merge_out_add(o, rec, h->size);
}

/* @err: of what was to be written; then the file goes away. Returns it, or its own. */
int merge_out_close(struct merge_out *o, int err, struct diag *d);

/* --- all of it ------------------------------------------------------------- */

/* An entry of ID_INDEX */
struct merge_id {
	struct {
		__u64 id, idx, cpu, tid;
	} entry;
	__u32 attr;		/* which event it is of */
};

/* A queue of AUXTRACE of the merged stream. */
struct merge_queue {
	__u32 idx;
	__u64 offset;		/* bytes so far */
};

struct merge {
	struct merge_input *inputs;
	size_t nr_inputs;
	struct merge_section *sections;
	size_t nr_sections;
	__u64 recording;
	/* the sections that are used, one for each number, in order */
	struct merge_section **list;
	size_t nr_list;
	/* of the files that are used, together; see merge_events() */
	struct perf_event_header **attr_recs;
	size_t nr_attr_recs;
	struct read_attrs attrs;
	struct merge_id *ids;		/* of ID_INDEX */
	size_t nr_ids;
	struct merge_section *base;	/* its file's setup and state begin it */
	struct merge_out out;
	struct merge_summary *sum;
	struct diag *d;
	/* while it is written, see merge_begin() */
	struct merge_seen seen;
	struct merge_seen timed;	/* records from late_since on, see merge_late.c */
	__u64 late_since;
	/*
	 * Of sections that are covered, and the one that they are covered by: which one,
	 * counted from 1, of those that have a thing begins earliest. It is written there:
	 * the others lack older ones, which would come behind it.
	 */
	struct merge_seen group;
	struct read_map queue_by_owner;	/* of (tid, cpu): index in queues */
	struct merge_queue *queues;
	size_t nr_queues;
	bool primed;			/* see write_primer() in auxdata.c */
	__u64 payload;			/* the last one's number */
	__u64 spans, repeated;
};

/* A part of a file, record by record. */
struct merge_reader {
	int fd;
	__u64 at, end;		/* the next byte that is read from the file */
	__u64 start;
	const struct merge_input *in;
	struct read_stream *stream;
};

/* Each returns 0 or -errno with a message. */
int merge_reader_open(struct merge *m, struct merge_reader *r, size_t input,
		      __u64 start, __u64 end);
/* Returns 1, 0 at the end, -errno with a message. */
int merge_reader_next(struct merge *m, struct merge_reader *r,
		      struct read_record *rec);
void merge_reader_close(struct merge_reader *r);
/* Of a merge_reader, for read_open() */
ssize_t merge_reader_fill(void *ctx, void *buf, size_t len);

/* The last @len bytes behind a record, to out. */
int merge_reader_copy(struct merge *m, struct merge_reader *r,
		      const struct read_record *rec, __u64 len);

/* merge_check.c */
/* 0: the file of inputs[@i] keeps all rules that auxrec check knows; -errno with a message. */
int merge_check(struct merge *m, size_t i);
/*
 * Returns -EBADMSG. The message is "FILE: WHAT at offset N", and tells whether
 * auxrec check finds the file invalid.
 */
int merge_damaged(struct merge *m, const struct merge_reader *r,
		  const struct read_record *rec, const char *what);

/* merge_scan.c: fills inputs[@i] and adds its sections. */
int merge_scan(struct merge *m, size_t i);

/* merge_setup.c */
/* What the files say of the events: ATTRs and ID_INDEX with the ids of all. */
int merge_events(struct merge *m);
/* From the header to FINISHED_INIT. */
int merge_setup(struct merge *m);
/* What is before that in a later file, and is needed. */
int merge_late_setup(struct merge *m, struct merge_section *s);
/*
 * What became known of files and programs in those that list[@i] is there for. It comes
 * behind its own, which should be all of that: so it does not matter which they are.
 */
int merge_covered(struct merge *m, size_t i);
/* FEATUREs of BPF programs and BUILD_IDs: each once. */
int merge_once(struct merge *m, const struct read_record *rec);
/* Can the record be part of a state? */
bool merge_is_state(__u32 type);

/* Has the sample's raw data a payload's number (payload.h)? */
bool merge_has_payload(const struct read_sample *s);
/* Is it of no event, but of a producer? */
bool merge_is_raw(const struct read_sample *s);

/* merge_body.c: from the sample of list[@i] on. */
int merge_body(struct merge *m, size_t i);
/* Before those that list[@i] is the first of are written: fills group. */
int merge_group(struct merge *m, size_t i);

/*
 * merge_late.c: of those of a time that an earlier snapshot should have all of.
 * merge_late_begin(): before list[@i] is written. _note(): a record is; 0 or -ENOMEM. _take():
 * is one late, so that it is to be written, too? Then it is noted; 0, 1 or
 * -ENOMEM. @counted: those of @s so far, empty at first.
 */
void merge_late_begin(struct merge *m, size_t i);
int merge_late_note(struct merge *m, const struct read_record *rec, const struct read_sample *s);
int merge_late_take(struct merge *m, const struct merge_section *s, struct merge_seen *counted,
		    const struct read_record *rec, const struct read_sample *sample);

#endif /* AUXREC_MERGE_PARTS_H */
