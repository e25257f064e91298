/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write samples whose raw data is in the raw ring to the stream, see stream/payload.h.
 */
#ifndef AUXREC_PAYLOAD_WRITE_H
#define AUXREC_PAYLOAD_WRITE_H

#include "ring/raw_frames.h"
#include "stream/read_attr.h"
#include "base/hash_map.h"

struct payload_stats {
	__u64 count;		/* payloads whose data was written */
	__u64 bytes;
	__u64 apart;		/* of @count: as samples of the payload event */
	__u64 orphans;		/* of @apart: without their sample, which was lost */
	__u64 left_out;		/* samples that were too large with their data */
	__u64 lost[16];		/* lost payloads, by cause */
	__u64 lost_bytes[16];
	__u64 too_large;	/* bytes of the longest payload that was too large */
};

struct payloads {
	struct frames frames;
	struct read_map ids;		/* id of an event -> its index in sev[] */
	struct read_event *events;	/* the same events as in sev[] */
	const struct sev *event;	/* the payload event */
	__u64 number;			/* of the last payload */
	__u64 unflushed;		/* bytes not written out, so segments are not released */
	bool flushed;			/* frames_are_late() was true, and the ring was flushed */
	struct payload_stats stats;
};

struct session;

/* Call this after the raw ring and the events were opened. Return 0 or -ENOMEM. */
int payload_init(struct session *s);
void payload_free(struct session *s);

/* Report what producers in the kernel lost. Return 0 or -errno. */
int payload_gap(struct session *s, const struct perfaux_gap *gap);

/*
 * A snapshot calls this before its samples are written, when all frames are in the ring: write
 * the frames that belong to no sample. Then a segment can be released as soon as its samples are
 * written. Return 0 or -errno.
 */
int payload_begin(struct session *s);

/* Write a SAMPLE of a main ring. Return 0 or -errno. */
int payload_sample(struct session *s, const void *rec);

/*
 * Call this after the main rings were read: write the frames that belong to no sample, or
 * whose sample is lost. With @last a sample that has not come is lost. Return 0 or -errno.
 */
int payload_pass(struct session *s, bool last);

#endif /* AUXREC_PAYLOAD_WRITE_H */
