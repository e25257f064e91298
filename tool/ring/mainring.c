// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the main ring of one CPU: perf's own ring with sideband and samples.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/mainring.h"
#include "stream/records.h"

int mainring_map(struct mainring *r, int fd, int cpu, size_t bytes)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	void *base;

	base = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (base == MAP_FAILED)
		return -errno;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->cpu = cpu;
	r->page = base;
	r->data = (__u8 *)base + page;
	r->size = bytes;
	return 0;
}

void mainring_unmap(struct mainring *r)
{
	if (r->page)
		munmap(r->page, r->size + sysconf(_SC_PAGESIZE));
	r->page = NULL;
}

__u64 mainring_snapshot(struct mainring *r)
{
	/* This load pairs with the barrier in perf_output_put_handle(). */
	r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	/*
	 * Since the last mainring_copy() began, at most this many bytes were in use at any time.
	 * So if a record found no room, this value is nearly the size of the ring.
	 */
	if (r->head - r->tail > r->filled)
		r->filled = r->head - r->tail;
	return r->head - r->page->data_tail;
}

bool mainring_has_more(const struct mainring *r)
{
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE) != r->head;
}

static void copy_out(const struct mainring *r, __u64 pos, void *to, size_t len)
{
	size_t at = pos & (r->size - 1);
	size_t first = r->size - at < len ? r->size - at : len;

	memcpy(to, r->data + at, first);
	memcpy((__u8 *)to + first, r->data, len - first);
}

static void note_time(struct mainring *r, struct main_stats *stats, __u64 time)
{
	if (!time || time == ~0ULL)
		return;
	r->last_time = time;
	if (time > stats->max_time)
		stats->max_time = time;
}

static void account(struct mainring *r, struct main_stats *stats, const __u8 *rec)
{
	const struct perf_event_header *h = (const void *)rec;
	__u64 v;

	stats->records++;
	stats->bytes += h->size;
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		stats->samples++;
		/* The time follows id (IDENTIFIER), ip, pid and tid. */
		if (h->size < 40)
			return;
		memcpy(&v, rec + 32, sizeof(v));
		note_time(r, stats, v);
		return;
	case PERF_RECORD_LOST_SAMPLES:
		memcpy(&v, rec + 8, sizeof(v));
		stats->unwritten += v;
		break;
	case PERF_RECORD_THROTTLE:
		stats->throttled++;
		break;
	}
	if (h->size >= sizeof(*h) + sizeof(struct rec_sample_id)) {
		struct rec_sample_id id;

		memcpy(&id, rec + h->size - sizeof(id), sizeof(id));
		note_time(r, stats, id.time);
	}
}

/*
 * Does the record have a build-id bit although its event did not ask for ids? If another event, of
 * any user, has asked for ids, Linux 6.1 leaves the bit set for later events (see
 * module/ids/header.c). The record then contains device and inode, not a build-id.
 */
static bool has_others_bit(bool ids_asked, const struct perf_event_header *h)
{
	return h->type == PERF_RECORD_MMAP2 && !ids_asked &&
	       h->misc & REC_MISC_MMAP_BUILD_ID;
}

/* A position in a ring, and a copy of the record there if the record is not used in place. */
struct cursor {
	__u64 pos;
	__u64 head;			/* records end here */
	struct perf_event_header h;	/* of the record at @pos */
	__u64 buf[REC_SIZE_MAX / 8 + 1];
};

/* Return the record at the cursor; NULL: it is impossible. @ids_asked: as for mainring_copy() */
static const void *record_at(const struct mainring *r, struct cursor *c, bool ids_asked)
{
	struct perf_event_header *h = &c->h;
	bool others_bit;

	copy_out(r, c->pos, h, sizeof(*h));
	/* The ring is shared memory, so do not trust a size in it. */
	if (h->size < sizeof(*h) || h->size % 8 || h->size > c->head - c->pos)
		return NULL;

	others_bit = has_others_bit(ids_asked, h);
	if ((c->pos & (r->size - 1)) + h->size <= r->size && !others_bit)
		return r->data + (c->pos & (r->size - 1));
	copy_out(r, c->pos, c->buf, h->size);
	if (others_bit) {
		h->misc &= ~REC_MISC_MMAP_BUILD_ID;
		memcpy(c->buf, h, sizeof(*h));
	}
	return c->buf;
}

int mainring_copy(struct mainring *r, mainring_fn fn, void *ctx,
		  struct main_stats *stats, bool ids_asked)
{
	struct cursor c;
	__u64 given;
	int err = 0;

	c.pos = r->page->data_tail;
	c.head = r->head;
	given = c.pos;
	r->tail = c.pos;
	while (c.pos < c.head) {
		const void *rec = record_at(r, &c, ids_asked);

		if (!rec)
			return -EBADMSG;
		err = fn(ctx, rec);
		if (err)
			break;
		account(r, stats, rec);
		c.pos += c.h.size;
		/* Give room back to the kernel while @fn works on the rest. */
		if (c.pos - given >= r->size / 8) {
			__atomic_store_n(&r->page->data_tail, c.pos, __ATOMIC_RELEASE);
			given = c.pos;
		}
	}

	/* This store pairs with the control dependency in the kernel's ring buffer. */
	__atomic_store_n(&r->page->data_tail, c.pos, __ATOMIC_RELEASE);
	return err;
}

int mainring_peek(const struct mainring *r, mainring_fn fn, void *ctx, bool ids_asked)
{
	struct cursor c;
	int err = 0;

	c.pos = r->page->data_tail;
	/* This load pairs with the barrier in perf_output_put_handle(). */
	c.head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	for (; !err && c.pos < c.head; c.pos += c.h.size) {
		const void *rec = record_at(r, &c, ids_asked);

		if (!rec)
			return -EBADMSG;
		err = fn(ctx, rec);
	}
	return err;
}

void mainring_time_conv(const struct mainring *r, struct time_conv *tc)
{
	const struct perf_event_mmap_page *pg = r->page;
	__u32 seq;

	/* pg->lock is a seqlock of the kernel, see struct perf_event_mmap_page. */
	do {
		seq = __atomic_load_n(&pg->lock, __ATOMIC_ACQUIRE);
		tc->shift = pg->time_shift;
		tc->mult = pg->time_mult;
		tc->zero = pg->time_zero;
		tc->cap_zero = pg->cap_user_time_zero;
		tc->cap_short = pg->cap_user_time_short;
		tc->cycles = tc->cap_short ? pg->time_cycles : 0;
		tc->mask = tc->cap_short ? pg->time_mask : 0;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || seq != __atomic_load_n(&pg->lock, __ATOMIC_RELAXED));
}
