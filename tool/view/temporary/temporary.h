/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files without a name, for what does not fit in memory.
 */
#ifndef VIEW_TEMPORARY_H
#define VIEW_TEMPORARY_H

#include <linux/types.h>
#include <stddef.h>

/* Return a descriptor, or -errno. */
int temporary_open(void);

/* Return 0 or -errno. -ENODATA: the file is shorter. */
int temporary_write(int fd, const void *data, size_t size, __u64 at);
int temporary_read(int fd, void *data, size_t size, __u64 at);

#endif /* VIEW_TEMPORARY_H */
