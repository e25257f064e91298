/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw data that came through a raw ring, as it is in the stream.
 *
 * Raw data that fits into its sample's record is put back into the sample. If RAW is
 * the sample's last field, the size of RAW is the true one, and zeros follow up to the
 * end of the record. Otherwise RAW is padded as perf pads it, and the record ends with a
 * struct auxrec_length, which readers ignore.
 *
 * Raw data that does not fit, or that belongs to no sample, is in samples of one more
 * event, the payload event: software, bpf-output, with sample_type IDENTIFIER | TID |
 * TIME | CPU | PERIOD | RAW and the ring's key (perfaux.h) as config1. RAW of these
 * samples is a struct auxrec_payload and data, then zeros up to the alignment. PERIOD is
 * the number of data bytes. Parts of one payload have the same number and follow each
 * other.
 *
 * A sample whose raw data is in a payload, or is lost, has a struct auxrec_payload
 * without data as RAW, with the same number and key. A sample of a tracepoint is left out
 * instead, because readers would take the struct for the tracepoint's fields: in its
 * place there are the payload event's samples and a LOST_SAMPLES.
 */
#ifndef AUXREC_PAYLOAD_H
#define AUXREC_PAYLOAD_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>

#define AUXREC_PAYLOAD_MAGIC	0x52585541	/* "AUXR", little endian */

struct auxrec_payload {
	__u32	magic;
	__u16	version;	/* 1 */
	__u16	header_size;	/* bytes; the data follows */
	__u64	key;		/* as config1 of the payload event */
	__u64	number;		/* of the payload, from 1; later files go on counting */
	__u64	id;		/* of the sample's event; 0: no sample */
	__u64	cookie;		/* of a frame that has no event */
	__u64	time;		/* of the frame, ns */
	__u64	total;		/* bytes of the whole payload, or lost bytes */
	__u64	offset;		/* of this data in the payload; in a gap: lost payloads */
	__u32	length;		/* of this data, without padding */
	__u16	cause;		/* of the loss, enum perfaux_cause; 0: not lost */
	__u16	flags;		/* AUXREC_PAYLOAD_* */
};

/* Only config1 differs from the event of stream/aux_chunk.h. */
static inline bool is_payload_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       attr->config == PERF_COUNT_SW_BPF_OUTPUT && attr->config1;
}

/* The sample of this payload was lost: the main ring was full. */
#define AUXREC_PAYLOAD_NO_SAMPLE	0x1
/*
 * This is not a payload but a gap: from @time on, a producer in the kernel (@cookie) lost @offset
 * payloads with @total bytes together, because of @cause (0: not known). If only the sum
 * over several producers is known, pid, tid and cpu are -1 and @cookie is 0. If several
 * threads share the gap, pid and tid are -1.
 */
#define AUXREC_PAYLOAD_GAP		0x2

#define AUXREC_LENGTH_MAGIC	0x4c585541	/* "AUXL" */

struct auxrec_length {
	__u32	magic;
	__u32	length;		/* of RAW, without padding */
};

/* The most data bytes in one part. A whole record has at most 65528 bytes. */
#define AUXREC_PART_MAX		(48 * 1024)

#endif /* AUXREC_PAYLOAD_H */
