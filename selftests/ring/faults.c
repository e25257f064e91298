// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of every call fails once. A call that fails says ENOMEM (or EFAULT,
 * where the kernel has copies of user memory fail too), leaves nothing behind, and works
 * when it is made again. What is left after all of that shows in the module's use count,
 * its vmalloc()ed memory, the user's locked memory; what else may be left, kmemleak finds
 * (guest-leaks.list).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "../ids/ids_lib.h"
#include "abi.h"
#include "fault_lib.h"
#include "raw_lib.h"

#define EACH_SECONDS	600
#define POINTS_MAX	20000
#define PAGE		4096
#define WAIT_NS		30000000000ULL

/* A ring, and what is attached to it. All of it is there, or -1. */
struct place {
	int dev;
	struct perfaux_create create;
	int ring;
	int ids;
	int aux;
	int raw;
	int trigger;
	int epoll;
	struct map_ring maps;		/* whose records have build-ids */
	void *mapped;
	size_t mapped_size;
	int log;			/* of the kernel */
	/* before all of it */
	int count;
	int vmalloced;
	int files;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* --- what is called, and what is undone after it worked --------------------- */

static int call_open(struct place *p)
{
	p->ring = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	return p->ring < 0 ? -errno : 0;
}

static void close_ring(struct place *p)
{
	close_fd(&p->ring);
}

static int call_info(struct place *p)
{
	struct perfaux_info arg = { .size = sizeof(arg) };

	return call(p->dev, PERFAUX_IOC_INFO, &arg);
}

static int create_as(struct place *p, uint32_t segment_size, uint32_t nr)
{
	struct perfaux_create arg;
	int fd;

	ring_params(&arg, segment_size, nr);
	arg.flags = PERFAUX_RING_OVERWRITE;
	fd = call(p->dev, PERFAUX_IOC_CREATE, &arg);
	if (fd < 0)
		return fd;
	p->ring = fd;
	p->create = arg;
	return 0;
}

static int call_create(struct place *p)
{
	return create_as(p, 16384, 3);
}

/* With tables that are large enough for vmalloc(). */
static int call_create_many(struct place *p)
{
	return create_as(p, 4096, 128);
}

static int call_ids(struct place *p)
{
	struct perfaux_ids arg = { .size = sizeof(arg) };
	int fd = call(p->dev, PERFAUX_IOC_IDS, &arg);

	if (fd < 0)
		return fd;
	p->ids = fd;
	return 0;
}

static void close_ids(struct place *p)
{
	close_fd(&p->ids);
}

static int prepare_ids(struct place *p)
{
	int ret = call_ids(p);

	if (!ret)
		fcntl(p->ids, F_SETFL, O_NONBLOCK);
	return ret;
}

static int call_ids_stats(struct place *p)
{
	struct perfaux_ids_stats arg = { .size = sizeof(arg) };

	return call(p->ids, PERFAUX_IOC_IDS_STATS, &arg);
}

static int call_ids_read(struct place *p)
{
	static char buf[65536];
	ssize_t n = read(p->ids, buf, sizeof(buf));

	return n >= 0 || errno == EAGAIN ? 0 : -errno;
}

/* There is a notice: of an id that is too long for its record. */
static int prepare_notice(struct place *p)
{
	struct elf_set set;
	char path[256];
	int ret = prepare_ids(p);

	if (!ret)
		ret = map_ring_open(&p->maps, 0);
	if (!ret)
		ret = elf_set_read(&set);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/id-32.so", set.dir);
	elf_set_free(&set);
	return map_path(path, WAY_PRIVATE);
}

/*
 * Of a notice that a call before has lost it is EAGAIN. So little memory does not come from
 * vmalloc() when there is no other.
 */
static int call_notice(struct place *p)
{
	static char buf[PAGE];

	return read(p->ids, buf, sizeof(buf)) > 0 ? 0 : -errno;
}

static void close_notice(struct place *p)
{
	map_ring_close(&p->maps);
	close_ids(p);
}

static int call_map(struct place *p, size_t size, int prot, off_t offset)
{
	void *at = mmap(NULL, size, prot, MAP_SHARED, p->ring, offset);

	if (at == MAP_FAILED)
		return -errno;
	p->mapped = at;
	p->mapped_size = size;
	return 0;
}

static int call_map_marks(struct place *p)
{
	return call_map(p, p->create.marks_size, PROT_READ | PROT_WRITE, 0);
}

static int call_map_ring(struct place *p)
{
	return call_map(p, p->create.ring_size, PROT_READ, p->create.marks_size);
}

static void unmap(struct place *p)
{
	if (p->mapped)
		munmap(p->mapped, p->mapped_size);
	p->mapped = NULL;
}

static int prepare_mapped(struct place *p)
{
	int ret = call_create(p);

	return ret ?: call_map_ring(p);
}

static int call_unmap(struct place *p)
{
	int ret = munmap(p->mapped, p->mapped_size) ? -errno : 0;

	if (!ret)
		p->mapped = NULL;
	return ret;
}

static void unmap_and_close(struct place *p)
{
	unmap(p);
	close_ring(p);
}

/* A ring of whose segments the memory is in two pieces (PA_MAX_ORDER is 4 MiB). */
static int prepare_pieces(struct place *p)
{
	return create_as(p, 8 << 20, 2);
}

static int attach(struct place *p, int event, uint32_t flags)
{
	struct perfaux_attach arg = { .size = sizeof(arg), .flags = flags, .fd = event };

	return call(p->ring, PERFAUX_IOC_ATTACH, &arg);
}

static int call_attach(struct place *p)
{
	return attach(p, p->aux, 0);
}

static int call_attach_raw(struct place *p)
{
	return attach(p, p->raw, PERFAUX_ATTACH_RAW);
}

static int call_attach_trigger(struct place *p)
{
	return attach(p, p->trigger, PERFAUX_ATTACH_TRIGGER);
}

static int attach_all(struct place *p)
{
	int ret = call_attach(p);

	return ret ?: call_attach_raw(p);
}

static int prepare_all(struct place *p)
{
	int ret = call_create(p);

	return ret ?: attach_all(p);
}

/* The module has done nothing yet. */
static int insert_anew(struct place *p)
{
	int ret;

	close_fd(&p->dev);
	ret = module_remove_wait("perfaux");
	if (!ret)
		ret = module_insert("perfaux", "");
	if (ret)
		return ret;
	p->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	return p->dev < 0 ? -errno : 0;
}

static int insert_and_create(struct place *p)
{
	int ret = insert_anew(p);

	return ret ?: call_create(p);
}

static int call_detach(struct place *p)
{
	struct perfaux_detach arg = { .size = sizeof(arg), .fd = p->aux };

	return call(p->ring, PERFAUX_IOC_DETACH, &arg);
}

static int call_detach_all(struct place *p)
{
	struct perfaux_detach arg = {
		.size = sizeof(arg), .flags = PERFAUX_DETACH_ALL, .fd = -1,
	};

	return call(p->ring, PERFAUX_IOC_DETACH, &arg);
}

static int call_flush(struct place *p)
{
	struct perfaux_flush arg = {
		.size = sizeof(arg), .flags = PERFAUX_FLUSH_SPANS | PERFAUX_FLUSH_ABANDON,
	};

	return call(p->ring, PERFAUX_IOC_FLUSH, &arg);
}

static int hold(struct place *p, uint32_t flags)
{
	struct perfaux_hold arg = { .size = sizeof(arg), .flags = flags };

	return call(p->ring, PERFAUX_IOC_HOLD, &arg);
}

static int call_hold(struct place *p)
{
	return hold(p, 0);
}

static int call_hold_spans(struct place *p)
{
	return hold(p, PERFAUX_FLUSH_SPANS);
}

static int call_hold_thaw(struct place *p)
{
	return hold(p, PERFAUX_FLUSH_SPANS | PERFAUX_HOLD_THAW);
}

/* Segments in this state */
static int in_state(struct place *p, enum perfaux_state state)
{
	const struct perfaux_control *ctl = p->mapped;
	const struct perfaux_segment *segments = p->mapped + ctl->segments_offset;
	uint32_t i;
	int n = 0;

	for (i = 0; i < ctl->nr_segments; i++)
		n += PERFAUX_STATE(__atomic_load_n(&segments[i].state, __ATOMIC_ACQUIRE)) ==
		     state;
	return n;
}

static int left_held(struct place *p)
{
	return in_state(p, PERFAUX_SEG_HELD);
}

static int wait_ready(struct place *p)
{
	uint64_t end = now_ns() + WAIT_NS;
	int ret = 0;

	while (!ret && !in_state(p, PERFAUX_SEG_READY)) {
		sched_yield();
		ret = now_ns() > end ? -ETIME : call_flush(p);
	}
	return ret;
}

/* There is something to hold. */
static int prepare_ready(struct place *p)
{
	int ret = prepare_all(p);

	if (!ret)
		ret = call_map_ring(p);
	return ret ?: wait_ready(p);
}

/*
 * With room for a second round of HOLD, which comes each time: the first one waits for a
 * grace period, as samples' raw data are taken, and meanwhile this task's event ends a span.
 */
static int prepare_rounds(struct place *p)
{
	int ret = create_as(p, 16384, 16);

	if (!ret)
		ret = attach_all(p);
	if (!ret)
		ret = call_map_ring(p);
	return ret ?: wait_ready(p);
}

static int prepare_rounds_frozen(struct place *p)
{
	const struct perfaux_control *ctl;
	int ret = prepare_rounds(p);

	if (!ret)
		ret = call_attach_trigger(p);
	if (ret)
		return ret;
	prctl(PR_SET_NAME, "faults");
	ctl = p->mapped;
	return __atomic_load_n(&ctl->flags, __ATOMIC_ACQUIRE) & PERFAUX_CTL_FROZEN ? 0 : -EBUSY;
}

static int prepare_many(struct place *p)
{
	return create_as(p, 4096, 4096);
}

static int call_unhold(struct place *p)
{
	struct perfaux_unhold arg = { .size = sizeof(arg), .flags = PERFAUX_UNHOLD_ALL };

	return call(p->ring, PERFAUX_IOC_UNHOLD, &arg);
}

static int prepare_frozen(struct place *p)
{
	int ret = call_create(p);

	if (!ret)
		ret = call_attach_trigger(p);
	if (ret)
		return ret;
	prctl(PR_SET_NAME, "faults");
	return 0;
}

static int call_thaw(struct place *p)
{
	struct perfaux_thaw arg = { .size = sizeof(arg) };

	return call(p->ring, PERFAUX_IOC_THAW, &arg);
}

static int call_handle(struct place *p)
{
	struct perfaux_handle arg = { .size = sizeof(arg) };

	return call(p->ring, PERFAUX_IOC_HANDLE, &arg);
}

static int call_poll(struct place *p)
{
	struct pollfd pfd = { .fd = p->ring, .events = POLLIN };

	return poll(&pfd, 1, 0) < 0 ? -errno : 0;
}

static int call_epoll(struct place *p)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->ring, &event) ? -errno : 0;
}

