/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader of BPF programs: a thread that asks the kernel about each program as
 * soon as it is loaded, because the program may be gone a moment later. The results
 * wait in a queue until they are written.
 *
 * The kernel gives a descriptor for a program's id only to CAP_SYS_ADMIN.
 */
#ifndef AUXREC_BPF_H
#define AUXREC_BPF_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "ring/mainring.h"
#include "base/hash_map.h"

struct session;
struct bpf_item;

struct bpf_reader {
	int err;		/* why there is no reader: -EPERM, ... */
	struct mainring *rings;	/* with BPF_EVENTs only, one per CPU */
	size_t nr_rings;
	int stop_fd;		/* -1: no thread */
	pthread_t thread;
	struct read_map progs;	/* ids that bpf_start() asked for */
	struct read_map btfs;	/* by id: BTF that was queued, is too long or had no room */
	pthread_mutex_t lock;	/* protects the queue: @first, @end, @queued */
	struct bpf_item *first, **end;
	size_t queued, queue_max;	/* bytes */
	/* for the summary */
	__u64 nr_progs;
	__u64 nr_btfs;
	__u64 gone;		/* programs that were unloaded too early */
	__u64 failed;
	__u64 lost;		/* programs without room in the ring or the queue */
	__u64 cut;		/* programs without some of their arrays */
	__u64 cut_btfs;		/* BTF that is too long for a record */
	__u64 lost_btfs;	/* BTF without room in the queue */
};

/*
 * Open the rings, which note programs that are loaded from now on. Without the right
 * to do so, without BPF, or if only AUX data of user space is recorded, this and the
 * functions below do nothing.
 */
void bpf_open(struct session *s);
/*
 * Ask for the programs that are loaded already, and start the thread. Return 0, or
 * -errno if a flight recorder cannot keep the results.
 */
int bpf_start(struct session *s);

/* Has every program that the rings have noted been queued? */
bool bpf_settled(const struct bpf_reader *b);

/* Wait until the thread has asked for all noted programs, and end the thread. */
void bpf_stop(struct session *s);
void bpf_close(struct session *s);

/*
 * bpf/write.c: write the queue as FEATURE records. Readers can use the records of a
 * program only if they are written before its BPF_EVENT. Return 0 or -errno of the
 * stream.
 */
int bpf_write(struct session *s);

#endif /* AUXREC_BPF_H */
