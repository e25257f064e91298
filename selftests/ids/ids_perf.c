// SPDX-License-Identifier: GPL-2.0-only
/* Main rings of perf with mmap records. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "ids_lib.h"

#define PAGE		4096UL
#define TASK_PAGES	64
#define CPU_PAGES	512

/* MMAP2 with a build-id, as described in perf_event_open(2) */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, pgoff;
	union {
		struct {
			uint32_t major, minor;
			uint64_t ino, generation;
		};
		struct {
			uint8_t id_size, reserved_1;
			uint16_t reserved_2;
			uint8_t id[ID_RECORD_MAX];
		};
	};
	uint32_t prot, flags;
	char name[];
};

/* This follows the name, because attr has sample_id_all, PERF_SAMPLE_TID and PERF_SAMPLE_TIME. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

static int open_sized(struct map_ring *ring, pid_t pid, int cpu, size_t pages,
		      enum map_kind kind)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.mmap_data = kind == MAP_DATA,
		.build_id = kind != MAP_PLAIN,
		.exclude_kernel = 1,
		.read_format = PERF_FORMAT_LOST,
	};

	ring->page = NULL;
	ring->fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			   PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	ring->size = pages * PAGE;
	ring->page = mmap(NULL, PAGE + ring->size, PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->fd, 0);
	if (ring->page == MAP_FAILED) {
		int ret = -errno;

		close(ring->fd);
		return ret;
	}
	return 0;
}

int map_ring_open(struct map_ring *ring, pid_t pid)
{
	return open_sized(ring, pid, -1, TASK_PAGES, MAP_IDS);
}

int map_ring_open_kind(struct map_ring *ring, pid_t pid, enum map_kind kind)
{
	return open_sized(ring, pid, -1, TASK_PAGES, kind);
}

int map_ring_open_cpu(struct map_ring *ring, int cpu)
{
	return open_sized(ring, -1, cpu, CPU_PAGES, MAP_IDS);
}

void map_ring_close(struct map_ring *ring)
{
	munmap(ring->page, PAGE + ring->size);
	close(ring->fd);
}

static void ring_copy(const struct map_ring *ring, uint64_t from, void *to,
		      size_t size)
{
	const uint8_t *data = (uint8_t *)ring->page + PAGE;
	size_t at = from % ring->size;
	size_t first = size < ring->size - at ? size : ring->size - at;

	memcpy(to, data + at, first);
	memcpy(to + first, data, size - first);
}

static void parse(struct map_record *record)
{
	const struct mmap2 *raw = (void *)record->raw;
	const struct sample_id *tail = (void *)(record->raw + record->raw_size -
						sizeof(*tail));

	record->pid = raw->pid;
	record->tid = raw->tid;
	record->start = raw->start;
	record->length = raw->length;
	record->pgoff = raw->pgoff;
	record->prot = raw->prot;
	record->flags = raw->flags;
	record->time = tail->time;
	memset(&record->id, 0, sizeof(record->id));
	record->ino = 0;
	if (raw->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		record->id.size = raw->id_size;
		memcpy(record->id.data, raw->id, sizeof(raw->id));
	} else {
		record->ino = raw->ino;
		record->dev = makedev(raw->major, raw->minor);
	}
}

const char *map_record_name(const struct map_record *record)
{
	return ((const struct mmap2 *)record->raw)->name;
}

bool map_ring_next(struct map_ring *ring, struct map_record *record)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head,
					__ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;
	bool found = false;

	while (tail < head && !found) {
		ring_copy(ring, tail, &header, sizeof(header));
		found = header.type == PERF_RECORD_MMAP2;
		if (found) {
			record->raw_size = header.size < sizeof(record->raw) ?
					   header.size : sizeof(record->raw);
			ring_copy(ring, tail, record->raw, record->raw_size);
			parse(record);
		}
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return found;
}

void map_ring_clear(struct map_ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head,
					__ATOMIC_ACQUIRE);

	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

uint64_t map_ring_lost(struct map_ring *ring)
{
	uint64_t values[2] = { 0 };	/* count, lost */

	if (read(ring->fd, values, sizeof(values)) != sizeof(values))
		return UINT64_MAX;
	return values[1];
}

bool map_record_same(const struct map_record *a, const struct map_record *b)
{
	struct mmap2 *raw_a, *raw_b;
	struct map_record x, y;

	if (a->raw_size != b->raw_size)
		return false;
	x = *a;
	y = *b;
	raw_a = (void *)x.raw;
	raw_b = (void *)y.raw;
	raw_a->start = 0;
	raw_b->start = 0;
	memset(x.raw + x.raw_size - sizeof(uint64_t), 0, sizeof(uint64_t));
	memset(y.raw + y.raw_size - sizeof(uint64_t), 0, sizeof(uint64_t));
	return !memcmp(x.raw, y.raw, x.raw_size);
}
