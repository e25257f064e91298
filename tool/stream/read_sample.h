/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse those parts of a kernel record (type below 64) whose layout its event's attr
 * decides: a SAMPLE's fields, and the sample_id trailer of all other records.
 */
#ifndef AUXREC_READ_SAMPLE_H
#define AUXREC_READ_SAMPLE_H

#include "stream/read_attr.h"

struct read_sample {
	const struct read_event *event;
	__u64	has;		/* PERF_SAMPLE_*: which of the following are valid */
	__u64	id;
	__u64	ip;
	__u64	time;
	__u64	addr;
	__u64	stream_id;
	__u64	period;
	__u32	pid, tid;
	__u32	cpu;
	__u64	nr_read;	/* counters in READ */
	__u64	nr_chain;	/* entries of CALLCHAIN */
	const __u64 *chain;
	const __u8 *raw;	/* not aligned */
	__u32	raw_size;
	__u64	nr_branches;
	__u64	stack_size;	/* of STACK_USER, bytes that were dumped */
	__u64	weight;
	__u64	data_src;
	__u64	transaction;
	__u64	phys_addr;
	__u64	cgroup;
	__u64	data_page_size;
	__u64	code_page_size;
	__u64	aux_size;	/* bytes of AUX in the sample */
	/*
	 * SAMPLE: bytes of the record behind its last field. Other records: bytes
	 * between the header and the trailer.
	 */
	__u32	rest;
	const char *bad;	/* after -EINVAL: the field that does not fit */
};

/*
 * read_sample() - parse a record of a type below 64
 *
 * The event is found as stock readers find it. If there is one event, all records
 * belong to it. If there are more, the id decides, and id 0 in a record that is not a
 * SAMPLE means the first event.
 *
 * Return: 0; -ENODATA: no ATTR so far; -ENOENT: the id is unknown (@id is
 * set); -EINVAL: a field does not fit into the record, see @bad.
 */
int read_sample(const struct read_attrs *attrs, const struct read_record *rec,
		struct read_sample *out);

/* Parse a SAMPLE whose event is known. Return: 0 or -EINVAL. */
int read_sample_of(const struct read_event *event,
		   const struct read_record *rec, struct read_sample *out);

/* Return the size of the sample_id trailer of an event's records, in bytes. */
__u32 read_trailer_size(const struct perf_event_attr *attr);

#endif /* AUXREC_READ_SAMPLE_H */
