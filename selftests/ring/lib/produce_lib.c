// SPDX-License-Identifier: GPL-2.0-only
/* Producers of records, see produce_lib.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "produce_lib.h"

int rawprod_open(int ring)
{
	int dev = open(RAWPROD_DEVICE, O_RDWR | O_CLOEXEC), ret;

	if (dev < 0)
		return -errno;
	if (!ioctl(dev, RAWPROD_IOC_RING, ring))
		return dev;
	ret = -errno;
	close(dev);
	return ret;
}

int rawprod_run(int dev, struct rawprod_run *run)
{
	return ioctl(dev, RAWPROD_IOC_RUN, run) ? -errno : 0;
}

int stream_init(struct stream *s, uint64_t cookie, uint32_t count,
		uint32_t length)
{
	*s = (struct stream){
		.cookie = cookie, .count = count, .length = length,
		.times = calloc(count, sizeof(uint64_t)),
	};
	return s->times ? 0 : -ENOMEM;
}

void stream_free(struct stream *s)
{
	free(s->times);
	s->times = NULL;
}

/* Return whether the data is what rawprod_fill() made. */
static bool is_filled(const void *data, uint64_t cookie, uint32_t length)
{
	uint64_t x = rawprod_seed(cookie, length);
	uint32_t i;

	for (i = 0; i + sizeof(x) <= length; i += sizeof(x)) {
		if (memcmp(data + i, &x, sizeof(x)))
			return false;
		x = rawprod_next(x);
	}
	return !memcmp(data + i, &x, length - i);
}

static const char *see_committed(struct stream *s,
				 const struct perfaux_frame *frame)
{
	const uint64_t n = frame->cookie - s->cookie;

	s->committed++;
	if (frame->length != s->length)
		return "length";
	if (!(s->check ?: is_filled)(frame->data, frame->cookie, frame->length))
		return "data";
	if (s->same_cookie)
		return NULL;
	if (s->times[n])
		return "seen twice";
	s->times[n] = frame->time;
	return NULL;
}

static const char *see(struct stream *s, const struct perfaux_frame *frame)
{
	s->last = frame;
	if (frame->flags)
		return "flags";
	switch (PERFAUX_STATE(frame->state)) {
	case PERFAUX_FRAME_COMMITTED:
		return see_committed(s, frame);
	case PERFAUX_FRAME_DISCARDED:
		s->discarded++;
		return NULL;
	case PERFAUX_FRAME_ABANDONED:
		s->abandoned++;
		return NULL;
	}
	return "state";
}

void stream_see(void *ctx, const struct perfaux_frame *frame)
{
	struct streams *all = ctx;
	const char *wrong = "cookie";
	int i;

	for (i = 0; i < all->nr; i++) {
		struct stream *s = &all->stream[i];

		if (frame->cookie - s->cookie < s->count)
			wrong = see(s, frame);
	}
	if (wrong)
		all->wrong = wrong;
}

bool stream_in_order(const struct stream *s)
{
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < s->count; i++) {
		if (s->times[i] && s->times[i] < last)
			return false;
		if (s->times[i])
			last = s->times[i];
	}
	return true;
}

void lost_see(void *ctx, const struct record *record)
{
	const struct perfaux_gap *gap = record->gap;
	struct lost *lost = ctx;

	if (!gap || gap->cookie - lost->cookie >= lost->count_cookies)
		return;
	if (gap->cause >= PERFAUX_NR_CAUSES || gap->t_end < gap->t_begin ||
	    !gap->t_begin) {
		lost->wrong = "gap";
		return;
	}
	lost->gaps++;
	lost->count[gap->cause] += gap->count;
	lost->bytes[gap->cause] += gap->bytes;
}
