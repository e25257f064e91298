// SPDX-License-Identifier: GPL-2.0-only
/* Events with raw samples, see raw_lib.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "raw_lib.h"

#define PAGE		4096
#define RECORD_MAX	65536

int raw_open(struct raw_event *ev, const struct perf_event_attr *attr,
	     pid_t pid, int cpu, size_t size)
{
	struct perf_event_attr a = *attr;

	memset(ev, 0, sizeof(*ev));
	a.size = sizeof(a);
	a.sample_type |= RAW_SAMPLE_TYPE;
	a.disabled = 1;
	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	ev->fd = syscall(SYS_perf_event_open, &a, pid, cpu, -1,
			 PERF_FLAG_FD_CLOEXEC);
	if (ev->fd < 0)
		return -errno;
	if (ioctl(ev->fd, PERF_EVENT_IOC_ID, &ev->id))
		return -errno;
	if (!size)
		return 0;
	ev->page = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_SHARED,
			ev->fd, 0);
	if (ev->page == MAP_FAILED) {
		ev->page = NULL;
		return -errno;
	}
	ev->data = (uint8_t *)ev->page + PAGE;
	ev->size = size;
	return 0;
}

void raw_close(struct raw_event *ev)
{
	if (ev->page)
		munmap(ev->page, PAGE + ev->size);
	close(ev->fd);
	ev->page = NULL;
	ev->fd = -1;
}

int raw_attach(struct ring *ring, int event, uint64_t cookie)
{
	struct perfaux_attach arg = {
		.size = sizeof(arg),
		.flags = PERFAUX_ATTACH_RAW,
		.fd = event,
		.cookie = cookie,
	};

	return ioctl(ring->fd, PERFAUX_IOC_ATTACH, &arg) ? -errno : 0;
}

static void copy_out(const struct raw_event *ev, uint64_t at, void *to,
		     size_t len)
{
	const size_t from = at & (ev->size - 1);
	const size_t first = ev->size - from < len ? ev->size - from : len;

	memcpy(to, ev->data + from, first);
	memcpy((uint8_t *)to + first, ev->data, len - first);
}

/* The fields are in the order of RAW_SAMPLE_TYPE. */
static int parse(const uint8_t *rec, size_t size, struct raw_sample *s)
{
	const uint8_t *at = rec + sizeof(struct perf_event_header);

	memcpy(&s->id, at, 8);
	memcpy(&s->pid, at + 8, 4);
	memcpy(&s->tid, at + 12, 4);
	memcpy(&s->time, at + 16, 8);
	memcpy(&s->cpu, at + 24, 4);
	memcpy(&s->raw_size, at + 32, 4);
	s->raw = at + 36;
	return at + 36 + s->raw_size > rec + size ? -EBADMSG : 0;
}

static __thread uint8_t rec[RECORD_MAX];

