// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check AUXTRACE_INFO, AUXTRACE and the records of gaps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "perfaux.h"
#include "base/bytes.h"

#define NOBODY		((__u32)-1)
/* Readers allocate an array as long as the largest idx. */
#define IDX_MAX		0x100000

/* Words of Intel PT's priv[] */
#define PT_PMU_TYPE		0
#define PT_HAVE_SCHED_SWITCH	7
#define PT_PER_CPU_MMAPS	9
#define PT_FILTER_STR_LEN	16
#define PT_WORDS		17

static void check_pt_info(struct check *c, const struct read_record *rec,
			  struct read_bytes *b)
{
	const __u64 *priv = read_take_items(b, PT_WORDS, 8);
	bool pmu = false, switches = false;
	__u64 filter;
	size_t i;

	if (!priv) {
		check_fail(c, rec, RULE_AUX_INFO, "17 words for Intel PT",
			   "%zu bytes", b->left);
		return;
	}
	c->pt_per_cpu = priv[PT_PER_CPU_MMAPS];
	c->pt_per_thread = !priv[PT_PER_CPU_MMAPS];
	/* The string's length without its NUL, see perf's intel_pt_process_auxtrace_info(). */
	filter = priv[PT_FILTER_STR_LEN];
	if (filter) {
		const char *s = read_take_items(b, filter / 8 + 1, 8);

		if (!s || strnlen(s, filter + 1) != filter ||
		    s[(filter / 8 + 1) * 8 - 1])
			check_fail(c, rec, RULE_AUX_INFO,
				   "a filter of that length, padded to 8 with NULs",
				   "%llu bytes in a record of %u", filter,
				   rec->size);
	}
	for (i = 0; i < c->attrs.nr; i++) {
		pmu |= c->attrs.list[i]->attr.type == priv[PT_PMU_TYPE];
		switches |= c->attrs.list[i]->attr.context_switch;
	}
	if (!pmu)
		check_fail(c, rec, RULE_AUX_INFO, "an ATTR with the PMU's type",
			   "none of type %llu", priv[PT_PMU_TYPE]);
	if (priv[PT_HAVE_SCHED_SWITCH] > 3)
		check_fail(c, rec, RULE_AUX_INFO, "HAVE_SCHED_SWITCH 0 to 3",
			   "%llu", priv[PT_HAVE_SCHED_SWITCH]);
	else if (priv[PT_HAVE_SCHED_SWITCH] >= 2 && !switches)
		check_fail(c, rec, RULE_AUX_INFO,
			   "an ATTR with context_switch for HAVE_SCHED_SWITCH 2 or 3",
			   "none");
}

void check_aux_info(struct check *c, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	__u32 type = read_u32(&b);

	read_u32(&b);
	if (c->aux_info)
		check_fail(c, rec, RULE_AUX_INFO, "one AUXTRACE_INFO",
			   "another one");
	c->aux_info = true;
	if (!c->attrs.nr)
		check_fail(c, rec, RULE_AUX_INFO, "ATTRs before it", "none");
	if (type < REC_AUX_INTEL_PT || type > REC_AUX_HISI_PTT)
		check_fail(c, rec, RULE_AUX_INFO, "type 1 to 6", "%u", type);
	else if (type == REC_AUX_INTEL_PT)
		check_pt_info(c, rec, &b);
}

static __u64 owner_key(__u32 tid, __u32 cpu)
{
	return (__u64)tid << 32 | cpu;
}

/* Find the queue of a record, or make it. Return NULL if there is no memory. */
static struct check_queue *find_queue(struct check *c,
				      const struct read_record *rec,
				      const struct rec_auxtrace *a)
{
	struct check_queue *q;
	__u32 i, other;

	if (read_map_get(&c->queue_by_idx, a->idx, &i))
		return &c->queues[i];
	if (read_map_get(&c->queue_by_owner, owner_key(a->tid, a->cpu), &other))
		check_fail(c, rec, RULE_AUX_QUEUE,
			   check_expect(c, "idx %u for tid %d cpu %d",
					c->queues[other].idx, a->tid, a->cpu),
			   "idx %u", a->idx);
	if (!(c->nr_queues & (c->nr_queues - 1))) {
		size_t room = c->nr_queues ? c->nr_queues * 2 : 1;

		q = realloc(c->queues, room * sizeof(*q));
		if (!q)
			return NULL;
		c->queues = q;
	}
	i = c->nr_queues;
	if (read_map_set(&c->queue_by_idx, a->idx, i) ||
	    read_map_set(&c->queue_by_owner, owner_key(a->tid, a->cpu), i))
		return NULL;
	q = &c->queues[c->nr_queues++];
	/* The first data of a queue must be at offset 0. */
	*q = (struct check_queue) {
		.idx = a->idx, .tid = a->tid, .cpu = a->cpu,
	};
	return q;
}

static void check_owner(struct check *c, const struct read_record *rec,
			const struct rec_auxtrace *a,
			const struct check_queue *q)
{
	bool thread = a->tid != NOBODY, cpu = a->cpu != NOBODY;

	if (a->idx >= IDX_MAX)
		check_fail(c, rec, RULE_AUX_QUEUE, "idx counted from 0",
			   "%u", a->idx);
	if (a->tid != q->tid || a->cpu != q->cpu)
		check_fail(c, rec, RULE_AUX_QUEUE,
			   check_expect(c, "tid %d cpu %d in queue %u", q->tid,
					q->cpu, q->idx),
			   "tid %d cpu %d", a->tid, a->cpu);
	if (thread == cpu)
		check_fail(c, rec, RULE_AUX_QUEUE, "a thread or a CPU, the other -1",
			   "tid %d cpu %d", a->tid, a->cpu);
	else if (c->pt_per_cpu && !cpu)
		check_fail(c, rec, RULE_AUX_QUEUE,
			   "a CPU, since PER_CPU_MMAPS is 1", "tid %d", a->tid);
	else if (c->pt_per_thread && !thread)
		check_fail(c, rec, RULE_AUX_QUEUE,
			   "a thread, since PER_CPU_MMAPS is 0", "cpu %d", a->cpu);
}

