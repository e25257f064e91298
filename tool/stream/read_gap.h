/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse the AUXTRACE_ERROR records that describe the gaps of the raw ring.
 */
#ifndef AUXREC_STREAM_READ_GAP_H
#define AUXREC_STREAM_READ_GAP_H

#include "stream/read.h"

struct read_gap {
	__u64	begin, end;
	__u64	count;		/* attempts to write */
	__u64	bytes;		/* lost, 0: not known */
	__u32	cause;		/* enum perfaux_cause */
	__u32	tid, cpu;
};

/* Return false if @rec, an AUXTRACE_ERROR, does not describe a gap. */
bool read_gap(const struct read_record *rec, struct read_gap *gap);

#endif /* AUXREC_STREAM_READ_GAP_H */
