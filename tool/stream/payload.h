/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw data of samples that came through a raw ring, in the stream.
 *
 * What fits into a record is put back into its sample. If RAW is the sample's last
 * field its size is the true one, and zeros follow up to the end of the record.
 * Else RAW is padded as perf does it, and the record ends with a struct
 * auxrec_length, which readers pass over.
 *
 * What does not fit, or belongs to no sample, travels as samples of one more event,
 * the payload event: software, bpf-output, with sample_type IDENTIFIER | TID | TIME |
 * CPU | PERIOD | RAW and the ring's key (perfaux.h) as config1. Their RAW is a
 * struct auxrec_payload and data, then zeros up to the alignment. PERIOD is the
 * number of data bytes. Parts of one payload have the same number and follow each
 * other. A sample whose data travel like this, or are lost, has a struct
 * auxrec_payload without data as RAW, with the same number and key; but one of a
 * tracepoint is left out, as readers would take that for the tracepoint's fields: there
 * are only the payload event's samples, and a LOST_SAMPLES.
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
	__u16	header_size;	/* bytes; the data follow */
	__u64	key;		/* as config1 of the payload event */
	__u64	number;		/* of the payload in the stream, from 1 */
	__u64	id;		/* of the sample's event; 0: of none */
	__u64	cookie;		/* of a frame that has no event */
	__u64	time;		/* of the frame, ns */
	__u64	total;		/* bytes of the whole payload, or lost ones */
	__u64	offset;		/* of these data in it; of a gap: how many payloads */
	__u32	length;		/* of these data, without padding */
	__u16	cause;		/* 0, or why there are none: enum perfaux_cause */
	__u16	flags;		/* AUXREC_PAYLOAD_* */
};

/* config1 is what tells it from the event of stream/aux_chunk.h. */
static inline bool is_payload_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       attr->config == PERF_COUNT_SW_BPF_OUTPUT && attr->config1;
}

/* Its sample was lost: the main ring was full. */
#define AUXREC_PAYLOAD_NO_SAMPLE	0x1
/*
 * Not a payload: what a producer in the kernel (cookie) lost from time on, offset
 * payloads with total bytes, because of cause (0: not known). What several lost of
 * which only the sum is known has pid, tid and cpu -1 and cookie 0; what is told of several
 * threads together has pid and tid -1.
 */
#define AUXREC_PAYLOAD_GAP		0x2

#define AUXREC_LENGTH_MAGIC	0x4c585541	/* "AUXL" */

struct auxrec_length {
	__u32	magic;
	__u32	length;		/* of RAW, without padding */
};

/* Data bytes in one part at most: a record is at most 65528 bytes. */
#define AUXREC_PART_MAX		(48 * 1024)

#endif /* AUXREC_PAYLOAD_H */
