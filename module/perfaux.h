/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfaux for other modules: records of any length straight into a raw ring.
 *
 * This header is the whole interface, and its manual. What the reader sees is in
 * uapi/perfaux.h: each record is a frame, without a sample.
 *
 *	ring = perfaux_ring_get(fd);		the user's raw ring
 *	...
 *	data = perfaux_reserve(ring, length, cookie);
 *	if (data) {
 *		memcpy(data, ...);
 *		perfaux_commit(ring, data);
 *	}
 *	...
 *	perfaux_ring_put(ring);
 *
 * The symbols are exported to GPL modules, which so hold perfaux.ko in the kernel,
 * as each ring does too.
 *
 * Frames have the time of reservation, by the clock of the ring's events, the CPU,
 * and the process and thread that ran (or were interrupted), as the creator of the
 * ring numbers them. A ring to which no event was attached before its first
 * producer came has perf's own clock, local_clock().
 *
 * Lifetime: a reference keeps the ring's memory, and what it counts against
 * RLIMIT_MEMLOCK, but not its reader. When the last descriptor and mapping of the
 * ring are gone nothing more can be reserved, and perfaux_ring_closed() says so;
 * what was reserved before can still be written and committed. The memory goes
 * with the last reference and the last reservation.
 *
 * Loss: a record that finds no room, or is longer than a segment, is counted under
 * its cause, and its time, number and bytes are a gap of the ring.
 */
#ifndef _PERFAUX_H
#define _PERFAUX_H

#include <linux/types.h>

struct perfaux_ring;

/*
 * A reference to the raw ring behind a descriptor of current. Process context, may
 * sleep. Returns ERR_PTR():
 *   EBADF	fd is not an open file
 *   EINVAL	it is not a raw ring
 *   ENOMEM	no memory to map the segments in one piece
 */
struct perfaux_ring *perfaux_ring_get(int fd);

/* Any context up to NMI. May precede the end of reservations. */
void perfaux_ring_put(struct perfaux_ring *ring);

/* Any context up to NMI. Is nobody left who could read what is written? */
bool perfaux_ring_closed(struct perfaux_ring *ring);

/*
 * Room for @length bytes, aligned to 8. Any context up to NMI, no locks, bounded.
 * Returns NULL if there is none (counted), or if the ring is closed (not counted).
 * Each reservation is to be followed by one perfaux_commit() or perfaux_discard(),
 * in any context, soon: until then the reader waits for the rest of the segment.
 *
 * A reader that ends a recording may give up a reservation that is open
 * (PERFAUX_FLUSH_ABANDON). It is counted then, and a later commit does nothing, but
 * until that comes the memory is not used for anything else.
 */
void *perfaux_reserve(struct perfaux_ring *ring, u32 length, u64 cookie);

/* @data: what perfaux_reserve() returned. The data must not be touched any more. */
void perfaux_commit(struct perfaux_ring *ring, void *data);
/* The reader skips it. */
void perfaux_discard(struct perfaux_ring *ring, void *data);

#endif /* _PERFAUX_H */
