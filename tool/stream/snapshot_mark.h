/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples that describe a flight recorder's snapshot, in the snapshot's stream.
 *
 * They are samples of one more event, the snapshot event: software, bpf-output, with
 * sample_type IDENTIFIER | TID | TIME | CPU | PERIOD | RAW, config1 0 and the recording's
 * number as config2. RAW of such a sample is a struct auxrec_snapshot, the trigger's name
 * with its NUL, and the data that the triggers brought along; then zeros up to the
 * alignment. The sample's time is that of the trigger. A merged stream has the samples of
 * all its snapshots.
 */
#ifndef AUXREC_SNAPSHOT_MARK_H
#define AUXREC_SNAPSHOT_MARK_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>

#define AUXREC_SNAPSHOT_MAGIC	0x53585541	/* "AUXS", little endian */

struct auxrec_snapshot {
	__u32	magic;
	__u16	version;	/* 3; auxrec does not read older ones */
	__u16	header_size;	/* bytes; the name follows */
	__u64	recording;	/* as config2 of the event, random, not 0 */
	__u64	number;		/* of the snapshot in the recording, from 1 */
	/* times, ns of the recording's clock */
	__u64	t_trigger;	/* of the trigger's sample, or when auxrec noticed the trigger */
	__u64	t_begin;	/* records from this time on are complete; 0: from the start */
	__u64	t_settled;	/* records up to this time are complete, later ones may not be */
	__u64	t_end;		/* of the newest record or data; 0: there is none */
	/* data of the raw ring after the trigger: bytes, and for how long */
	__u64	after_bytes;
	__u64	after_ns;
	/*
	 * The snapshot has all data of the raw ring that ended between raw_begin and raw_end;
	 * these times, ns, are approximate. raw_begin 0: from the recording's start on.
	 * raw_first to raw_last are exact: they are the numbers (perfaux_segment.ready_seq) of
	 * the segments that the snapshot has completely. raw_last is raw_first - 1 if there is
	 * no such segment. If the numbers of another snapshot follow these, no data is missing
	 * between the two snapshots. All four are 0 if they are not known.
	 */
	__u64	raw_begin;
	__u64	raw_end;
	__u64	raw_first;
	__u64	raw_last;
	__u64	triggers;	/* number of triggers that requested this snapshot */
	__u64	suppressed;	/* triggers so far that count= or rate= kept from a snapshot */
	__u32	kind;		/* enum trigger_kind */
	__u32	name_size;	/* bytes, with its NUL */
	__u32	data_size;	/* bytes of all struct auxrec_snapshot_data and their data */
	__u32	flags;		/* AUXREC_SNAPSHOT_* */
};

/*
 * The header of the data that one trigger brought along. The bytes follow, then the header of
 * the next trigger, without alignment, in the order in which the triggers came. Data for which
 * the record has no room is cut. If there is no room for the headers of the last triggers,
 * there are fewer headers than @triggers.
 */
struct auxrec_snapshot_data {
	__u32	size;		/* bytes that follow */
	__u32	full_size;	/* bytes that the trigger brought along */
};

/* A trigger froze the raw ring: only post= segments were overwritten after that. */
#define AUXREC_SNAPSHOT_FROZEN	0x1
/* A trigger's sample was lost: t_trigger may be the time when the loss was noticed. */
#define AUXREC_SNAPSHOT_LOST	0x2
/* --only-trigger-task: the snapshot has only the processes of its triggers. */
#define AUXREC_SNAPSHOT_ONLY_TASK	0x4
/*
 * The history was shorter than the requested window, because what these bits name (enum
 * snapshot_short) filled the memory. The bits from AUXREC_SNAPSHOT_MIB_SHIFT on are how many MiB of
 * memory (-M) would have been enough.
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