/* A descriptor is gone whatever close() says. */
static int call_close(struct place *p)
{
	int ret = close(p->ring) ? -errno : 0;

	p->ring = -1;
	return ret;
}

static int call_close_ids(struct place *p)
{
	int ret = close(p->ids) ? -errno : 0;

	p->ids = -1;
	return ret;
}

/* --- before and after -------------------------------------------------------------- */

/* Rings go by way of workers. */
static int soon(int (*get)(void), int wanted)
{
	uint64_t end = now_ns() + WAIT_NS;
	int is;

	while ((is = get()) != wanted && now_ns() < end)
		sched_yield();
	return is;
}

static int open_raw(void)
{
	struct perf_event_attr attr = raw_rename_attr();
	struct raw_event ev;
	int ret = raw_open(&ev, &attr, 0, -1, 0);

	if (ret)
		return ret;
	event_enable(ev.fd);
	return ev.fd;
}

static int place_open(struct place *p)
{
	struct auxgen_config config = { AUXGEN_F_CTX, 0 };

	memset(p, 0, sizeof(*p));
	p->count = fault_use_count();
	p->vmalloced = fault_vmalloced();
	p->ring = -1;
	p->ids = -1;
	p->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	if (p->dev < 0)
		return -errno;
	p->aux = auxgen_open(&config, 0, -1, EV_ENABLED);
	if (p->aux < 0)
		return p->aux;
	p->raw = open_raw();
	if (p->raw < 0)
		return p->raw;
	p->trigger = open_raw();
	if (p->trigger < 0)
		return p->trigger;
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	p->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (p->epoll < 0 || p->log < 0)
		return -errno;
	lseek(p->log, 0, SEEK_END);
	p->files = fault_files();
	return 0;
}

