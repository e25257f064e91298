/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --survive-crash: what a flight recorder keeps in the user part of a kept ring, so that `auxrec
 * recover` can make a snapshot after a crash of the machine.
 */
#ifndef AUXREC_FLIGHT_SURVIVE_H
#define AUXREC_FLIGHT_SURVIVE_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct diag;
struct session;

/*
 * The entry JOURNAL_SESSION: this struct, then nr_events times struct survive_event with its
 * struct survive_fd.
 */
struct survive_session {
	__u32	version;		/* SURVIVE_VERSION */
	__u32	flags;			/* SURVIVE_* */
	__u64	recording;		/* as in auxrec_snapshot */
	__u64	number;			/* of the last snapshot */
	char	boot_id[40];		/* NUL-terminated */
	__u32	nr_events;
	__u32	pid;			/* of the recorder */
};

#define SURVIVE_VERSION		1
#define SURVIVE_SYSTEM_WIDE	0x1	/* queues of AUX data belong to CPUs */
#define SURVIVE_PAYLOADS	0x2	/* the raw ring has raw data of samples */

struct survive_event {
	struct perf_event_attr attr;
	__u64	chunk_id;
	__u32	aux;			/* enum aux_format */
	__u32	flags;			/* SURVIVE_EVENT_* */
	__u32	nr_fds;
	__u32	reserved;
};

#define SURVIVE_EVENT_SIDEBAND	0x1
#define SURVIVE_EVENT_RAW_RING	0x2
#define SURVIVE_EVENT_PAYLOADS	0x4
#define SURVIVE_EVENT_SNAPSHOTS	0x8

struct survive_fd {
	__u64	id;
	__s32	cpu;
	__u32	reserved;
};

/* The recorder reads the rings at least this often. A crash can lose the records of this time. */
#define SURVIVE_LOOK_MS		100

/*
 * Without --survive-crash these functions do nothing.
 *
 * Call survive_begin() when all events are enabled. It returns 0, or -errno with a message.
 */
int survive_begin(struct session *s, struct diag *d);
void survive_free(struct session *s);
/* The events or the setup have changed. */
void survive_changed(struct session *s);
/*
 * Keep a record of a main ring, or one that auxrec made. For sideband, call survive_record() before
 * recent_add(). survive_record() may write a checkpoint first, with all sideband that recent_add()
 * has kept, and then adds the record: in the other order the record would be there twice.
 */
void survive_record(struct session *s, const struct perf_event_header *rec);
/* Keep a gap that was taken from the raw ring. */
struct perfaux_gap;
void survive_gap(struct session *s, const struct perfaux_gap *gap);
/* The recorder begins to read the rings. */
void survive_look(struct session *s);
/* The recorder has read all rings. */
void survive_settle(struct session *s);
/* Return @timeout, but at most the time until the recorder must read the rings again, in ms. */
int survive_timeout(const struct session *s, int timeout);

#endif /* AUXREC_FLIGHT_SURVIVE_H */
