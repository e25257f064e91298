// SPDX-License-Identifier: GPL-2.0-only
/* The calls of the tests with faults, see calls.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../lib/abi.h"
#include "../lib/raw_lib.h"
#include "calls.h"
#include "inject.h"

int call_open(struct fault_place *p)
{
	p->ring = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	return p->ring < 0 ? -errno : 0;
}

int call_info(struct fault_place *p)
{
	struct perfaux_info arg = { .size = sizeof(arg) };

	return call(p->dev, PERFAUX_IOC_INFO, &arg);
}

int call_create(struct fault_place *p)
{
	return create_as(p, 16384, 3);
}

/* Create a ring whose tables are large enough for vmalloc(). */
int call_create_many(struct fault_place *p)
{
	return create_as(p, 4096, 128);
}

int call_ids(struct fault_place *p)
{
	struct perfaux_ids arg = { .size = sizeof(arg) };
	int fd = call(p->dev, PERFAUX_IOC_IDS, &arg);

	if (fd < 0)
		return fd;
	p->ids = fd;
	return 0;
}

int prepare_ids(struct fault_place *p)
{
	int ret = call_ids(p);

	if (!ret)
		fcntl(p->ids, F_SETFL, O_NONBLOCK);
	return ret;
}

int call_ids_stats(struct fault_place *p)
{
	struct perfaux_ids_stats arg = { .size = sizeof(arg) };

	return call(p->ids, PERFAUX_IOC_IDS_STATS, &arg);
}

int call_ids_read(struct fault_place *p)
{
	static char buf[65536];
	ssize_t n = read(p->ids, buf, sizeof(buf));

	return n >= 0 || errno == EAGAIN ? 0 : -errno;
}

/* Make a notice: the id is too long for its record. */
int prepare_notice(struct fault_place *p)
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
 * Return -EAGAIN if a call that failed before has lost the notice. The buffer is a page,
 * so kvmalloc() does not fall back to vmalloc().
 */
int call_notice(struct fault_place *p)
{
	static char buf[PAGE];

	return read(p->ids, buf, sizeof(buf)) > 0 ? 0 : -errno;
}

void close_notice(struct fault_place *p)
{
	map_ring_close(&p->maps);
	close_ids(p);
}

int prepare_late(struct fault_place *p)
{
	static bool has_namespace;
	char path[128];
	int ret;

	if (!has_namespace && (unshare(CLONE_NEWNS) ||
			       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)))
		return -errno;
	has_namespace = true;
	ret = elf_set_read(&p->set);
	strcpy(p->fuse_dir, "/tmp/faults.XXXXXX");
	if (!ret && !mkdtemp(p->fuse_dir))
		ret = -errno;
	p->server = (struct fuse_server){ .set = &p->set, .dir = p->fuse_dir };
	if (!ret)
		ret = fuse_start(&p->server);
	/* Otherwise the server would also have these descriptors. */
	if (!ret)
		ret = prepare_ids(p);
	if (!ret)
		ret = map_ring_open(&p->maps, 0);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/id-20.so", p->fuse_dir);
	p->fuse_file = open(path, O_RDONLY | O_CLOEXEC);
	return p->fuse_file < 0 ? -errno : 0;
}

/*
 * Find out what happened to one more mapping: either its id came late, or there was
 * no memory to ask for it.
 */
static int late_answer(const struct perfaux_ids_stats *before,
		       const struct perfaux_ids_stats *after)
{
	if (after->results[PERFAUX_ID_UNREADABLE] != before->results[PERFAUX_ID_UNREADABLE])
		return -ENOMEM;
	if (after->results[PERFAUX_ID_DEFERRED] == before->results[PERFAUX_ID_DEFERRED])
		return -ENODATA;
	return after->late[PERFAUX_ID_FOUND] == before->late[PERFAUX_ID_FOUND] + 1 ?
	       0 : -EBADMSG;
}

/* The mapping succeeds with or without memory for its id; missing memory is reported. */
int call_map_late(struct fault_place *p)
{
	struct perfaux_ids_stats before, after;
	uint64_t end = now_ns() + WAIT_NS;
	int ret = ids_stats(p->ids, &before), err;

	drop_file(p->fuse_file);
	if (!ret)
		ret = map_file(p->fuse_file, WAY_PRIVATE);
	if (ret)
		return ret;
	/*
	 * Wait for the id even if one of these calls fails, so that the next
	 * call_map_late() does not see it.
	 */
	do {
		err = ids_stats(p->ids, &after);
		ret = ret ?: err;
		sched_yield();
	} while ((err || after.pending) && now_ns() < end);
	return ret ?: late_answer(&before, &after);
}

