/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verify what auxgen wrote and a ring delivered, see auxgen.h.
 *
 * Every chunk must be whole, and its place must fit its number. A number may be
 * missing in two cases only. In the first case auxgen itself says that it lost the
 * chunk; then the ring must have reported the cause for that time and CPU. In the
 * second case the ring says that it threw away exactly this number of bytes.
 */
#ifndef AUXGEN_CHECK_H
#define AUXGEN_CHECK_H

#include "ring_lib.h"

#define CHECK_CPUS	64

/* The cookies of the test's events have the stream in their low four bits. */
#define COOKIE(stream)		(0xc0de00ULL + (stream))
#define COOKIE_STREAM(cookie)	((uint32_t)((cookie) & 0xf))

struct check_stream {
	uint64_t next;		/* the next chunk that is expected */
	uint64_t lost;		/* auxgen's counter in the last chunk */
	uint64_t chunks;	/* chunks that were read */
	uint64_t holes;		/* chunks that are missing */
	uint64_t sunk;		/* chunks in gaps since the last chunk */
	uint64_t sunk_count;	/* spans in these gaps */
	uint64_t sunk_all;	/* chunks in gaps before that */
	uint64_t time;		/* time of the last chunk */
	uint64_t t_end;		/* t_end of the last span */
	bool gap;		/* a gap, or TRUNCATED, since the last chunk */
	uint64_t gap_end;
	/* auxgen's counters before the test */
	uint64_t first;
	uint64_t first_lost;
};

struct check {
	char error[512];	/* the first error; "" if there is none */
	unsigned int errors;

	bool overwrite;		/* chunks may have been overwritten */
	bool tail;		/* only the first chunks of each CPU may be overwritten */
	bool partly;		/* events were not attached all the time */
	/* the driver appends at most this number of zeros to a span */
	uint32_t padded;
	uint32_t elsewhere;	/* bit mask of streams that went elsewhere */
	const struct perfaux_control *ctl;	/* NULL: the data is not from a ring */

	struct check_stream stream[CHECK_CPUS][AUXGEN_STREAMS];
	uint64_t seq;		/* the last number */
	uint64_t missing;	/* numbers that are missing */
	uint64_t spans;
	uint64_t bytes;
	uint64_t gaps;
	uint64_t gap_count[PERFAUX_NR_CAUSES];
	uint64_t gap_bytes;
	uint64_t sunk;		/* chunks that gaps account for */
	uint64_t overwritten;	/* chunks missing that auxgen did write */
	uint64_t padding;	/* bytes, read or in gaps, that are not chunks */
	uint64_t chunks;
	uint64_t switches;	/* chunks by their context */
	uint64_t timers;
	uint64_t nmis;
	/* for events of tasks: when each thread was seen last */
	struct {
		uint32_t tid;
		uint64_t t_end;
	} thread[256];
};

/* Read the counters from a file like auxgen's "stats"; NULL: auxgen's own file. */
void check_source(const char *path);

/*
 * Take auxgen's present counters as the start. Call this before the events are
 * enabled. @ring can be NULL if the data will not come from a ring.
 */
void check_start(struct check *check, const struct ring *ring);

/* A record_fn; ctx is the struct check. */
void check_record(void *check, const struct record *record);

/* Check the sums, when all data is read and nobody writes. */
void check_end(struct check *check);

/* Check some chunks; @span is NULL if they come from the kernel's AUX area. */
void check_chunks(struct check *check, const void *data, size_t length,
		  const struct perfaux_span *span);

__attribute__((format(printf, 2, 3)))
void check_fail(struct check *check, const char *fmt, ...);

#endif /* AUXGEN_CHECK_H */
