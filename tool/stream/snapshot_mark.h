/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a snapshot of a flight recording is, in its stream.
 *
 * It has a sample, or some, of one more event, the snapshot event: software, bpf-output,
 * with sample_type IDENTIFIER | TID | TIME | CPU | PERIOD | RAW, config1 0 and the
 * recording's number as config2. Its RAW is a struct auxrec_snapshot, the trigger's
 * name with its NUL, and what the triggers brought along; then zeros up to the alignment.
 * Its time is that of the trigger. A merged stream has the samples of all its snapshots.
 */
#ifndef AUXREC_SNAPSHOT_MARK_H
#define AUXREC_SNAPSHOT_MARK_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>

#define AUXREC_SNAPSHOT_MAGIC	0x53585541	/* "AUXS", little endian */

struct auxrec_snapshot {
	__u32	magic;
	__u16	version;	/* 3; older ones are not read */
	__u16	header_size;	/* bytes; the name follows */
	__u64	recording;	/* as config2 of the event, random, not 0 */
	__u64	number;		/* of the snapshot in the recording, from 1 */
	/* ns, of the recording's clock */
	__u64	t_trigger;	/* when it was noticed, or of its sample */
	__u64	t_begin;	/* records from here on are all there, 0: all */
	__u64	t_settled;	/* up to here: later ones may be missing */
	__u64	t_end;		/* of the newest record or data; 0: none */
	/* of the raw ring: kept behind the trigger */
	__u64	after_bytes;
	__u64	after_ns;
	/*
	 * Of the raw ring it has all that ended between these times, ns, about; raw_begin 0:
	 * from the start on. Exact are the numbers of the segments that it has all of
	 * (perfaux_segment.ready_seq): raw_first to raw_last, none if that is raw_first - 1.
	 * If those of another snapshot follow, nothing is missing between the two. All 0:
	 * not known.
	 */
	__u64	raw_begin;
	__u64	raw_end;
	__u64	raw_first;
	__u64	raw_last;
	__u64	triggers;	/* that it is of, if others came meanwhile */
	__u64	suppressed;	/* that count= or rate= kept from a snapshot, so far */
	__u32	kind;		/* enum trigger_kind */
	__u32	name_size;	/* bytes, with its NUL */
	__u32	data_size;	/* bytes of all struct auxrec_snapshot_data with theirs */
	__u32	flags;		/* AUXREC_SNAPSHOT_* */
};

/*
 * What one trigger brought along, its bytes behind it; then the next one, without alignment,
 * in the order in which they came. What a record has no room for is cut, and of the last ones
 * there is nothing: then there are fewer than triggers.
 */
struct auxrec_snapshot_data {
	__u32	size;		/* bytes that follow */
	__u32	full_size;	/* bytes that the trigger brought along */
};

/* A trigger froze the raw ring: nothing was overwritten since, but post= segments. */
#define AUXREC_SNAPSHOT_FROZEN	0x1
/* Of some of its triggers the sample was lost: t_trigger may be of when that was noticed. */
#define AUXREC_SNAPSHOT_LOST	0x2
/*
 * The history was shorter than the window that was asked for, as the memory was full of this (enum
 * snapshot_short), and so many MiB of memory (-M) would have been enough.
 */
#define AUXREC_SNAPSHOT_SHORT_SHIFT	4
#define AUXREC_SNAPSHOT_SHORT_MASK	0x30
#define AUXREC_SNAPSHOT_MIB_SHIFT	8

enum snapshot_short {
	SNAPSHOT_SHORT_NOT,
	SNAPSHOT_SHORT_SAMPLES,
	SNAPSHOT_SHORT_TASKS,		/* the sideband, and the state */
	SNAPSHOT_SHORT_RAW,
};

static inline enum snapshot_short snapshot_short(__u32 flags)
{
	return (flags & AUXREC_SNAPSHOT_SHORT_MASK) >> AUXREC_SNAPSHOT_SHORT_SHIFT;
}

static inline bool is_snapshot_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       attr->config == PERF_COUNT_SW_BPF_OUTPUT && attr->config2;
}

#endif /* AUXREC_SNAPSHOT_MARK_H */
