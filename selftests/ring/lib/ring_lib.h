/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A raw ring from user space: create it, map it, attach events, read it in order.
 *
 * The functions return 0 or -errno, unless their comments say otherwise.
 */
#ifndef RING_LIB_H
#define RING_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../uapi/perfaux.h"
#include "../../modules/auxgen.h"

/* Later versions of the harness's headers define it, too. */
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

/*
 * For TEST_F_TIMEOUT(): a test that takes longer counts as hung. In the KASAN kernel,
 * beside another VM, some tests take two minutes. The timeout must not end a test that
 * is only slow: the processes that it leaves make later tests fail.
 */
#define SECONDS		200

/* The most by which the clocks of two CPUs may differ, in ns */
#define SKEW		100000

/* The span or the gap that has a number in the ring's sequence, valid during the callback */
struct record {
	const struct perfaux_span *span;	/* NULL: it is a gap */
	const struct perfaux_gap *gap;		/* NULL: it is a span */
	const void *data;			/* data of the span */
	uint64_t seq;
};

typedef void (*record_fn)(void *ctx, const struct record *record);

/* A span that was seen and is not yet consumed */
struct pending {
	uint64_t seq;
	uint32_t segment;	/* a segment, or, from nr_segments on, a gap's entry */
	uint32_t span;
};

struct reader_segment {
	uint64_t use;		/* PERFAUX_SEQ() */
	uint32_t taken;		/* spans of the segment that were seen */
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

	/* state of the reader */
	uint64_t next;		/* number to be consumed next */
	struct reader_segment *seen;
	struct pending *pending;
	size_t nr_pending;
	size_t room;		/* room in pending[] */
	uint64_t *gap_seen;	/* number seen in each gap entry */
	uint32_t *manual_taken;	/* taken[] of ring_read_manual() */
	uint64_t released;	/* segments that were released */
	uint64_t held_seq;	/* seq of the last ring_hold() */
};

/* Fill @create with its size, the segment size and the number of segments. */
void ring_params(struct perfaux_create *create, uint32_t segment_size,
		 uint32_t nr_segments);
int ring_open(struct ring *ring, const struct perfaux_create *create);
/* The same for a descriptor that came from somewhere else */
int ring_adopt(struct ring *ring, int fd, const struct perfaux_create *create);
int ring_map(struct ring *ring);
void ring_unmap(struct ring *ring);
void ring_close(struct ring *ring);

int ring_attach(struct ring *ring, int event, uint64_t cookie);
int ring_detach(struct ring *ring, int event);
int ring_flush(struct ring *ring, uint32_t flags);
int ring_attach_trigger(struct ring *ring, int event, uint64_t cookie, uint32_t post);
/* Returns the number of segments, or -errno. */
int ring_hold(struct ring *ring, uint32_t flags, uint32_t max);
int ring_thaw(struct ring *ring);
/* UNHOLD the present use of a HELD segment. */
int ring_unhold(struct ring *ring, uint32_t segment);
int ring_unhold_all(struct ring *ring);

/* poll(2). Returns revents, or -errno. */
int ring_poll(struct ring *ring, int timeout_ms);

/* Return the value of a line of the descriptor's fdinfo, or -1. */
int64_t ring_fdinfo(int fd, const char *name);

/*
 * Consume everything in order of seq, and release gaps and segments of spans.
 * Returns how many numbers were consumed.
 */
uint64_t ring_read(struct ring *ring, record_fn fn, void *ctx);

/*
 * Do the same with the loop that uapi/perfaux.h shows. Do not use both functions on one ring:
 * ring_read() counts the released segments in @ring, ring_read_manual() does not.
 */
uint64_t ring_read_manual(struct ring *ring, record_fn fn, void *ctx);

/*
 * Read all data in a ring that nobody writes to, in order of seq, even if numbers
 * are missing. Releases nothing.
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
 * auxgen: the name of its PMU, which differs between tests that run at the same
 * time ($AUXGEN); its type, or -1; a disabled event, or -errno
 */
const char *auxgen_name(void);
int auxgen_type(void);

struct auxgen_config {
	uint64_t config;
	uint64_t period;	/* us */
};

#define EV_INHERIT	(1U << 0)
#define EV_ENABLED	(1U << 1)
/* attr.aux_watermark, for the kernel's own area */
#define EV_WATERMARK(kib)	((kib) << 8)
#define EV_PINNED	(1U << 2)	/* other events do not stop and start this event */

/* The type of a PMU, or -1; a disabled event of the PMU, or -errno */
int pmu_type(const char *name);
int pmu_open(const char *pmu, const struct auxgen_config *config, pid_t pid,
	     int cpu, unsigned int flags);

int auxgen_open(const struct auxgen_config *config, pid_t pid, int cpu,
		unsigned int flags);
int event_enable(int event);
int event_disable(int event);
/*
 * Open, attach and enable an event of "intel_pt" for the thread. Returns it, or
 * -errno.
 */
int pt_attach(struct ring *ring, pid_t pid);

/* perf's clock. auxgen's events use CLOCK_MONOTONIC here. */
uint64_t now_ns(void);

/*
 * Fill @cpus with up to @max online CPUs, or those of them that are in $TEST_CPUS
 * ("0-2") if that is set. Returns their number.
 */
int online_cpus(int *cpus, int max);
/* Return the number of possible CPUs. */
int possible_cpus(void);
int pin_to(int cpu);

/* Read or write a small file. */
int file_write(const char *path, const char *text);
int file_read(const char *path, char *text, size_t size);

/*
 * Insert or remove a module of this kernel, from $PERFAUX_MODULES or the VM's
 * directory. Removing does not wait and returns -EAGAIN (-EWOULDBLOCK) if the
 * module is in use. _wait waits until its users are gone.
 */
int module_insert(const char *name, const char *params);
int module_remove(const char *name);
int module_remove_wait(const char *name);

/* A child that calls @fn when it is told to, so that events can be opened before */
struct child {
	pid_t pid;
	int go;
};

int child_start(struct child *child, void (*fn)(void *arg), void *arg);
void child_go(struct child *child);
/* Returns the wait status. */
int child_wait(struct child *child);
/*
 * Send SIGKILL to the child and its descendants, and wait until they and their
 * events are gone. PERF_EVENT_IOC_DISABLE cannot do this: a process that is being
 * forked meanwhile may inherit an event that is still enabled (inherit_event()
 * reads the parent's state before it takes child_mutex).
 */
void child_kill(struct child *child);

/* Change the process to @uid, without supplementary groups. */
int become_uid(uid_t uid);

/*
 * A child in a user namespace of its own that @maker has made, with @map as the map
 * of its uids and its gids. It starts immediately. Returns 0 or -errno.
 */
struct in_namespace {
	uid_t maker;
	const char *map;
	void (*fn)(void *arg);
	void *arg;
	/* in the namespace */
	int made[2];
	int mapped[2];
};

int in_namespace(struct child *child, struct in_namespace *in);

/*
 * Work for a task: processes that are forked one after the other and at the same
 * time, with threads that wait for each other
 */
struct work {
	unsigned int forks;	/* processes at a time */
	unsigned int threads;	/* threads in each process */
	unsigned int rounds;	/* context switches of each thread, roughly */
	unsigned int spin;	/* loops between two context switches */
};

void work_run(const struct work *work);
/* For child_start(): do the work that @arg describes; work until killed. */
void work_fn(void *arg);
void endless_fn(void *arg);
/* Work until *@value is @least; return false after a minute. */
bool work_until(const __u64 *value, uint64_t least);
void spin(unsigned int loops);

/* Pseudo random numbers; the same seed gives the same numbers. */
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
