// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of races: attach, detach, flush, map, close and die at any moment, while
 * the PMU writes. Random values come from a printed seed (PERFAUX_SEED).
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "kselftest_harness.h"
#include "lib/auxgen_check.h"

#define CONFIG(stream)	(AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI | \
			 (uint64_t)(stream) << 24 | 5)
#define PERIOD		150

FIXTURE(races) {
	struct ring ring;
	struct check *check;
	struct rnd rnd;
	int cpus[CHECK_CPUS];
	int events[CHECK_CPUS];
	int nr;
};

FIXTURE_SETUP(races)
{
	struct perfaux_create create;

	self->rnd.state = rnd_seed();
	TH_LOG("seed %lu", self->rnd.state);
	self->check = calloc(1, sizeof(*self->check));
	ASSERT_NE(NULL, self->check);
	self->nr = online_cpus(self->cpus, CHECK_CPUS);
	memset(self->events, -1, sizeof(self->events));
	ring_params(&create, 16384, 4 + 2 * self->nr);
	ASSERT_EQ(0, ring_open(&self->ring, &create));
}

FIXTURE_TEARDOWN(races)
{
	int i;

	for (i = 0; i < self->nr; i++)
		if (self->events[i] >= 0)
			close(self->events[i]);
	ring_close(&self->ring);
	free(self->check);
}

static const struct work long_work = {
	.forks = 3, .threads = 2, .rounds = 40, .spin = 5000,
};

static void spin_fn(void *arg)
{
	(void)arg;
	for (;;)
		spin(1000000);
}

static int task_event(struct child *child, int stream, unsigned int flags)
{
	struct auxgen_config config = { CONFIG(stream), PERIOD };

	return auxgen_open(&config, child->pid, -1, flags);
}

/* Open an event on each CPU, attached with the stream's cookie. */
static int cpu_events(struct ring *ring, int *cpus, int nr, int *events,
		      int stream)
{
	struct auxgen_config config = { CONFIG(stream), PERIOD };
	int i, ret;

	for (i = 0; i < nr; i++) {
		events[i] = auxgen_open(&config, -1, cpus[i], 0);
		if (events[i] < 0)
			return events[i];
		ret = ring_attach(ring, events[i], COOKIE(stream));
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Open an event for @child and its descendants, and one on each CPU, all attached
 * and enabled. Returns the child's event, or -errno.
 */
static int events_everywhere(FIXTURE_DATA(races) *self, struct child *child)
{
	int ev = task_event(child, 1, EV_INHERIT), ret, i;

	if (ev < 0)
		return ev;
	ret = ring_attach(&self->ring, ev, COOKIE(1));
	if (!ret)
		ret = cpu_events(&self->ring, self->cpus, self->nr,
				 self->events, 2);
	if (ret) {
		close(ev);
		return ret;
	}
	check_start(self->check, &self->ring);
	event_enable(ev);
	for (i = 0; i < self->nr; i++)
		event_enable(self->events[i]);
	return ev;
}

static void finish(struct ring *ring, struct check *check)
{
	ring_flush(ring, 0);
	ring_read(ring, check_record, check);
	check_end(check);
}

/* Return whether @what becomes true before the deadline. */
#define WAIT_FOR(ring_, check_, what) ({				\
	uint64_t _end = now_ns() + 20000000000ULL;			\
	struct ring *_ring = (ring_);					\
	bool _ok;							\
	while (!(_ok = (what)) && now_ns() < _end)			\
		if (_ring)						\
			ring_read(_ring, check_record, check_);		\
	_ok;								\
})

TEST_F_TIMEOUT(races, attach_detach, SECONDS)
{
	struct child child;
	int ev, cpu_ev, i, n = 0;

	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	ev = task_event(&child, 1, EV_INHERIT | EV_ENABLED);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, cpu_events(&self->ring, self->cpus, 1, &cpu_ev, 2));
	check_start(self->check, &self->ring);
	self->check->partly = true;
	ASSERT_EQ(0, event_enable(cpu_ev));
	child_go(&child);
	for (i = 0; i < (int)rounds(60); i++) {
		ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
		spin(rnd_below(&self->rnd, 20000));
		if (rnd_below(&self->rnd, 2))
			ring_read(&self->ring, check_record, self->check);
		ASSERT_EQ(0, ring_detach(&self->ring, ev));
		if (rnd_below(&self->rnd, 4))
			continue;
		ASSERT_EQ(0, ring_detach(&self->ring, cpu_ev));
		ASSERT_EQ(0, ring_attach(&self->ring, cpu_ev, COOKIE(2)));
		n++;
	}
	child_kill(&child);
	ASSERT_EQ(0, event_disable(cpu_ev));
	close(ev);
	finish(&self->ring, self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, self->check->chunks);
	TH_LOG("%d rounds, %d of the CPU's event, %lu chunks", i, n,
	       self->check->chunks);
	close(cpu_ev);
}

