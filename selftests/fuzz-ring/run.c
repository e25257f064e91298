// SPDX-License-Identifier: GPL-2.0-only
/* Run the calls of each thread, one after the other, from the seed or from a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define REPLAY_MAX	(1UL << 20)
#define TIMED_MASK	15

struct op ops[OPS_MAX];
unsigned int nr_ops;

static __thread struct caller *current;

static const struct op *const tables[] = {
	ops_ioctl, ops_event, ops_memory, ops_file, ops_task, ops_flight,
};

static bool may(const struct op *op, bool child, bool first)
{
	return !(child && op->parent_only) && !(op->hotplug && !first) &&
	       !(op->needs_pt && !has_pt());
}

/* Return the sum of the weights of all operations that this kind of caller can make. */
static unsigned int weights(bool child, bool first)
{
	unsigned int i, sum = 0;

	for (i = 0; i < nr_ops; i++)
		if (may(&ops[i], child, first))
			sum += ops[i].weight;
	return sum;
}

unsigned int op_of(uint64_t seed, bool child, bool first)
{
	unsigned int at = (mix(seed ^ 0x6f70) >> 32) % weights(child, first), i;

	for (i = 0; i < nr_ops; i++) {
		if (!may(&ops[i], child, first))
			continue;
		if (at < ops[i].weight)
			break;
		at -= ops[i].weight;
	}
	return i;
}

struct call call_at(unsigned int thread, uint64_t n)
{
	struct call call = { .thread = thread, .n = n };

	call.seed = mix(mix(opt.seed * 64 + thread) + n);
	call.op = op_of(call.seed, false, opt.hotplug && !thread);
	return call;
}

static void on_fault(int sig)
{
	if (current && current->may_fault)
		siglongjmp(current->fault, 1);
	/* An unexpected fault of this program: repeat the access, and die. */
	signal(sig, SIG_DFL);
}

/* The signal of an event with attr.sigtrap */
static void on_trap(int sig)
{
	(void)sig;
}

