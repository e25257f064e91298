/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz_ring: random calls of the interface of perfaux.ko and what is around it.
 *
 * Call number n of a thread is a function of the seed, the thread's number and n, and
 * of nothing else: neither of what earlier calls returned nor of other threads. Calls
 * name their objects by places ("slots", "windows"), which may have anything in them.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "../../uapi/perfaux.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

#define PAGE		4096UL
#define THREADS_MAX	16
#define OPS_MAX		64
#define ERRNO_MAX	134
#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define OTHER_CGROUP	"/sys/fs/cgroup/fuzz_ring"

/* --- what a call may use --------------------------------------------------- */

enum kind {
	KIND_DEVICE,
	KIND_RING,
	KIND_IDS,
	KIND_EVENT,
	KIND_OTHER,		/* pipes, sockets, files in memory */
	KINDS,
};

#define SLOTS_MAX	32

/* A descriptor; of a ring also what CREATE returned. */
struct slot {
	atomic_int fd;		/* or -1 */
	atomic_ullong marks_size;
	atomic_ullong ring_size;
	atomic_uint nr_segments;
};

/* A place in memory where something may be mapped. */
enum mapping {
	MAPPED_NOTHING,
	MAPPED_MARKS,
	MAPPED_RING,
	MAPPED_EVENT,
};

#define WINDOWS		24
#define WINDOW_SIZE	(4UL << 20)

struct window {
	atomic_int what;	/* enum mapping */
	atomic_ullong size;
	atomic_uint ring;	/* slot, of MARKS and RING */
};

extern struct slot slots[KINDS][SLOTS_MAX];
extern const unsigned int nr_slots[KINDS];
extern struct window windows[WINDOWS];
extern uint8_t *arena;		/* WINDOWS of WINDOW_SIZE */

static inline void *window_at(unsigned int w)
{
	return arena + w * WINDOW_SIZE;
}

/* --- a call ---------------------------------------------------------------- */

struct call {
	unsigned int thread;
	unsigned int op;	/* index into ops[] */
	uint64_t n;
	uint64_t seed;
};

/* Of a thread; a child has its own. */
struct caller {
	struct call call;
	uint64_t state;		/* of draw() */
	int depth;		/* a child's is 1 */
	uint8_t *args;		/* two pages, then one that is not mapped */
	uint8_t *read_only;	/* a page, which can be written to through */
	uint8_t *writable;	/* this one */
	timer_t timer;		/* see wait.c */
	sigjmp_buf fault;
	volatile bool may_fault;
};

/* splitmix64 */
static inline uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline uint64_t draw(struct caller *c)
{
	return mix(c->state += 0x9e3779b97f4a7c15ULL);
}

static inline uint32_t below(struct caller *c, uint32_t n)
{
	return (draw(c) >> 32) % n;
}

static inline bool one_in(struct caller *c, uint32_t n)
{
	return !below(c, n);
}

/* Returns >= 0 or -errno: that of the last system call, for the statistics. */
typedef int (*op_fn)(struct caller *c);

struct op {
	const char *name;
	op_fn fn;
	unsigned int weight;
	unsigned int works;	/* percent of its calls, at least, in a run of many */
	bool parent_only;	/* a child does not do it */
	bool hotplug;		/* only with --hotplug, thread 0 */
	bool needs_pt;		/* only where there is a PMU of Intel PT */
	bool waits;		/* maybe, until a signal */
	bool has_waited;	/* in a run of many, at least once */
	bool needs_auxgen;	/* to work that often */
	bool needs_btf;		/* likewise: of perfaux.ko */
};

/* All tables in one, with nr_ops entries. */
extern struct op ops[OPS_MAX];
extern unsigned int nr_ops;

/* --- options, and what the processes share ---------------------------------- */

struct options {
	uint64_t seed;
	uint64_t calls;		/* of all threads */
	uint64_t from;		/* number of the first one of each */
	unsigned int threads;
	bool user;
	bool hotplug;
	int log_fd;		/* or -1 */
	const char *replay;
};

extern struct options opt;

struct op_stats {
	atomic_ullong calls;
	atomic_ullong timed;	/* of them */
	atomic_ullong ns;
	atomic_uint results[ERRNO_MAX];	/* [0]: it worked */
};

/* The ordinary user who calls, and one for what must not stay with that one's account */
#define USER_CALLS	1000
#define USER_PROBES	1001