int check_auxtrace(struct check *c, const struct read_record *rec)
{
	const struct rec_auxtrace *a = (const void *)rec->hdr;
	struct check_queue *q;

	if (!c->aux_info)
		check_fail(c, rec, RULE_AUX_FIRST, "AUXTRACE_INFO before it",
			   "none");
	if (rec->size != sizeof(*a))
		check_fail(c, rec, RULE_SIZE, "48", "%u", rec->size);
	if (!a->size || a->size % 8)
		check_fail(c, rec, RULE_AUX_SIZE, "a multiple of 8, not 0",
			   "%llu", a->size);
	q = find_queue(c, rec, a);
	if (!q)
		return -ENOMEM;
	check_owner(c, rec, a, q);
	if (q->loss ? a->offset < q->next : a->offset != q->next)
		check_fail(c, rec, RULE_AUX_OFFSET,
			   check_expect(c, "offset %s%llu in queue %u",
					q->loss ? "at least " : "", q->next,
					q->idx),
			   "%llu", a->offset);
	q->loss = false;
	q->next = a->offset + a->size;
	if (a->reference && a->reference < c->time_flushed)
		check_fail(c, rec, RULE_AUX_LATE,
			   check_expect(c, "a reference not before %llu, which was flushed",
					c->time_flushed),
			   "%llu", a->reference);
	return 1;
}

static void mark_loss(struct check *c, __u32 tid, __u32 cpu)
{
	__u32 i;

	if (read_map_get(&c->queue_by_owner, owner_key(tid, NOBODY), &i))
		c->queues[i].loss = true;
	if (read_map_get(&c->queue_by_owner, owner_key(NOBODY, cpu), &i))
		c->queues[i].loss = true;
}

void check_gap(struct check *c, const struct read_record *rec,
	       const struct read_sample *s)
{
	const __u64 *body = read_body(rec);

	if (!(body[2] & PERF_AUX_FLAG_TRUNCATED))
		return;
	mark_loss(c, s->tid, s->cpu);
	if (body[1])
		return;
	c->gap_open = !c->relaxed;
	c->gap = *s;
}

/* Parse "perfaux: until T.TTTTTTTTT, Nx, N bytes: CAUSE". */
static bool gap_message(const char *msg, __u64 *end)
{
	unsigned long long s, ns, count, bytes;
	int used = 0;

	if (sscanf(msg, "perfaux: until %10llu.%9llu, %18llux, %18llu bytes: %n",
		   &s, &ns, &count, &bytes, &used) != 4 || !used)
		return false;
	*end = s * 1000000000 + ns;
	/* The cause may be cut, but it must not be empty. */
	return msg[used];
}

static void check_gap_code(struct check *c, const struct read_record *rec,
			   const struct rec_auxtrace_error *e)
{
	__u64 end;

	if (e->code <= REC_GAP_CODE ||
	    e->code >= REC_GAP_CODE + PERFAUX_NR_CAUSES)
		check_fail(c, rec, RULE_GAP,
			   check_expect(c, "code %#x to %#x, the cause", REC_GAP_CODE + 1,
					REC_GAP_CODE + PERFAUX_NR_CAUSES - 1),
			   "%#x", e->code);
	if (e->type != 1 || e->fmt != 1 || e->ip)
		check_fail(c, rec, RULE_GAP, "type 1, fmt 1, ip 0",
			   "type %u, fmt %u, ip %#llx", e->type, e->fmt, e->ip);
	if (!gap_message(e->msg, &end))
		check_fail(c, rec, RULE_GAP,
			   "perfaux: until T.TTTTTTTTT, Nx, N bytes: CAUSE",
			   "%s", e->msg);
	else if (end < e->time)
		check_fail(c, rec, RULE_GAP, "an end not before its begin",
			   "%llu before %llu", end, e->time);
}

/*
 * Is the time of the gap's AUX record right? The record is written when the gap
 * has ended. If the gap began before the last FINISHED_ROUND, the record can have
 * a later time, because readers would otherwise find it out of order.
 */
static bool gap_time(const struct check *c, const struct read_sample *gap,
		     __u64 begin)
{
	if (!(gap->has & PERF_SAMPLE_TIME) || gap->time == begin)
		return true;
	return gap->time > begin && begin <= c->time_next;
}

void check_gap_error(struct check *c, const struct read_record *rec)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;
	size_t room = rec->size - offsetof(struct rec_auxtrace_error, msg);
	const struct read_sample *gap = &c->gap;

	if (room > sizeof(e->msg))
		room = sizeof(e->msg);
	if (!memchr(e->msg, 0, room)) {
		check_fail(c, rec, RULE_STRING, "a NUL within msg", "none");
		c->gap_open = false;
		return;
	}
	mark_loss(c, e->tid, e->cpu);
	check_gap_code(c, rec, e);
	if (!c->gap_open)
		return;
	c->gap_open = false;
	if (!gap_time(c, gap, e->time) ||
	    ((gap->has & PERF_SAMPLE_CPU) && gap->cpu != e->cpu) ||
	    ((gap->has & PERF_SAMPLE_TID) && gap->tid != e->tid))
		check_fail(c, rec, RULE_GAP,
			   check_expect(c, "time %llu cpu %d tid %d as in the AUX before it",
					gap->time, gap->cpu, gap->tid),
			   "time %llu cpu %d tid %d", e->time, e->cpu, e->tid);
}