/*
 * Did the kernel complain of memory that we had asked for? Any user can ask: warn_alloc()
 * begins with the task's name.
 */
static bool is_loud(struct place *p)
{
	char text[1024];
	bool loud = false;
	ssize_t n;

	while ((n = read(p->log, text, sizeof(text) - 1)) > 0 || errno == EPIPE) {
		if (n <= 0)
			continue;
		text[n] = 0;
		loud |= !!strstr(text, ";faults: ");
	}
	return loud;
}

/* A user who may lock one ring's memory can do so: none is charged. */
static bool ring_fits(struct place *p)
{
	uint64_t end = now_ns() + WAIT_NS;
	struct rlimit limit;
	int ret;

	if (create_as(p, 4096, 16))
		return false;
	limit.rlim_cur = ring_fdinfo(p->ring, "locked_pages") * PAGE;
	limit.rlim_max = limit.rlim_cur;
	close_ring(p);
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setresuid(1000, 1000, 1000))
		return false;
	do {
		ret = create_as(p, 4096, 16);
		if (ret)
			sched_yield();
	} while (ret == -EPERM && now_ns() < end);
	close_ring(p);
	return !ret;
}

/* What is left, or "" */
static const char *place_close(struct place *p)
{
	if (p->files != fault_files())
		return "descriptors";
	if (is_loud(p))
		return "messages in the kernel's log";
	unmap_and_close(p);
	close_ids(p);
	close_fd(&p->aux);
	close_fd(&p->raw);
	close_fd(&p->trigger);
	close_fd(&p->epoll);
	close_fd(&p->log);
	close_fd(&p->dev);
	if (soon(fault_use_count, p->count) != p->count)
		return "rings: the module is in use";
	if (soon(fault_vmalloced, p->vmalloced) != p->vmalloced)
		return "memory: /proc/vmallocinfo";
	p->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	if (!ring_fits(p))
		return "locked memory";
	close_fd(&p->dev);
	/* The next test is to count without that ring. */
	soon(fault_use_count, p->count);
	return "";
}

