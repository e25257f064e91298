// SPDX-License-Identifier: GPL-2.0-only
/* A raw ring from user space, see ring_lib.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring_lib.h"

void ring_params(struct perfaux_create *create, uint32_t segment_size,
		 uint32_t nr_segments)
{
	memset(create, 0, sizeof(*create));
	create->size = sizeof(*create);
	create->segment_size = segment_size;
	create->nr_segments = nr_segments;
}

int ring_map(struct ring *ring)
{
	const uint8_t *base;

	ring->marks = mmap(NULL, ring->create.marks_size,
			   PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->marks == MAP_FAILED)
		return -errno;
	base = mmap(NULL, ring->create.ring_size, PROT_READ, MAP_SHARED,
		    ring->fd, ring->create.marks_size);
	if (base == MAP_FAILED)
		return -errno;

	ring->ctl = (const void *)base;
	ring->segments = (const void *)(base + ring->ctl->segments_offset);
	ring->spans = (const void *)(base + ring->ctl->spans_offset);
	ring->gaps = (const void *)(base + ring->ctl->gaps_offset);
	ring->data = base + ring->ctl->data_offset;
	ring->gap_marks = ring->marks + ring->ctl->nr_segments;
	ring->next = 1;
	ring->seen = calloc(ring->ctl->nr_segments, sizeof(*ring->seen));
	ring->gap_seen = calloc(ring->ctl->nr_gaps, sizeof(*ring->gap_seen));
	ring->manual_taken = calloc(ring->ctl->nr_segments, sizeof(*ring->manual_taken));
	return ring->seen && ring->gap_seen && ring->manual_taken ? 0 : -ENOMEM;
}

void ring_unmap(struct ring *ring)
{
	if (ring->ctl)
		munmap((void *)ring->ctl, ring->create.ring_size);
	if (ring->marks)
		munmap(ring->marks, ring->create.marks_size);
	free(ring->seen);
	free(ring->gap_seen);
	free(ring->manual_taken);
	free(ring->pending);
	ring->ctl = NULL;
	ring->marks = NULL;
	ring->seen = NULL;
	ring->gap_seen = NULL;
	ring->manual_taken = NULL;
	ring->pending = NULL;
	ring->nr_pending = 0;
	ring->room = 0;
}

int ring_adopt(struct ring *ring, int fd, const struct perfaux_create *create)
{
	memset(ring, 0, sizeof(*ring));
	ring->dev = -1;
	ring->fd = fd;
	ring->create = *create;
	return ring_map(ring);
}

int ring_open(struct ring *ring, const struct perfaux_create *create)
{
	int ret;

	memset(ring, 0, sizeof(*ring));
	ring->create = *create;
	ring->fd = -1;
	ring->dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	if (ring->dev < 0)
		return -errno;
	ring->fd = ioctl(ring->dev, PERFAUX_IOC_CREATE, &ring->create);
	if (ring->fd < 0) {
		ret = -errno;
		close(ring->dev);
		ring->dev = -1;
		return ret;
	}
	return ring_map(ring);
}

void ring_close(struct ring *ring)
{
	ring_unmap(ring);
	if (ring->fd >= 0)
		close(ring->fd);
	if (ring->dev >= 0)
		close(ring->dev);
	ring->fd = -1;
	ring->dev = -1;
}

int ring_attach(struct ring *ring, int event, uint64_t cookie)
{
	struct perfaux_attach arg = {
		.size = sizeof(arg),
		.fd = event,
		.cookie = cookie,
	};

	return ioctl(ring->fd, PERFAUX_IOC_ATTACH, &arg) ? -errno : 0;
}

int ring_detach(struct ring *ring, int event)
{
	struct perfaux_detach arg = { .size = sizeof(arg), .fd = event };

	return ioctl(ring->fd, PERFAUX_IOC_DETACH, &arg) ? -errno : 0;
}

int ring_attach_trigger(struct ring *ring, int event, uint64_t cookie, uint32_t post)
{
	struct perfaux_attach arg = {
		.size = sizeof(arg),
		.flags = PERFAUX_ATTACH_TRIGGER,
		.fd = event,
		.post = post,
		.cookie = cookie,
	};

	return ioctl(ring->fd, PERFAUX_IOC_ATTACH, &arg) ? -errno : 0;
}

int ring_hold(struct ring *ring, uint32_t flags, uint32_t max)
{
	struct perfaux_hold arg = {
		.size = sizeof(arg), .flags = flags, .max = max,
	};

	if (ioctl(ring->fd, PERFAUX_IOC_HOLD, &arg))
		return -errno;
	ring->held_seq = arg.seq;
	return arg.held;
}

int ring_thaw(struct ring *ring)
{
	struct perfaux_thaw arg = { .size = sizeof(arg) };

	return ioctl(ring->fd, PERFAUX_IOC_THAW, &arg) ? -errno : 0;
}

int ring_unhold(struct ring *ring, uint32_t segment)
{
	struct perfaux_unhold arg = {
		.size = sizeof(arg),
		.segment = segment,
		.seq = PERFAUX_SEQ(ring_state(ring, segment)),
	};

	return ioctl(ring->fd, PERFAUX_IOC_UNHOLD, &arg) ? -errno : 0;
}

int ring_unhold_all(struct ring *ring)
{
	struct perfaux_unhold arg = {
		.size = sizeof(arg), .flags = PERFAUX_UNHOLD_ALL,
	};

	return ioctl(ring->fd, PERFAUX_IOC_UNHOLD, &arg) ? -errno : 0;
}

int ring_flush(struct ring *ring, uint32_t flags)
{
	struct perfaux_flush arg = { .size = sizeof(arg), .flags = flags };

	return ioctl(ring->fd, PERFAUX_IOC_FLUSH, &arg) ? -errno : 0;
}

int ring_poll(struct ring *ring, int timeout_ms)
{
	struct pollfd pfd = { .fd = ring->fd, .events = POLLIN | POLLPRI };
	int ret = poll(&pfd, 1, timeout_ms);

	if (ret < 0)
		return -errno;
	return ret ? pfd.revents : 0;
}

int64_t ring_fdinfo(int fd, const char *name)
{
	char path[64], line[256];
	int64_t value = -1;
	size_t len = strlen(name);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && !strncmp(line + len, ":\t", 2))
			value = strtoll(line + len + 2, NULL, 0);
	fclose(f);
	return value;
}

/* The reader of ring_read() follows the manual in uapi/perfaux.h. */

