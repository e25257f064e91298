// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of queues of `auxrec extract`. A queue's file gets its name at the end,
 * because the pid of a thread may come after the thread's first data. Until then the
 * file is called part-N.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_dir.h"
#include "extract/extract.h"
#include "stream/cause.h"

#define NAME_LEN	64

/* Make a message of errno and the file's name. */
static int failed(struct extract *e, const char *name)
{
	diag(&e->diag, -errno, "%s/%s: %s", e->dir, name, strerror(errno));
	return -ECANCELED;
}

static void part_name(size_t queue, char name[NAME_LEN])
{
	snprintf(name, NAME_LEN, "part-%zu", queue);
}

/*
 * Number the events whose data is chunks, from 1. Names of files have the number if
 * several events, or AUXTRACE data, would otherwise have files of the same name.
 */
static int number_events(struct extract *e)
{
	unsigned int *numbers = calloc(e->attrs.nr + 1, sizeof(*numbers)), n = 0;
	bool others = false;
	size_t i;

	if (!numbers)
		return -ENOMEM;
	for (i = 0; i < e->nr_queues; i++) {
		if (e->queues[i].event)
			numbers[e->queues[i].event->index] = 1;
		else
			others = !e->intel_pt;
	}
	for (i = 0; i < e->attrs.nr; i++)
		if (numbers[i])
			numbers[i] = ++n;
	e->numbered = n + others > 1;
	e->numbers = numbers;
	return 0;
}

static void queue_name(const struct extract *e, const struct extract_queue *q,
		       char name[NAME_LEN])
{
	const char *kind = e->intel_pt && !q->event ? "pt" : "aux";
	char who[32], which[24] = "";
	__u32 pid;

	if (q->tid == EXTRACT_NOBODY)
		snprintf(who, sizeof(who), "cpu%d", (int)q->cpu);
	else if (read_map_get(&e->pids, q->tid, &pid))
		snprintf(who, sizeof(who), "%u-%u", pid, q->tid);
	else
		snprintf(who, sizeof(who), "unknown-%u", q->tid);
	if (q->event && e->numbered)
		snprintf(which, sizeof(which), ".event%u",
			 e->numbers[q->event->index]);
	snprintf(name, NAME_LEN, "%s%s.%s", who, which, kind);
}

static int close_file(struct extract *e)
{
	char name[NAME_LEN];
	int fd = e->fd;

	e->fd = -1;
	if (fd < 0 || !close(fd))
		return 0;
	part_name(e->fd_queue, name);
	return failed(e, name);
}

/* Only one file is open at a time, because there can be more queues than descriptors. */
static int open_file(struct extract *e, size_t queue)
{
	char name[NAME_LEN];
	int err;

	if (e->fd >= 0 && e->fd_queue == queue)
		return 0;
	err = close_file(e);
	if (err)
		return err;
	part_name(queue, name);
	e->fd = openat(e->dir_fd, name,
		       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	e->fd_queue = queue;
	return e->fd < 0 ? failed(e, name) : 0;
}

int extract_write(struct extract *e, size_t queue, const void *data, size_t len)
{
	char name[NAME_LEN];
	ssize_t n;
	int err;

	err = open_file(e, queue);
	while (!err && len) {
		n = write(e->fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			part_name(queue, name);
			return failed(e, name);
		}
		data = (const char *)data + n;
		len -= n;
		e->queues[queue].bytes += n;
	}
	return err;
}

void extract_time(struct extract_queue *q, __u64 time)
{
	if (!time)
		return;
	if (!q->first || time < q->first)
		q->first = time;
	if (time > q->last)
		q->last = time;
}

ssize_t extract_queue(struct extract *e, const struct read_event *event,
		      __u32 tid, __u32 cpu)
{
	const bool is_cpu = tid == EXTRACT_NOBODY;
	const __u64 key = (event ? event->index + 1ULL : 0) << 33 |
			  (__u64)is_cpu << 32 | (is_cpu ? cpu : tid);
	int err;
	__u32 i;

	if (read_map_get(&e->by_key, key, &i))
		return i;
	if (grow((void **)&e->queues, e->nr_queues, sizeof(*e->queues)) ||
	    read_map_set(&e->by_key, key, e->nr_queues))
		return -ENOMEM;
	i = e->nr_queues++;
	e->queues[i] = (struct extract_queue) {
		.tid = tid, .event = event,
		.cpu = is_cpu ? cpu : EXTRACT_NOBODY,
	};
	/* The file exists even if all data of the queue is lost. */
	err = open_file(e, i);
	return err ?: (ssize_t)i;
}

/*
 * Gaps are kept in a file until the end: the names of queues for the index are not known
 * yet, and there may be more gaps than fit in memory, because a few bytes of a COMPRESSED
 * record can contain millions.
 */
static int open_gaps(struct extract *e)
{
	static const char name[] = "gaps";
	int fd = openat(e->dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	e->gaps = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!e->gaps)
		return failed(e, name);
	return unlinkat(e->dir_fd, name, 0) ? failed(e, name) : 0;
}

int extract_gap(struct extract *e, const struct extract_gap *gap)
{
	struct extract_gap g = *gap;
	const int err = e->gaps ? 0 : open_gaps(e);

	if (err)
		return err;
	if (gap->queue != EXTRACT_NOBODY) {
		g.offset = e->queues[gap->queue].bytes;
		e->queues[gap->queue].gaps++;
		extract_time(&e->queues[gap->queue], gap->begin);
		extract_time(&e->queues[gap->queue], gap->end);
	}
	return fwrite(&g, sizeof(g), 1, e->gaps) == 1 ? 0 : failed(e, EXTRACT_INDEX);
}

static void print_time(FILE *f, const char *what, __u64 time)
{
	if (time)
		fprintf(f, " %s=%llu.%09llu", what, time / NSEC_PER_SEC,
			time % NSEC_PER_SEC);
	else
		fprintf(f, " %s=-", what);
}

/* The user chose the event's name, so it can contain control characters. */
static void print_event(const struct extract *e, FILE *f,
			const struct extract_queue *q)
{
	const char *name = q->event ? read_event_name(q->event) :
			   e->intel_pt ? "intel_pt" : "-";

	fputs(" event=", f);
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name,
		      f);
	fputc('\n', f);
}