/* --- faults ------------------------------------------------------------------------ */

FIXTURE(faults) {
	struct place p;
};

FIXTURE_VARIANT(faults) {
	int (*call)(struct place *p);		/* 0 or -errno */
	void (*undo)(struct place *p);		/* after it worked; or NULL */
	/* Before each call, and after each; or NULL. Memory is there for these. */
	int (*prepare)(struct place *p);
	void (*clean)(struct place *p);
	/* What a call that failed has left; or NULL */
	int (*left)(struct place *p);
	unsigned int allocations;	/* that it cannot do without, at least */
	bool needs_btf;
};

FIXTURE_VARIANT_ADD(faults, open) {
	.call = call_open,
	.undo = close_ring,
};

FIXTURE_VARIANT_ADD(faults, info) {
	.call = call_info,
};

FIXTURE_VARIANT_ADD(faults, create) {
	.call = call_create,
	.undo = close_ring,
};

FIXTURE_VARIANT_ADD(faults, create_many) {
	.call = call_create_many,
	.undo = close_ring,
};

FIXTURE_VARIANT_ADD(faults, ids) {
	.call = call_ids,
	.undo = close_ids,
};

FIXTURE_VARIANT_ADD(faults, ids_stats) {
	.prepare = prepare_ids,
	.call = call_ids_stats,
	.clean = close_ids,
};