static void reader_add(struct ring *ring, uint64_t seq, uint32_t segment,
		       uint32_t span)
{
	size_t i;

	if (ring->nr_pending == ring->room) {
		ring->room = ring->room ? ring->room * 2 : 256;
		ring->pending = realloc(ring->pending,
					ring->room * sizeof(*ring->pending));
		if (!ring->pending)
			abort();
	}
	/* Sorted from large to small; a new number is mostly the largest. */
	for (i = 0; i < ring->nr_pending && ring->pending[i].seq > seq;)
		i++;
	memmove(&ring->pending[i + 1], &ring->pending[i],
		(ring->nr_pending - i) * sizeof(*ring->pending));
	ring->pending[i] = (struct pending){
		.seq = seq, .segment = segment, .span = span,
	};
	ring->nr_pending++;
}

static void reader_look(struct ring *ring)
{
	uint32_t i, n, k;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct reader_segment *seen = &ring->seen[i];
		const struct perfaux_span *spans =
			ring->spans + (size_t)i * ring->ctl->spans_per_segment;
		uint64_t state = ring_state(ring, i);

		if (PERFAUX_STATE(state) < PERFAUX_SEG_BUSY ||
		    ring->segments[i].kind != PERFAUX_KIND_SPANS)
			continue;
		if (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		    ring->marks[i] == PERFAUX_SEQ(state))
			continue;
		n = __atomic_load_n(&ring->segments[i].nr_spans,
				    __ATOMIC_ACQUIRE);
		if (seen->use != PERFAUX_SEQ(state))
			*seen = (struct reader_segment){
				.use = PERFAUX_SEQ(state),
			};
		for (k = seen->taken; k < n; k++)
			reader_add(ring, spans[k].seq, i, k);
		seen->taken = n;
		seen->ready = PERFAUX_STATE(state) == PERFAUX_SEG_READY;
	}
	for (i = 0; i < ring->ctl->nr_gaps; i++) {
		uint64_t seq = counter(&ring->gaps[i].seq);

		if (seq && seq != ring->gap_marks[i] &&
		    seq != ring->gap_seen[i]) {
			ring->gap_seen[i] = seq;
			reader_add(ring, seq, ring->ctl->nr_segments, i);
		}
	}
}

static void ring_fill_span(const struct ring *ring, struct record *record,
			   uint32_t segment, uint32_t span)
{
	record->span = ring->spans +
		       (size_t)segment * ring->ctl->spans_per_segment + span;
	record->gap = NULL;
	record->seq = record->span->seq;
	record->data = ring->data + (size_t)segment * ring->ctl->segment_size +
		       record->span->offset;
}

static void ring_fill_gap(const struct ring *ring, struct record *record,
			  uint32_t gap)
{
	record->span = NULL;
	record->data = NULL;
	record->gap = &ring->gaps[gap];
	record->seq = record->gap->seq;
}

static void reader_release(struct ring *ring)
{
	uint32_t i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		struct reader_segment *seen = &ring->seen[i];

		if (!seen->ready || seen->consumed != seen->taken)
			continue;
		__atomic_store_n(&ring->marks[i], seen->use, __ATOMIC_RELEASE);
		seen->ready = false;
		ring->released++;
	}
}

uint64_t ring_read(struct ring *ring, record_fn fn, void *ctx)
{
	uint64_t n = 0;

	reader_look(ring);
	while (ring->nr_pending &&
	       ring->pending[ring->nr_pending - 1].seq == ring->next) {
		struct pending *at = &ring->pending[ring->nr_pending - 1];
		struct record record;

		if (at->segment == ring->ctl->nr_segments)
			ring_fill_gap(ring, &record, at->span);
		else
			ring_fill_span(ring, &record, at->segment, at->span);
		fn(ctx, &record);
		if (record.gap)
			__atomic_store_n(&ring->gap_marks[at->span], at->seq,
					 __ATOMIC_RELEASE);
		else
			ring->seen[at->segment].consumed++;
		ring->nr_pending--;
		ring->next++;
		n++;
	}
	reader_release(ring);
	return n;
}