static void *pages(size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

void caller_init(struct caller *c, unsigned int thread)
{
	memset(c, 0, sizeof(*c));
	c->call.thread = thread;
	c->args = pages(3 * PAGE, MAP_PRIVATE);
	mprotect(c->args + 2 * PAGE, PAGE, PROT_NONE);
	c->writable = pages(PAGE, MAP_SHARED);
	/* A second mapping of the same page */
	c->read_only = mremap(c->writable, 0, PAGE, MREMAP_MAYMOVE);
	if (c->read_only == MAP_FAILED)
		abort();
	mprotect(c->read_only, PAGE, PROT_READ);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void write_log(const struct call *call)
{
	char line[128];
	int n;

	n = snprintf(line, sizeof(line), "%u %llu %s %#llx\n", call->thread,
		     (unsigned long long)call->n, ops[call->op].name,
		     (unsigned long long)call->seed);
	/* Write each line immediately: after a crash, the last line is the call that caused it. */
	if (write(opt.log_fd, line, n) != n)
		_exit(2);
}

void run_call(struct caller *c)
{
	struct op_stats *stats = &shared->stats[c->call.op];
	/* Time only some calls: reading the clock takes longer than many calls. */
	bool timed = !(c->call.seed & TIMED_MASK);
	uint64_t begin = timed ? now() : 0;
	int ret;

	c->state = c->call.seed;
	if (ops[c->call.op].waits)
		wait_begin(c);
	ret = ops[c->call.op].fn(c);
	if (ops[c->call.op].waits)
		wait_end(c);
	if (timed) {
		atomic_fetch_add(&stats->ns, now() - begin);
		atomic_fetch_add(&stats->timed, 1);
	}
	atomic_fetch_add(&stats->calls, 1);
	ret = ret < 0 ? -ret : 0;
	atomic_fetch_add(&stats->results[ret < ERRNO_MAX ? ret : ERRNO_MAX - 1], 1);
	atomic_fetch_add(&shared->calls, 1);
}

static void run_one(struct caller *c, const struct call *call)
{
	c->call = *call;
	shared->at[call->thread].op = call->op;
	shared->at[call->thread].n = call->n;
	if (opt.log_fd >= 0)
		write_log(call);
	run_call(c);
}

/* --- from a file ----------------------------------------------------------- */

static struct call *replay;
static size_t nr_replay;

void replay_load(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned long long n, seed;
	unsigned int thread, i;
	char line[256], name[64];

	if (!f) {
		perror(path);
		_exit(2);
	}
	replay = pages(REPLAY_MAX * sizeof(*replay), MAP_PRIVATE | MAP_NORESERVE);
	while (fgets(line, sizeof(line), f) && nr_replay < REPLAY_MAX) {
		if (line[0] == '#' ||
		    sscanf(line, "%u %llu %63s %llx", &thread, &n, name, &seed) != 4 ||
		    thread >= THREADS_MAX)
			continue;
		for (i = 0; i < nr_ops && strcmp(ops[i].name, name); i++)
			;
		if (i == nr_ops)
			continue;
		replay[nr_replay++] = (struct call){
			.thread = thread, .n = n, .op = i, .seed = seed,
		};
		if (opt.threads <= thread)
			opt.threads = thread + 1;
	}
	fclose(f);
}

/* --- threads ---------------------------------------------------------------- */

static struct caller callers[THREADS_MAX + 1];

static void *thread_fn(void *arg)
{
	struct caller *c = arg;
	const unsigned int thread = c->call.thread;
	const uint64_t end = opt.from + opt.calls / opt.threads;
	uint64_t n;
	size_t i;

	current = c;
	wait_init(c);
	for (i = 0; i < nr_replay; i++)
		if (replay[i].thread == thread)
			run_one(c, &replay[i]);
	for (n = opt.from; n < end && !opt.replay; n++) {
		struct call call = call_at(thread, n);

		run_one(c, &call);
	}
	shared->at[thread].done = true;
	atomic_fetch_sub(&shared->running, 1);
	return NULL;
}

/* Write to the memory shared with the kernel while other threads make calls. */
static void *hammer_fn(void *arg)
{
	struct caller *c = arg;
	unsigned int i;

	current = c;
	c->state = mix(opt.seed);
	while (atomic_load(&shared->running) > 0) {
		for (i = 0; i < 32; i++)
			hammer_once(c);
		atomic_fetch_add(&shared->hammered, 32);
		sched_yield();
	}
	return NULL;
}

static void start(pthread_t *thread, void *(*fn)(void *arg), void *arg)
{
	if (pthread_create(thread, NULL, fn, arg)) {
		printf("Bail out! no thread\n");
		_exit(2);
	}
}

static void signals(void)
{
	struct sigaction fault = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	struct sigaction trap = { .sa_handler = on_trap, .sa_flags = SA_RESTART };

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(SIGTRAP, &trap, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void ops_init(void)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (k = 0; tables[i][k].fn && nr_ops < OPS_MAX; k++)
			ops[nr_ops++] = tables[i][k];
}

void run_all(void)
{
	pthread_t threads[THREADS_MAX], hammer;
	unsigned int i;

	signals();
	for (i = 0; i <= THREADS_MAX; i++)
		caller_init(&callers[i], i);
	shared->running = opt.threads;

	/* With one thread, start no hammer, so that the seed alone decides what happens. */
	if (opt.threads == 1) {
		thread_fn(&callers[0]);
	} else {
		for (i = 0; i < opt.threads; i++)
			start(&threads[i], thread_fn, &callers[i]);
		start(&hammer, hammer_fn, &callers[THREADS_MAX]);
		for (i = 0; i < opt.threads; i++)
			pthread_join(threads[i], NULL);
		pthread_join(hammer, NULL);
	}
	other_task_end();
	children_reap(true);
}