/* Numbers of events that are told apart */
#define MAPPED_IDS	(1U << 20)

struct shared {
	struct {
		atomic_ullong n;
		atomic_uint op;
		atomic_bool done;
	} at[THREADS_MAX];	/* what is being called now */
	atomic_ullong calls;
	atomic_ullong children;
	atomic_int last_child;
	atomic_ullong hammered;
	atomic_uint offline;		/* how often CPU 1 went */
	atomic_uint unexpected;
	atomic_int running;
	bool map_once;			/* see perf_locked.c */
	atomic_ullong mapped[MAPPED_IDS / 64];
	struct op_stats stats[OPS_MAX];
};

extern struct shared *shared;

/* pool.c */
void pool_init(void);
unsigned int slot_of(struct caller *c, enum kind kind);
int slot_fd(enum kind of, unsigned int i);
/* The descriptor goes to a slot; what was there is closed. */
void slot_put(enum kind of, unsigned int i, int fd);
/* Mostly one of @wanted, sometimes of another, or no descriptor at all. */
int some_fd(struct caller *c, enum kind wanted, enum kind *is);
/* Any value, the more interesting ones more often. */
uint64_t some_value(struct caller *c);

/* args.c */
/* Makes an argument wrong, or not. Returns where it is now. */
void *some_argument(struct caller *c, void *arg, size_t size, size_t least,
		    void (*bound)(struct caller *c, void *arg));
/* Returns -errno of @ret, and notes one that is not in the list of @cmd. */
int checked(struct caller *c, enum kind is, unsigned int cmd, int ret);
void unexpected(struct caller *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ops_*.c */
extern const struct op ops_ioctl[], ops_event[], ops_memory[], ops_file[], ops_task[],
	ops_flight[];
void event_prepare(void);
void bpf_prepare(void);
/* Is there a PMU of Intel PT? */
bool has_pt(void);
/* Returns 0 or -errno. */
int files_prepare(void);
int elf_with_long_id(void);
int event_of_root(unsigned int i);
struct perf_event_attr;
/* As `auxrec -e intel_pt//u` has it. */
void attr_pt(struct perf_event_attr *attr);
/* Puts it into a slot. */
void event_keep(struct caller *c, const struct perf_event_attr *attr, int fd);
/* A descriptor of an event that writes spans, or of one that does not; mostly. */
int some_event(struct caller *c, bool aux);
void children_reap(bool all);
void hammer_once(struct caller *c);
void marks_write(struct caller *c, unsigned int w);
/* The descriptor of a ring, and a segment of it that is HELD, or -1 */
int held_segment(struct caller *c, struct perfaux_unhold *arg);

/* other_task.c: by root */
void other_task_start(void);
void other_task_end(void);
pid_t other_task(struct caller *c);
/* A descriptor of its cgroup, or -1 */
int other_cgroup(void);

/* run.c */
void ops_init(void);
/* opt.threads becomes as many as the file has. */
void replay_load(const char *path);
void run_all(void);
void run_call(struct caller *c);
void caller_init(struct caller *c, unsigned int thread);
struct call call_at(unsigned int thread, uint64_t n);
/* A child's: without what is too much for one. */
unsigned int op_of(uint64_t seed, bool child, bool first);
static inline sigjmp_buf *fault_point(struct caller *c)
{
	c->may_fault = true;
	return &c->fault;
}

/* Did what @c does now fault? Used as if (!faults(c)) ...; c->may_fault = false; */
#define faults(c)	sigsetjmp(*fault_point(c), 0)

/* wait.c */
void wait_init(struct caller *c);
void wait_begin(struct caller *c);
void wait_end(struct caller *c);

/* watch.c: the parent of all. These return whether it is so. */
bool watch(pid_t pid);
bool is_unused(void);
bool nothing_is_locked(void);
/* Has a user who may lock as much as a ring has one, until @end (now_ns())? */
bool ring_fits(uint64_t end);
int use_count(void);
void print_stats(void);
/* Did each kind of call work as often as it has to? */
bool enough_worked(void);
/* Did more than half of all calls get behind the first looks at their arguments? */
bool enough_was_tried(void);

/* perf_locked.c */
void perf_locked_init(void);
/* Returns 0 or -errno: the event was mapped before, and must not be again. */
int perf_may_map(int fd);

/* privilege.c: exit if it does not work */
void become_user(uid_t uid);
void become_limited_root(void);

#endif /* FUZZ_H */
