/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfaux for other modules: records of any length straight into a raw ring.
 *
 * This header is the whole interface, and its manual. uapi/perfaux.h describes what
 * the reader sees: each record is a frame, without a sample.
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
 * The symbols are exported to GPL modules. A module that uses them keeps perfaux.ko
 * loaded, and so does each ring.
 *
 * A frame has the time of its reservation, by the clock of the ring's events, the CPU,
 * and the process and thread that ran (or were interrupted), as numbers in the pid
 * namespace of the ring's creator. If the first producer comes before any event is
 * attached to the ring, the ring has perf's own clock, local_clock().
 *
 * Lifetime: a reference keeps the ring's memory, and its charge against RLIMIT_MEMLOCK,
 * but not its reader. When the last descriptor and mapping of the ring are gone, nothing
 * more can be reserved, and perfaux_ring_closed() returns true. Records that were
 * reserved before can still be written and committed. The memory is freed after the last
 * reference and the last reservation are gone.
 *
 * Loss: if there is no room for a record, or its frame is longer than a segment, the ring
 * counts the loss under its cause. A gap of the ring tells the time, number and bytes of
 * the lost records.
 */
#ifndef _PERFAUX_H
#define _PERFAUX_H

#include <linux/types.h>

struct perfaux_ring;

/*
 * Return a reference to the raw ring behind a descriptor of current. Process context,
 * may sleep. Errors are ERR_PTR():
 *   EBADF	fd is not an open file
 *   EINVAL	fd is not a raw ring, or the ring's clock cannot be read in an NMI
 *   ENOMEM	no memory to map the segments in one piece
 */
struct perfaux_ring *perfaux_ring_get(int fd);

/* Drop a reference. Any context up to NMI. Reservations may still be open. */
void perfaux_ring_put(struct perfaux_ring *ring);

/* Return whether the ring has lost its last reader. Any context up to NMI. */
bool perfaux_ring_closed(struct perfaux_ring *ring);

/*
 * Reserve @length bytes, aligned to 8. Any context up to NMI, no locks, bounded work.
 * Returns NULL if there is no room (which is counted), or if the ring is closed (not
 * counted). Each reservation must be followed by one perfaux_commit() or
 * perfaux_discard(), in any context, and soon: until then the reader waits for the rest
 * of the segment.
 *
 * A reader that ends a recording may give up an open reservation
 * (PERFAUX_FLUSH_ABANDON). The reservation is then counted as lost, and a later commit
 * does nothing. Until that commit the memory is not used for anything else.
 */
void *perfaux_reserve(struct perfaux_ring *ring, u32 length, u64 cookie);

/*
 * Give the record to the reader. @data is what perfaux_reserve() returned. The caller must not
 * touch the data any more.
 */
void perfaux_commit(struct perfaux_ring *ring, void *data);
/* Likewise, but the reader skips the record. */
void perfaux_discard(struct perfaux_ring *ring, void *data);

#endif /* _PERFAUX_H */