static void print_queue(const struct extract *e, FILE *f,
			const struct extract_queue *q, const char *name)
{
	__u32 pid;

	fprintf(f, "queue %s", name);
	if (q->tid == EXTRACT_NOBODY)
		fprintf(f, " cpu=%d", (int)q->cpu);
	else if (read_map_get(&e->pids, q->tid, &pid))
		fprintf(f, " pid=%u tid=%u", pid, q->tid);
	else
		fprintf(f, " pid=- tid=%u", q->tid);
	fprintf(f, " bytes=%llu spans=%llu gaps=%llu", q->bytes, q->spans,
		q->gaps);
	print_time(f, "first", q->first);
	print_time(f, "last", q->last);
	print_event(e, f, q);
}

static void print_gap(const struct extract *e, FILE *f,
		      const struct extract_gap *gap)
{
	char name[NAME_LEN] = "-";

	if (gap->queue != EXTRACT_NOBODY)
		queue_name(e, &e->queues[gap->queue], name);
	fprintf(f, "gap %s", name);
	if (gap->queue != EXTRACT_NOBODY)
		fprintf(f, " offset=%llu", gap->offset);
	else
		fputs(" offset=-", f);
	print_time(f, "begin", gap->begin);
	print_time(f, "end", gap->end);
	fprintf(f, " times=%llu bytes=%llu cause=%s\n", gap->times, gap->bytes,
		gap_cause_name(gap->cause));
}

/* Return false with errno if the gaps cannot be read. */
static bool print_gaps(const struct extract *e, FILE *f)
{
	struct extract_gap gap;

	if (!e->gaps)
		return true;
	if (fseek(e->gaps, 0, SEEK_SET))
		return false;
	while (fread(&gap, sizeof(gap), 1, e->gaps) == 1)
		print_gap(e, f, &gap);
	return !ferror(e->gaps);
}

static int write_index(struct extract *e)
{
	int fd = openat(e->dir_fd, EXTRACT_INDEX,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	char name[NAME_LEN];
	bool bad;
	FILE *f;
	size_t i;

	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return failed(e, EXTRACT_INDEX);
	for (i = 0; i < e->nr_queues; i++) {
		queue_name(e, &e->queues[i], name);
		print_queue(e, f, &e->queues[i], name);
	}
	bad = !print_gaps(e, f);
	if (e->truncated)
		fprintf(f, "truncated times=%llu\n", e->truncated);
	bad |= ferror(f);
	bad |= fclose(f);
	return bad ? failed(e, EXTRACT_INDEX) : 0;
}

int extract_finish(struct extract *e)
{
	char from[NAME_LEN], to[NAME_LEN];
	int err = close_file(e) ?: number_events(e);
	size_t i;

	for (i = 0; !err && i < e->nr_queues; i++) {
		part_name(i, from);
		queue_name(e, &e->queues[i], to);
		if (renameat(e->dir_fd, from, e->dir_fd, to))
			return failed(e, to);
	}
	if (err || !e->nr_queues)
		return err;
	return write_index(e);
}

int extract_dir(struct extract *e)
{
	e->dir_fd = new_dir(e->dir, &e->made_dir, &e->diag);
	return e->dir_fd < 0 ? e->dir_fd : 0;
}

void extract_free(struct extract *e)
{
	if (e->fd >= 0)
		close(e->fd);
	if (e->dir_fd >= 0)
		close(e->dir_fd);
	if (e->made_dir && !e->nr_queues && !e->nr_payloads)
		rmdir(e->dir);
	free(e->queues);
	free(e->numbers);
	if (e->gaps)
		fclose(e->gaps);
	read_map_free(&e->by_key);
	read_map_free(&e->pids);
	read_attrs_free(&e->attrs);
}
