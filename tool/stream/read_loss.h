/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When and how much a main ring lost, from LOST and LOST_SAMPLES records.
 *
 * The kernel tells only how many records a main ring lost, in a record in front of the next one
 * that fitted. The loss began after the last record of the same CPU.
 */
#ifndef AUXREC_STREAM_READ_LOSS_H
#define AUXREC_STREAM_READ_LOSS_H

#include "base/hash_map.h"
#include "stream/read_gap.h"
#include "stream/read_sample.h"

/* A cause besides enum perfaux_cause: the main ring was full. */
#define READ_CAUSE_MAIN_RING	16

struct read_loss_cpu {
	__u64	last;		/* time of the CPU's last record */
	__u64	loss_begin, loss_end;	/* of the last loss */
};

/* The caller zeroes this at the start of a stream. */
struct read_losses {
	struct read_loss_cpu *cpus;
	size_t	nr_cpus;
	struct read_map by_cpu;
};

/*
 * read_lost() - get how much a LOST or LOST_SAMPLES record reports
 *
 * Return: the number, 0 for any other record. @event is set to the id of the event that a
 * LOST record names; for other records, to the record's own id.
 */
__u64 read_lost(const struct read_record *rec, const struct read_sample *s, __u64 *event);

/*
 * read_loss() - take the next kernel record (type below 64) of the stream
 * @first: the time when the stream begins
 *
 * Return: 1: the record reports a loss, which is in @gap; 0: it does not; -ENOMEM.
 */
int read_loss(struct read_losses *l, const struct read_record *rec, const struct read_sample *s,
	      __u64 first, struct read_gap *gap);

void read_losses_free(struct read_losses *l);

#endif /* AUXREC_STREAM_READ_LOSS_H */
