// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that asks the kernel about each BPF program when it is loaded.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "bpf/bpf.h"
#include "bpf/info.h"
#include "base/bpf_sys.h"
#include "session/session.h"
#include "session/signals.h"

/* Room for 680 BPF_EVENTs of 24 bytes per CPU, until the thread runs. */
#define RING_SIZE	16384
/*
 * Most bytes of items that wait for a slow reader of the stream. A flight recorder has a limit that
 * follows from -M.
 */
#define QUEUE_MAX	(64U << 20)
/*
 * Most ids of BTF that are remembered. A recording of months needs no more. If there are more, BTF
 * can be queued twice, or counted as lost twice.
 */
#define BTFS_MAX	4096

/* Values of bpf_reader.btfs */
enum {
	BTF_DONE,	/* it is queued, or too long */
	BTF_LOST,	/* there was no room for it yet, and it is counted in lost_btfs */
};

/* PERF_RECORD_BPF_EVENT and PERF_RECORD_LOST, without sample ids. */
struct bpf_rec {
	struct perf_event_header header;
	union {
		struct {
			__u16 type;
			__u16 flags;
			__u32 id;
			__u8 tag[BPF_TAG_SIZE];
		};
		struct {
			__u64 event;
			__u64 lost;
		};
	};
};

static bool enqueue(struct bpf_reader *b, struct bpf_item *item)
{
	bool room;

	pthread_mutex_lock(&b->lock);
	room = b->queued + sizeof(*item) + item->size <= b->queue_max;
	if (room) {
		*b->end = item;
		b->end = &item->next;
		b->queued += sizeof(*item) + item->size;
	}
	pthread_mutex_unlock(&b->lock);
	return room;
}

static void count_failure(struct bpf_reader *b, int err)
{
	if (err == -ENOENT)
		b->gone++;
	else
		b->failed++;
}

static void note_btf(struct bpf_reader *b, __u32 id, __u32 state)
{
	if (b->btfs.nr >= BTFS_MAX)
		read_map_free(&b->btfs);
	read_map_set(&b->btfs, id, state);
}

/*
 * Queue the types (BTF) of a program, once: many programs can share the same types. If there is
 * no room, the next program that has them tries again.
 */
static void take_btf(struct bpf_reader *b, __u32 id)
{
	__u32 state = BTF_DONE;
	struct bpf_item *item;
	int fd, err;

	if (read_map_get(&b->btfs, id, &state) && state == BTF_DONE)
		return;
	fd = bpf_fd_by_id(BPF_BTF_GET_FD_BY_ID, id);
	if (fd < 0) {
		b->failed++;
		return;
	}
	err = bpf_btf_item(fd, id, &item);
	close(fd);
	if (err == -E2BIG)
		b->cut_btfs++;
	else if (err)
		b->failed++;
	if (err && err != -E2BIG)
		return;
	if (!err && !enqueue(b, item)) {
		free(item);
		if (state == BTF_LOST)
			return;
		b->lost_btfs++;
		note_btf(b, id, BTF_LOST);
		return;
	}
	b->lost_btfs -= state == BTF_LOST;
	note_btf(b, id, BTF_DONE);
}

static void take_prog(struct bpf_reader *b, __u32 id)
{
	struct bpf_item *item;
	int fd, err;

	/*
	 * A program that is loaded while bpf_start() asks for the loaded programs is found twice:
	 * by bpf_start() and in the ring. Later no program is found twice.
	 */
	if (read_map_get(&b->progs, id, NULL))
		return;
	if (b->stop_fd < 0)
		read_map_set(&b->progs, id, 0);
	fd = bpf_fd_by_id(BPF_PROG_GET_FD_BY_ID, id);
	if (fd < 0) {
		count_failure(b, fd);
		return;
	}
	err = bpf_prog_item(fd, &item);
	if (err) {
		count_failure(b, err);
		close(fd);
		return;
	}
	/* While the program's descriptor is open, its types exist. */
	if (item->btf_id)
		take_btf(b, item->btf_id);
	b->cut += item->cut;
	if (!enqueue(b, item)) {
		b->lost++;
		free(item);
	}
	/* close() may unload the program, and cause a BPF_EVENT. The program is queued by then. */
	close(fd);
}

static void read_ring(struct bpf_reader *b, struct mainring *r)
{
	__u64 pos = r->page->data_tail;

	mainring_snapshot(r);
	while (pos < r->head) {
		struct bpf_rec rec = { 0 };
		size_t i;

		/* All sizes of records, and the ring's size, are multiples of 8. */
		for (i = 0; i < sizeof(rec) && pos + i < r->head; i += 8)
			memcpy((__u8 *)&rec + i,
			       r->data + ((pos + i) & (r->size - 1)), 8);
		/* This does not happen: only the kernel writes to this memory. */
		if (rec.header.size < sizeof(rec.header))
			break;
		pos += rec.header.size;
		if (rec.header.type == PERF_RECORD_LOST)
			b->lost += rec.lost;
		else if (rec.header.type == PERF_RECORD_BPF_EVENT &&
			 rec.type == PERF_BPF_EVENT_PROG_LOAD)
			take_prog(b, rec.id);
		/* Release the record after it was queued, for bpf_settled(). */
		__atomic_store_n(&r->page->data_tail, pos, __ATOMIC_RELEASE);
	}
}

