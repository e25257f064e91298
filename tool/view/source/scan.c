// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first pass: collect processes, maps, switches, and the places of AUX data.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/util.h"
#include "stream/map_kind.h"
#include "stream/records.h"
#include "view/source/source.h"

/* At most this many bytes of lists are in memory, however many lists there are. */
#define LISTS_PENDING	(2 << 20)

/* Copy a string. In a damaged recording, it can lack its NUL within the record. */
static void copy_name(char *to, size_t size, const char *from, size_t left)
{
	const size_t len = strnlen(from, left < size - 1 ? left : size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

static int take_mmap(struct source *s, const struct order_record *r)
{
	const struct perf_event_header *h = r->item.header;
	const struct rec_mmap2 *m = (const void *)h;
	const bool is_mmap2 = h->type == PERF_RECORD_MMAP2;
	const size_t name_at = is_mmap2 ? REC_MMAP2_NAME : REC_MMAP_NAME;
	const bool has_id = is_mmap2 && h->misc & REC_MISC_MMAP_BUILD_ID;
	struct mapping mapping;
	char name[4096];

	if (h->size <= name_at || m->pid == TL_NOBODY)
		return 0;
	if (is_mmap2 ? !(m->prot & PROT_EXEC) : h->misc & PERF_RECORD_MISC_MMAP_DATA)
		return 0;
	copy_name(name, sizeof(name), (const char *)h + name_at, h->size - name_at);
	if (map_kind(name) == MAP_KIND_KERNEL || is_kernel(m->start) ||
	    m->len > ~m->start)
		return 0;
	mapping = (struct mapping) {
		.start = m->start, .end = m->start + m->len, .offset = m->pgoff,
		.object = objects_get(&s->objects, name, has_id ? m->id : NULL,
				      has_id ? m->id_size : 0),
	};
	/* The recorded offset is that of a file, and [vdso] is none. */
	if (mapping.object && mapping.object->kind == OBJECT_VDSO)
		mapping.offset = 0;
	return mapping.object ? spaces_map(&s->spaces, m->pid, r->time, &mapping) : -ENOMEM;
}

static int take_comm(struct source *s, const struct order_record *r)
{
	struct read_bytes b = read_bytes_init(r->item.header + 1,
					      r->item.header->size - sizeof(*r->item.header));
	const __u32 pid = read_u32(&b), tid = read_u32(&b);
	struct thread *thread;

	if (b.failed)
		return 0;
	thread = threads_get(&s->threads, pid, tid);
	if (!thread)
		return -ENOMEM;
	copy_name(thread->comm, sizeof(thread->comm), (const char *)b.p, b.left);
	if (r->item.header->misc & PERF_RECORD_MISC_COMM_EXEC)
		return spaces_exec(&s->spaces, pid, r->time);
	return 0;
}

static int take_fork(struct source *s, const struct order_record *r)
{
	struct read_bytes b = read_bytes_init(r->item.header + 1,
					      r->item.header->size - sizeof(*r->item.header));
	const __u32 pid = read_u32(&b), parent = read_u32(&b), tid = read_u32(&b);
	const __u32 parent_tid = read_u32(&b);
	struct thread *thread, *from = threads_find(&s->threads, parent_tid);

	if (b.failed)
		return 0;
	thread = threads_get(&s->threads, pid, tid);
	if (!thread)
		return -ENOMEM;
	if (from && !*thread->comm)
		memcpy(thread->comm, from->comm, sizeof(thread->comm));
	/*
	 * Where auxrec has made up the record of a task that existed before, the task's maps
	 * follow.
	 */
	if (pid == parent || r->item.header->misc & REC_MISC_FORK_EXEC)
		return 0;
	return spaces_fork(&s->spaces, pid, parent, r->time);
}

static int take_switch(struct source *s, const struct order_record *r)
{
	const bool out = r->item.header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct thread *thread;
	int rc = 0;

	if (r->item.tid == AUXSTREAM_NOBODY)
		return 0;
	thread = threads_get(&s->threads, r->item.pid, r->item.tid);
	if (!thread)
		return -ENOMEM;
	/*
	 * The switch from the thread is lost: the thread has left the CPU at some time before now.
	 */
	if (thread->runs)
		rc = ends_set(&s->ends, thread->run, r->time);
	thread->runs = !out;
	if (rc || out)
		return rc;
	rc = ends_add(&s->ends, &thread->run);
	if (!rc && s->pt.per_cpu && r->item.cpu != AUXSTREAM_NOBODY)
		rc = cpus_add(&s->cpus, r->item.cpu, r->time, r->item.tid);
	return rc;
}

static int take_kernel(struct source *s, const struct order_record *r)
{
	switch (r->item.header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_mmap(s, r);
	case PERF_RECORD_COMM:
		return take_comm(s, r);
	case PERF_RECORD_FORK:
		return take_fork(s, r);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return take_switch(s, r);
	default:
		return 0;
	}
}

/* Learn the process of a thread of which no earlier record tells. */
static int take_sample(struct source *s, const struct order_record *r)
{
	if (r->item.tid == AUXSTREAM_NOBODY || threads_find(&s->threads, r->item.tid))
		return 0;
	return threads_get(&s->threads, r->item.pid, r->item.tid) ? 0 : -ENOMEM;
}

static struct queue *get_queue(struct source *s, __u32 tid, __u32 cpu)
{
	const __u64 key = tid == AUXSTREAM_NOBODY ? 1ULL << 32 | cpu : tid;
	struct queue *q;
	__u32 i;

	if (read_map_get(&s->queue_by_key, key, &i))
		return s->queues[i];
	q = malloc(sizeof(*q));
	if (!q || grow((void **)&s->queues, s->nr_queues, sizeof(*s->queues)) ||
	    read_map_set(&s->queue_by_key, key, s->nr_queues)) {
		free(q);
		return NULL;
	}
	s->queues[s->nr_queues++] = q;
	queue_init(q, &s->lists);
	q->tid = tid;
	q->cpu = cpu;
	return q;
}

/* Only the data of AUXTRACE records is Intel PT. It follows its record. */
static int take_aux(struct source *s, const struct auxstream_item *item)
{
	struct queue *q;

	if (!s->pt.is_known || item->header->type != REC_AUXTRACE)
		return 0;
	q = get_queue(s, item->aux.tid, item->aux.cpu);
	return q ? queue_add(q, item->offset + item->header->size, item->aux.size,
			     item->aux.offset) : -ENOMEM;
}

enum {
	INFO_PMU_TYPE, INFO_SHIFT, INFO_MULT, INFO_ZERO, INFO_CAP_ZERO, INFO_TSC, INFO_NORETCOMP,
	INFO_SWITCH, INFO_SNAPSHOT, INFO_PER_CPU, INFO_MTC, INFO_MTC_FREQ, INFO_CTC_N, INFO_CTC_D,
	INFO_CYC, INFO_MAX_NONTURBO, INFO_NR
};

/* The layout is that of perf's intel-pt.h. */
static void take_info(struct source *s, const struct perf_event_header *h)
{
	struct read_bytes b = read_bytes_init(h + 1, h->size - sizeof(*h));
	const __u32 type = read_u32(&b);
	__u64 priv[INFO_NR];
	size_t i;

	read_u32(&b);
	for (i = 0; i < INFO_NR; i++)
		priv[i] = read_u64(&b);
	if (type != REC_AUX_INTEL_PT || b.failed)
		return;
	s->pt.is_known = true;
	s->pt.per_cpu = priv[INFO_PER_CPU];
	s->pt.pmu_type = priv[INFO_PMU_TYPE];
	s->pt.clock = (struct clock_conv) {
		priv[INFO_SHIFT] & 63, priv[INFO_MULT], priv[INFO_ZERO] };
	s->pt.has_tsc = priv[INFO_TSC];
	s->pt.mtc_bits = priv[INFO_MTC_FREQ];
	s->pt.tsc_ctc_n = priv[INFO_CTC_N];
	s->pt.tsc_ctc_d = priv[INFO_CTC_D];
	s->pt.max_nonturbo = priv[INFO_MAX_NONTURBO];
}

/* FEATURE CPUID: "GenuineIntel,6,85,7" */
static void take_feature(struct source *s, const struct perf_event_header *h)
{
	struct read_bytes b = read_bytes_init(h + 1, h->size - sizeof(*h));
	const __u64 id = read_u64(&b);
	char text[128];

	read_u32(&b);
	if (b.failed || id != REC_FEAT_CPUID)
		return;
	copy_name(text, sizeof(text), (const char *)b.p, b.left);
	if (sscanf(text, "GenuineIntel,%u,%u,%u", &s->pt.family, &s->pt.model,
		   &s->pt.stepping) != 3)
		s->pt.family = 0;
}

static void take_event(struct source *s, const struct auxstream_event *e)
{
	const __u64 bits = s->pt.mtc_bits;

	if (!s->pt.is_known || !e || e->attr->type != s->pt.pmu_type)
		return;
	s->pt.user_only = e->attr->exclude_kernel;
	if (bits)
		s->pt.mtc_freq = (e->attr->config & bits) >> __builtin_ctzll(bits);
}

static int take(void *context, const struct order_record *r)
{
	struct source *s = context;

	switch (r->item.kind) {
	case AUXSTREAM_KERNEL:
	case AUXSTREAM_SAMPLE:
		take_event(s, r->item.event);
		if (r->time > s->last)
			s->last = r->time;
		return r->item.kind == AUXSTREAM_SAMPLE ? take_sample(s, r) : take_kernel(s, r);
	case AUXSTREAM_OTHER:
		if (r->item.header->type == REC_AUXTRACE_INFO)
			take_info(s, r->item.header);
		else if (r->item.header->type == REC_FEATURE)
			take_feature(s, r->item.header);
		return 0;
	default:
		return 0;
	}
}

/* Write lists to their file, if they need much memory. */
static int limit_lists(struct source *s)
{
	size_t i;
	int rc;

	if (s->lists.pending < LISTS_PENDING)
		return 0;
	rc = spaces_flush(&s->spaces);
	for (i = 0; i < s->nr_queues && !rc; i++)
		rc = blocks_flush(&s->queues[i]->pieces);
	return rc;
}

/* Sorting by time must not change the order of a queue's data. */
static int take_now(void *context, const struct auxstream_item *item)
{
	const int rc = item->kind == AUXSTREAM_AUX ? take_aux(context, item) : 0;

	return rc ?: limit_lists(context);
}

int source_scan(struct source *s)
{
	/* The order is that of the second pass, which sees the same switches in it. */
	int rc = order_read(s->fd, ~0U, take, take_now, s, &s->problem);

	/* A broken recording is shown up to where it is broken: the second pass ends there, too. */
	if (rc == -ENODATA || rc == -EPROTO || (rc == -EBADMSG && s->last))
		rc = 0;
	return rc ?: ends_finish(&s->ends);
}