/* Close the ring while the PMU writes to it, in each order. */
TEST_F_TIMEOUT(races, close_while_running, SECONDS)
{
	struct perfaux_create create;
	struct child child;
	int ev, i;

	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	child_go(&child);
	for (i = 0; i < (int)rounds(60); i++) {
		struct ring ring;

		ring_params(&create, 4096 << rnd_below(&self->rnd, 3),
			    2 + rnd_below(&self->rnd, 30));
		create.flags = rnd_below(&self->rnd, 2);
		ASSERT_EQ(0, ring_open(&ring, &create));
		ev = task_event(&child, 1, EV_INHERIT | EV_ENABLED);
		ASSERT_LE(0, ev);
		ASSERT_EQ(0, ring_attach(&ring, ev, COOKIE(1)));
		ASSERT_EQ(0, cpu_events(&ring, self->cpus, self->nr,
					self->events, 2));
		event_enable(self->events[0]);
		event_enable(self->events[self->nr - 1]);
		if (i % 3 == 0)
			close(ev);
		if (i % 4 == 0)
			ring_unmap(&ring);
		spin(rnd_below(&self->rnd, 300000));
		if (i % 5 == 0)
			event_disable(ev);
		ring_close(&ring);
		if (i % 3)
			close(ev);
		while (self->nr && self->events[0] >= 0) {
			int n;

			for (n = 0; n < self->nr; n++) {
				close(self->events[n]);
				self->events[n] = -1;
			}
		}
	}
	child_kill(&child);
}

