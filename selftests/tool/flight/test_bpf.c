// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/bpf.c: what the recorder reads from a BPF program's ring buffer. The ring
 * buffer is a file here. The kernel maps the data pages twice, one mapping after the other; the
 * file has them twice instead, and each write goes to both copies.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "flight/bpf.h"
#include "wrap.h"

/* Size of the data. A program's record and its header have at most this size. */
#define SIZE	131072U
#define WISHES	20000

static int file, epolled;

/* --- what tool/flight/bpf.c calls in the recorder and in the kernel --- */

static struct wish {
	__u32 size;
	__u32 sum;
} wishes[WISHES];

static unsigned int nr_wishes;
static const struct trigger *of;

/* Return a sum that depends on each byte and on its place. */
static __u32 sum_of(const __u8 *data, __u32 size)
{
	__u32 sum = size;

	while (size--)
		sum = sum * 31 + *data++;
	return sum;
}

void flight_wish(struct session *s, struct trigger *t, const char *name, __u64 time,
		 __u64 token, const void *data, size_t size)
{
	if (nr_wishes >= WISHES || !s || name || time != 77 || token || size > SIZE)
		abort();
	wishes[nr_wishes++] = (struct wish){ size, sum_of(data, size) };
	of = t;
}

__u64 perf_clock_about(struct perf_clock *c)
{
	(void)c;
	return 77;
}

int bpf_map_open(const char *option, const char *path, __u32 type, __u32 value_size,
		 const char *kind, struct diag *d)
{
	(void)option;
	(void)path;
	(void)value_size;
	if (type != BPF_MAP_TYPE_RINGBUF)
		return diag(d, -EINVAL, "no %s", kind);
	return dup(file);
}

/* The only system call is bpf(2), which asks how large the map is. */
long __wrap_syscall(long nr, ...)
{
	struct bpf_map_info *info;
	union bpf_attr *attr;
	va_list args;
	int cmd;

	va_start(args, nr);
	cmd = va_arg(args, int);
	attr = va_arg(args, union bpf_attr *);
	va_end(args);
	if (nr != SYS_bpf || cmd != BPF_OBJ_GET_INFO_BY_FD) {
		errno = ENOSYS;
		return -1;
	}
	info = (struct bpf_map_info *)(unsigned long)attr->info.info;
	info->max_entries = SIZE;
	return 0;
}

/* Only count the call: epoll does not take a regular file. */
int __wrap_epoll_ctl(int epfd, int op, int fd, struct epoll_event *ev)
{
	epolled += epfd == 99 && op == EPOLL_CTL_ADD && fd >= 0 && ev->events == EPOLLIN;
	return 0;
}

/* --- the ring buffer, as the kernel fills it --- */

FIXTURE(bpf)
{
	struct session *s;
	struct flight *f;
	struct trigger trigger;
	__u64 *consumer, *producer;
	__u8 *data;
	size_t length;
};

FIXTURE_SETUP(bpf)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct diag d;
	__u8 *p;

	self->length = 2 * page + 2 * SIZE;
	file = memfd_create("ringbuf", MFD_CLOEXEC);
	ASSERT_GE(file, 0);
	ASSERT_EQ(ftruncate(file, self->length), 0);
	p = mmap(NULL, self->length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_NE((void *)p, MAP_FAILED);
	self->consumer = (__u64 *)p;
	self->producer = (__u64 *)(p + page);
	self->data = p + 2 * page;
	self->s = calloc(1, sizeof(*self->s));
	self->f = calloc(1, sizeof(*self->f));
	ASSERT_TRUE(self->s && self->f);
	self->s->flight = self->f;
	self->f->epoll_fd = 99;
	memset(&self->trigger, 0, sizeof(self->trigger));
	nr_wishes = 0;
	epolled = 0;
	ASSERT_EQ(trigger_parse(&self->trigger, "bpf=/x", &d), 0);
	ASSERT_EQ(flight_bpf_open(self->s, &self->trigger, &d), 0);
	EXPECT_EQ(epolled, 1);
}

FIXTURE_TEARDOWN(bpf)
{
	flight_bpf_close(self->s);
	EXPECT_EQ(self->f->bpf, NULL);
	munmap((void *)self->consumer, self->length);
	close(file);
	trigger_free(&self->trigger);
	free(self->f);
	free(self->s);
}

static void put(FIXTURE_DATA(bpf) *self, __u64 pos, const void *from, __u32 size)
{
	const __u8 *byte = from;

	for (; size--; pos++) {
		self->data[pos % SIZE] = *byte;
		self->data[pos % SIZE + SIZE] = *byte++;
	}
}

/* Fill @data with bytes that depend on the record's number, so that no two records are alike. */
static void fill(__u8 *data, __u32 size, __u32 nr)
{
	__u32 i;

	for (i = 0; i < size; i++)
		data[i] = nr * 7 + i * 13 + (i >> 8);
}

static void set_head(FIXTURE_DATA(bpf) *self, __u64 pos, __u32 length)
{
	const __u32 head[2] = { length, 4711 };

	put(self, pos, head, sizeof(head));
}

/*
 * Do what bpf_ringbuf_reserve() does: round up the record's room to 8 bytes, but not its length.
 * Return the record's position.
 */
static __u64 reserve(FIXTURE_DATA(bpf) *self, __u32 size, __u32 nr)
{
	static __u8 data[SIZE];
	const __u64 pos = *self->producer;

	fill(data, size, nr);
	set_head(self, pos, size | BPF_RINGBUF_BUSY_BIT);
	put(self, pos + BPF_RINGBUF_HDR_SZ, data, size);
	*self->producer = pos + BPF_RINGBUF_HDR_SZ + ALIGN8(size);
	return pos;
}

