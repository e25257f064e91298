/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verifies what auxgen wrote and a ring handed over, see auxgen.h.
 *
 * Every chunk must be whole, and in the place that its number says; a number
 * may be missing only if auxgen itself says that it lost the chunk, and then
 * the ring must have said why, for that time and CPU; or if the ring says that
 * it threw just so many bytes away.
 */
#ifndef AUXGEN_CHECK_H
#define AUXGEN_CHECK_H

#include "ring_lib.h"

#define CHECK_CPUS	64

/* The test's cookies: which stream, and whether of a task or of a CPU. */
#define COOKIE(stream)		(0xc0de00ULL + (stream))
#define COOKIE_STREAM(cookie)	((uint32_t)((cookie) & 0xf))

struct check_stream {
	uint64_t next;		/* chunk expected */
	uint64_t lost;		/* auxgen's counter in the last chunk */
	uint64_t chunks;	/* read */
	uint64_t holes;		/* chunks that are missing */
	uint64_t sunk;		/* chunks in gaps since the last chunk */
	uint64_t sunk_count;	/* spans in these gaps */
	uint64_t sunk_all;	/* before that */
	uint64_t time;		/* of the last chunk */
	uint64_t t_end;		/* of the last span */
	bool gap;		/* or TRUNCATED, since the last chunk */
	uint64_t gap_end;
	/* auxgen's counters before */
	uint64_t first;
	uint64_t first_lost;
};

struct check {
	char error[512];	/* the first one; "" if all is well */
	unsigned int errors;

	bool overwrite;		/* chunks may have been overwritten */
	bool tail;		/* but only the first ones of each CPU */
	bool partly;		/* events were not attached all the time */
	/* the driver fills up with so many zeros at most, at a span's end */
	uint32_t padded;
	uint32_t elsewhere;	/* streams that went elsewhere, a bit each */
	const struct perfaux_control *ctl;	/* NULL: not from a ring */

	struct check_stream stream[CHECK_CPUS][AUXGEN_STREAMS];
	uint64_t seq;		/* last number */
	uint64_t missing;	/* numbers */
	uint64_t spans;
	uint64_t bytes;
	uint64_t gaps;
	uint64_t gap_count[PERFAUX_NR_CAUSES];
	uint64_t gap_bytes;
	uint64_t sunk;		/* chunks that gaps account for */
	uint64_t overwritten;	/* chunks missing that auxgen did write */
	uint64_t padding;	/* bytes: zeros read, and what is no chunk in gaps */
	uint64_t chunks;
	uint64_t switches;	/* chunks from a context switch, and so on */
	uint64_t timers;
	uint64_t nmis;
	/* for events of tasks: when each thread was seen last */
	struct {
		uint32_t tid;
		uint64_t t_end;
	} thread[256];
};

/* Whose counters: a file as auxgen's "stats"; NULL: auxgen's own */
void check_source(const char *path);

/*
 * Takes auxgen's counters as where to start; before the events are enabled.
 * @ring may be NULL if the data will not come from a ring.
 */
void check_start(struct check *check, const struct ring *ring);

/* A record_fn, ctx is the struct check. */
void check_record(void *check, const struct record *record);

/* All is read, nobody writes: the sums. */
void check_end(struct check *check);

/* Some chunks; @span is NULL if they come from the kernel's AUX area. */
void check_chunks(struct check *check, const void *data, size_t length,
		  const struct perfaux_span *span);

__attribute__((format(printf, 2, 3)))
void check_fail(struct check *check, const char *fmt, ...);

#endif /* AUXGEN_CHECK_H */
