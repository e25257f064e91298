// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of a BPF ring buffer whose records are triggers. The buffer consists of a
 * page with the reader's position, a page with the writers' position, and the data, which
 * is mapped twice in a row (kernel/bpf/ringbuf.c, bpf_ringbuf_area_alloc()). In front of
 * each record are its length with two flags, and the number of its page.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bpf_sys.h"
#include "flight/flight.h"
#include "flight/bpf.h"

/* One look takes at most this many records. The rest waits for the next look. */
#define RECORDS_MAX	10000

struct flight_bpf {
	struct flight_bpf *next;
	struct trigger *trigger;
	int fd;
	size_t size;			/* of the data, a power of two */
	__u64 *consumer;
	const __u64 *producer;
	const __u8 *data;
};

static int map_both(struct flight_bpf *b)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	b->consumer = p;
	p = mmap(NULL, page + 2 * b->size, PROT_READ, MAP_SHARED, b->fd, page);
	if (p == MAP_FAILED)
		return -errno;
	b->producer = p;
	b->data = (const __u8 *)p + page;
	return 0;
}

static void free_one(struct flight_bpf *b)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	if (b->producer)
		munmap((void *)b->producer, page + 2 * b->size);
	if (b->consumer)
		munmap(b->consumer, page);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

int flight_bpf_open(struct session *s, const struct trigger *t, struct diag *d)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct bpf_map_info info = { 0 };
	struct flight_bpf *b;
	char what[64];
	int err;

	b = calloc(1, sizeof(*b));
	if (!b)
		return diag(d, -ENOMEM, "out of memory");
	b->trigger = (struct trigger *)t;
	snprintf(what, sizeof(what), "--trigger %.48s", t->name);
	b->fd = bpf_map_open(what, t->value, BPF_MAP_TYPE_RINGBUF, 0,
			     "ring buffer (BPF_MAP_TYPE_RINGBUF)", d);
	if (b->fd < 0) {
		err = b->fd;
		goto free;
	}
	err = bpf_get_info(b->fd, &info, sizeof(info));
	b->size = info.max_entries;
	if (!err)
		err = map_both(b);
	if (!err && epoll_ctl(s->flight->epoll_fd, EPOLL_CTL_ADD, b->fd, &ev))
		err = -errno;
	if (err) {
		diag(d, err, "--trigger bpf=%s: %s", t->value, strerror(-err));
		goto free;
	}
	b->next = s->flight->bpf;
	s->flight->bpf = b;
	return 0;
free:
	free_one(b);
	return err;
}

static void run_one(struct session *s, struct flight_bpf *b)
{
	__u64 pos = *b->consumer;
	const __u64 end = __atomic_load_n(b->producer, __ATOMIC_ACQUIRE);
	unsigned int nr;

	for (nr = 0; pos < end && nr < RECORDS_MAX; nr++) {
		const __u8 *rec = b->data + (pos & (b->size - 1));
		const __u32 len = __atomic_load_n((const __u32 *)rec, __ATOMIC_ACQUIRE);
		const __u32 size = len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		/* The records after a busy one wait for it, as with any reader. */
		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		if (size > b->size - BPF_RINGBUF_HDR_SZ)
			break;
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			flight_wish(s, b->trigger, NULL, perf_clock_about(s->clock),
				    0, rec + BPF_RINGBUF_HDR_SZ, size);
		pos += BPF_RINGBUF_HDR_SZ + ALIGN8((__u64)size);
		__atomic_store_n(b->consumer, pos, __ATOMIC_RELEASE);
	}
}

void flight_bpf_run(struct session *s)
{
	struct flight_bpf *b;

	for (b = s->flight->bpf; b; b = b->next)
		run_one(s, b);
}

void flight_bpf_close(struct session *s)
{
	struct flight_bpf *next;

	for (; s->flight->bpf; s->flight->bpf = next) {
		next = s->flight->bpf->next;
		free_one(s->flight->bpf);
	}
}
