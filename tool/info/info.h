/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxrec info: show what is in a stream. Memory follows the number of threads, events and
 * files in the stream, not its length.
 */
#ifndef AUXREC_INFO_H
#define AUXREC_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "info/timeline.h"
#include "stream/complete.h"
#include "stream/read.h"
#include "stream/read_attr.h"
#include "stream/read_gap.h"
#include "stream/read_loss.h"
#include "stream/read_sample.h"
#include "stream/snapshot_mark.h"

/* Causes of gaps: those of raw rings (enum perfaux_cause), and the following */
#define INFO_MAIN_RING	READ_CAUSE_MAIN_RING
#define INFO_NR_CAUSES	17
#define INFO_MAX_GAPS	1000	/* gaps that are stored one by one */
#define INFO_NOBODY	((__u32)-1)

/* Keys of the time line's rows */
#define INFO_ROW_CPU	0x100000000ULL	/* | cpu; else the tid */

struct info_event {
	__u64	samples;
	__u64	lost;		/* records and samples lost from its ring */
	__u64	aux_bytes;	/* in chunks */
	__u64	payloads;	/* of a raw ring's payload event (stream/payload.h) */
	__u64	payload_bytes;
};

struct info_thread {
	__u32	pid, tid, ppid;
	char	comm[16];
	bool	exited;
	__u64	samples;
	__u64	aux_bytes;
	__u64	gaps;
};

struct info_queue {
	__u32	tid, cpu;
	bool	chunks;		/* data in samples, not in AUXTRACE records */
	__u64	bytes;
	__u64	records;
};

struct info_cause {
	__u64	gaps;
	__u64	attempts;
	__u64	bytes;		/* lost bytes, where known */
	__u64	duration;	/* sum; gaps of several CPUs may overlap */
	__u64	longest;
	__u64	first, last;	/* start of the first gap, end of the last */
};

/* Lost raw data of samples, per cause */
struct info_payload_loss {
	__u64	count;
	__u64	bytes;
};

struct info_file {
	char	*name;
	__u64	with, without;	/* maps */
	bool	id;		/* from a BUILD_ID record */
};

/* A snapshot of a flight recording, see stream/snapshot_mark.h. */
struct info_snapshot {
	struct auxrec_snapshot h;
	char	*name;
	__u8	*data;		/* struct auxrec_snapshot_data, h.data_size bytes */
};

struct info {
	/* options */
	bool	by_cpu;
	bool	records;	/* list them while reading */
	FILE	*out;

	/* how the stream ended */
	__u64	nr_records;
	__u64	bytes;
	__u64	cut;
	const char *problem;	/* problem of the header; NULL: none */
	char damage[READ_PROBLEM_MAX];	/* of compressed data, in words; empty: none */
	bool	complete;	/* FINISHED_INIT was read */

	struct read_stream *stream;
	struct read_attrs attrs;
	struct info_event *events;
	size_t	nr_events;

	bool	primed;		/* the first AUXTRACE with data was read */

	__u64	types[REC_NR_TYPES];
	__u64	other_types;

	char	*feature[REC_FEAT_MAX + 1];	/* as text; NULL: none */
	__u32	cpus_avail, cpus_online;
	__u64	memory;		/* KiB */
	__u64	bpf_progs, bpf_btfs;
	struct rec_clock_data clock;	/* version 0: none */
	struct perf_event_header *identity;	/* a copy of the record, see origin/identity.h */

	struct info_thread *threads;
	size_t	nr_threads;
	struct read_map by_tid;

	struct info_queue *queues;
	size_t	nr_queues;
	struct read_map by_queue;

	struct info_cause causes[INFO_NR_CAUSES];
	struct read_gap gaps[INFO_MAX_GAPS];
	size_t	nr_gaps;
	__u64	lost, lost_samples;	/* lost from main rings */
	struct complete_breaks breaks;	/* for all losses; one can stand for several */
	struct read_losses ring_losses;
	__u64	aux_truncated;		/* AUX records with the flag, which are no gaps */
	struct info_payload_loss payload_losses[INFO_NR_CAUSES];
	__u64	payload_key;		/* key of the payload event, 0: none */
	__u64	without_sample;		/* payloads whose sample was lost */

	struct info_snapshot *snapshots;
	size_t	nr_snapshots;

	struct info_file *files;
	size_t	nr_files;
	struct read_map by_file;

	__u64	first, last;	/* times; 0: none */
	struct timeline line;
};

/*
 * info_stream() - read a whole stream
 * @info: all zero, except for the options
 *
 * Return: as read_next(): 0, -ENODATA, -EBADMSG, -EPROTO, -errno.
 */
int info_stream(struct info *info, read_fill_t fill, void *ctx);
void info_free(struct info *info);

/* Find or make the thread. Return NULL if there is no memory. */
struct info_thread *info_thread(struct info *info, __u32 tid);
/* Return NULL if the thread is not known. */
const struct info_thread *info_find_thread(const struct info *info, __u32 tid);

const char *info_cause_name(__u32 cause);

/* info/feature.c. Return: 0, -ENOMEM */
int info_feature(struct info *info, const struct read_record *rec);

/* info/loss.c. Return: 0, -ENOMEM */
int info_gap(struct info *info, const struct read_record *rec);
int info_aux(struct info *info, const struct read_record *rec,
	     const struct read_sample *s);
/* Count what a LOST or LOST_SAMPLES record reports, per event. */
int info_lost(struct info *info, const struct read_record *rec,
	      const struct read_sample *s);
/* Add the gap of a loss, if the record reports one. Call this for each kernel record. */
int info_loss(struct info *info, const struct read_record *rec,
	      const struct read_sample *s);

/* info/identity.c. Return: 0, -ENOMEM */
int info_identity(struct info *info, const struct read_record *rec);
void info_print_identity(const struct info *info);

/* info/snapshot.c. Return: 0, -ENOMEM */
int info_snapshot(struct info *info, const struct read_sample *s);
void info_print_snapshots(const struct info *info);
struct json;
void info_json_identity(const struct info *info, struct json *j);
void info_json_snapshots(const struct info *info, struct json *j);
void info_free_snapshots(struct info *info);

/* info/task.c. Return: 0, -ENOMEM */
int info_task(struct info *info, const struct read_record *rec,
	      const struct read_sample *s);
int info_build_id(struct info *info, const struct read_record *rec);

/* info/records.c: print a record as one line. */
void info_record(struct info *info, const struct read_record *rec,
		 const struct read_sample *s);

void info_print(const struct info *info, int width);
void info_print_line(const struct info *info, int width);
void info_json(const struct info *info, const char *file, const char *result,
	       int columns);

#endif /* AUXREC_INFO_H */
