// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open and read a raw ring of perfaux.ko as perfaux.h prescribes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/rawring.h"
#include "base/util.h"

#define NO_SEGMENT	(~0U)

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

static int map_tables(struct rawring *r, struct diag *d)
{
	void *p = mmap(NULL, r->ring_size, PROT_READ, MAP_SHARED, r->fd, r->marks_size);
	const struct perfaux_control *ctl = p;

	if (p == MAP_FAILED)
		return diag(d, -errno, "mapping the raw ring: %s",
			    strerror(errno));
	r->ctl = ctl;
	if (ctl->abi != PERFAUX_ABI)
		return diag(d, -EPROTO,
			    "the raw ring has ABI %u, this auxrec knows %u",
			    ctl->abi, PERFAUX_ABI);
	r->segments = (const void *)((const __u8 *)p + ctl->segments_offset);
	r->spans = (const void *)((const __u8 *)p + ctl->spans_offset);
	r->gaps = (const void *)((const __u8 *)p + ctl->gaps_offset);
	r->data = (const __u8 *)p + ctl->data_offset;
	return 0;
}

static int map_ring(struct rawring *r, const struct perfaux_create *create,
		    struct diag *d)
{
	void *p;

	p = mmap(NULL, create->marks_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		 r->fd, 0);
	if (p == MAP_FAILED)
		return diag(d, -errno, "mapping the raw ring's marks: %s",
			    strerror(errno));
	r->marks = p;
	r->marks_size = create->marks_size;
	r->ring_size = create->ring_size;
	if (create->user_size) {
		p = mmap(NULL, create->user_size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
			 create->marks_size + create->ring_size);
		if (p == MAP_FAILED)
			return diag(d, -errno, "mapping the reserved memory: %s", strerror(errno));
		r->user = p;
		r->user_size = create->user_size;
	}
	return map_tables(r, d);
}

int rawring_map_again(struct rawring *r, struct diag *d)
{
	r->marks = NULL;
	return map_tables(r, d);
}

int rawring_only_read(struct rawring *r)
{
	void *p = mmap((void *)r->ctl, r->ring_size, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE,
		       r->fd, r->marks_size);

	if (p != (void *)r->ctl)
		return p == MAP_FAILED ? -errno : -EEXIST;
	r->only_read = true;
	return 0;
}

/*
 * Make room for twice as many entries as can be visible at the same time: between their numbers
 * there can be numbers that are not visible yet.
 */
static int alloc_window(struct rawring *r)
{
	__u64 most = (__u64)r->ctl->nr_segments * r->ctl->spans_per_segment +
		     r->ctl->nr_gaps;
	__u64 nr = 2;

	while (nr < most)
		nr <<= 1;
	nr <<= 1;
	r->mask = nr - 1;
	r->window = calloc(nr, sizeof(*r->window));
	r->seg = calloc(r->ctl->nr_segments, sizeof(*r->seg));
	return r->window && r->seg ? look_init(&r->look, r->ctl->nr_segments) : -ENOMEM;
}

/* Name the group of the device, because root can add a user to it. */
static int no_access(int err, struct diag *d)
{
	const struct group *group = NULL;
	struct stat st;

	if (!stat(PERFAUX_DEVICE, &st) && (st.st_mode & 060) == 060 && st.st_gid)
		group = getgrgid(st.st_gid);
	if (group)
		return diag(d, err,
			    "no access to %s: you are not in the group %s: let root add you to it (adduser USER %s) and log in again, or record as root",
			    PERFAUX_DEVICE, group->gr_name, group->gr_name);
	return diag(d, err, "no access to %s: record as root, or let root give you access",
		    PERFAUX_DEVICE);
}

