/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of the ring's ioctls, right and wrong. */
#ifndef ABI_H
#define ABI_H

#include <errno.h>
#include <linux/types.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

/* An argument that is longer than what the kernel knows. */
#define LONG(type) struct { struct type arg; __u64 tail[2]; }

static inline int call(int fd, unsigned long cmd, const void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

/* Return an address where a struct of @size ends exactly at the end of the mapping. */
static inline void *at_the_edge(size_t size)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 4096, 4096);
	return pages + 4096 - size;
}

#endif /* ABI_H */
