/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids from the module: asks for them in the kernel's own records, and
 * writes as records what comes as notices.
 */
#ifndef AUXREC_IDS_H
#define AUXREC_IDS_H

#include <linux/types.h>
#include <stdbool.h>

#include "perfaux.h"
#include "session/options.h"

struct session;
struct rec_mmap2;

/* Names, as hashes: a file more or less is not worth its bytes. */
struct name_set {
	__u64 *hashes;			/* 0: empty */
	size_t size;			/* a power of two, or 0 */
	size_t nr;
	bool incomplete;		/* there was no memory for some */
};

struct ids {
	int fd;				/* -1: the kernel's own ids only */
	int err;			/* why: -errno, 0: not asked for */
	struct ids_limits limits;
	struct name_set missing;	/* files mapped without an id */
	struct name_set written;	/* that have a BUILD_ID record */
	__u8 *waiting;			/* notices of files not seen mapped yet */
	size_t waiting_size;
	__u64 dropped;			/* of these: too many */
	/* for the summary */
	__u64 maps;			/* of files, to be executed */
	__u64 without;			/* of these without an id */
	__u64 late;			/* files whose id came later */
	__u64 long_ids;
	__u64 modules;
	struct perfaux_ids_stats stats;
};

/* Without the module, or the right to use it, there are just no ids of ours. */
void ids_open(struct session *s);
void ids_close(struct session *s);

/* A map record of a recorded task, as the kernel wrote it. */
void ids_map(struct ids *ids, const struct rec_mmap2 *rec);

/* What has come so far. Return 0 or -errno of the stream. */
int ids_pass(struct session *s);
/* What is still to come, for a moment, and the counters. */
int ids_finish(struct session *s);

#endif /* AUXREC_IDS_H */
