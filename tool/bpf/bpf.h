/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs: a reader of its own, in a thread, asks for what there is to
 * know of each program the moment it is loaded, since it may be gone a moment
 * later. What it finds waits in a queue until it is written.
 *
 * The kernel tells numbers from descriptors only to CAP_SYS_ADMIN.
 */
#ifndef AUXREC_BPF_H
#define AUXREC_BPF_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "ring/mainring.h"
#include "base/map.h"

struct session;
struct bpf_item;

struct bpf_reader {
	int err;		/* why there is none: -EPERM, ... */
	struct mainring *rings;	/* of BPF_EVENTs only, one per CPU */
	size_t nr_rings;
	int stop_fd;		/* -1: no thread */
	pthread_t thread;
	struct read_map progs;	/* numbers of those asked for */
	struct read_map btfs;
	pthread_mutex_t lock;	/* of what follows */
	struct bpf_item *first, **end;
	size_t queued, queue_max;	/* bytes */
	/* for the summary */
	__u64 nr_progs;
	__u64 nr_btfs;
	__u64 gone;		/* before they could be asked for */
	__u64 failed;
	__u64 lost;		/* no room in the ring, or in the queue */
	__u64 cut;		/* programs that lack arrays */
	__u64 cut_btfs;		/* BTF too long for a record */
};

/*
 * What is loaded from now on is noted; bpf_start() asks for what is loaded
 * already and starts the thread. Without the right, or without BPF, all of
 * these do nothing.
 */
void bpf_open(struct session *s);
/* 0, or -errno: a flight recorder cannot keep what it has been told. */
int bpf_start(struct session *s);

/* Is all that is noted in the queue? */
bool bpf_settled(const struct bpf_reader *b);

/* Wait until all that is noted has been asked for, and ends the thread. */
void bpf_stop(struct session *s);
void bpf_close(struct session *s);

/*
 * bpf/write.c: the queue, as FEATURE records. Before the BPF_EVENT of the same
 * program has passed, to be of use. Return 0 or -errno of the stream.
 */
int bpf_write(struct session *s);

#endif /* AUXREC_BPF_H */