int rawring_device(struct diag *d)
{
	struct perfaux_info info = { .size = sizeof(info) };
	int fd, err;

	fd = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		if (err == -EACCES || err == -EPERM)
			return no_access(err, d);
		return diag(d, err,
			    "AUX events and --raw-ring need the perfaux module, and %s is not there (%s): %s. Other events work without it",
			    PERFAUX_DEVICE, strerror(-err), LOAD_PERFAUX);
	}
	if (ioctl(fd, PERFAUX_IOC_INFO, &info)) {
		err = -errno;
		close(fd);
		return diag(d, err,
			    "%s: %s: perhaps another perfaux module is loaded: load the perfaux.ko that belongs to this auxrec",
			    PERFAUX_DEVICE, strerror(-err));
	}
	if (info.abi != PERFAUX_ABI) {
		close(fd);
		return diag(d, -EPROTO,
			    "the loaded perfaux module has ABI %u, this auxrec knows %u: load the perfaux.ko that belongs to this auxrec",
			    info.abi, PERFAUX_ABI);
	}
	return fd;
}

__s64 rawring_region(struct diag *d)
{
	struct perfaux_info info = { .size = sizeof(info) };
	const int fd = rawring_device(d);
	int err;

	if (fd < 0)
		return fd;
	err = ioctl(fd, PERFAUX_IOC_INFO, &info);
	close(fd);
	if (!err && info.region_size)
		return info.region_size;
	return diag(d, -ENODEV,
		    "no memory is reserved for what must survive a crash of the machine: boot with reserve_mem=64M:4096:perfaux nokaslr (Linux 6.11 or later), see auxrec-recover(8)");
}

static int create_error(int err, __u32 seg_size, __u32 nr_segs, struct diag *d)
{
	const unsigned long long kib = (__u64)seg_size * nr_segs >> 10;

	switch (err) {
	case -EEXIST:
		return diag(d, err,
			    "the reserved memory has what was recorded before a crash of the machine: save it with auxrec recover, or throw it away with auxrec recover --wipe");
	case -EBUSY:
		return diag(d, err,
			    "the reserved memory is in use: another flight recorder has --survive-crash, or auxrec recover reads it");
	case -ENOSPC:
		return diag(d, err,
			    "a raw ring of %llu KiB does not fit into the reserved memory: give a smaller one with -m MAIN,RAW, or reserve more (reserve_mem=)",
			    kib);
	case -EPERM:
		return diag(d, err,
			    "a raw ring of %llu KiB exceeds the locked memory limit (ulimit -l): give a smaller one with -m MAIN,RAW, or raise the limit",
			    kib);
	case -ENOMEM:
		return diag(d, err,
			    "not enough memory for a raw ring of %llu KiB: give a smaller one with -m MAIN,RAW",
			    kib);
	default:
		return diag(d, err,
			    "cannot create a raw ring of %u segments of %u bytes: %s",
			    nr_segs, seg_size, strerror(-err));
	}
}

int rawring_open(struct rawring *r, __u32 flags, __u32 seg_size, __u32 nr_segs,
		 size_t user_size, struct diag *d)
{
	struct perfaux_create create = {
		.size = sizeof(create),
		.flags = flags,
		.segment_size = seg_size,
		.nr_segments = nr_segs,
		/* Wake the reader while most of the ring is still free. */
		.watermark = nr_segs >= 16 ? nr_segs / 8 : 1,
		.user_size = user_size,
	};
	int dev, err;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->next = 1;

	dev = rawring_device(d);
	if (dev < 0)
		return dev;
	r->fd = ioctl(dev, PERFAUX_IOC_CREATE, &create);
	err = -errno;
	close(dev);
	if (r->fd < 0)
		return create_error(err, seg_size, nr_segs, d);

	err = map_ring(r, &create, d);
	if (!err && alloc_window(r))
		err = diag(d, -ENOMEM, "out of memory");
	if (err)
		rawring_close(r);
	return err;
}

static void unmap(struct rawring *r)
{
	if (r->ctl && r->ring_size)
		munmap((void *)r->ctl, r->ring_size);
	if (r->marks)
		munmap(r->marks, r->marks_size);
	if (r->user)
		munmap(r->user, r->user_size);
	if (r->fd >= 0)
		close(r->fd);
	r->marks = NULL;
	r->user = NULL;
	r->fd = -1;
}

void rawring_let_go(struct rawring *r)
{
	struct perfaux_control *counters = malloc(sizeof(*counters));

	if (!counters)
		return;
	memcpy(counters, r->ctl, sizeof(*counters));
	unmap(r);
	r->ctl = counters;
	r->ring_size = 0;
	r->segments = NULL;
	r->spans = NULL;
	r->gaps = NULL;
	r->data = NULL;
}

