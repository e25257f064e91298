/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxrec merge: make one stream of many snapshots of one recording, without repeating what
 * the snapshots have in common.
 *
 * merge goes through the snapshots in order of t_settled (stream/snapshot_mark.h). From each
 * one, merge takes the records that are later than t_settled of the snapshot before. That
 * snapshot has all records up to this time, except those that came late (merge/late.c). If a
 * later snapshot has all records of an earlier one, merge takes the later one instead. If
 * nothing is known of the time between two snapshots, the later one's state is in the stream,
 * too. merge recognizes AUX data by content, not by time: if a span was still in progress at
 * one snapshot, its data is in a later one.
 *
 * A merged stream counts as the snapshots from which it was made.
 */
#ifndef AUXREC_MERGE_H
#define AUXREC_MERGE_H

#include <linux/types.h>
#include <stddef.h>

#include "base/util.h"

/* A time for which no snapshot has all records, ns, both ends included */
struct merge_hole {
	__u64 begin, end;
	__u64 before, after;	/* numbers of the snapshots at its ends */
};

struct merge_summary {
	size_t	snapshots;
	size_t	left_out;	/* files whose content is in other files, too */
	__u64	bytes;
	__u64	records;
	__u64	spans;		/* spans of AUX data, or chunks */
	__u64	repeated;	/* spans that are in more than one snapshot */
	__u64	begin, end;	/* time of the records; begin 0: all before @end */
	struct merge_hole *holes;
	size_t	nr_holes;
	/* when, approximately, missing raw ring data ended; some data of that time may be there */
	struct merge_hole *raw_holes;
	size_t	nr_raw_holes;
};

/*
 * merge_streams() - write the merged stream
 * @paths: regular files (they are read more than once); their order does not matter
 * @out: replaced when all of the new file is on disk; "-": stdout. It must not be in @paths
 * @sum: the caller must free it with merge_summary_free(), even after an error
 *
 * Memory follows the largest snapshot, what was recorded in a second (merge/late.c) and the
 * number of snapshots, not their total size.
 *
 * Return: 0; -EINVAL: a file is no snapshot of the recording; -EBADMSG: it is damaged or
 * cut short; -EEXIST: @out is one of @paths; -EOPNOTSUPP: @out is a terminal; -ENOMEM; an
 * errno of reading or writing. All errors come with a message. After an error nothing is left
 * of the new file, and the old @out stays.
 */
int merge_streams(char *const *paths, size_t nr, const char *out,
		  struct merge_summary *sum, struct diag *d);
void merge_summary_free(struct merge_summary *sum);

/*
 * Like merge_streams(), but also report on stderr the times for which something is missing.
 */
int merge_files(char *const *paths, size_t nr, const char *out, struct diag *d);

#endif /* AUXREC_MERGE_H */
