/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz_ring: random calls of the interface of perfaux.ko, and of the kernel's interfaces
 * that its descriptors and mappings can be used with.
 *
 * The seed, the thread's number and n alone decide what call number n of a thread is. The
 * results of earlier calls and other threads have no influence. Calls therefore name their
 * objects by places ("slots" of descriptors, "windows" of memory). A place can contain
 * any object of its kind, or none.
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

/* --- what a call can use --------------------------------------------------- */

enum kind {
	KIND_DEVICE,
	KIND_RING,
	KIND_IDS,
	KIND_EVENT,
	KIND_OTHER,		/* pipes, sockets, files in memory */
	KINDS,
};

#define SLOTS_MAX	32

/* A descriptor. The other members are set for rings: CREATE returned them. */
struct slot {
	atomic_int fd;		/* or -1 */
	atomic_ullong marks_size;
	atomic_ullong ring_size;
	atomic_uint nr_segments;
};

/* A place in memory where something can be mapped. */
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
	atomic_uint ring;	/* slot of the ring, for MARKS and RING */
};

extern struct slot slots[KINDS][SLOTS_MAX];
extern const unsigned int nr_slots[KINDS];
extern struct window windows[WINDOWS];
extern uint8_t *arena;		/* WINDOWS windows of WINDOW_SIZE bytes */

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

/* The state of one thread. A child process has its own. */
struct caller {
	struct call call;
	uint64_t state;		/* state of draw() */
	int depth;		/* 1 in a child */
	uint8_t *args;		/* two pages, followed by one that is not mapped */
	uint8_t *read_only;	/* a read-only mapping of a page */
	uint8_t *writable;	/* a writable mapping of the same page */
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

/* Return the result of the last system call for the statistics: >= 0, or -errno. */
typedef int (*op_fn)(struct caller *c);

struct op {
	const char *name;
	op_fn fn;
	unsigned int weight;
	unsigned int works;	/* percentage of calls that must succeed, if there are many */
	bool parent_only;	/* a child does not make this call */
	bool hotplug;		/* only with --hotplug, in thread 0 */
	bool needs_pt;		/* only if there is a PMU of Intel PT */
	bool waits;		/* the call can wait until a signal comes */
	bool has_waited;	/* if there are many calls, at least one must have waited */
	bool needs_auxgen;	/* "works" applies only if auxgen is inserted */
	bool needs_btf;		/* "works" applies only if perfaux.ko has BTF */
};

/* The entries of all tables: nr_ops entries. */
extern struct op ops[OPS_MAX];
extern unsigned int nr_ops;

/* --- options, and the memory that the processes share ----------------------- */

struct options {
	uint64_t seed;
	uint64_t calls;		/* total of all threads */
	uint64_t from;		/* number of the first call of each thread */
	unsigned int threads;
	bool user;
	bool hotplug;
	int log_fd;		/* or -1 */
	const char *replay;
};

extern struct options opt;

struct op_stats {
	atomic_ullong calls;
	atomic_ullong timed;	/* number of calls whose time was taken */
	atomic_ullong ns;
	atomic_uint results[ERRNO_MAX];	/* calls by errno; [0]: calls that succeeded */
};

/*
 * USER_CALLS is the ordinary user who makes the calls. USER_PROBES makes probes that must not
 * change the account of locked memory of USER_CALLS.
 */
#define USER_CALLS	1000
#define USER_PROBES	1001

/* How many event ids perf_may_map() can distinguish */
#define MAPPED_IDS	(1U << 20)

struct shared {
	struct {
		atomic_ullong n;
		atomic_uint op;
		atomic_bool done;
	} at[THREADS_MAX];	/* the call that each thread is making */
	atomic_ullong calls;
	atomic_ullong children;
	atomic_int last_child;
	atomic_ullong hammered;
	atomic_uint offline;		/* how often CPU 1 went offline */
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
/* Put the descriptor in a slot. Close the slot's old descriptor. */
void slot_put(enum kind of, unsigned int i, int fd);
/* Return mostly a descriptor of kind @wanted, sometimes of another kind, or an invalid one. */
int some_fd(struct caller *c, enum kind wanted, enum kind *is);
/* Return any value, interesting values more often. */
uint64_t some_value(struct caller *c);

/* args.c */
/* Make an argument wrong, or leave it right. Return its new address. */
void *some_argument(struct caller *c, void *arg, size_t size, size_t least,
		    void (*bound)(struct caller *c, void *arg));
/* Return @ret, or -errno if it is negative. Report an errno that @cmd does not document. */
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
/* Return 0 or -errno. */
int files_prepare(void);
int elf_with_long_id(void);
int event_of_root(unsigned int i);
struct perf_event_attr;
/* Set the attributes that `auxrec -e intel_pt//u` uses. */
void attr_pt(struct perf_event_attr *attr);
/* Put the event in a slot. */
void event_keep(struct caller *c, const struct perf_event_attr *attr, int fd);
/* Return mostly an event that writes spans if @aux, otherwise one that does not. */
int some_event(struct caller *c, bool aux);
void children_reap(bool all);
void hammer_once(struct caller *c);
void marks_write(struct caller *c, unsigned int w);
/* Find a segment that is HELD. Return its ring's descriptor and set @arg, or return -1. */
int held_segment(struct caller *c, struct perfaux_unhold *arg);

/* other_task.c: root must call this */
void other_task_start(void);
void other_task_end(void);
pid_t other_task(struct caller *c);
/* Return a descriptor of the task's cgroup, or -1. */
int other_cgroup(void);

/* run.c */
void ops_init(void);
/* Load the calls of a file. Set opt.threads to the number of threads in the file. */
void replay_load(const char *path);
void run_all(void);
void run_call(struct caller *c);
void caller_init(struct caller *c, unsigned int thread);
struct call call_at(unsigned int thread, uint64_t n);
/* Choose an operation. @child: without those that only a parent makes. */
unsigned int op_of(uint64_t seed, bool child, bool first);
static inline sigjmp_buf *fault_point(struct caller *c)
{
	c->may_fault = true;
	return &c->fault;
}

/*
 * Does an access of @c fault? Usage:
 *	if (!faults(c))
 *		accesses;
 *	c->may_fault = false;
 */
#define faults(c)	sigsetjmp(*fault_point(c), 0)

/* wait.c */
void wait_init(struct caller *c);
void wait_begin(struct caller *c);
void wait_end(struct caller *c);

/* watch.c: runs in the parent of all processes */
bool watch(pid_t pid);
bool is_unused(void);
bool nothing_is_locked(void);
/* Can this user make a ring before @end (now_ns()) if the limit allows one ring only? */
bool ring_fits(uint64_t end);
int use_count(void);
void print_stats(void);
/* Did each kind of call succeed as often as it must? */
bool enough_worked(void);
/* Did more than half of all calls pass the first checks of their arguments? */
bool enough_was_tried(void);

/* perf_locked.c */
void perf_locked_init(void);
/* Return 0, or -errno if the event was mapped before and must not be mapped again. */
int perf_may_map(int fd);

/* privilege.c: these exit if they fail */
void become_user(uid_t uid);
void become_limited_root(void);

#endif /* FUZZ_H */
