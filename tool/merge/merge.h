/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxrec merge: one stream of many snapshots of one recording, in which nothing is
 * repeated that they have in common.
 *
 * Snapshots are taken in order of t_settled (snapshot_mark.h). Of each one there is what
 * is later than t_settled of the one before, which has all up to there but what came late
 * (merge_late.c). One that has all
 * that an earlier one has takes its place. If nothing is known of the time between two,
 * the later one's state is in the stream, too. AUX data are told by what they are, not by
 * time: those of a span that was still going on came later.
 *
 * A merged stream is taken as the snapshots that it was made of.
 */
#ifndef AUXREC_MERGE_H
#define AUXREC_MERGE_H

#include <linux/types.h>
#include <stddef.h>

#include "base/util.h"

/* Of this time no snapshot has all records, ns, both included. */
struct merge_hole {
	__u64 begin, end;
	__u64 before, after;	/* numbers of the snapshots at its ends */
};

struct merge_summary {
	size_t	snapshots;
	size_t	left_out;	/* files that others have all of */
	__u64	bytes;
	__u64	records;
	__u64	spans;		/* of AUX data, or chunks */
	__u64	repeated;	/* of these: in more than one snapshot */
	__u64	begin, end;	/* records of this time are there; begin 0: all before */
	struct merge_hole *holes;
	size_t	nr_holes;
	/* likewise of the raw ring: what ended then, about; there may be some */
	struct merge_hole *raw_holes;
	size_t	nr_raw_holes;
};

/*
 * merge_streams() - write the stream
 * @paths: regular files, which are read more than once, in any order
 * @out: replaced when all of the new one is on disk; "-": stdout. None of @paths
 * @sum: to be freed with merge_summary_free(), also after an error
 *
 * Memory follows the largest snapshot, what was recorded in a second (merge_late.c) and how
 * many there are, not what is in all.
 *
 * Return: 0; -EINVAL: a file is no snapshot of the recording; -EBADMSG: it is damaged or
 * cut short; -EEXIST: @out is one of them; -ENOMEM; an errno of reading or writing. With
 * a message. Nothing is left of @out then, and what it was before stays.
 */
int merge_streams(char *const *paths, size_t nr, const char *out,
		  struct merge_summary *sum, struct diag *d);
void merge_summary_free(struct merge_summary *sum);

/* The same, and says on stderr of which times something is missing. */
int merge_files(char *const *paths, size_t nr, const char *out, struct diag *d);

#endif /* AUXREC_MERGE_H */