static void submit(FIXTURE_DATA(bpf) *self, __u32 size, __u32 nr)
{
	set_head(self, reserve(self, size, nr), size);
}

static void discard(FIXTURE_DATA(bpf) *self, __u32 size, __u32 nr)
{
	set_head(self, reserve(self, size, nr), size | BPF_RINGBUF_DISCARD_BIT);
}

/* Are the @i-th trigger's bytes those of record @nr? */
static bool is(unsigned int i, __u32 size, __u32 nr)
{
	static __u8 data[SIZE];

	fill(data, size, nr);
	return i < nr_wishes && wishes[i].size == size && wishes[i].sum == sum_of(data, size);
}

/* --- tests --- */

TEST_F(bpf, nothing)
{
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, 0);
	EXPECT_EQ(*self->consumer, 0);
}

/*
 * Each record is a trigger of its own. It has the record's bytes, and not the padding up to the
 * next record.
 */
TEST_F(bpf, sizes)
{
	static const __u32 sizes[] = { 24, 0, 1, 7, 8, 9, 4096, 0, 50000, 3 };
	const unsigned int nr = sizeof(sizes) / sizeof(*sizes);
	unsigned int i;

	for (i = 0; i < nr; i++)
		submit(self, sizes[i], i);
	flight_bpf_run(self->s);
	ASSERT_EQ(nr_wishes, nr);
	for (i = 0; i < nr; i++)
		EXPECT_TRUE(is(i, sizes[i], i));
	EXPECT_EQ(of, &self->trigger);
	EXPECT_EQ(*self->consumer, *self->producer);
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, nr);
}

/* The largest record */
TEST_F(bpf, largest)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		submit(self, SIZE - BPF_RINGBUF_HDR_SZ, i);
		flight_bpf_run(self->s);
		ASSERT_EQ(nr_wishes, i + 1);
		EXPECT_TRUE(is(i, SIZE - BPF_RINGBUF_HDR_SZ, i));
		EXPECT_EQ(*self->consumer, *self->producer);
	}
}

/* The program discards the record: no trigger comes, and the room is given back. */
TEST_F(bpf, discarded)
{
	discard(self, 100, 1);
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, 0);
	EXPECT_EQ(*self->consumer, *self->producer);
	submit(self, 10, 2);
	discard(self, 0, 3);
	discard(self, 77, 4);
	submit(self, 20, 5);
	flight_bpf_run(self->s);
	ASSERT_EQ(nr_wishes, 2);
	EXPECT_TRUE(is(0, 10, 2));
	EXPECT_TRUE(is(1, 20, 5));
	EXPECT_EQ(*self->consumer, *self->producer);
}

/* A record that is being written holds back later ones until it is submitted or discarded. */
TEST_F(bpf, busy)
{
	__u64 pos;

	submit(self, 10, 1);
	pos = reserve(self, 20, 2);
	submit(self, 30, 3);
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, 1);
	EXPECT_EQ(*self->consumer, pos);
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, 1);
	set_head(self, pos, 20);
	flight_bpf_run(self->s);
	ASSERT_EQ(nr_wishes, 3);
	EXPECT_TRUE(is(1, 20, 2));
	EXPECT_TRUE(is(2, 30, 3));

	pos = reserve(self, 40, 4);
	submit(self, 50, 5);
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, 3);
	set_head(self, pos, 40 | BPF_RINGBUF_DISCARD_BIT);
	flight_bpf_run(self->s);
	ASSERT_EQ(nr_wishes, 4);
	EXPECT_TRUE(is(3, 50, 5));
}

/* Records fill the ring buffer many times, and cross the end of the data at different places. */
TEST_F(bpf, wraps)
{
	unsigned int nr = 0, across = 0, i;
	__u32 size = 0, sizes[3];

	while (nr < 3000) {
		/* Let the recorder read several records in one look. */
		for (i = 0; i < 3; i++, nr++) {
			const __u64 begin = *self->producer, end = begin + BPF_RINGBUF_HDR_SZ;

			size = (size + 12377) % 30000;
			sizes[i] = size;
			across += size && end / SIZE != (end + size - 1) / SIZE;
			submit(self, size, nr);
			if (nr % 7 == 6)
				discard(self, size / 4, nr);
		}
		nr_wishes = 0;
		flight_bpf_run(self->s);
		ASSERT_EQ(nr_wishes, 3);
		ASSERT_EQ(*self->consumer, *self->producer);
		for (i = 0; i < 3; i++)
			ASSERT_TRUE(is(i, sizes[i], nr - 3 + i));
	}
	EXPECT_GT(*self->consumer / SIZE, 100);
	EXPECT_GT(across, 100);
}

/*
 * If there are many records, one call reads only a part, so that the recorder can do other things.
 * The next call reads the rest.
 */
TEST_F(bpf, many)
{
	const unsigned int nr = SIZE / BPF_RINGBUF_HDR_SZ;
	unsigned int i;

	for (i = 0; i < nr; i++)
		submit(self, 0, i);
	flight_bpf_run(self->s);
	EXPECT_GT(nr_wishes, 1000);
	EXPECT_LT(nr_wishes, nr);
	EXPECT_EQ(*self->consumer, nr_wishes * BPF_RINGBUF_HDR_SZ);
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, nr);
	EXPECT_EQ(*self->consumer, *self->producer);
}

/* No program can write such a length: the recorder reads nothing beyond the data. */
TEST_F(bpf, damaged)
{
	const __u64 pos = reserve(self, 8, 1);

	set_head(self, pos, SIZE - BPF_RINGBUF_HDR_SZ + 1);
	flight_bpf_run(self->s);
	EXPECT_EQ(nr_wishes, 0);
	EXPECT_EQ(*self->consumer, pos);
}

TEST_HARNESS_MAIN
