/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse the samples of the snapshot event (stream/snapshot_mark.h).
 */
#ifndef AUXREC_READ_SNAPSHOT_H
#define AUXREC_READ_SNAPSHOT_H

#include "base/bytes.h"
#include "stream/read_sample.h"
#include "stream/snapshot_mark.h"

struct read_snapshot {
	struct auxrec_snapshot h;
	const char *name;	/* points into the record, with NUL */
	const __u8 *data;	/* h.data_size bytes */
};

/* The data of one trigger */
struct read_snapshot_data {
	struct auxrec_snapshot_data h;
	const __u8 *bytes;	/* h.size bytes */
};

/*
 * read_snapshot() - parse a sample of the snapshot event
 * @s: a sample of an event for which is_snapshot_event() is true
 *
 * Return: NULL, or a text that tells what is wrong with the sample.
 */
const char *read_snapshot(const struct read_sample *s, struct read_snapshot *out);

/*
 * read_snapshot_data() - take the data of the next trigger
 * @b: read_snapshot.data before the first call
 *
 * Return: true, or false if there is no more. If @b->failed is set then, the sizes are wrong:
 * the last data ends behind the end of @b.
 */
bool read_snapshot_data(struct read_bytes *b, struct read_snapshot_data *out);

/* Return "signal", "socket" and so on, or "?". */
const char *read_snapshot_kind(__u32 kind);

/* Return what filled the memory: "samples" and so on. */
const char *read_snapshot_short(enum snapshot_short part);

#endif /* AUXREC_READ_SNAPSHOT_H */
