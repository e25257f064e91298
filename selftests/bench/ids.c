// SPDX-License-Identifier: GPL-2.0-only
/*
 * ids FILE: count the instructions of the build-id in the record of an executable mapping. This is
 * the difference between an event with attr.build_id and one without. The kernel's own way
 * parses FILE. Our way finds the id in its cache, or (a miss) parses FILE too. All pages of FILE
 * are in memory. The program changes FILE's mode, which makes the cached id invalid.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perfaux.h"

#include "bench_lib.h"

#define PAGE	4096
#define MAPS	200
#define TRIES	8

struct world {
	int file;
	mode_t mode;
};

static void map_page(void *ctx)
{
	const struct world *w = ctx;
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, w->file, 0);

	if (p == MAP_FAILED || munmap(p, PAGE))
		bench_must("mapping the file", -errno);
}

/* The file now has other times than the cache knows. */
static void touch(void *ctx)
{
	struct world *w = ctx;

	w->mode ^= 0100;
	if (fchmod(w->file, w->mode))
		bench_must("fchmod", -errno);
}

static int open_event(bool build_id)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = build_id,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return bench_must("event", fd < 0 ? -errno : fd);
}

/*
 * The kernel allocates memory for each mapping. Depending on the earlier work of the allocator,
 * each mapping can take some hundred instructions more until the event is opened anew. So open the
 * event TRIES times, and take the least number.
 */
static double count(struct world *w, bool build_id, void (*prepare)(void *ctx))
{
	struct bench b = {
		.call = map_page,
		.prepare = prepare,
		.ctx = w,
		/* After the first mapping, the id is in the cache again. */
		.calls = prepare ? 1 : MAPS / 10,
	};
	double n, least = 0;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		int event = open_event(build_id);

		n = bench_run(&b);
		least = i && least < n ? least : n;
		close(event);
	}
	return least;
}

/*
 * Check that the record of a mapping has an id by the kernel's own parser. This changes the
 * program's address space, and with it the cost of mmap(): call it after all counts.
 */
static void check_id(const struct world *w)
{
	int event = open_event(true);
	struct perf_event_mmap_page *ring;
	const struct perf_event_header *record;

	ring = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	if (ring == MAP_FAILED)
		bench_must("main ring", -errno);
	map_page((void *)w);
	record = (const void *)ring + PAGE;
	if (!ring->data_head || record->type != PERF_RECORD_MMAP2 ||
	    !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		bench_must("a mapping has no id", -ENOENT);
	munmap(ring, 2 * PAGE);
	close(event);
}

static int open_ids(void)
{
	struct perfaux_ids arg = { .size = sizeof(arg) };
	int dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	int ids = dev < 0 ? -1 : ioctl(dev, PERFAUX_IOC_IDS, &arg);

	bench_must(PERFAUX_DEVICE, ids < 0 ? -errno : 0);
	close(dev);
	return ids;
}

/* Count with our module, and check that it found (@cached) or did not find ids in its cache. */
static double with_module(struct world *w, bool cached)
{
	struct perfaux_ids_stats stats = { .size = sizeof(stats) };
	int ids = open_ids();
	double n = count(w, true, cached ? NULL : touch);

	if (ioctl(ids, PERFAUX_IOC_IDS_STATS, &stats))
		bench_must("IDS_STATS", -errno);
	/* Only the first mapping may have to read the file. */
	if (cached ? stats.cached + 1 < stats.results[PERFAUX_ID_FOUND] : stats.cached) {
		fprintf(stderr, "ids: %llu of %llu ids were in the cache\n", stats.cached,
			stats.results[PERFAUX_ID_FOUND]);
		bench_must("cache", -EINVAL);
	}
	if (!stats.results[PERFAUX_ID_FOUND])
		bench_must("no id", -ENOENT);
	close(ids);
	return n;
}

/* Times have a granularity: the cache does not keep the id of a file that has just changed. */
static void age(void)
{
	const struct timespec pause = { .tv_sec = 4 };

	nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
	struct world w;
	struct stat st;
	double base, own;

	w.file = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (w.file < 0 || fstat(w.file, &st)) {
		fprintf(stderr, "usage: ids FILE\n");
		return 2;
	}
	w.mode = st.st_mode & 07777;
	age();
	base = count(&w, false, NULL);
	own = count(&w, true, NULL) - base;
	bench_row("id of a mapping, in the cache", 0, with_module(&w, true) - base, own);
	bench_row("id of a mapping, not in the cache", 0, with_module(&w, false) - base, own);
	check_id(&w);
	return 0;
}
