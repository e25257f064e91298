/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of auxrec check: does a stream keep the rules that the readers of
 * stock perf and of auxrec rely on? check/check.c reads the stream in one pass; each other file
 * has the rules of one subject.
 */
#ifndef AUXREC_CHECK_H
#define AUXREC_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "stream/read.h"
#include "stream/read_attr.h"
#include "base/bytes.h"
#include "stream/read_raw.h"
#include "stream/read_sample.h"
#include "stream/snapshot_mark.h"

#ifndef __printf
#define __printf(a, b) \
	__attribute__(( \
		__format__(__printf__, a, b)))
#endif

/* The table in check/report.c has the names and meanings, in this order. */
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
	RULE_CLOCK,
	RULE_IDENTITY,
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
	CHECK_ERROR	= 2,	/* usage, I/O, memory: the stream was not checked */
	CHECK_CUT	= 3,	/* valid up to its end, which is within a record */
};

struct check_queue {
	__u32	idx;
	__u32	tid;
	__u32	cpu;
	bool	loss;		/* a loss was reported since its last record */
	__u64	next;		/* offset that the next record must have */
};

struct check_span {
	struct auxrec_chunk last;
	__u32	pid, tid, cpu;
	bool	open;		/* parts are missing */
};

struct check {
	/* options, set by the caller */
	bool relaxed;		/* --perf: only the rules of stock readers */
	bool json;
	bool quiet;
	__u64 max;		/* violations to list */
	FILE *out;		/* where violations are listed */
	struct json to;		/* the writer to @out, if @json */

	/* results */
	__u64 violations;
	__u64 listed;
	__u64 by_rule[RULE_NR];
	__u64 records;
	__u64 bytes;
	__u64 cut;		/* CHECK_CUT: offset of the cut record */
	char cut_how[READ_PROBLEM_MAX];	/* how compressed data is cut; empty: in a record */
	const char *note;	/* what a valid prefix does not have yet */

	/* state of the rules */
	struct read_stream *stream;
	struct read_attrs attrs;
	int phase;		/* order of the setup records */
	bool setup_done;	/* FINISHED_INIT, or the first live record */
	bool init_seen;
	bool clock_seen;	/* CLOCK_DATA */
	bool features, features_end;
	bool tracing_seen;
	bool compressed_ok;	/* FEATURE 27 was valid */
	__u32 compressed_max;	/* its mmap_len */
	__u64 compressed_over;	/* offset of the last COMPRESSED above that limit */
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

	bool snapshots;		/* the stream has a snapshot event, so it is a snapshot */
	bool first_seen;	/* the first record after FINISHED_INIT */
	bool snapshot_seen;
	__u64 state_time;	/* largest time before FINISHED_INIT */

	struct auxrec_payload payload;	/* the last part */
	bool payload_open;	/* parts are missing */

	__u64 time_max;		/* largest time so far */
	__u64 time_next;	/* largest time before the last FINISHED_ROUND */
	__u64 time_flushed;	/* largest time before the last but one FINISHED_ROUND */

	char expected[160];
};

/*
 * check_stream() - check a whole stream
 * @c: all fields are zero, except the options
 *
 * Return: CHECK_VALID, CHECK_INVALID, CHECK_CUT, or -errno.
 */
int check_stream(struct check *c, read_fill_t fill, void *ctx);

/* Free the state of the rules. The results stay. */
void check_free(struct check *c);

/* check/report.c */

/* Count a violation and list it. @rec NULL: the violation is in the stream's header. */
__printf(5, 6)
void check_fail(struct check *c, const struct read_record *rec,
		enum check_rule rule, const char *expected,
		const char *found, ...);

/* Format a text for @expected of check_fail(). It is valid until the next call. */
__printf(2, 3)
const char *check_expect(struct check *c, const char *fmt, ...);

void check_report_begin(struct check *c, const char *file);
void check_report_end(struct check *c, const char *file, int result);
void check_print_rules(FILE *f);

/*
 * The rules of each subject. @s is the sample or the sample_id of a record of a type
 * below 64, if it could be parsed.
 */

/* check/setup.c */
void check_setup(struct check *c, const struct read_record *rec,
		 const struct read_sample *s);
/* check/user.c */
void check_user(struct check *c, const struct read_record *rec);
void check_feature(struct check *c, const struct read_record *rec);
void check_identity(struct check *c, const struct read_record *rec);
/* check/bpf.c: features of BPF programs. @b begins at the number of programs or BTFs. */
bool check_is_bpf(__u64 feature);
void check_bpf_progs(struct check *c, const struct read_record *rec,
		     struct read_bytes *b);
void check_bpf_btfs(struct check *c, const struct read_record *rec,
		    struct read_bytes *b);
/* check/map.c */
void check_map(struct check *c, const struct read_record *rec);
/* check/kernel.c */
void check_kernel(struct check *c, const struct read_record *rec,
		  const struct read_sample *s);
void check_string(struct check *c, const struct read_record *rec,
		  const char *what, const char *s, size_t room);
/* check/aux.c */
void check_aux_info(struct check *c, const struct read_record *rec);
int check_auxtrace(struct check *c, const struct read_record *rec);
void check_gap(struct check *c, const struct read_record *rec,
	       const struct read_sample *s);
void check_gap_error(struct check *c, const struct read_record *rec);
/* check/chunk.c, except check_payload(), which is in check/payload.c */
int check_chunk(struct check *c, const struct read_record *rec,
		const struct read_sample *s);
void check_payload(struct check *c, const struct read_record *rec,
		   const struct read_sample *s);
bool check_is_chunk(const struct read_event *ev);
/* check/snapshot.c */
void check_snapshot(struct check *c, const struct read_record *rec,
		    const struct read_sample *s);
/* Check what comes first after FINISHED_INIT in a snapshot. */
void check_snapshot_first(struct check *c, const struct read_record *rec,
			  const struct read_sample *s);
/* check/time.c */
void check_time(struct check *c, const struct read_record *rec,
		const struct read_sample *s);
void check_round(struct check *c);

/* check/tracing.c: check the blob. Return 1, or the error of read_blob(). */
int check_tracing(struct check *c, const struct read_record *rec);

#endif /* AUXREC_CHECK_H */
