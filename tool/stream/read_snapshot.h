/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of the snapshot event (snapshot_mark.h), as they are in a stream.
 */
#ifndef AUXREC_READ_SNAPSHOT_H
#define AUXREC_READ_SNAPSHOT_H

#include "base/bytes.h"
#include "stream/read_sample.h"
#include "stream/snapshot_mark.h"

struct read_snapshot {
	struct auxrec_snapshot h;
	const char *name;	/* in the record, with its NUL */
	const __u8 *data;	/* h.data_size bytes */
};

/* What one trigger brought along */
struct read_snapshot_data {
	struct auxrec_snapshot_data h;
	const __u8 *bytes;	/* h.size of them */
};

/*
 * read_snapshot() - take a sample of the snapshot event apart
 * @s: is_snapshot_event() is true of its event
 *
 * Return: NULL, or what is wrong with it.
 */
const char *read_snapshot(const struct read_sample *s, struct read_snapshot *out);

/*
 * read_snapshot_data() - take the next of what triggers brought along
 * @b: first all data of a snapshot
 *
 * Return: whether there is one more. If not, and @b->failed, it is longer than its data.
 */
bool read_snapshot_data(struct read_bytes *b, struct read_snapshot_data *out);

/* "signal", "socket" ..., or "?" */
const char *read_snapshot_kind(__u32 kind);

/* What the memory was full of: "samples", ... */
const char *read_snapshot_short(enum snapshot_short part);

#endif /* AUXREC_READ_SNAPSHOT_H */
