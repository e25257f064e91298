/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header of AUX data in PERF_SAMPLE_RAW, for a PMU that stock perf cannot decode.
 *
 * A stream with such data has one more event of type PERF_TYPE_SOFTWARE, config
 * PERF_COUNT_SW_BPF_OUTPUT, named like the AUX event, with sample_type
 * IDENTIFIER | TID | TIME | CPU | PERIOD | RAW. A span of the raw ring becomes
 * one or more samples of this event: TID and CPU are the span's, TIME is the
 * span's begin, PERIOD is the number of data bytes (so that perf report adds up
 * bytes). RAW is this header, then the data, then zeros up to the alignment.
 */
#ifndef AUXREC_CHUNK_H
#define AUXREC_CHUNK_H

#include <linux/types.h>

#define AUXREC_CHUNK_MAGIC	0x43585541	/* "AUXC", little endian */

struct auxrec_chunk {
	__u32	magic;
	__u16	version;	/* 1 */
	__u16	header_size;	/* bytes; the data follows */
	__u64	seq;		/* of the span, see perfaux.h */
	__u64	t_begin;	/* of the span */
	__u64	t_end;
	__u64	cookie;		/* index of the AUX event: triggers first, then -e */
	__u32	flags;		/* PERF_AUX_FLAG_* of the span */
	__u32	offset;		/* of this data in the span, bytes */
	__u32	length;		/* of this data, bytes, without padding */
	__u32	span_length;	/* of the whole span, bytes */
};

/* The most data bytes in one chunk. A whole record has at most 65528 bytes. */
#define AUXREC_CHUNK_MAX	(48 * 1024)

#endif /* AUXREC_CHUNK_H */