void close_late(struct fault_place *p)
{
	close_fd(&p->fuse_file);
	map_ring_close(&p->maps);
	close_ids(p);
	fuse_kill(&p->server);
	rmdir(p->fuse_dir);
	elf_set_free(&p->set);
}

static int call_map(struct fault_place *p, size_t size, int prot, off_t offset)
{
	void *at = mmap(NULL, size, prot, MAP_SHARED, p->ring, offset);

	if (at == MAP_FAILED)
		return -errno;
	p->mapped = at;
	p->mapped_size = size;
	return 0;
}

int call_map_marks(struct fault_place *p)
{
	return call_map(p, p->create.marks_size, PROT_READ | PROT_WRITE, 0);
}

int call_map_ring(struct fault_place *p)
{
	return call_map(p, p->create.ring_size, PROT_READ, p->create.marks_size);
}

int prepare_mapped(struct fault_place *p)
{
	int ret = call_create(p);

	return ret ?: call_map_ring(p);
}

int call_unmap(struct fault_place *p)
{
	int ret = munmap(p->mapped, p->mapped_size) ? -errno : 0;

	if (!ret)
		p->mapped = NULL;
	return ret;
}

/*
 * Create a ring whose segments each consist of two pieces of memory (PA_MAX_ORDER
 * is 4 MiB).
 */
int prepare_pieces(struct fault_place *p)
{
	return create_as(p, 8 << 20, 2);
}

static int attach(struct fault_place *p, int event, uint32_t flags)
{
	struct perfaux_attach arg = { .size = sizeof(arg), .flags = flags, .fd = event };

	return call(p->ring, PERFAUX_IOC_ATTACH, &arg);
}

int call_attach(struct fault_place *p)
{
	return attach(p, p->aux, 0);
}

int call_attach_raw(struct fault_place *p)
{
	return attach(p, p->raw, PERFAUX_ATTACH_RAW);
}

int call_attach_trigger(struct fault_place *p)
{
	return attach(p, p->trigger, PERFAUX_ATTACH_TRIGGER);
}

static int attach_all(struct fault_place *p)
{
	int ret = call_attach(p);

	return ret ?: call_attach_raw(p);
}

int prepare_all(struct fault_place *p)
{
	int ret = call_create(p);

	return ret ?: attach_all(p);
}

/* Insert the module again, so that it has done nothing yet. */
int insert_anew(struct fault_place *p)
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

int prepare_removed(struct fault_place *p)
{
	p->inserts = true;
	close_fd(&p->dev);
	return module_remove_wait("perfaux");
}

/*
 * The module must be inserted with its device and with the hooks of ids, or not at
 * all.
 */
int call_insert(struct fault_place *p)
{
	int ret = module_insert("perfaux", "build_ids=1");

	(void)p;
	/* access() itself may be the call that fails. */
	if (!ret && access(PERFAUX_DEVICE, F_OK) && errno == ENOENT)
		ret = -ENODEV;
	return ret;
}

int left_inserted(struct fault_place *p)
{
	(void)p;
	return fault_use_count() >= 0 || !access(PERFAUX_DEVICE, F_OK) || fault_vmalloced();
}

/* Insert the module as the other tests expect it. */
void end_inserted(struct fault_place *p)
{
	insert_anew(p);
}

static int info_open(struct fault_place *p, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	p->info = open(path, O_RDONLY | O_CLOEXEC);
	return p->info < 0 ? -errno : 0;
}

int prepare_ring_info(struct fault_place *p)
{
	int ret = prepare_all(p);

	return ret ?: info_open(p, p->ring);
}

int prepare_ids_info(struct fault_place *p)
{
	int ret = prepare_ids(p);

	return ret ?: info_open(p, p->ids);
}