/* Kill the owner of the ring and the events at random moments. */
TEST_F_TIMEOUT(races, kill_owner, SECONDS)
{
	struct child child;
	int i, status;

	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	child_go(&child);
	for (i = 0; i < (int)rounds(25); i++) {
		uint32_t loops = rnd_below(&self->rnd, 3000000);
		pid_t pid = fork();

		if (!pid) {
			struct perfaux_create create;
			struct ring ring;
			int ev;

			ring_params(&create, 16384, 8);
			if (ring_open(&ring, &create))
				_exit(1);
			ev = task_event(&child, 1, EV_INHERIT | EV_ENABLED);
			if (ev < 0 || ring_attach(&ring, ev, COOKIE(1)) ||
			    cpu_events(&ring, self->cpus, self->nr,
				       self->events, 2))
				_exit(2);
			event_enable(self->events[0]);
			for (;;) {
				ring_poll(&ring, 1);
				ring_flush(&ring, PERFAUX_FLUSH_SPANS);
				ring_read(&ring, check_record, self->check);
			}
		}
		spin(loops);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	child_kill(&child);
}

/*
 * Kill all traced tasks. Their data stays, and none of it is missing when the last
 * task is gone.
 */
TEST_F_TIMEOUT(races, kill_traced, SECONDS)
{
	int i, ev;

	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	for (i = 0; i < (int)rounds(25); i++) {
		uint64_t before = counter(&self->ring.ctl->spans);
		uint64_t seq;
		struct child child;

		ASSERT_EQ(0, child_start(&child, i % 2 ? spin_fn :
					 endless_fn, NULL));
		ev = task_event(&child, 1, EV_INHERIT);
		ASSERT_LE(0, ev);
		ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
		if (!i)
			check_start(self->check, &self->ring);
		event_enable(ev);
		child_go(&child);
		/* The process group must exist before its first fork. */
		ASSERT_TRUE(WAIT_FOR(&self->ring, self->check, i % 2 ||
				     getpgid(child.pid) == child.pid));
		ASSERT_TRUE(WAIT_FOR(&self->ring, self->check, i % 2 ||
				     counter(&self->ring.ctl->spans) > before));
		spin(rnd_below(&self->rnd, 1000000));
		if (i % 2)
			child_kill(&child);
		else
			child_kill(&child);
		/* Dead tasks write nothing more, with or without DETACH. */
		seq = counter(&self->ring.ctl->seq);
		ring_flush(&self->ring, 0);
		ring_read(&self->ring, check_record, self->check);
		EXPECT_LE(seq, self->check->seq);
		EXPECT_EQ(self->check->seq, counter(&self->ring.ctl->seq));
		ASSERT_EQ(0, ring_detach(&self->ring, ev));
		EXPECT_EQ(self->check->seq, counter(&self->ring.ctl->seq));
		close(ev);
	}
	check_end(self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, self->check->chunks);
}

struct attacher {
	struct ring ring;
	int event;
	int ret;
	pthread_barrier_t *barrier;
};

static void *attach_thread(void *arg)
{
	struct attacher *a = arg;

	pthread_barrier_wait(a->barrier);
	a->ret = ring_attach(&a->ring, a->event, COOKIE(1));
	return NULL;
}

/* Attach one event to two rings at the same moment: exactly one gets it. */
TEST_F_TIMEOUT(races, attach_one_event_twice, SECONDS)
{
	pthread_barrier_t barrier;
	struct attacher a[2];
	struct child child;
	pthread_t thread;
	int i, k, won[2] = { };

	pthread_barrier_init(&barrier, NULL, 2);
	for (k = 0; k < 2; k++) {
		ASSERT_EQ(0, ring_open(&a[k].ring, &(struct perfaux_create){
			.size = sizeof(struct perfaux_create),
			.segment_size = 16384, .nr_segments = 4,
		}));
		a[k].barrier = &barrier;
	}
	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	child_go(&child);
	for (i = 0; i < (int)rounds(200); i++) {
		int ev = task_event(&child, 1, EV_ENABLED);

		ASSERT_LE(0, ev);
		a[0].event = ev;
		a[1].event = ev;
		ASSERT_EQ(0, pthread_create(&thread, NULL, attach_thread,
					    &a[1]));
		attach_thread(&a[0]);
		pthread_join(thread, NULL);
		ASSERT_EQ(-EBUSY, a[0].ret + a[1].ret);
		for (k = 0; k < 2; k++) {
			ASSERT_EQ(a[k].ret ? -ENOENT : 0,
				  ring_detach(&a[k].ring, ev));
			won[k] += !a[k].ret;
		}
		close(ev);
	}
	child_kill(&child);
	ring_close(&a[0].ring);
	ring_close(&a[1].ring);
	TH_LOG("%d : %d", won[0], won[1]);
}

/* Several processes attach events of their own to one ring, whose descriptor they inherited. */
TEST_F_TIMEOUT(races, several_processes, SECONDS)
{
	struct child child[4];
	pid_t pids[4];
	int i, status;

	check_start(self->check, &self->ring);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, child_start(&child[i], work_fn,
					 (void *)&long_work));
	for (i = 0; i < 4; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			/* Only the descriptor is inherited, and it is enough. */
			int ev = task_event(&child[i], i, EV_INHERIT);

			/* Enable the event after ATTACH, because the child may be running. */
			if (ev < 0 || ring_attach(&self->ring, ev, COOKIE(i)) ||
			    event_enable(ev))
				_exit(1);
			child_go(&child[i]);
			_exit(0);
		}
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	/*
	 * The processes that opened the events are gone; the ring holds the events
	 * now.
	 */
	for (i = 0; i < 4; i++) {
		close(child[i].go);
		while (!waitpid(child[i].pid, NULL, WNOHANG)) {
			ring_poll(&self->ring, 5);
			ring_read(&self->ring, check_record, self->check);
		}
	}
	finish(&self->ring, self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, self->check->chunks);
}

/* A bounded fork bomb, whose processes all inherit the event */
static void bomb_fn(void *arg)
{
	int depth;

	(void)arg;
	for (depth = 0; depth < 6; depth++)
		fork();
	spin(20000);
	while (wait(NULL) > 0)
		;
}

TEST_F_TIMEOUT(races, fork_bomb, SECONDS)
{
	struct child child;
	int i, ev;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, child_start(&child, bomb_fn, NULL));
		ev = task_event(&child, 1, EV_INHERIT);
		ASSERT_LE(0, ev);
		ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
		if (!i)
			check_start(self->check, &self->ring);
		ASSERT_EQ(0, event_enable(ev));
		child_go(&child);
		while (!waitpid(child.pid, NULL, WNOHANG)) {
			ring_poll(&self->ring, 5);
			ring_read(&self->ring, check_record, self->check);
		}
		close(ev);
	}
	finish(&self->ring, self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(64, self->check->spans);
}

