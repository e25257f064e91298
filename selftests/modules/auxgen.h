/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data that the auxgen PMU writes, for the PMU and for the programs that check
 * it.
 *
 * The AUX data consist of chunks of 64 bytes. On each CPU and for each stream (a
 * field of the event's config) chunks are numbered 0, 1, 2 ... A chunk that auxgen
 * could not write takes a number, too. So a hole in the numbers is a loss of
 * exactly that many chunks. The field "lost" of the next chunk says how many chunks
 * auxgen has lost up to then. A hole that is not in "lost" was made by somebody
 * else.
 *
 * If two events with the same stream run on one CPU at the same time, their chunks
 * share the numbers.
 */
#ifndef AUXGEN_H
#define AUXGEN_H

#include <linux/const.h>
#include <linux/types.h>

#define AUXGEN_MAGIC	0x4e475841	/* "AXGN" */
#define AUXGEN_STREAMS	16

enum auxgen_source {
	AUXGEN_CTX	= 1,	/* the event was started or stopped */
	AUXGEN_TIMER	= 2,
	AUXGEN_NMI	= 3,
};

struct auxgen_chunk {
	__u32	magic;
	__u32	cpu;
	__u64	seq;		/* number on this CPU and stream */
	__u64	lost;		/* chunks lost before, same CPU and stream */
	__u64	time;		/* time of the event's clock, ns */
	__u32	stream;
	__u32	source;		/* enum auxgen_source */
	__u32	tid;
	__u32	check[4];	/* AUXGEN_CHECK() of seq, [0] to [3] */
	__u32	check_last;	/* the same as check[0], to detect torn chunks */
};

#define AUXGEN_CHUNK	64

/*
 * The ledger, in the memory that reserve_mem= has for "auxgen": for each CPU and stream of the
 * first PMU, the number after that of the last chunk that is completely written. What was there
 * when auxgen was inserted is in the PMU's file "ledger": "cpu stream number" in each line.
 */
#define AUXGEN_LEDGER_MAGIC	0x5244474c4e475841	/* "AXGNLGDR" */
#define AUXGEN_LEDGER_CPUS	31

struct auxgen_ledger {
	__u64	magic;
	__u64	reserved[15];
	__u64	written[AUXGEN_LEDGER_CPUS][AUXGEN_STREAMS];
};

#define AUXGEN_CHECK(seq, cpu, stream, i) \
	((__u32)(((seq) + 1) * 0x9e3779b97f4a7c15ULL >> 32) ^ \
	 (__u32)((cpu) << 16 | (stream) << 8 | (i)))

/*
 * config (also in format/ of the PMU; all 0: 16 chunks, CTX):
 *   chunks	how many chunks each time; 0: 16
 *   ctx	write when the event starts and when it stops
 *   timer	write from an hrtimer interrupt, each period
 *   nmi	the timer of each CPU sends an NMI to the next CPU, and the
 *		events there write from the NMI
 *   marker	continue in new room when handle->wakeup is passed, not when
 *		there is no room
 *   fill	each time fill all the room
 *   pt	behave like Intel PT's driver: see auxgen_pt.c
 *   over	when all room is used, report that one chunk more was written
 *   stream	0 to 15
 *   truncate	N: after every Nth write, lose as many chunks as a write has, and
 *		report the loss (PERF_AUX_FLAG_TRUNCATED); 0: never
 *   skip	how many chunks of room to skip at the beginning of each span
 * config1:
 *   period	of the timer, us; 0: 1000
 */
#define AUXGEN_CHUNKS(config)	((config) & 0xffff)
#define AUXGEN_F_CTX		_BITULL(16)
#define AUXGEN_F_TIMER		_BITULL(17)
#define AUXGEN_F_NMI		_BITULL(18)
#define AUXGEN_F_MARKER		_BITULL(19)
#define AUXGEN_F_FILL		_BITULL(20)
#define AUXGEN_F_PT		_BITULL(21)
#define AUXGEN_F_OVER		_BITULL(22)
#define AUXGEN_STREAM(config)	((config) >> 24 & 0xf)
#define AUXGEN_TRUNCATE(config)	((config) >> 32 & 0xffff)
#define AUXGEN_SKIP(config)	((config) >> 48 & 0xffff)
#define AUXGEN_PERIOD(config1)	((config1) & 0xffffffff)
#define AUXGEN_CONFIG_MASK	0xffffffff0f7fffffULL
#define AUXGEN_CONFIG1_MASK	0xffffffffULL

#endif /* AUXGEN_H */