int raw_read(struct raw_event *ev, raw_fn fn, void *ctx)
{
	uint64_t head = __atomic_load_n(&ev->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ev->page->data_tail;
	int ret = 0;

	while (!ret && at < head) {
		struct perf_event_header h;
		struct raw_sample s = { };
		uint64_t lost;

		copy_out(ev, at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at)
			return -EBADMSG;
		copy_out(ev, at, rec, h.size);
		if (h.type == PERF_RECORD_SAMPLE) {
			ret = parse(rec, h.size, &s);
			if (!ret && fn)
				fn(ctx, &s);
		} else if (h.type == PERF_RECORD_LOST) {
			memcpy(&lost, rec + 16, sizeof(lost));
			ev->lost += lost;
		}
		at += h.size;
	}
	__atomic_store_n(&ev->page->data_tail, at, __ATOMIC_RELEASE);
	return ret;
}

bool raw_is_reference(const struct ring *ring, const struct raw_sample *sample,
		      struct perfaux_reference *ref)
{
	if (sample->raw_size != sizeof(*ref))
		return false;
	memcpy(ref, sample->raw, sizeof(*ref));
	return ref->key == ring->ctl->key;
}

const struct perfaux_frame *raw_follow(const struct ring *ring,
				       const struct perfaux_reference *ref,
				       const char **wrong)
{
	const uint32_t size = ring->ctl->segment_size;
	const struct perfaux_frame *frame;

	*wrong = "outside";
	if (ref->segment >= ring->ctl->nr_segments ||
	    ref->offset > size - sizeof(*frame) || ref->offset % 8 ||
	    ref->length > size - sizeof(*frame) - ref->offset)
		return NULL;
	*wrong = NULL;
	if (PERFAUX_SEQ(ring_state(ring, ref->segment)) != ref->segment_seq)
		return NULL;
	frame = (const void *)(ring->data + (size_t)ref->segment * size +
			       ref->offset);
	if (frame->state != (ref->segment_seq << 8 | PERFAUX_FRAME_COMMITTED))
		*wrong = "not committed";
	else if (frame->length != ref->length)
		*wrong = "another length";
	else if (frame->segment != ref->segment)
		*wrong = "another segment";
	else if (!(frame->flags & PERFAUX_FRAME_SAMPLE))
		*wrong = "no sample's";
	return *wrong ? NULL : frame;
}

/* Returns the number of frames in one segment, or -EBADMSG. */
static int64_t walk(struct ring *ring, uint32_t i, uint64_t end, frame_fn fn,
		    void *ctx)
{
	const uint8_t *base = ring->data +
			      (size_t)i * ring->ctl->segment_size;
	uint64_t at = 0;
	int64_t n = 0;

	while (at < end) {
		const struct perfaux_frame *frame = (const void *)(base + at);
		const uint32_t state = PERFAUX_STATE(frame->state);

		if (at + sizeof(*frame) > end ||
		    PERFAUX_SEQ(frame->state) !=
		    PERFAUX_SEQ(ring_state(ring, i)) ||
		    state < PERFAUX_FRAME_COMMITTED || frame->segment != i)
			return -EBADMSG;
		if (fn)
			fn(ctx, frame);
		at += sizeof(*frame) + ((frame->length + 7ULL) & ~7ULL);
		n++;
	}
	return at == end ? n : -EBADMSG;
}

static int64_t walk_all(struct ring *ring, frame_fn fn, void *ctx, bool busy,
			bool release)
{
	int64_t sum = 0, n;
	uint32_t i;

	for (i = 0; i < ring->ctl->nr_segments; i++) {
		const struct perfaux_segment *seg = &ring->segments[i];
		uint64_t state = ring_state(ring, i);

		if (seg->kind != PERFAUX_KIND_FRAMES ||
		    ((!busy || PERFAUX_STATE(state) != PERFAUX_SEG_BUSY) &&
		     PERFAUX_STATE(state) < PERFAUX_SEG_READY) ||
		    ring->marks[i] == PERFAUX_SEQ(state))
			continue;
		n = walk(ring, i, counter(&seg->frames_end), fn, ctx);
		/* Somebody else released the segment, or it was overwritten. */
		if (PERFAUX_SEQ(ring_state(ring, i)) != PERFAUX_SEQ(state))
			continue;
		if (n < 0)
			return n;
		sum += n;
		if (release && PERFAUX_STATE(state) >= PERFAUX_SEG_READY)
			__atomic_store_n(&ring->marks[i], PERFAUX_SEQ(state),
					 __ATOMIC_RELEASE);
	}
	return sum;
}

int64_t raw_walk(struct ring *ring, frame_fn fn, void *ctx, bool release)
{
	return walk_all(ring, fn, ctx, true, release);
}

int64_t raw_read_ready(struct ring *ring, frame_fn fn, void *ctx)
{
	return walk_all(ring, fn, ctx, false, true);
}

int raw_tracepoint(const char *system, const char *name)
{
	char path[256], text[32];
	int ret;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/%s/id",
		 system, name);
	ret = file_read(path, text, sizeof(text));
	return ret ? ret : atoi(text);
}

struct perf_event_attr raw_rename_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.config = raw_tracepoint("task", "task_rename"),
		.sample_period = 1,
	};
}
