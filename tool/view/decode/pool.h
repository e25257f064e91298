/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decode the queues of a recording with several threads, in order for each queue.
 */
#ifndef VIEW_POOL_H
#define VIEW_POOL_H

#include <pthread.h>

#include "view/decode/queue.h"
#include "view/decode/run.h"

/* A part of a queue. Its runs are those whose PSB is in the part. */
struct job {
	struct job *next;	/* in the list of its track */
	struct job *next_waiting;
	struct track *track;
	__u64	begin;
	__u64	end;
	__u64	span_end;	/* no data is missing up to here */
	bool	after_gap;
	enum job_state {
		JOB_WAITING,
		JOB_RUNNING,
		JOB_DONE,
	} state;
	struct out out;		/* with its list, unless @place has it */
	bool	in_file;
	__u64	place;
};

/* The flow of one queue, from its begin to its end */
struct track {
	struct pool *pool;
	const struct queue *queue;
	struct run_setup setup;
	__u64	next_begin;	/* of the next job */
	__u64	span_end;	/* of the last job */
	struct job *first;	/* the jobs that are not consumed */
	struct job *last;
	unsigned int nr_jobs;
	size_t	at;		/* in the first job's flow */
	struct kept_window {	/* a part of this flow, if it is in the file */
		struct flow *list;
		size_t first;
		size_t nr;
	} window;
};

struct pool {
	int	fd;		/* of the recording */
	unsigned int nr_threads;
	pthread_t *threads;
	pthread_mutex_t lock;
	pthread_cond_t work;	/* there is a job to do, or the pool ends */
	pthread_cond_t done;	/* a job is done */
	struct job *waiting;
	struct job **waiting_tail;
	unsigned int nr_busy;	/* jobs that wait or run */
	size_t	bytes;		/* of flow in memory that is not consumed */
	size_t	most;		/* bytes of flow that a job had; the next one can have as many */
	int	keep_fd;	/* a file without a name, for flow beyond the limit of memory */
	__u64	keep_size;
	bool	ending;
	int	err;		/* of a job */
	struct image_cache *cache;
	/* The consumer uses these for a job that no worker has begun. */
	struct image image;
	struct code *code;
};

/* @threads: workers besides the caller. Return 0 or -errno. */
int pool_init(struct pool *p, struct image_cache *cache, int fd, unsigned int threads);
void pool_free(struct pool *p);

void track_init(struct track *t, struct pool *p, const struct queue *q,
		const struct run_setup *setup);
void track_free(struct track *t);

/*
 * Return the next element of the flow, or NULL at the end, or after an error (see pool.err). The
 * element is valid until track_skip(), which goes on to the one after it.
 */
const struct flow *track_peek(struct track *t);
void track_skip(struct track *t);

/* job.c: decode a job. Return 0 or -errno. */
int job_decode(struct job *j, int fd, struct image *image, struct code *code);

/*
 * keep.c: the flow of jobs that are done. Each track has a job that is consumed, perhaps slowly. If
 * there are many tracks, the flow of all these jobs does not fit in memory. Return 0 or -errno.
 */
int keep_open(struct pool *p);
void keep_close(struct pool *p);
/* Write the flow of a job to the file. The lock is held, but not while it is written. */
int keep_write(struct pool *p, struct job *j);
/* Return element @t->at of the first job's flow, or NULL if it cannot be read. */
const struct flow *keep_read(struct track *t);
/* The first job was consumed: free its place in the file. */
void keep_free(struct track *t);

#endif /* VIEW_POOL_H */
