/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of perfdata/ share.
 */
#ifndef AUXREC_PERFDATA_PARTS_H
#define AUXREC_PERFDATA_PARTS_H

#include <stdio.h>

#include "base/hash_map.h"
#include "perfdata/perfdata.h"
#include "stream/read.h"
#include "stream/read_attr.h"

/* --- the file's layout ------------------------------------------------------ */

/* Names of perf's tools/perf/util/header.h */
struct pd_section {
	__u64	offset;
	__u64	size;
};

#define PD_NR_FEATURES	256

struct pd_header {
	__u64	magic;
	__u64	size;		/* of this header */
	__u64	attr_size;	/* of an event: its attr, and where its ids are */
	struct pd_section attrs;
	struct pd_section data;
	struct pd_section event_types;		/* not used any more */
	__u64	features[PD_NR_FEATURES / 64];	/* a bit for each that is present */
};

/* --- the file that is written (perfdata/out.c) ------------------------------ */

struct pd_out {
	int	fd;
	const char *path;
	char	*tmp;		/* the file's name until it is complete */
	__u8	*buf;
	size_t	len;		/* bytes in buf */
	__u64	bytes;		/* of the file, with those in buf */
	__u64	synced;		/* bytes that are on disk */
	int	err;		/* the first error of a write; nothing is written after it */
};

/* @in: the descriptor from which the stream is read. Return 0, -EINVAL or -errno. */
int pd_out_open(struct pd_out *o, const char *path, int in, struct diag *d);

/* Append bytes. */
void pd_out_add(struct pd_out *o, const void *data, size_t len);

/* Append a string as perf does: its length with padding, its bytes, zeros. */
void pd_out_string(struct pd_out *o, const char *s);

/* Drop what follows the first @bytes bytes. */
void pd_out_cut(struct pd_out *o, __u64 bytes);

/* Write bytes at an offset, in place of those that are there. */
void pd_out_patch(struct pd_out *o, __u64 offset, const void *data, size_t len);

/* Give the file its name, or remove it if @err. Return @err or the error of a write. */
int pd_out_close(struct pd_out *o, int err, struct diag *d);

/* --- parts that wait until the data is complete (perfdata/spill.c) ---------- */

struct pd_spill {
	FILE	*file;		/* NULL: empty */
	__u64	bytes;
};

/* Append bytes to a file beside @out. Return 0 or -errno. */
int pd_spill_add(struct pd_spill *sp, const char *out, const void *data, size_t len,
		 struct diag *d);
/* Append all bytes to the file. Return 0 or -errno. */
int pd_spill_write(struct pd_spill *sp, struct pd_out *o, struct diag *d);
void pd_spill_free(struct pd_spill *sp);

/* --- the events (perfdata/events.c) ----------------------------------------- */

/* A copy of an ATTR record. Its attr is as large as the stream has it. */
struct pd_event {
	__u8	*attr;
	__u8	*ids;
	__u32	attr_size;
	__u32	nr_ids;
	void	*record;	/* holds both */
};

struct pd_events {
	struct read_attrs attrs;
	struct pd_event *list;		/* in the order of attrs */
	size_t	nr;
	__u32	attr_size;		/* of all attrs in the file */
};

/* Return 0, -EBADMSG or -ENOMEM. */
int pd_events_add(struct pd_events *e, const struct read_record *rec, struct diag *d);
/* Write the section of the events, and their ids. */
void pd_events_write(struct pd_events *e, struct pd_out *o, struct pd_header *h);
/* Write the feature that has the events' names. */
void pd_events_describe(const struct pd_events *e, struct pd_out *o);
/* Return whether the sample_type of any event has one of these bits. */
bool pd_events_sample(const struct pd_events *e, __u64 bits);
/*
 * Does the file add an instruction pointer to the event's samples? perf script refuses a file,
 * but not a stream, if the first event of a type has none, except for dummy events
 * (perf_session__check_output_opt()). Only the bpf-output events that auxrec makes have none.
 */
bool pd_events_needs_ip(const struct perf_event_attr *attr);
void pd_events_free(struct pd_events *e);

/* --- build-ids (perfdata/build_ids.c) --------------------------------------- */

struct pd_build_id {
	char	*name;
	__s32	pid;		/* of a virtual machine; -1: this machine */
	__u16	misc;		/* kernel or user space */
	__u8	size;
	__u8	id[20];
};

struct pd_build_ids {
	struct read_map map;
	struct pd_build_id *list;
	size_t	nr;
};

/* Take a BUILD_ID record, or the build-id of an MMAP2, if it has one. */
int pd_build_ids_record(struct pd_build_ids *b, const struct read_record *rec, struct diag *d);
int pd_build_ids_map(struct pd_build_ids *b, const struct read_record *rec, struct diag *d);
void pd_build_ids_write(const struct pd_build_ids *b, struct pd_out *o);
void pd_build_ids_free(struct pd_build_ids *b);

/* --- features (perfdata/features.c) ----------------------------------------- */

/* A feature whose bytes come in one FEATURE record */
struct pd_feature {
	void	*data;
	size_t	size;
};

/* A feature that has items of many FEATURE records */
struct pd_items {
	struct pd_spill items;
	__u32	nr;
};

struct pd_features {
	struct pd_feature list[PD_NR_FEATURES];
	struct pd_items programs;	/* of BPF */
	struct pd_items types;		/* of BPF */
	struct pd_spill tracing;
	struct pd_spill index;		/* of AUX data: offset and size of each record */
	__u64	nr_index;
	bool	has_aux;
	/* The first and the last time of samples, and of other records; 0: there is none */
	__u64	samples[2];
	__u64	records[2];
};

/* Take a FEATURE record. Return 0, -EBADMSG, -ENOMEM or -errno. */
int pd_features_add(struct pd_features *f, const struct read_record *rec, const char *out,
		    struct diag *d);
/* Take an AUXTRACE record, which is at @offset in the file. */
int pd_features_aux(struct pd_features *f, const struct read_record *rec, __u64 offset,
		    const char *out, struct diag *d);
void pd_features_time(struct pd_features *f, __u64 time, bool sample);
/* Write the table of all features, and the features. */
int pd_features_write(struct pd_features *f, const struct pd_events *events,
		      const struct pd_build_ids *ids, struct pd_out *o, struct pd_header *h,
		      struct diag *d);
void pd_features_free(struct pd_features *f);

#endif /* AUXREC_PERFDATA_PARTS_H */
