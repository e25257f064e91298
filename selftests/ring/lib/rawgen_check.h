/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of rawgen that share a ring: read their samples, follow references, check
 * every payload byte by byte, and account for every sample.
 *
 * The functions return 0 or -errno, unless their comments say otherwise.
 */
#ifndef RAWGEN_CHECK_H
#define RAWGEN_CHECK_H

#include "../../modules/rawgen.h"
#include "raw_lib.h"

#define RAWGEN_EVENTS	256

struct rawgen_config {
	uint64_t config, config1, config2;	/* see rawgen.h */
};

struct rawgen_source {
	struct raw_event ev;
	struct rawgen_config config;
	struct rawgen_check *check;
	uint64_t cookie;
	/* The event is detached at times, so a sample may contain its payload. */
	bool loose;
	uint64_t next[RAWGEN_CONTEXTS];		/* the least next number */
	/* samples, and the kind of their data */
	uint64_t samples;
	uint64_t frames;
	uint64_t kept;
	uint64_t stale;		/* frames of segments in use again */
	uint64_t lost[16];	/* by cause */
	uint64_t lost_bytes;
	uint32_t depth[RAWGEN_CONTEXTS];	/* greatest */
};

/* What is known about a segment's use */
struct rawgen_use {
	uint64_t seq;
	uint8_t *followed;	/* a bit for each 8 bytes: set if a reference led there */
	uint64_t nr_followed;
	uint64_t released;	/* the use that was released */
};

struct rawgen_check {
	struct ring *ring;
	struct rawgen_source source[RAWGEN_EVENTS];
	int nr;
	struct rawgen_use *uses;
	uint8_t *copy;
	const char *wrong;	/* the first error, or NULL */
	/* counts in segments that were released */
	uint64_t frames;	/* committed */
	uint64_t bytes;		/* bytes in these frames */
	uint64_t orphans;	/* of these, the frames that no sample led to */
	uint64_t discarded;
};

int rawgen_check_init(struct rawgen_check *check, struct ring *ring);
void rawgen_check_exit(struct rawgen_check *check);

/*
 * Open an event of rawgen, disabled, with a main ring of @size bytes, and not
 * attached.
 */
int rawgen_open(struct rawgen_source *source, const struct rawgen_config *config,
		pid_t pid, int cpu, size_t size);
/*
 * The same, but attach the event and add it to @check. Returns the event, or NULL
 * and errno.
 */
struct rawgen_source *rawgen_add(struct rawgen_check *check,
				 const struct rawgen_config *config, pid_t pid,
				 int cpu, size_t size);

/* The counts of an event: samples that it wrote, and samples that its main ring lost */
uint64_t rawgen_written(const struct rawgen_source *source);
uint64_t rawgen_missed(const struct rawgen_source *source);

/* Check that the payload is one of @config. Returns NULL, or what is wrong. */
const char *rawgen_check_payload(struct rawgen_source *source, const void *payload,
				 uint64_t size, uint32_t cpu);

/* Read the events' main rings. */
int rawgen_read(struct rawgen_check *check);
/*
 * Then read the raw ring: release the segments whose frames have all been followed,
 * or, with @flush, all segments that were READY before a FLUSH (with these flags).
 */
int rawgen_read_ring(struct rawgen_check *check, bool flush, uint32_t flags);
/* Write the marks of released segments again: in this ring somebody else overwrites marks. */
void rawgen_release_again(struct rawgen_check *check);

/* Sum of a field of struct rawgen_source over all events */
#define rawgen_sum(check, field) ({					\
	const struct rawgen_check *check_ = (check);			\
	uint64_t sum_ = 0;						\
	int i_;								\
									\
	for (i_ = 0; i_ < check_->nr; i_++)				\
		sum_ += check_->source[i_].field;			\
	sum_;								\
})
uint64_t rawgen_sum_written(const struct rawgen_check *check);
uint64_t rawgen_sum_missed(const struct rawgen_check *check);

/* Make @n samples in the context of this task, for each event on its CPU. */
int rawgen_task(unsigned int n);

#endif /* RAWGEN_CHECK_H */
