/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids from the module. auxrec asks the module to put build-ids into the
 * kernel's own records, and writes a record for each id that comes as a notice.
 */
#ifndef AUXREC_IDS_H
#define AUXREC_IDS_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/hash_map.h"
#include "perfaux.h"
#include "session/options.h"

struct session;
struct rec_mmap2;

/*
 * A set of names. It has only their hashes, so an answer can be wrong. One wrong answer costs less
 * than the memory for all names.
 */
struct name_set {
	struct read_map hashes;		/* without values */
	bool incomplete;		/* some names are missing */
};

struct ids {
	int fd;				/* -1: the kernel's own ids only */
	int err;			/* the reason for that, -errno; 0: not asked for */
	struct ids_limits limits;
	struct name_set missing;	/* files mapped without an id */
	struct name_set written;	/* files that have a BUILD_ID record */
	__u8 *waiting;			/* notices of files not seen mapped yet */
	size_t waiting_size;
	__u64 dropped;			/* waiting notices that were dropped: too many */
	/* for the summary */
	__u64 maps;			/* executable maps of files */
	__u64 without;			/* maps without an id */
	__u64 late;			/* files whose id came later */
	__u64 long_ids;
	__u64 modules;
	struct perfaux_ids_stats stats;
};

/*
 * Ask the module for build-ids. Without the module, or without the right to use it, there are
 * only the kernel's own ids.
 */
void ids_open(struct session *s);
void ids_close(struct session *s);

/* Handle a map record of a recorded task, as the kernel wrote it. */
void ids_map(struct ids *ids, const struct rec_mmap2 *rec);

/* Handle the notices that have come so far. Return 0, or -errno of the stream. */
int ids_pass(struct session *s);
/* Wait a moment for the notices that are still to come, and read the counters. */
int ids_finish(struct session *s);

#endif /* AUXREC_IDS_H */
