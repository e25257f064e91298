/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The primer: 16 bytes that are the data of the first AUXTRACE of a stream.
 *
 * When perf 6.1 reads a file, it seeks to the data of each AUXTRACE, but to an offset that is
 * 16 too small, because it does not count the stream's header (lseek() for "reading amidst mmap"
 * in perf_session__process_user_event()). So the first AUXTRACE has 16 bytes of data, which are
 * two records that readers ignore. perf 6.1 takes the 16 bytes before these two records for the
 * data, and then reads the two records as records. After that its offset is right. The wrong data
 * does no harm, because a decoder searches for the beginning of the trace.
 */
#ifndef AUXREC_STREAM_PRIMER_H
#define AUXREC_STREAM_PRIMER_H

#include <stdbool.h>

#include "stream/read.h"
#include "stream/records.h"

#define PRIMER_SIZE	16

extern const struct perf_event_header primer[2];

/* Return whether these PRIMER_SIZE bytes are the primer. */
bool is_primer(const void *data);

/*
 * Return whether the data of an AUXTRACE is the primer. If the data is as long as the primer, read
 * it to @head.
 */
bool read_primer(struct read_stream *s, const struct read_record *rec, __u8 head[PRIMER_SIZE]);

#endif /* AUXREC_STREAM_PRIMER_H */
