// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for descriptors of PERFAUX_IOC_IDS and their notices. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "ids_lib.h"

/* The largest queue */
#define NOTICES_SIZE	(1UL << 20)

int ids_insert(unsigned int disk_us)
{
	FILE *f;
	int ret = module_insert("perfaux", "");

	if (ret && ret != -EEXIST)
		return ret;
	f = fopen("/sys/module/perfaux/parameters/disk_us", "we");
	if (!f)
		return -errno;
	fprintf(f, "%u", disk_us);
	return fclose(f) ? -errno : 0;
}

int ids_open(uint32_t queue_size)
{
	struct perfaux_ids arg = {
		.size = sizeof(arg),
		.queue_size = queue_size,
	};
	int dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC), ret;

	if (dev < 0)
		return -errno;
	ret = ioctl(dev, PERFAUX_IOC_IDS, &arg);
	if (ret < 0)
		ret = -errno;
	close(dev);
	return ret;
}

int ids_stats(int fd, struct perfaux_ids_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	return ioctl(fd, PERFAUX_IOC_IDS_STATS, stats) ? -errno : 0;
}

uint64_t ids_result(int fd, enum perfaux_no_id result)
{
	struct perfaux_ids_stats stats;

	return ids_stats(fd, &stats) ? UINT64_MAX : stats.results[result];
}

ssize_t notices_read(int fd, struct notices *notices)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (!notices->buf)
		notices->buf = malloc(NOTICES_SIZE);
	notices->at = 0;
	notices->size = 0;
	if (poll(&pfd, 1, 0) == 0)
		return -EAGAIN;
	n = read(fd, notices->buf, NOTICES_SIZE);
	if (n < 0)
		return -errno;
	notices->size = n;
	return n;
}

ssize_t notices_wait(int fd, struct notices *notices, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int ret = poll(&pfd, 1, timeout_ms);

	if (ret < 0)
		return -errno;
	return ret ? notices_read(fd, notices) : -ETIME;
}

static bool notice_valid(const struct perfaux_notice *notice, size_t left)
{
	const char *name = (const char *)notice + notice->name_offset;

	return notice->size <= left && notice->size % 8 == 0 &&
	       notice->size >= sizeof(*notice) &&
	       notice->name_offset >= sizeof(*notice) + notice->id_size &&
	       notice->name_size &&
	       (uint64_t)notice->name_offset + notice->name_size <=
	       notice->size && strnlen(name, notice->name_size) ==
	       notice->name_size - 1;
}

const struct perfaux_notice *notices_next(struct notices *notices)
{
	const struct perfaux_notice *notice;
	size_t left = notices->size - notices->at;

	errno = 0;
	if (!left)
		return NULL;
	notice = (void *)(notices->buf + notices->at);
	if (left < sizeof(*notice) || !notice_valid(notice, left)) {
		errno = EBADMSG;
		return NULL;
	}
	notices->at += notice->size;
	return notice;
}

void notices_free(struct notices *notices)
{
	free(notices->buf);
	notices->buf = NULL;
}

const char *notice_name(const struct perfaux_notice *notice)
{
	return (const char *)notice + notice->name_offset;
}

struct id notice_id(const struct perfaux_notice *notice)
{
	struct id id = { .size = notice->id_size };

	if (id.size <= ID_MAX)
		memcpy(id.data, notice->id, id.size);
	return id;
}
