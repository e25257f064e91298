/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A raw ring from user space: made, mapped, attached to, read in order.
 *
 * The functions return 0 (or what they say) or -errno.
 */
#ifndef RING_LIB_H
#define RING_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../uapi/perfaux.h"
#include "../modules/auxgen.h"

/* Later ones of the harness's headers have it too. */
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

/*
 * For TEST_F_TIMEOUT(): one that takes longer hangs. In the KASAN kernel, beside another VM,
 * some take two minutes; and what a test that was ended by this left running, tests behind
 * it fail from.
 */
#define SECONDS		200

/* Clocks of two CPUs may differ by so much, ns. */
#define SKEW		100000

/* One number of a ring's sequence, valid during the call that hands it over. */
struct record {
	const struct perfaux_span *span;	/* or */
	const struct perfaux_gap *gap;
	const void *data;			/* of the span */
	uint64_t seq;
};

typedef void (*record_fn)(void *ctx, const struct record *record);

/* A span that was seen and is not yet consumed. */
struct pending {
	uint64_t seq;
	uint32_t segment;	/* or, from nr_segments on, a gap's entry */
	uint32_t span;
};

struct reader_segment {
	uint64_t use;		/* PERFAUX_SEQ() */
	uint32_t taken;		/* spans that were seen */
	uint32_t consumed;
	bool ready;
};

struct ring {
	int dev;
	int fd;
	struct perfaux_create create;
	uint64_t *marks;
	uint64_t *gap_marks;
	const struct perfaux_control *ctl;
	const struct perfaux_segment *segments;
	const struct perfaux_span *spans;
	const struct perfaux_gap *gaps;
	const uint8_t *data;

	/* the reader's */
	uint64_t next;		/* number to be consumed next */
	struct reader_segment *seen;
	struct pending *pending;
	size_t nr_pending;
	size_t room;		/* in pending[] */
	uint64_t *gap_seen;	/* number seen in each gap entry */
	uint64_t released;	/* segments */
	uint64_t held_seq;	/* of the last ring_hold() */
};

/* Fills @create with size, segment size and count. */
void ring_params(struct perfaux_create *create, uint32_t segment_size,
		 uint32_t nr_segments);
int ring_open(struct ring *ring, const struct perfaux_create *create);
/* The same for a descriptor that came from somewhere else. */
int ring_adopt(struct ring *ring, int fd, const struct perfaux_create *create);
int ring_map(struct ring *ring);
void ring_unmap(struct ring *ring);
void ring_close(struct ring *ring);

int ring_attach(struct ring *ring, int event, uint64_t cookie);
int ring_detach(struct ring *ring, int event);
int ring_flush(struct ring *ring, uint32_t flags);
int ring_attach_trigger(struct ring *ring, int event, uint64_t cookie, uint32_t post);
/* How many segments, or -errno. */
int ring_hold(struct ring *ring, uint32_t flags, uint32_t max);
int ring_thaw(struct ring *ring);
/* As it is HELD now. */
int ring_unhold(struct ring *ring, uint32_t segment);
int ring_unhold_all(struct ring *ring);

/* poll(2): revents, or -errno. */
int ring_poll(struct ring *ring, int timeout_ms);

/* Value of a line of the descriptor's fdinfo, or -1. */
int64_t ring_fdinfo(int fd, const char *name);

/*
 * Consumes what there is, in order of seq, and releases gaps and segments of spans.
 * Returns how many numbers were consumed.
 */
uint64_t ring_read(struct ring *ring, record_fn fn, void *ctx);

/*
 * The same in another way: looks for each number anew in all tables. Slow, and
 * so simple that it is right. Not to be mixed with ring_read() on one ring.
 */
uint64_t ring_read_simple(struct ring *ring, record_fn fn, void *ctx);

/*
 * What is readable now in a ring that nobody writes to, in order of seq,
 * whether numbers are missing or not. Releases nothing.
 */
uint64_t ring_read_still(struct ring *ring, record_fn fn, void *ctx);

static inline uint64_t ring_state(const struct ring *ring, uint32_t segment)
{
	return __atomic_load_n(&ring->segments[segment].state,
			       __ATOMIC_ACQUIRE);
}