void rawring_close(struct rawring *r)
{
	unmap(r);
	if (!r->ring_size)
		free((void *)r->ctl);
	free(r->window);
	free(r->seg);
	look_free(&r->look);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

int rawring_attach(struct rawring *r, int event_fd, __u32 flags, __u64 cookie)
{
	struct perfaux_attach a = {
		.size = sizeof(a),
		.flags = flags,
		.fd = event_fd,
		.cookie = cookie,
	};

	return ioctl(r->fd, PERFAUX_IOC_ATTACH, &a) ? -errno : 0;
}

int rawring_detach(struct rawring *r, int event_fd)
{
	struct perfaux_detach a = { .size = sizeof(a), .fd = event_fd };

	return ioctl(r->fd, PERFAUX_IOC_DETACH, &a) ? -errno : 0;
}

int rawring_detach_all(struct rawring *r)
{
	struct perfaux_detach a = {
		.size = sizeof(a),
		.flags = PERFAUX_DETACH_ALL,
		.fd = -1,
	};

	return ioctl(r->fd, PERFAUX_IOC_DETACH, &a) ? -errno : 0;
}

int rawring_handle(struct rawring *r, __u64 *handle)
{
	struct perfaux_handle a = { .size = sizeof(a) };

	if (ioctl(r->fd, PERFAUX_IOC_HANDLE, &a))
		return -errno;
	*handle = a.handle;
	return 0;
}

int rawring_flush(struct rawring *r, __u32 flags)
{
	struct perfaux_flush a = { .size = sizeof(a), .flags = flags };

	return ioctl(r->fd, PERFAUX_IOC_FLUSH, &a) ? -errno : 0;
}

static void note(struct rawring *r, __u64 seq, __u32 segment, __u32 index)
{
	/*
	 * Ignore a number below @next: rawring_next() skipped it, or it belongs to a gap that is
	 * not released yet. Ignore a number that is too far ahead: the ring is broken.
	 */
	if (seq < r->next || seq - r->next > r->mask)
		return;
	r->window[seq & r->mask] = (struct raw_entry){ seq, segment, index };
	if (seq > r->last)
		r->last = seq;
}

static void scan_active(struct rawring *r)
{
	__u32 i;

	for (i = 0; segment_set_find(&r->look.wanted, &i); i++) {
		__u64 state = load_acquire(&r->segments[i].state);
		__u64 t;

		switch (PERFAUX_STATE(state)) {
		case PERFAUX_SEG_CLAIMED:
			/* A span begins here. Its time is not known yet. */
			r->oldest = 0;
			break;
		case PERFAUX_SEG_BUSY:
			/*
			 * If the segment's span has just ended, t_active is 0, or the time
			 * when the segment became READY. Then the span can be read already.
			 */
			t = __atomic_load_n(&r->segments[i].t_active,
					    __ATOMIC_RELAXED);
			if (t && t < r->oldest)
				r->oldest = t;
			break;
		}
	}
}

static void scan_segment(struct rawring *r, __u32 i)
{
	struct raw_segment *seg = &r->seg[i];
	const struct perfaux_span *spans;
	__u64 state, seq;
	bool frames;
	__u32 nr;

	state = load_acquire(&r->segments[i].state);
	seq = PERFAUX_SEQ(state);
	switch (PERFAUX_STATE(state)) {
	case PERFAUX_SEG_BUSY:
	case PERFAUX_SEG_IDLE:
	case PERFAUX_SEG_READY:
		break;
	case PERFAUX_SEG_CLAIMED:
		return;
	default:
		segment_set_remove(&r->look.wanted, i);
		return;
	}

	nr = load_acquire(&r->segments[i].nr_spans);
	if (nr > r->ctl->spans_per_segment)
		return;
	/* If the segment was claimed again meanwhile, @nr belongs to another use. */
	frames = r->segments[i].kind == PERFAUX_KIND_FRAMES;
	if (PERFAUX_SEQ(load_acquire(&r->segments[i].state)) != seq)
		return;
	if (PERFAUX_STATE(state) == PERFAUX_SEG_READY)
		segment_set_remove(&r->look.wanted, i);
	if (frames)
		return;
	if (seg->seq != seq)
		*seg = (struct raw_segment){ .seq = seq, .ready = ~0U };
	if (PERFAUX_STATE(state) == PERFAUX_SEG_READY) {
		seg->ready = nr;
		/* If all spans were handed out while the segment was BUSY or IDLE, release it. */
		if (seg->done == nr)
			store_release(&r->marks[i], seq);
	}

	spans = r->spans + (size_t)i * r->ctl->spans_per_segment;
	for (; seg->taken < nr; seg->taken++)
		note(r, spans[seg->taken].seq, i, seg->taken);
}

void rawring_scan(struct rawring *r)
{
	__u32 i;

	look_begin(&r->look, r->ctl);
	r->oldest = ~0ULL;
	scan_active(r);
	/* Look for active spans before the ended ones: a span that ends in between is in both. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = 0; segment_set_find(&r->look.wanted, &i); i++)
		scan_segment(r, i);

	for (i = 0; i < r->ctl->nr_gaps; i++) {
		__u64 seq = load_acquire(&r->gaps[i].seq);

		/* This entry and all later ones were never used, or a writer is just filling it. */
		if (!seq && !r->gaps[i].t_begin)
			break;
		if (seq && seq != r->marks[r->ctl->nr_segments + i])
			note(r, seq, NO_SEGMENT, i);
	}
}