FIXTURE_VARIANT_ADD(faults, ids_read) {
	.prepare = prepare_ids,
	.call = call_ids_read,
	.clean = close_ids,
};

FIXTURE_VARIANT_ADD(faults, ids_notice) {
	.prepare = prepare_notice,
	.call = call_notice,
	.clean = close_notice,
	.allocations = 1,
};

FIXTURE_VARIANT_ADD(faults, ids_close) {
	.prepare = prepare_ids,
	.call = call_close_ids,
};

FIXTURE_VARIANT_ADD(faults, map_marks) {
	.prepare = call_create,
	.call = call_map_marks,
	.undo = unmap,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, map_ring) {
	.prepare = call_create,
	.call = call_map_ring,
	.undo = unmap,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, munmap) {
	.prepare = prepare_mapped,
	.call = call_unmap,
	.clean = unmap_and_close,
};

FIXTURE_VARIANT_ADD(faults, attach) {
	.prepare = call_create,
	.call = call_attach,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, attach_raw) {
	.prepare = call_create,
	.call = call_attach_raw,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, attach_raw_pieces) {
	.prepare = prepare_pieces,
	.call = call_attach_raw,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, attach_trigger) {
	.prepare = call_create,
	.call = call_attach_trigger,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, detach) {
	.prepare = prepare_all,
	.call = call_detach,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, detach_all) {
	.prepare = prepare_all,
	.call = call_detach_all,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, flush) {
	.prepare = prepare_all,
	.call = call_flush,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, hold) {
	.prepare = prepare_all,
	.call = call_hold,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, hold_ready) {
	.prepare = prepare_ready,
	.call = call_hold,
	.clean = unmap_and_close,
	.left = left_held,
};

/* Two rounds, and what was READY all the time. */
FIXTURE_VARIANT_ADD(faults, hold_spans) {
	.prepare = prepare_rounds,
	.call = call_hold_spans,
	.clean = unmap_and_close,
	.left = left_held,
	.allocations = 3,
};

FIXTURE_VARIANT_ADD(faults, hold_thaw) {
	.prepare = prepare_rounds_frozen,
	.call = call_hold_thaw,
	.clean = unmap_and_close,
	.left = left_held,
	.allocations = 3,
};

FIXTURE_VARIANT_ADD(faults, hold_many) {
	.prepare = prepare_many,
	.call = call_hold,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, unhold) {
	.prepare = prepare_all,
	.call = call_unhold,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, thaw) {
	.prepare = prepare_frozen,
	.call = call_thaw,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, poll) {
	.prepare = prepare_all,
	.call = call_poll,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, epoll) {
	.prepare = call_create,
	.call = call_epoll,
	.clean = close_ring,
};

FIXTURE_VARIANT_ADD(faults, close) {
	.prepare = prepare_all,
	.call = call_close,
};

/* Not of a module without BTF, which says EOPNOTSUPP. */
FIXTURE_VARIANT_ADD(faults, handle) {
	.prepare = prepare_pieces,
	.call = call_handle,
	.clean = close_ring,
	.needs_btf = true,
};

/* The first one of all puts hooks into the kernel. */
FIXTURE_VARIANT_ADD(faults, first_ids) {
	.prepare = insert_anew,
	.call = call_ids,
	.undo = close_ids,
};

FIXTURE_VARIANT_ADD(faults, first_attach_raw) {
	.prepare = insert_and_create,
	.call = call_attach_raw,
	.clean = close_ring,
};

