/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording as it was when the machine crashed, made from the user part of a kept ring.
 */
#ifndef AUXREC_RECOVER_RECORDING_H
#define AUXREC_RECOVER_RECORDING_H

#include "flight/flight.h"
#include "history/journal.h"
#include "record/payloads.h"
#include "recover/kept.h"

struct recording {
	struct session session;		/* has no descriptors */
	struct flight flight;
	struct options options;
	struct payloads payloads;
	struct kept_ring ring;
	struct journal_found journal;
	char boot_id[40];
	struct journal_settled settled;
	bool described;			/* there was a JOURNAL_SESSION */
	__u64 records;			/* samples and sideband, without the state */
	__u64 newest;			/* time of the newest record or data, ns */
	struct read_map gaps;		/* numbers of gaps that are known */
};

/*
 * recover/recording.c: make the recording that was in the region. @r is zero. Return 0, -ENODATA
 * (the recording had not begun), -EBADMSG or -ENOMEM with a message. Free it in any case.
 */
int recording_make(struct recording *r, const struct kept *k, struct diag *d);
void recording_free(struct recording *r);

/* recover/session.c: fill the session from JOURNAL_SESSION. Return 0, -EBADMSG or -ENOMEM. */
int recording_session(struct recording *r, const void *data, size_t size);

/* recover/snapshot.c: what is special in the snapshot of a crash */
struct crash {
	const struct kept *kept;
	struct trigger trigger;
	struct flight_wish wish;
	__u8 data[512];			/* struct auxrec_snapshot_data, and its text */
};

void crash_init(struct crash *c, const struct kept *k, struct recording *r);
/* Write the snapshot to r->session.out, which is open. Return 0 or -errno of the stream. */
int crash_write(struct recording *r);
/* How the machine stopped, for people */
const char *crash_how(const struct kept *k);

#endif /* AUXREC_RECOVER_RECORDING_H */