static int cpu_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	return file_write(path, online ? "1" : "0");
}

TEST_F_TIMEOUT(races, cpu_hotplug, SECONDS)
{
	int cpu = self->cpus[self->nr - 1], i, ev;
	struct child child;

	if (self->nr < 2 || cpu_online(cpu, true))
		SKIP(return, "no CPU can be switched off");
	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	ev = events_everywhere(self, &child);
	ASSERT_LE(0, ev);
	child_go(&child);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, cpu_online(cpu, false));
		ring_flush(&self->ring, PERFAUX_FLUSH_SPANS);
		ring_read(&self->ring, check_record, self->check);
		EXPECT_EQ(0, cpu_online(cpu, true));
		ring_read(&self->ring, check_record, self->check);
	}
	child_kill(&child);
	event_disable(ev);
	for (i = 0; i < self->nr; i++)
		event_disable(self->events[i]);
	close(ev);
	finish(&self->ring, self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, self->check->chunks);
}

struct flusher {
	struct ring *ring;
	uint32_t flags;
	atomic_bool stop;
	uint64_t rounds;
};

static void *flush_thread(void *arg)
{
	struct flusher *f = arg;

	while (!f->stop) {
		ring_flush(f->ring, f->rounds % 4 ? 0 : f->flags);
		f->rounds++;
	}
	return NULL;
}

static void *map_thread(void *arg)
{
	struct flusher *f = arg;
	struct ring copy;

	while (!f->stop) {
		if (!ring_adopt(&copy, f->ring->fd, &f->ring->create))
			f->rounds++;
		ring_unmap(&copy);
	}
	return NULL;
}

/*
 * Call FLUSH, FLUSH_SPANS and mmap() all the time: the reader still gets all data
 * in order.
 */
TEST_F_TIMEOUT(races, flush_and_map, SECONDS)
{
	struct flusher f[3] = {
		{ .ring = &self->ring },
		{ .ring = &self->ring, .flags = PERFAUX_FLUSH_SPANS },
		{ .ring = &self->ring },
	};
	struct work work = long_work;
	pthread_t threads[3];
	struct child child;
	int i, ev;

	work.rounds = 25;
	ASSERT_EQ(0, child_start(&child, work_fn, &work));
	ev = events_everywhere(self, &child);
	ASSERT_LE(0, ev);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, i < 2 ?
					    flush_thread : map_thread, &f[i]));
	child_go(&child);
	while (!waitpid(child.pid, NULL, WNOHANG)) {
		ring_poll(&self->ring, 5);
		ring_read(&self->ring, check_record, self->check);
	}
	for (i = 0; i < 3; i++) {
		f[i].stop = true;
		pthread_join(threads[i], NULL);
		EXPECT_LT(0, f[i].rounds);
	}
	for (i = 0; i < self->nr; i++)
		event_disable(self->events[i]);
	close(ev);
	finish(&self->ring, self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, self->check->chunks);
	TH_LOG("%lu + %lu flushes, %lu mappings, %lu spans", f[0].rounds,
	       f[1].rounds, f[2].rounds, self->check->spans);
}

/* Write random marks, and marks that may have an effect. */
static void write_marks(struct ring *ring, struct rnd *rnd)
{
	uint32_t n = ring->ctl->nr_segments;

	for (;;) {
		uint32_t i = rnd_below(rnd, n + ring->ctl->nr_gaps);
		uint64_t value;

		switch (rnd_below(rnd, 4)) {
		case 0:
			value = (uint64_t)rnd_next(rnd) << 32 | rnd_next(rnd);
			break;
		case 1:
			value = rnd_below(rnd, 2) ? ~0ULL : 0;
			break;
		case 2:
			value = rnd_below(rnd, 100);
			break;
		default:
			value = i < n ? PERFAUX_SEQ(ring->segments[i].state) :
				ring->gaps[i - n].seq;
		}
		__atomic_store_n(&ring->marks[i], value, __ATOMIC_RELAXED);
	}
}