FIXTURE_SETUP(faults)
{
	int ret = fault_init();

	if (ret == -ENOENT)
		SKIP(return, "no /proc/thread-self/fail-nth (CONFIG_FAULT_INJECTION)");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, place_open(&self->p));
}

FIXTURE_TEARDOWN(faults)
{
	EXPECT_STREQ("", place_close(&self->p));
}

/* What the call returned when number @n failed. */
static void check_failed(struct __test_metadata *_metadata, struct place *p,
			 const FIXTURE_VARIANT(faults) *v, unsigned int n, int ret)
{
	int again;

	EXPECT_TRUE(ret == -ENOMEM || ret == -EFAULT) {
		TH_LOG("%s when number %u fails", strerror(-ret), n);
	}
	again = v->call(p);
	EXPECT_EQ(0, again) {
		TH_LOG("again, after number %u failed", n);
	}
	if (!again && v->undo)
		v->undo(p);
}

/* Calls that failed, and of them those that had no memory. */
struct tally {
	unsigned int failed;
	unsigned int no_memory;
};

/* One call of which number @n fails. Returns whether there was a number @n. */
static bool fail_one(struct __test_metadata *_metadata, struct place *p,
		     const FIXTURE_VARIANT(faults) *v, unsigned int n, struct tally *tally)
{
	unsigned int left;
	int files, ret;

	if (v->prepare)
		ASSERT_EQ(0, v->prepare(p));
	files = fault_files();
	fault_arm(n);
	ret = v->call(p);
	left = fault_disarm();
	if (left || !ret) {
		/* None failed, or the call can do without it. */
		EXPECT_EQ(0, ret);
		if (!ret && v->undo)
			v->undo(p);
	} else {
		tally->failed++;
		tally->no_memory += ret == -ENOMEM;
		EXPECT_EQ(files, fault_files()) {
			TH_LOG("descriptors, when number %u fails", n);
		}
		if (v->left)
			EXPECT_EQ(0, v->left(p)) {
				TH_LOG("left, when number %u fails", n);
			}
		check_failed(_metadata, p, v, n, ret);
	}
	if (v->clean)
		v->clean(p);
	return !left;
}

TEST_F_TIMEOUT(faults, each, EACH_SECONDS)
{
	struct place *p = &self->p;
	struct tally tally = { };
	unsigned int n = 1;
	int ret;

	if (variant->needs_btf) {
		ASSERT_EQ(0, variant->prepare(p));
		ret = variant->call(p);
		variant->clean(p);
		if (ret == -EOPNOTSUPP)
			SKIP(return, "perfaux.ko has no BTF");
	}
	while (n < POINTS_MAX && fail_one(_metadata, p, variant, n, &tally))
		n++;
	EXPECT_GT(POINTS_MAX, n);
	EXPECT_LE(variant->allocations, tally.no_memory);
	TH_LOG("%u can fail, %u of them fail the call, %u for want of memory", n - 1,
	       tally.failed, tally.no_memory);
}

/* --- copies: without help, by arguments that end or cannot be written to ----------- */

FIXTURE(copies) {
	struct place p;
};

FIXTURE_SETUP(copies)
{
	ASSERT_EQ(0, place_open(&self->p));
}

FIXTURE_TEARDOWN(copies)
{
	EXPECT_STREQ("", place_close(&self->p));
}

