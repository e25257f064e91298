// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots of descriptors and the windows of memory.
 *
 * Calls map only into windows. The hammer can still write to a place after it was unmapped, and
 * the stack of a thread must not be there then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"

const unsigned int nr_slots[KINDS] = {
	[KIND_DEVICE] = 4,
	[KIND_RING] = 12,
	[KIND_IDS] = 6,
	[KIND_EVENT] = 24,
	[KIND_OTHER] = 10,
};

struct slot slots[KINDS][SLOTS_MAX];
struct window windows[WINDOWS];
uint8_t *arena;

void pool_init(void)
{
	unsigned int kind, i;

	/* Leave room after the last window, for mappings that reach over its end. */
	arena = mmap(NULL, (WINDOWS + 4) * WINDOW_SIZE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena == MAP_FAILED)
		abort();
	for (kind = 0; kind < KINDS; kind++)
		for (i = 0; i < SLOTS_MAX; i++)
			slots[kind][i].fd = -1;
	for (i = 0; i < nr_slots[KIND_DEVICE]; i++)
		slots[KIND_DEVICE][i].fd = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
}

unsigned int slot_of(struct caller *c, enum kind kind)
{
	return below(c, nr_slots[kind]);
}

int slot_fd(enum kind of, unsigned int i)
{
	return atomic_load(&slots[of][i].fd);
}

void slot_put(enum kind of, unsigned int i, int fd)
{
	int old = atomic_exchange(&slots[of][i].fd, fd);

	if (old >= 0)
		close(old);
}

int some_fd(struct caller *c, enum kind wanted, enum kind *is)
{
	static const int wrong[] = { -1, INT_MIN, INT_MAX, AT_FDCWD, 100000, 400 };
	uint32_t how = below(c, 64);
	uint32_t which = draw(c) >> 32;
	unsigned int i;

	if (how < 4)
		wanted = which % KINDS;
	if (is)
		*is = how == 63 ? KINDS : wanted;
	if (how == 63)
		return wrong[which % ARRAY_SIZE(wrong)];
	/* In most cases take the next slot that is not empty. */
	for (i = 0; i < nr_slots[wanted]; i++) {
		int fd = slot_fd(wanted, ((which >> 8) + i) % nr_slots[wanted]);

		if (fd >= 0 || how < 8)
			return fd;
	}
	return -1;
}

uint64_t some_value(struct caller *c)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 7, 8, 15, 16, 31, 63, 64, 255, 4095, 4096, 4097, 8192, 65535,
		65536, 65537, 1 << 20, 1 << 30, INT_MAX, 1ULL << 31, UINT_MAX, 1ULL << 32,
		LONG_MAX, 1ULL << 63, ULONG_MAX, ULONG_MAX - 4095,
	};
	uint32_t how = below(c, 8);
	uint64_t value = draw(c);

	if (how < 5)
		return values[value % ARRAY_SIZE(values)];
	return how < 7 ? value % 32 : value;
}
