/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxrec check: does a stream keep the rules that stock readers (and ours)
 * rely on? One pass; each file check_*.c has the rules of one subject.
 */
#ifndef AUXREC_CHECK_H
#define AUXREC_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "stream/aux_chunk.h"
#include "stream/payload.h"
#include "stream/read.h"
#include "stream/read_attr.h"
#include "base/bytes.h"
#include "stream/read_sample.h"
#include "stream/snapshot_mark.h"

#ifndef __printf
#define __printf(a, b) \
	__attribute__(( \
		__format__(__printf__, a, b)))
#endif

/* Order, names and meaning are in the table in check/report.c. */
enum check_rule {
	RULE_HEADER,
	RULE_FRAME,
	RULE_SIZE,
	RULE_TYPE,
	RULE_ORDER,
	RULE_ATTR,
	RULE_ATTR_IDS,
	RULE_ATTR_COMPAT,
	RULE_ATTR_FIRST,
	RULE_ID,
	RULE_EVENT_UPDATE,
	RULE_EVENT_NAME,
	RULE_FEATURE_ID,
	RULE_FEATURE_END,
	RULE_FEATURE_DATA,
	RULE_FEATURE_BPF,
	RULE_TRACING_DATA,
	RULE_TRACING_NEED,
	RULE_BUILD_ID,
	RULE_ID_INDEX,
	RULE_THREAD_MAP,
	RULE_CPU_MAP,
	RULE_TIME_CONV,
	RULE_AUX_INFO,
	RULE_AUX_FIRST,
	RULE_AUX_SIZE,
	RULE_AUX_OFFSET,
	RULE_AUX_QUEUE,
	RULE_AUX_LATE,
	RULE_COMPRESSED,
	RULE_INIT,
	RULE_FORK_EXEC,
	RULE_MMAP_ID,
	RULE_KERNEL_MAP,
	RULE_STRING,
	RULE_STRING_PAD,
	RULE_SAMPLE,
	RULE_RAW_ALIGN,
	RULE_CHUNK,
	RULE_CHUNK_LENGTH,
	RULE_CHUNK_SPAN,
	RULE_CHUNK_SEQ,
	RULE_CHUNK_TIME,
	RULE_PAYLOAD,
	RULE_PAYLOAD_LENGTH,
	RULE_PAYLOAD_PART,
	RULE_SNAPSHOT,
	RULE_SNAPSHOT_FIRST,
	RULE_TIME_ORDER,
	RULE_GAP,
	RULE_NR
};

enum check_result {
	CHECK_VALID	= 0,
	CHECK_INVALID	= 1,
	CHECK_ERROR	= 2,	/* usage, I/O, memory: nothing is known */
	CHECK_CUT	= 3,	/* valid as far as it goes, ends in a record */
};

struct check_queue {
	__u32	idx;
	__u32	tid;
	__u32	cpu;
	bool	loss;		/* a loss was reported since its last record */
	__u64	next;		/* offset that the next record should have */
};

struct check_span {
	struct auxrec_chunk last;
	__u32	pid, tid, cpu;
	bool	open;		/* parts are missing */
};

struct check {
	/* options, set by the caller */
	bool relaxed;		/* --perf: what stock readers accept */
	bool json;
	bool quiet;
	__u64 max;		/* violations to list */
	FILE *out;		/* where they are listed */

	/* results */
	__u64 violations;
	__u64 listed;
	__u64 by_rule[RULE_NR];
	__u64 records;
	__u64 bytes;
	__u64 cut;		/* CHECK_CUT: offset of the record */
	const char *note;	/* what a valid prefix does not have yet */

	/* what the rules remember */
	struct read_stream *stream;
	struct read_attrs attrs;
	int phase;		/* order of the setup records */
	bool setup_done;	/* FINISHED_INIT, or the first live record */
	bool init_seen;
	bool features, features_end;
	bool tracing_seen;
	bool compressed_ok;	/* FEATURE 27 was valid */
	__u32 compressed_max;	/* its mmap_len */
	__u64 compressed_over;	/* offset of the last that was larger */
	bool index_seen, thread_map_seen, cpu_map_seen, time_conv_seen;
	struct read_map index_ids;
	bool kernel_map_seen;