/* Read all of the info, or fail. */
int call_info_read(struct fault_place *p)
{
	char text[8192];
	ssize_t n = pread(p->info, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = 0;
	return strstr(text, p->ring >= 0 ? "merged_end:" : "long_ids:") ? 0 : -EBADMSG;
}

void close_info(struct fault_place *p)
{
	close_fd(&p->info);
	close_ids(p);
	close_ring(p);
}

int insert_and_create(struct fault_place *p)
{
	int ret = insert_anew(p);

	return ret ?: call_create(p);
}

int call_detach(struct fault_place *p)
{
	struct perfaux_detach arg = { .size = sizeof(arg), .fd = p->aux };

	return call(p->ring, PERFAUX_IOC_DETACH, &arg);
}

int call_detach_all(struct fault_place *p)
{
	struct perfaux_detach arg = {
		.size = sizeof(arg), .flags = PERFAUX_DETACH_ALL, .fd = -1,
	};

	return call(p->ring, PERFAUX_IOC_DETACH, &arg);
}

int call_flush(struct fault_place *p)
{
	struct perfaux_flush arg = {
		.size = sizeof(arg), .flags = PERFAUX_FLUSH_SPANS | PERFAUX_FLUSH_ABANDON,
	};

	return call(p->ring, PERFAUX_IOC_FLUSH, &arg);
}

static int hold(struct fault_place *p, uint32_t flags)
{
	struct perfaux_hold arg = { .size = sizeof(arg), .flags = flags };

	return call(p->ring, PERFAUX_IOC_HOLD, &arg);
}

int call_hold(struct fault_place *p)
{
	return hold(p, 0);
}

int call_hold_spans(struct fault_place *p)
{
	return hold(p, PERFAUX_FLUSH_SPANS);
}

int call_hold_thaw(struct fault_place *p)
{
	return hold(p, PERFAUX_FLUSH_SPANS | PERFAUX_HOLD_THAW);
}

/* Return how many segments are in @state. */
static int in_state(struct fault_place *p, enum perfaux_state state)
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

int left_held(struct fault_place *p)
{
	return in_state(p, PERFAUX_SEG_HELD);
}

static int wait_ready(struct fault_place *p)
{
	uint64_t end = now_ns() + WAIT_NS;
	int ret = 0;

	while (!ret && !in_state(p, PERFAUX_SEG_READY)) {
		sched_yield();
		ret = now_ns() > end ? -ETIME : call_flush(p);
	}
	return ret;
}

/* Make READY segments, which HOLD can take. */
int prepare_ready(struct fault_place *p)
{
	int ret = prepare_all(p);

	if (!ret)
		ret = call_map_ring(p);
	return ret ?: wait_ready(p);
}

/*
 * Prepare a ring where HOLD always has a second round and room for its segments.
 * The first round waits for a grace period, because the ring has raw data of
 * samples, and meanwhile this task's event ends a span.
 */
int prepare_rounds(struct fault_place *p)
{
	int ret = create_as(p, 16384, 16);

	if (!ret)
		ret = attach_all(p);
	if (!ret)
		ret = call_map_ring(p);
	return ret ?: wait_ready(p);
}

/* The next change of this task's name is the trigger. */
static int freeze(struct fault_place *p)
{
	int ret = call_attach_trigger(p);

	if (!ret)
		prctl(PR_SET_NAME, "faults");
	return ret;
}

int prepare_rounds_frozen(struct fault_place *p)
{
	const struct perfaux_control *ctl;
	int ret = prepare_rounds(p);

	if (!ret)
		ret = freeze(p);
	if (ret)
		return ret;
	ctl = p->mapped;
	return __atomic_load_n(&ctl->flags, __ATOMIC_ACQUIRE) & PERFAUX_CTL_FROZEN ? 0 : -EBUSY;
}

int prepare_many(struct fault_place *p)
{
	return create_as(p, 4096, 4096);
}

int call_unhold(struct fault_place *p)
{
	struct perfaux_unhold arg = { .size = sizeof(arg), .flags = PERFAUX_UNHOLD_ALL };

	return call(p->ring, PERFAUX_IOC_UNHOLD, &arg);
}

int prepare_frozen(struct fault_place *p)
{
	int ret = call_create(p);

	return ret ?: freeze(p);
}

int call_thaw(struct fault_place *p)
{
	struct perfaux_thaw arg = { .size = sizeof(arg) };

	return call(p->ring, PERFAUX_IOC_THAW, &arg);
}

int call_handle(struct fault_place *p)
{
	struct perfaux_handle arg = { .size = sizeof(arg) };

	return call(p->ring, PERFAUX_IOC_HANDLE, &arg);
}

int call_poll(struct fault_place *p)
{
	struct pollfd pfd = { .fd = p->ring, .events = POLLIN };

	return poll(&pfd, 1, 0) < 0 ? -errno : 0;
}

int call_epoll(struct fault_place *p)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->ring, &event) ? -errno : 0;
}

/* close() removes the descriptor even if it returns an error. */
int call_close(struct fault_place *p)
{
	int ret = close(p->ring) ? -errno : 0;

	p->ring = -1;
	return ret;
}

int call_close_ids(struct fault_place *p)
{
	int ret = close(p->ids) ? -errno : 0;

	p->ids = -1;
	return ret;
}
