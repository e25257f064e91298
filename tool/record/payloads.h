/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples whose raw data is in the raw ring, to the stream: see stream/payload.h.
 */
#ifndef AUXREC_PAYLOAD_WRITE_H
#define AUXREC_PAYLOAD_WRITE_H

#include "ring/raw_frames.h"
#include "stream/read_attr.h"
#include "base/map.h"

struct payload_stats {
	__u64 count;		/* with their data */
	__u64 bytes;
	__u64 apart;		/* of these, as samples of the payload event */
	__u64 orphans;		/* of these, without their sample */
	__u64 left_out;		/* samples that are too large with their data */
	__u64 lost[16];		/* by cause */
	__u64 lost_bytes[16];
	__u64 too_large;	/* bytes of the longest of PERFAUX_CAUSE_TOO_LARGE */
};

struct payloads {
	struct frames frames;
	struct read_map ids;		/* of an event: its place in sev[] */
	struct read_event *events;	/* as sev[] */
	const struct sev *event;	/* the payload event */
	__u64 number;			/* of the last payload */
	__u64 unflushed;		/* bytes that hold segments */
	bool flushed;			/* frames_are_late(), and it was done */
	struct payload_stats stats;
};

struct session;

/* After the raw ring and the events were opened. Returns 0 or -ENOMEM. */
int payload_init(struct session *s);
void payload_free(struct session *s);

/* What producers in the kernel lost, to the stream. Returns 0 or -errno. */
int payload_gap(struct session *s, const struct perfaux_gap *gap);

/*
 * Before the samples, if all frames are there: what belongs to none of them, so that segments
 * go back as their samples are written. Returns 0 or -errno.
 */
int payload_begin(struct session *s);

/* A SAMPLE of a main ring, to the stream. Returns 0 or -errno. */
int payload_sample(struct session *s, const void *rec);

/*
 * After the main rings were read: frames without a sample. With @last those whose
 * sample is not there by now. Returns 0 or -errno.
 */
int payload_pass(struct session *s, bool last);

#endif /* AUXREC_PAYLOAD_WRITE_H */
