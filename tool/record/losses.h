/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Losses of main rings. The kernel counts for each event what does not fit into a main ring
 * (PERF_FORMAT_LOST), and it writes a PERF_RECORD_LOST in front of the next record that fits.
 * Only the counters tell what was lost after the last record that fits.
 *
 * The stream tells each loss once: LOST_SAMPLES with the id of the event that lost samples,
 * LOST with the id of the event that lost other records. The time of this record is the end
 * of the loss. The loss began after the record of the same CPU that precedes this record.
 */
#ifndef AUXREC_LOSSES_H
#define AUXREC_LOSSES_H

#include "session/session.h"

/* Which rings to look at, see losses_look() */
enum losses_which {
	LOSSES_LIKELY,	/* rings more than half full; once a second those of LOSSES_POSSIBLE */
	LOSSES_POSSIBLE,	/* rings that had no room for the largest record */
	LOSSES_ALL,
};

/*
 * losses_record() - report what a PERF_RECORD_LOST of the kernel counts
 * @r: the ring, copied up to this record
 *
 * Return: 0 or -errno of the output.
 */
int losses_record(struct session *s, struct mainring *r, const void *rec);

/*
 * losses_look() - report what was lost after the last record of a ring
 * @r: the ring, copied up to its last mainring_snapshot()
 *
 * Each counter costs a system call, and an interrupt of the CPU where the event counts.
 *
 * Return: 0 or -errno of the output.
 */
int losses_look(struct session *s, struct mainring *r, enum losses_which which);

/*
 * losses_read_counter() - read the counter of an event
 * @value: what the event counts
 * @lost: number of its records that did not fit
 *
 * Return: false if the kernel does not tell.
 */
bool losses_read_counter(const struct sev *sev, const struct opened *o, __u64 *value,
			 __u64 *lost);

/*
 * Read the counters of a ring, and ask for the snapshots of triggers whose samples were lost.
 */
void losses_read(struct session *s, struct mainring *r);

#endif /* AUXREC_LOSSES_H */