static inline uint64_t counter(const __u64 *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static inline uint64_t ring_lost(const struct ring *ring,
				 enum perfaux_cause cause)
{
	return counter(&ring->ctl->lost_count[cause]);
}

/*
 * auxgen: the name of its PMU, which those who run at the same time choose ($AUXGEN); its
 * type, or -1; an event of it, disabled, or -errno
 */
const char *auxgen_name(void);
int auxgen_type(void);

struct auxgen_config {
	uint64_t config;
	uint64_t period;	/* us */
};

#define EV_INHERIT	(1U << 0)
#define EV_ENABLED	(1U << 1)
#define EV_PINNED	(1U << 2)	/* other events do not stop and start it */

/* The type of a PMU, or -1; an event of it, disabled, or -errno */
int pmu_type(const char *name);
int pmu_open(const char *pmu, const struct auxgen_config *config, pid_t pid,
	     int cpu, unsigned int flags);

int auxgen_open(const struct auxgen_config *config, pid_t pid, int cpu,
		unsigned int flags);
int event_enable(int event);
int event_disable(int event);
/* An event of "intel_pt" for the thread, attached and enabled; or -errno */
int pt_attach(struct ring *ring, pid_t pid);

/* perf's clock; what auxgen's events use here is CLOCK_MONOTONIC */
uint64_t now_ns(void);

/* Online CPUs, of $TEST_CPUS ("0-2") if there is that; fills @cpus (up to @max) */
int online_cpus(int *cpus, int max);
/* How many */
int possible_cpus(void);
int pin_to(int cpu);

/* Reads or writes a small file. */
int file_write(const char *path, const char *text);
int file_read(const char *path, char *text, size_t size);

/*
 * A module of this kernel, from $PERFAUX_MODULES or the VM's directory.
 * Removing does not wait: -EAGAIN (-EWOULDBLOCK) if it is in use; _wait does,
 * for what used it to go.
 */
int module_insert(const char *name, const char *params);
int module_remove(const char *name);
int module_remove_wait(const char *name);

/* A child that does @fn once told to, so that events can be opened before. */
struct child {
	pid_t pid;
	int go;
};

int child_start(struct child *child, void (*fn)(void *arg), void *arg);
void child_go(struct child *child);
/* Wait status. */
int child_wait(struct child *child);
/*
 * SIGKILL to the child and all that came of it; returns when they are gone, and
 * their events with them. PERF_EVENT_IOC_DISABLE does not do that: a process
 * that is being forked meanwhile may inherit an event that is still enabled
 * (inherit_event() reads the parent's state before it takes child_mutex).
 */
void child_kill(struct child *child);

/* The process is @uid's from then on, and in no group but its own. */
int become_uid(uid_t uid);

/*
 * A child in a user namespace of its own that @maker has made, with @map as the map of
 * its uids and of its gids. It is told at once; 0 or -errno.
 */
struct in_namespace {
	uid_t maker;
	const char *map;
	void (*fn)(void *arg);
	void *arg;
	/* its own */
	int made[2];
	int mapped[2];
};

int in_namespace(struct child *child, struct in_namespace *in);

/*
 * Work for a task: processes that are forked one after the other and at the
 * same time, with threads that wait for each other.
 */
struct work {
	unsigned int forks;	/* processes at a time */
	unsigned int threads;	/* in each */
	unsigned int rounds;	/* context switches of each thread, about */
	unsigned int spin;	/* loops between two of them */
};

void work_run(const struct work *work);
/* For child_start(): the work that @arg says; some work until it is killed. */
void work_fn(void *arg);
void endless_fn(void *arg);
/* Works until *@value is @least, or for a minute: then returns false. */
bool work_until(const __u64 *value, uint64_t least);
void spin(unsigned int loops);

/* Pseudo random numbers, the same for the same seed. */
struct rnd {
	uint64_t state;
};

uint64_t rnd_seed(void);	/* PERFAUX_SEED or a default */
uint32_t rnd_next(struct rnd *rnd);
static inline uint32_t rnd_below(struct rnd *rnd, uint32_t n)
{
	return rnd_next(rnd) % n;
}

#endif /* RING_LIB_H */
