// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recorder whose event's group is throttled: throttled FILE
 *
 * It records a child with intel_pt in a group whose leader, a clock, ticks faster
 * than perf allows, and writes the AUX data to FILE. Since 6.16 perf stops the
 * whole group of a throttled leader. The program prints how often perf did this.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

#define PAGE		4096UL
#define DATA_SIZE	(64 * PAGE)
#define AUX_SIZE	(1024 * PAGE)
#define TIMES		100000

MARK(0, work)

static unsigned int pmu_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/intel_pt/type", "r");
	unsigned int type;

	CHECK(file && fscanf(file, "%u", &type) == 1);
	fclose(file);
	return type;
}

static int event_open(struct perf_event_attr *attr, pid_t pid, int group)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	fd = syscall(SYS_perf_event_open, attr, pid, -1, group, 0);
	CHECK(fd >= 0);
	return fd;
}

static struct perf_event_mmap_page *ring(int fd)
{
	void *page = mmap(NULL, PAGE + DATA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

/* Count records in a ring that has not wrapped. */
static unsigned long records(const struct perf_event_mmap_page *page, unsigned int type)
{
	const char *data = (const char *)page + page->data_offset;
	unsigned long n = 0;

	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *h = (const void *)(data + at);

		n += h->type == type;
		at += h->size;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 10000,
		.disabled = 1,
	};
	struct perf_event_attr pt = { .config = 1 | 1 << 10 | 1 << 13 };
	struct perf_event_mmap_page *main_ring;
	int leader, event, go[2], status;
	FILE *file;
	pid_t child;
	void *aux;
	char c;

	CHECK(argc == 2 && !pipe(go));
	marks_share();
	child = fork();
	if (!child) {
		CHECK(read(go[0], &c, 1) == 1);
		for (int i = 0; i < TIMES; i++)
			mark_work();
		_exit(0);
	}
	leader = event_open(&clock, child, -1);
	pt.type = pmu_type();
	event = event_open(&pt, child, leader);
	main_ring = ring(event);
	main_ring->aux_offset = PAGE + DATA_SIZE;
	main_ring->aux_size = AUX_SIZE;
	aux = mmap(NULL, AUX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, event, PAGE + DATA_SIZE);
	CHECK(aux != MAP_FAILED);
	CHECK(!ioctl(leader, PERF_EVENT_IOC_SET_OUTPUT, event));
	CHECK(!ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	CHECK(write(go[1], "", 1) == 1);
	CHECK(waitpid(child, &status, 0) == child && !status);
	CHECK(main_ring->data_head < DATA_SIZE && main_ring->aux_head < AUX_SIZE);
	file = fopen(argv[1], "w");
	CHECK(file && fwrite(aux, 1, main_ring->aux_head, file) == main_ring->aux_head);
	CHECK(!fclose(file));
	printf("throttled %lu\n", records(main_ring, PERF_RECORD_THROTTLE));
	marks_print();
	return 0;
}