	bool aux_info;
	bool pt_per_cpu, pt_per_thread;	/* from an Intel PT AUXTRACE_INFO */
	struct check_queue *queues;
	size_t nr_queues;
	struct read_map queue_by_idx;
	struct read_map queue_by_owner;
	bool gap_open;		/* an AUX gap waits for its AUXTRACE_ERROR */
	struct read_sample gap;

	struct check_span *spans;
	size_t nr_spans;
	struct read_map span_by_cookie;

	bool snapshots;		/* there is a snapshot event: it is a snapshot */
	bool first_seen;	/* what is behind FINISHED_INIT */
	bool snapshot_seen;
	__u64 state_time;	/* largest before FINISHED_INIT */

	struct auxrec_payload payload;	/* the last part */
	bool payload_open;	/* parts are missing */

	__u64 time_max;		/* largest time so far */
	__u64 time_next;	/* that before the last FINISHED_ROUND */
	__u64 time_flushed;	/* that before the one before it */

	char expected[160];
};

/*
 * check_stream() - check a whole stream
 * @c: zero, but for the options
 *
 * Return: CHECK_VALID, CHECK_INVALID, CHECK_CUT, or -errno.
 */
int check_stream(struct check *c, read_fill_t fill, void *ctx);

/* Free what the rules remember; the results stay. */
void check_free(struct check *c);

/* check/report.c */

/* Count a violation and lists it. @rec may be NULL: the stream's header. */
__printf(5, 6)
void check_fail(struct check *c, const struct read_record *rec,
		enum check_rule rule, const char *expected,
		const char *found, ...);

/* For an @expected that is not constant; valid until the next call. */
__printf(2, 3)
const char *check_expect(struct check *c, const char *fmt, ...);

void check_report_begin(struct check *c, const char *file);
void check_report_end(struct check *c, const char *file, int result);
void check_print_rules(FILE *f);

/*
 * The subjects. @s is the record's sample_id or sample, of a record below 64
 * that could be parsed.
 */
void check_setup(struct check *c, const struct read_record *rec,
		 const struct read_sample *s);
void check_user(struct check *c, const struct read_record *rec);
void check_feature(struct check *c, const struct read_record *rec);
/* The features of BPF programs, from the number of them on. */
bool check_is_bpf(__u64 feature);
void check_bpf_progs(struct check *c, const struct read_record *rec,
		     struct read_bytes *b);
void check_bpf_btfs(struct check *c, const struct read_record *rec,
		    struct read_bytes *b);
void check_map(struct check *c, const struct read_record *rec);
void check_kernel(struct check *c, const struct read_record *rec,
		  const struct read_sample *s);
void check_string(struct check *c, const struct read_record *rec,
		  const char *what, const char *s, size_t room);
void check_aux_info(struct check *c, const struct read_record *rec);
int check_auxtrace(struct check *c, const struct read_record *rec);
void check_gap(struct check *c, const struct read_record *rec,
	       const struct read_sample *s);
void check_gap_error(struct check *c, const struct read_record *rec);
int check_chunk(struct check *c, const struct read_record *rec,
		const struct read_sample *s);
void check_payload(struct check *c, const struct read_record *rec,
		   const struct read_sample *s);
bool check_is_chunk(const struct read_event *ev);
void check_snapshot(struct check *c, const struct read_record *rec,
		    const struct read_sample *s);
/* What is the first thing in a snapshot behind FINISHED_INIT? */
void check_snapshot_first(struct check *c, const struct read_record *rec,
			  const struct read_sample *s);
void check_time(struct check *c, const struct read_record *rec,
		const struct read_sample *s);
void check_round(struct check *c);

/* Read the blob. Return: 1, or the error of read_blob(). */
int check_tracing(struct check *c, const struct read_record *rec);

#endif /* AUXREC_CHECK_H */
