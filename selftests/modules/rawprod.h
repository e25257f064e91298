/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of rawprod, a module that writes records to a raw ring with the
 * functions of module/perfaux.h. User space tells it what to write by ioctls of
 * /dev/rawprod.
 *
 * Record N of a run has the cookie run.cookie + N * run.step. The cookie and the
 * length determine its data, see rawprod_fill().
 */
#ifndef RAWPROD_H
#define RAWPROD_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define RAWPROD_DEVICE	"/dev/rawprod"

enum rawprod_context {
	RAWPROD_TASK	= 0,
	RAWPROD_SOFTIRQ	= 1,
	RAWPROD_HARDIRQ	= 2,
	RAWPROD_NMI	= 3,
};

/* What happens to a record */
enum rawprod_end {
	RAWPROD_COMMIT	= 0,
	RAWPROD_DISCARD	= 1,
	RAWPROD_HOLD	= 2,	/* the record stays open; RAWPROD_HELD records at most */
};

#define RAWPROD_HELD	16

struct rawprod_run {
	__u32	context;	/* enum rawprod_context */
	__u32	cpu;		/* the CPU to interrupt; for NMI and HARDIRQ */
	__u32	length;		/* of each record, bytes */
	__u32	count;		/* number of records */
	__u32	pause_us;	/* between two records; 0: none */
	__u32	end;		/* enum rawprod_end */
	__u32	step;		/* step of the cookie */
	__u32	unfilled;	/* 1: leave the records as they are, without data */
	__u64	cookie;
	__u64	written;	/* out: records that found room */
};

/* Set the ring, by its descriptor. A file of the device has one ring at most. */
#define RAWPROD_IOC_RING	_IO('r', 0)
#define RAWPROD_IOC_PUT		_IO('r', 1)
/* Write records, and return when they are written. */
#define RAWPROD_IOC_RUN		_IOWR('r', 2, struct rawprod_run)
/* End all held records. Arg: COMMIT or DISCARD. Returns how many. */
#define RAWPROD_IOC_END		_IO('r', 3)
/* perfaux_ring_closed() */
#define RAWPROD_IOC_CLOSED	_IO('r', 4)

static inline __u64 rawprod_next(__u64 x)
{
	return x * 6364136223846793005ULL + 1442695040888963407ULL;
}

static inline __u64 rawprod_seed(__u64 cookie, __u32 length)
{
	return rawprod_next(rawprod_next(cookie) ^ length);
}

/* Each word depends on the previous word. The last word is cut off to fit. */
static inline void rawprod_fill(void *data, __u64 cookie, __u32 length)
{
	__u64 x = rawprod_seed(cookie, length);
	__u32 i;

	for (i = 0; i + sizeof(x) <= length; i += sizeof(x)) {
		*(__u64 *)(data + i) = x;
		x = rawprod_next(x);
	}
	for (; i < length; i++) {
		*(__u8 *)(data + i) = x;
		x >>= 8;
	}
}

#endif /* RAWPROD_H */
