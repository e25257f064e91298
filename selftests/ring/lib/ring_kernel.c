// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's own rings of an event, see kernel_ring.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel_ring.h"

#define PAGE		4096UL
#define MAIN_PAGES	64

static int kernel_ring_map_as(struct kernel_ring *k, int event, size_t aux_size,
			      int prot)
{
	memset(k, 0, sizeof(*k));
	k->main_size = MAIN_PAGES * PAGE;
	k->page = mmap(NULL, PAGE + k->main_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, event, 0);
	if (k->page == MAP_FAILED)
		return -errno;
	k->page->aux_offset = PAGE + k->main_size;
	k->page->aux_size = aux_size;
	k->aux_size = aux_size;
	k->aux = mmap(NULL, aux_size, prot, MAP_SHARED, event,
		      k->page->aux_offset);
	return k->aux == MAP_FAILED ? -errno : 0;
}

int kernel_ring_map(struct kernel_ring *k, int event, size_t aux_size)
{
	return kernel_ring_map_as(k, event, aux_size, PROT_READ | PROT_WRITE);
}

int kernel_ring_map_snapshot(struct kernel_ring *k, int event, size_t aux_size)
{
	return kernel_ring_map_as(k, event, aux_size, PROT_READ);
}

void kernel_ring_read_snapshot(struct kernel_ring *k, struct check *check)
{
	uint64_t at = kernel_ring_head(k) % k->aux_size;
	uint32_t magic;

	check->overwrite = true;
	/* If the area was filled once, the oldest data begins here. */
	memcpy(&magic, k->aux + at, sizeof(magic));
	if (magic) {
		check_chunks(check, k->aux + at, k->aux_size - at, NULL);
		k->bytes += k->aux_size - at;
	}
	check_chunks(check, k->aux, at, NULL);
	k->bytes += at;
}

void kernel_ring_unmap(struct kernel_ring *k)
{
	munmap(k->aux, k->aux_size);
	munmap(k->page, PAGE + k->main_size);
}

/* The data in the area must be what PERF_RECORD_AUX reports. */
static void kernel_ring_records(struct kernel_ring *k)
{
	const uint8_t *data = (uint8_t *)k->page + PAGE;
	uint64_t head = __atomic_load_n(&k->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = k->page->data_tail;
	struct perf_event_header header;
	uint64_t aux[3];		/* offset, size, flags */
	size_t i;

	while (tail < head) {
		for (i = 0; i < sizeof(header); i++)
			((uint8_t *)&header)[i] =
				data[(tail + i) % k->main_size];
		if (header.type == PERF_RECORD_AUX) {
			for (i = 0; i < sizeof(aux); i++)
				((uint8_t *)aux)[i] =
					data[(tail + sizeof(header) + i) %
					     k->main_size];
			k->records++;
			k->record_bytes += aux[1];
			k->truncated += !!(aux[2] & PERF_AUX_FLAG_TRUNCATED);
		}
		tail += header.size;
	}
	__atomic_store_n(&k->page->data_tail, tail, __ATOMIC_RELEASE);
}

void kernel_ring_read(struct kernel_ring *k, struct check *check)
{
	uint64_t head = __atomic_load_n(&k->page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t tail = k->page->aux_tail;

	kernel_ring_records(k);
	k->bytes += head - tail;
	while (tail < head) {
		uint64_t at = tail % k->aux_size, n = head - tail;

		if (n > k->aux_size - at)
			n = k->aux_size - at;
		check_chunks(check, k->aux + at, n, NULL);
		tail += n;
	}
	__atomic_store_n(&k->page->aux_tail, tail, __ATOMIC_RELEASE);
}

uint64_t kernel_ring_head(const struct kernel_ring *k)
{
	return __atomic_load_n(&k->page->aux_head, __ATOMIC_ACQUIRE);
}