bool bpf_settled(const struct bpf_reader *b)
{
	size_t i;

	for (i = 0; !b->err && i < b->nr_rings; i++) {
		const struct perf_event_mmap_page *page = b->rings[i].page;

		if (__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) !=
		    __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

static void *reader(void *arg)
{
	struct bpf_reader *b = arg;
	struct pollfd *fds;
	bool stop = false;
	size_t i;

	fds = calloc(b->nr_rings + 1, sizeof(*fds));
	if (!fds)
		return NULL;
	fds[0] = (struct pollfd){ .fd = b->stop_fd, .events = POLLIN };
	for (i = 0; i < b->nr_rings; i++)
		fds[i + 1] = (struct pollfd){
			.fd = b->rings[i].fd, .events = POLLIN,
		};
	while (!stop) {
		if (poll(fds, b->nr_rings + 1, -1) < 0)
			continue;
		/* After a stop, read the rings once more. */
		stop = fds[0].revents;
		for (i = 0; i < b->nr_rings; i++) {
			/* poll() would report again and again that a CPU has gone offline. */
			if (fds[i + 1].revents & (POLLHUP | POLLERR))
				fds[i + 1].fd = -1;
			read_ring(b, &b->rings[i]);
		}
		/* Wake the thread that writes, which may sleep. */
		signals_wake();
	}
	free(fds);
	return NULL;
}

static int open_ring(struct bpf_reader *b, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.bpf_event = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	int fd, err;

	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == ENODEV ? 0 : -errno;
	err = grow((void **)&b->rings, b->nr_rings, sizeof(*b->rings));
	if (!err)
		err = mainring_map(&b->rings[b->nr_rings], fd, cpu, RING_SIZE);
	if (err)
		close(fd);
	else
		b->nr_rings++;
	return err;
}

/*
 * May this process ask for a program by its id? List programs to find out, which needs the same
 * capability.
 */
static int check_right(void)
{
	__u32 id = 0;
	int err = bpf_next_prog(&id);

	return err == -ENOENT ? 0 : err;
}

void bpf_open(struct session *s)
{
	struct bpf_reader *b = s->bpf;
	struct cpus cpus = { NULL, 0 };
	size_t i;
	int err;

	b->stop_fd = -1;
	b->end = &b->first;
	b->queue_max = s->opt->flight.on ? s->opt->flight.bpf_queue : QUEUE_MAX;
	pthread_mutex_init(&b->lock, NULL);
	/* BPF programs do not run in user space, so a trace of user space does not need them. */
	err = session_only_user_aux(s) ? -ENOSYS : check_right();
	/* A program can be loaded on any CPU, whatever is recorded. */
	if (!err)
		err = cpus_online(&cpus);
	for (i = 0; !err && i < cpus.nr; i++)
		err = open_ring(b, cpus.list[i]);
	cpus_free(&cpus);
	b->err = err;
}

int bpf_start(struct session *s)
{
	struct bpf_reader *b = s->bpf;
	sigset_t all, old;
	__u32 id = 0;
	int err = 0;

	if (b->err)
		return 0;
	while (!err && !bpf_next_prog(&id)) {
		take_prog(b, id);
		/*
		 * A flight recorder moves items from the queue to its memory. A live recording
		 * cannot write yet, because its stream has not begun.
		 */
		if (s->flight && b->queued > b->queue_max / 2)
			err = bpf_write(s);
	}
	if (err)
		return err;
	b->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (b->stop_fd < 0) {
		b->err = -errno;
		return 0;
	}
	/* Only the thread that writes handles signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	b->err = -pthread_create(&b->thread, NULL, reader, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (b->err) {
		close(b->stop_fd);
		b->stop_fd = -1;
	}
	return 0;
}

void bpf_stop(struct session *s)
{
	struct bpf_reader *b = s->bpf;

	if (b->stop_fd < 0)
		return;
	eventfd_write(b->stop_fd, 1);
	pthread_join(b->thread, NULL);
	close(b->stop_fd);
	b->stop_fd = -1;
}

void bpf_close(struct session *s)
{
	struct bpf_reader *b = s->bpf;
	size_t i;

	bpf_stop(s);
	for (i = 0; i < b->nr_rings; i++) {
		mainring_unmap(&b->rings[i]);
		close(b->rings[i].fd);
	}
	free(b->rings);
	while (b->first) {
		struct bpf_item *item = b->first;

		b->first = item->next;
		free(item);
	}
	read_map_free(&b->progs);
	read_map_free(&b->btfs);
}