static const struct perfaux_span *entry_span(const struct rawring *r,
					     const struct raw_entry *e)
{
	return r->spans + (size_t)e->segment * r->ctl->spans_per_segment +
	       e->index;
}

/* A span that waits for a missing number counts as one that is still being written. */
static void hold_back(struct rawring *r)
{
	__u64 seq;

	for (seq = r->next + 1; seq <= r->last; seq++) {
		const struct raw_entry *e = &r->window[seq & r->mask];

		if (e->seq == seq && e->segment != NO_SEGMENT) {
			__u64 t = entry_span(r, e)->t_begin;

			if (t < r->oldest)
				r->oldest = t;
		}
	}
}

static void fill_span(struct rawring *r, struct raw_item *item,
		      const struct raw_entry *e)
{
	struct raw_segment *seg = &r->seg[e->segment];
	const struct perfaux_span *span = entry_span(r, e);
	const __u32 size = r->ctl->segment_size;

	item->span = span;
	item->index = e->segment;
	if (span->offset <= size && span->length <= size - span->offset)
		item->data = r->data + (size_t)e->segment * size + span->offset;
	seg->done++;
	item->last = seg->done == seg->ready;
}

bool rawring_next(struct rawring *r, struct raw_item *item, bool skip)
{
	const struct raw_entry *e;

	for (;;) {
		if (r->next > r->last)
			return false;
		e = &r->window[r->next & r->mask];
		if (e->seq == r->next)
			break;
		if (!skip) {
			hold_back(r);
			return false;
		}
		r->missing++;
		r->next++;
	}

	r->next++;
	memset(item, 0, sizeof(*item));
	if (e->segment == NO_SEGMENT) {
		item->gap = &r->gaps[e->index];
		item->index = e->index;
	} else {
		fill_span(r, item, e);
	}
	return true;
}

void rawring_release(struct rawring *r, const struct raw_item *item)
{
	if (item->gap)
		store_release(&r->marks[r->ctl->nr_segments + item->index],
			      item->gap->seq);
	else if (item->last)
		store_release(&r->marks[item->index],
			      r->seg[item->index].seq);
}

unsigned int rawring_free_segments(const struct rawring *r)
{
	unsigned int n = 0;
	__u32 i;

	for (i = 0; i < r->ctl->nr_segments; i++) {
		__u64 state = load_acquire(&r->segments[i].state);

		if (PERFAUX_STATE(state) == PERFAUX_SEG_FREE ||
		    (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		     r->marks[i] == PERFAUX_SEQ(state)))
			n++;
	}
	return n;
}