/* Marks that user space writes can harm its own ring only. */
TEST_F_TIMEOUT(races, hostile_marks, SECONDS)
{
	uint64_t end, bytes;
	struct perfaux_create create;
	int i, ev, own, status;
	struct child child;
	struct ring ring;
	pid_t pid;

	ring_params(&create, 4096, 7);
	ASSERT_EQ(0, ring_open(&ring, &create));
	ASSERT_EQ(0, child_start(&child, work_fn, (void *)&long_work));
	ev = task_event(&child, 1, EV_INHERIT);
	own = task_event(&child, 3, EV_INHERIT);
	ASSERT_LE(0, ev);
	ASSERT_LE(0, own);
	ASSERT_EQ(0, ring_attach(&self->ring, ev, COOKIE(1)));
	ASSERT_EQ(0, ring_attach(&ring, own, COOKIE(3)));
	ASSERT_EQ(0, cpu_events(&ring, self->cpus, self->nr, self->events, 2));
	pid = fork();
	if (!pid) {
		struct ring copy;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ring_adopt(&copy, ring.fd, &ring.create))
			_exit(1);
		write_marks(&copy, &self->rnd);
	}
	check_start(self->check, &self->ring);
	self->check->elsewhere = 1 << 2 | 1 << 3;
	event_enable(ev);
	event_enable(own);
	for (i = 0; i < self->nr; i++)
		event_enable(self->events[i]);
	child_go(&child);
	end = now_ns() + 60000000000ULL;
	while (!waitpid(child.pid, NULL, WNOHANG) && now_ns() < end) {
		ring_poll(&ring, 0);
		ring_flush(&ring, rnd_below(&self->rnd, 2));
		ring_poll(&self->ring, 1);
		ring_read(&self->ring, check_record, self->check);
	}
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	kill(pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	for (i = 0; i < self->nr; i++)
		event_disable(self->events[i]);
	event_disable(own);
	bytes = ring.ctl->bytes;
	EXPECT_LT(0, bytes);
	EXPECT_EQ(ring.ctl->abi, PERFAUX_ABI);
	ring_close(&ring);
	close(own);
	close(ev);
	finish(&self->ring, self->check);
	EXPECT_STREQ("", self->check->error);
	EXPECT_LT(0, self->check->chunks);
}

static void *take_over_thread(void *arg)
{
	struct attacher *a = arg;

	pthread_barrier_wait(a->barrier);
	do {
		a->ret = ring_attach(&a->ring, a->event, COOKIE(1));
	} while (a->ret == -EBUSY);
	return NULL;
}

static bool is_written_to(const struct ring *ring, uint64_t claims)
{
	const uint64_t end = now_ns() + 10000000000ULL;

	while (counter(&ring->ctl->claims) <= claims)
		if (now_ns() > end)
			return false;
	return true;
}

/*
 * Move an event that runs all the time from one ring to another one that waits for
 * it. From then on its data goes to the other ring, though nothing else schedules the
 * event or looks after it.
 */
TEST_F_TIMEOUT(races, handed_over, SECONDS)
{
	struct auxgen_config config = { CONFIG(1), PERIOD };
	pthread_barrier_t barrier;
	struct attacher a[2];
	pthread_t thread;
	int i, k, ev;

	pthread_barrier_init(&barrier, NULL, 2);
	ev = auxgen_open(&config, -1, self->cpus[self->nr - 1], EV_ENABLED);
	ASSERT_LE(0, ev);
	for (k = 0; k < 2; k++) {
		ASSERT_EQ(0, ring_open(&a[k].ring, &(struct perfaux_create){
			.size = sizeof(struct perfaux_create),
			.flags = PERFAUX_RING_OVERWRITE,
			.segment_size = 16384, .nr_segments = 4,
		}));
		a[k].barrier = &barrier;
		a[k].event = ev;
	}
	ASSERT_EQ(0, ring_attach(&a[0].ring, ev, COOKIE(1)));
	for (i = 0; i < (int)rounds(100); i++) {
		struct attacher *from = &a[i % 2], *to = &a[!(i % 2)];
		const uint64_t claims = counter(&to->ring.ctl->claims);

		ASSERT_EQ(0, pthread_create(&thread, NULL, take_over_thread, to));
		pthread_barrier_wait(&barrier);
		ASSERT_EQ(0, ring_detach(&from->ring, ev));
		pthread_join(thread, NULL);
		ASSERT_EQ(0, to->ret);
		ASSERT_TRUE(is_written_to(&to->ring, claims)) {
			TH_LOG("time %d", i + 1);
		}
	}
	close(ev);
	ring_close(&a[0].ring);
	ring_close(&a[1].ring);
}

TEST_HARNESS_MAIN
