/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest records of a recording, in bounded memory: samples in a ring of bytes, what
 * tells of tasks, maps and symbols beside it in order of time. What becomes too old is
 * folded into the state (state.h), samples are forgotten.
 */
#ifndef AUXREC_RECENT_H
#define AUXREC_RECENT_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stddef.h>

#include "state.h"

struct recent;

struct recent_limits {
	size_t	samples;	/* bytes of memory for samples and the like */
	size_t	sideband;	/* for the rest, together with the state */
	__u64	window;		/* ns, how old a record may be; 0: any age */
};

struct recent_stats {
	size_t	bytes;		/* of memory, the state included */
	__u64	begin;		/* records from this time on are all there; 0: all */
	__u64	samples;	/* records that are there */
	__u64	sideband;
	__u64	forgotten;	/* samples and the like, as they became too old */
	__u64	too_large;	/* of these: for the ring, as they came */
};

/* NULL: no memory. */
struct recent *recent_new(const struct recent_limits *limits);
void recent_free(struct recent *r);

/*
 * recent_add() - keeps a record
 * @rec: of a main ring, with sample id
 * @time: of it; those of one CPU come in order, those of several about so
 *
 * Return: 0 or -ENOMEM.
 */
int recent_add(struct recent *r, const struct perf_event_header *rec, __u64 time);

/*
 * recent_trim() - lets go of what is too old, or too much
 * @now: the window ends here
 * @settled: records of an earlier time will not come any more; nothing from here on is
 *	folded, whatever the limits say
 * @wanted: data from this time on are kept elsewhere and refer to tasks; what is older
 *	may be folded. ~0: none are
 *
 * Return: 0 or -ENOMEM.
 */
int recent_trim(struct recent *r, __u64 now, __u64 settled, __u64 wanted);

/*
 * recent_emit() - the state as of the oldest record, and all records since
 *
 * Those of the sideband come first, in order of time; then samples, as they came.
 * Return: 0, or what @fn returned.
 */
int recent_emit(const struct recent *r, state_fn fn, void *ctx);

void recent_stats(const struct recent *r, struct recent_stats *stats);

#endif /* AUXREC_RECENT_H */