TEST_F_TIMEOUT(copies, answers, EACH_SECONDS)
{
	struct place *p = &self->p;
	struct perfaux_create create;
	const struct {
		unsigned int cmd;
		int *fd;
		size_t size;
	} answers[] = {
		{ PERFAUX_IOC_INFO, &p->dev, sizeof(struct perfaux_info) },
		{ PERFAUX_IOC_CREATE, &p->dev, sizeof(create) },
		{ PERFAUX_IOC_HOLD, &p->ring, sizeof(struct perfaux_hold) },
		{ PERFAUX_IOC_IDS_STATS, &p->ids, sizeof(struct perfaux_ids_stats) },
		/* The last: of a module without BTF it has no answer. */
		{ PERFAUX_IOC_HANDLE, &p->ring, sizeof(struct perfaux_handle) },
	};
	unsigned int i, nr = ARRAY_SIZE(answers);
	uint32_t *page;
	int files;

	ASSERT_EQ(0, prepare_ready(p));
	ASSERT_EQ(0, prepare_ids(p));
	if (call_handle(p) == -EOPNOTSUPP)
		nr--;
	files = fault_files();
	for (i = 0; i < nr; i++) {
		page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, (void *)page);
		ring_params(&create, 16384, 3);
		if (answers[i].cmd == PERFAUX_IOC_CREATE)
			memcpy(page, &create, sizeof(create));
		page[0] = answers[i].size;
		mprotect(page, PAGE, PROT_READ);
		EXPECT_EQ(-EFAULT, call(*answers[i].fd, answers[i].cmd, page));
		EXPECT_EQ(files, fault_files());
		munmap(page, PAGE);
	}
	/* All is as before. */
	EXPECT_EQ(0, left_held(p));
	EXPECT_EQ(0, call_hold(p));
	EXPECT_LT(0, left_held(p));
	EXPECT_EQ(0, call_detach_all(p));
	close_ids(p);
	unmap_and_close(p);
}

/* What could not be handed over is there for who reads next. */
TEST_F_TIMEOUT(copies, notice, EACH_SECONDS)
{
	struct place *p = &self->p;
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, prepare_notice(p));
	EXPECT_EQ(-1, read(p->ids, page, PAGE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, call_notice(p));
	EXPECT_EQ(-EAGAIN, call_notice(p));
	close_notice(p);
	munmap(page, PAGE);
}

/* The size can be read, and nothing behind it. */
TEST_F_TIMEOUT(copies, arguments, EACH_SECONDS)
{
	struct place *p = &self->p;
	const struct {
		unsigned int cmd;
		int *fd;
		uint32_t size;
	} arguments[] = {
		{ PERFAUX_IOC_INFO, &p->dev, sizeof(struct perfaux_info) },
		{ PERFAUX_IOC_CREATE, &p->dev, sizeof(struct perfaux_create) },
		{ PERFAUX_IOC_IDS, &p->dev, sizeof(struct perfaux_ids) },
		{ PERFAUX_IOC_IDS_STATS, &p->ids, sizeof(struct perfaux_ids_stats) },
		{ PERFAUX_IOC_ATTACH, &p->ring, sizeof(struct perfaux_attach) },
		{ PERFAUX_IOC_DETACH, &p->ring, sizeof(struct perfaux_detach) },
		{ PERFAUX_IOC_FLUSH, &p->ring, sizeof(struct perfaux_flush) },
		{ PERFAUX_IOC_HOLD, &p->ring, sizeof(struct perfaux_hold) },
		{ PERFAUX_IOC_UNHOLD, &p->ring, sizeof(struct perfaux_unhold) },
		{ PERFAUX_IOC_THAW, &p->ring, sizeof(struct perfaux_thaw) },
		{ PERFAUX_IOC_HANDLE, &p->ring, sizeof(struct perfaux_handle) },
	};
	uint32_t *edge = at_the_edge(sizeof(*edge));
	unsigned int i;
	int files;

	ASSERT_EQ(0, prepare_all(p));
	ASSERT_EQ(0, prepare_ids(p));
	files = fault_files();
	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		*edge = arguments[i].size;
		EXPECT_EQ(-EFAULT, call(*arguments[i].fd, arguments[i].cmd, edge));
		EXPECT_EQ(-EFAULT, call(*arguments[i].fd, arguments[i].cmd, NULL));
		EXPECT_EQ(files, fault_files());
	}
	EXPECT_EQ(0, call_detach_all(p));
	close_ids(p);
	close_ring(p);
}

TEST_HARNESS_MAIN
