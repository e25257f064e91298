/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The raw data that the rawgen PMU writes into samples, for the PMU and for the
 * programs that check it.
 *
 * A payload that is shorter than a header is a pattern; a longer one is a header
 * and a pattern. Event, context, CPU and number determine all bytes.
 */
#ifndef RAWGEN_H
#define RAWGEN_H

#include <linux/const.h>
#include <linux/types.h>

#define RAWGEN_MAGIC	0x4e475752	/* "RWGN" */
#define RAWGEN_MAX	((1 << 20) + 4096)

enum rawgen_context {
	RAWGEN_TASK	= 0,	/* interrupts are on */
	RAWGEN_SWITCH	= 1,	/* with the runqueue locked */
	RAWGEN_SOFTIRQ	= 2,
	RAWGEN_HARDIRQ	= 3,
	RAWGEN_NMI	= 4,
	RAWGEN_CONTEXTS	= 5,
};

struct rawgen_header {
	__u32	magic;
	__u16	context;	/* enum rawgen_context */
	__u16	cpu;
	__u64	seq;		/* 0, 1, 2 ... for this event and context */
	__u32	length;		/* in bytes, including the header */
	/* samples that were being written on this CPU when this one began */
	__u32	depth;
	__u64	check;		/* rawgen_check() */
};

/*
 * config:
 *   bit n	write from context n
 *   frags	the payload has three parts, the second one with a copy function
 *   nest	likewise; in the middle of each copy interrupt the CPU by everything
 *		that can interrupt it there: an irq_work, a softirq after that, an NMI
 *   random	sizes from that of a header to the given one
 *   fail	N: every Nth payload has two parts, and the copy function of the second
 *		one copies nothing and reports that; 0: none
 * config1:
 *   size	bytes; up to RAWGEN_MAX. A record of perf has less than 64 KiB
 *   period	of a timer that interrupts this CPU, us, and from there raises a
 *		softirq and sends an NMI to the next CPU; 0: no timer
 * config2: how many samples in each context, 0: no end
 *
 * A task that writes a number to "task" in the PMU's folder makes that many samples
 * in the context of a task, for each event that is on its CPU. The count of an
 * event is the number of its samples.
 */
#define RAWGEN_CONTEXT(c)	_BITULL(c)
#define RAWGEN_F_FRAGS		_BITULL(8)
#define RAWGEN_F_NEST		_BITULL(9)
#define RAWGEN_F_RANDOM		_BITULL(10)
#define RAWGEN_FAIL(config)	((config) >> 16 & 0xffff)
#define RAWGEN_SIZE(config1)	((config1) & 0xffffffff)
#define RAWGEN_PERIOD(config1)	((config1) >> 32)
#define RAWGEN_CONFIG_MASK	0xffff071fULL

static inline __u64 rawgen_mix(__u64 n)
{
	n = (n ^ n >> 31) * 0x9e3779b97f4a7c15ULL;
	return n ^ n >> 29;
}

static inline __u64 rawgen_key(__u64 seq, __u32 cpu, __u32 context)
{
	return rawgen_mix(seq << 24 ^ cpu << 8 ^ context ^ 0x5a5a);
}

/* Return the pattern's bytes [8 * n, 8 * n + 8), after the header if there is one. */
static inline __u64 rawgen_word(__u64 key, __u32 n)
{
	return (key + n) * 0x9e3779b97f4a7c15ULL;
}

static inline __u64 rawgen_check(__u64 key, __u32 length, __u32 depth)
{
	return rawgen_mix(key ^ (__u64)length << 32 ^ depth);
}

static inline __u32 rawgen_length(__u64 config, __u64 config1, __u64 key)
{
	const __u32 size = RAWGEN_SIZE(config1), least = sizeof(struct rawgen_header);

	if (!(config & RAWGEN_F_RANDOM) || size <= least)
		return size;
	return least + (__u32)(rawgen_mix(~key) >> 16) % (size - least + 1);
}

static inline int rawgen_fails(__u64 config, __u64 seq)
{
	return RAWGEN_FAIL(config) &&
	       seq % RAWGEN_FAIL(config) == RAWGEN_FAIL(config) - 1;
}

/* Return the bytes of the first part. In a failing payload it has the whole header. */
static inline __u32 rawgen_first(__u64 config, __u64 seq, __u32 length)
{
	const __u32 least = sizeof(struct rawgen_header);
	const __u32 third = length / 3;

	return rawgen_fails(config, seq) && third < least && length >= least ?
	       least : third;
}

#endif /* RAWGEN_H */
