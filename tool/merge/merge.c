// SPDX-License-Identifier: GPL-2.0-only
/*
 * Merge many snapshots of one recording into one stream.
 *
 * There are three passes over the files. The first pass checks the files and finds out what is in
 * them. The second pass goes through the stream without writing it, to learn which times later
 * records have. The third pass writes the stream, with a FINISHED_ROUND wherever no older record
 * follows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "merge/parts.h"

/* --- choose the snapshots -------------------------------------------------- */

static int compare(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

/*
 * Sort by number. Among sections with the same number, the one that has records from the
 * earliest time comes first. The result does not depend on the order of the files.
 */
static int by_number(const void *x, const void *y, void *ctx)
{
	const struct merge_section *a = *(struct merge_section * const *)x;
	const struct merge_section *b = *(struct merge_section * const *)y;
	const struct merge *m = ctx;
	const struct merge_input *p = &m->inputs[a->input], *q = &m->inputs[b->input];

	return compare(a->mark.number, b->mark.number) ?:
	       compare(a->since, b->since) ?: compare(p->nr_marks, q->nr_marks) ?:
	       compare(p->numbers, q->numbers) ?: compare(a->input, b->input);
}

static int by_time(const void *x, const void *y)
{
	const struct merge_section *a = *(struct merge_section * const *)x;
	const struct merge_section *b = *(struct merge_section * const *)y;

	return compare(a->mark.t_settled, b->mark.t_settled) ?:
	       compare(a->mark.number, b->mark.number);
}

static int choose(struct merge *m)
{
	size_t i, nr = 0;

	m->list = calloc(m->nr_sections, sizeof(*m->list));
	if (!m->list)
		return diag(m->d, -ENOMEM, "out of memory");
	for (i = 0; i < m->nr_sections; i++)
		m->list[i] = &m->sections[i];
	qsort_r(m->list, m->nr_sections, sizeof(*m->list), by_number, m);
	for (i = 0; i < m->nr_sections; i++) {
		const struct merge_section *s = m->list[i], *best;

		best = nr ? m->list[nr - 1] : NULL;
		if (!best || best->mark.number != s->mark.number)
			m->list[nr++] = m->list[i];
		else if (best->hash != s->hash)
			return diag(m->d, -EINVAL,
				    "%s and %s: both have snapshot %llu, but with different contents",
				    m->inputs[best->input].path, m->inputs[s->input].path,
				    (unsigned long long)s->mark.number);
	}
	m->nr_list = nr;
	qsort(m->list, nr, sizeof(*m->list), by_time);
	merge_plan(m->list, nr);
	for (i = 0; i < nr && m->list[i]->covered; i++)
		;
	m->base = m->list[i];
	return 0;
}

/* --- the stream ------------------------------------------------------------ */

static void forget(struct merge *m)
{
	merge_seen_free(&m->seen);
	merge_seen_free(&m->timed);
	merge_seen_free(&m->group);
	read_map_free(&m->queue_by_owner);
	free(m->queues);
	m->queues = NULL;
	m->nr_queues = 0;
}

/* Start a pass, as if nothing had been written yet. */
static void begin(struct merge *m)
{
	forget(m);
	m->primed = false;
	m->payload = 0;
	m->spans = 0;
	m->repeated = 0;
	m->out.bytes = 0;
	m->out.records = 0;
}

/*
 * Return the start of the oldest span of all snapshots from @i on. No older span is looked
 * up any more.
 */
static __u64 oldest_from(const struct merge *m, size_t i)
{
	__u64 oldest = MERGE_NEVER;

	for (; i < m->nr_list; i++)
		if (m->list[i]->oldest < oldest)
			oldest = m->list[i]->oldest;
	return oldest;
}

/* Return the first time of the records of all snapshots from @i on. */
static __u64 first_from(const struct merge *m, size_t i)
{
	__u64 first = MERGE_NEVER;

	for (; i < m->nr_list; i++)
		if (m->list[i]->first < first)
			first = m->list[i]->first;
	return first;
}

static void write_round(struct merge *m)
{
	const struct perf_event_header h = { REC_FINISHED_ROUND, 0, sizeof(h) };

	merge_out_record(&m->out, &h);
}

/* @again: the first and last time of each section are known. */
static int write_all(struct merge *m, bool again)
{
	/* The state comes first, with the time before all records. */
	__u64 last = m->base->since ? m->base->since - 1 : 0, before = 0;
	size_t i;
	int err;

	begin(m);
	err = merge_setup(m);
	for (i = 0; !err && !m->out.err && i < m->nr_list; i++) {
		struct merge_section *s = m->list[i];

		if (!again) {
			s->first = MERGE_NEVER;
			s->last = 0;
		}
		if (!i || !m->list[i - 1]->covered)
			err = merge_group(m, i);
		merge_late_begin(m, i);
		if (!err)
			err = merge_body(m, i);
		if (!err && (merge_seen_forget(&m->seen, oldest_from(m, i + 1)) ||
			     merge_seen_forget(&m->timed, m->late_since)))
			err = diag(m->d, -ENOMEM, "out of memory");
		if (s->last > last)
			last = s->last;
		/*
		 * At a FINISHED_ROUND, readers process all records up to the last time that
		 * they had seen at the previous one: see finish_round() in record/live.c.
		 */
		if (again && !err &&
		    (i + 1 == m->nr_list || first_from(m, i + 1) >= before)) {
			write_round(m);
			before = last;
		}
	}
	return err;
}

/* --- the summary ----------------------------------------------------------- */

static int add_hole(struct merge_summary *sum, const struct merge_section *a,
		    const struct merge_section *b)
{
	if (grow((void **)&sum->holes, sum->nr_holes, sizeof(*sum->holes)))
		return -ENOMEM;
	sum->holes[sum->nr_holes++] = (struct merge_hole){
		.begin = a->mark.t_settled + 1, .end = b->from - 1,
		.before = a->mark.number, .after = b->mark.number,
	};
	return 0;
}

static int add_raw_hole(struct merge_summary *sum, const struct auxrec_snapshot *a,
			const struct auxrec_snapshot *b)
{
	if (grow((void **)&sum->raw_holes, sum->nr_raw_holes, sizeof(*sum->raw_holes)))
		return -ENOMEM;
	sum->raw_holes[sum->nr_raw_holes++] = (struct merge_hole){
		.begin = a->raw_end,
		/*
		 * @raw_begin is when the first segment of @b became READY, which can be
		 * before @begin. The missing data can also be older than @begin: a segment
		 * may hold data from long before it becomes READY.
		 */
		.end = a->raw_end > b->raw_begin ? a->raw_end : b->raw_begin,
		.before = a->number, .after = b->number,
	};
	return 0;
}

static int by_segments(const void *x, const void *y)
{
	const struct merge_section *a = *(struct merge_section * const *)x;
	const struct merge_section *b = *(struct merge_section * const *)y;

	return compare(a->mark.raw_first, b->mark.raw_first) ?:
	       compare(a->mark.raw_last, b->mark.raw_last) ?:
	       compare(a->mark.number, b->mark.number);
}

/* Call this last, because it changes the order of m->list. */
static int find_raw_holes(struct merge *m)
{
	const struct auxrec_snapshot *last = NULL;
	size_t i;

	qsort(m->list, m->nr_list, sizeof(*m->list), by_segments);
	for (i = 0; i < m->nr_list; i++) {
		const struct auxrec_snapshot *mark = &m->list[i]->mark;

		if (!mark->raw_first)
			continue;
		if (last && mark->raw_first > last->raw_last + 1 &&
		    add_raw_hole(m->sum, last, mark))
			return diag(m->d, -ENOMEM, "out of memory");
		if (!last || mark->raw_last >= last->raw_last)
			last = mark;
	}
	return 0;
}

static int summarize(struct merge *m)
{
	struct merge_summary *sum = m->sum;
	const struct merge_section *last = NULL;
	size_t i;

	sum->snapshots = m->nr_list;
	sum->begin = m->base->mark.t_begin;
	for (i = 0; i < m->nr_inputs; i++)
		sum->left_out += !m->inputs[i].used;
	for (i = 0; i < m->nr_list; i++) {
		const struct merge_section *s = m->list[i];

		if (s->covered)
			continue;
		if (last && s->state && add_hole(sum, last, s))
			return diag(m->d, -ENOMEM, "out of memory");
		last = s;
	}
	sum->end = last->mark.t_settled;
	return find_raw_holes(m);
}

static int check_out(const struct merge *m, const char *out)
{
	struct stat st;
	size_t i;

	if (!strcmp(out, "-") || stat(out, &st))
		return 0;
	for (i = 0; i < m->nr_inputs; i++)
		if (m->inputs[i].dev == st.st_dev && m->inputs[i].ino == st.st_ino)
			return diag(m->d, -EEXIST,
				    "%s: is one of the files to be merged (%s): give -o another name",
				    out, m->inputs[i].path);
	return 0;
}

static int run(struct merge *m, char *const *paths, const char *out)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < m->nr_inputs; i++) {
		m->inputs[i].path = paths[i];
		err = merge_scan(m, i);
	}
	if (!err)
		err = check_out(m, out);
	if (!err)
		err = choose(m);
	if (!err)
		err = merge_events(m);
	m->out.fd = -1;
	if (!err)
		err = write_all(m, false);
	if (err)
		return err;
	err = merge_out_open(&m->out, out, m->d);
	if (!err)
		err = write_all(m, true);
	m->sum->bytes = m->out.bytes;
	m->sum->records = m->out.records;
	m->sum->spans = m->spans;
	m->sum->repeated = m->repeated;
	if (!err)
		err = summarize(m);
	return merge_out_close(&m->out, err, m->d);
}

int merge_streams(char *const *paths, size_t nr, const char *out,
		  struct merge_summary *sum, struct diag *d)
{
	struct merge m = { .target = out, .nr_inputs = nr, .sum = sum, .d = d };
	size_t i;
	int err;

	*sum = (struct merge_summary){ .snapshots = 0 };
	if (!nr)
		return diag(d, -EINVAL, "nothing to merge");
	raise_nofile();	/* A compressed input has a temporary file. */
	m.inputs = calloc(nr, sizeof(*m.inputs));
	err = m.inputs ? run(&m, paths, out) : diag(d, -ENOMEM, "out of memory");
	forget(&m);
	for (i = 0; m.inputs && i < nr; i++)
		merge_inflate_free(&m.inputs[i]);
	for (i = 0; i < m.nr_attr_recs; i++)
		free(m.attr_recs[i]);
	free(m.attr_recs);
	free(m.ids);
	read_attrs_free(&m.attrs);
	free(m.list);
	free(m.sections);
	free(m.inputs);
	return err;
}

void merge_summary_free(struct merge_summary *sum)
{
	free(sum->holes);
	free(sum->raw_holes);
	sum->holes = NULL;
	sum->raw_holes = NULL;
	sum->nr_holes = 0;
	sum->nr_raw_holes = 0;
}

static void say_holes(const char *out, const struct merge_hole *list, size_t nr,
		      const char *what)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct merge_hole *h = &list[i];

		say("%s: between snapshots %llu and %llu %s from %llu.%09llu to %llu.%09llu",
		    out, (unsigned long long)h->before, (unsigned long long)h->after, what,
		    h->begin / NSEC_PER_SEC, h->begin % NSEC_PER_SEC,
		    h->end / NSEC_PER_SEC, h->end % NSEC_PER_SEC);
	}
}

int merge_files(char *const *paths, size_t nr, const char *out, struct diag *d)
{
	struct merge_summary sum;
	const int err = merge_streams(paths, nr, out, &sum, d);

	if (!err) {
		say_holes(out, sum.holes, sum.nr_holes, "there are no records");
		say_holes(out, sum.raw_holes, sum.nr_raw_holes,
			  "data of the raw ring is missing");
	}
	merge_summary_free(&sum);
	return err;
}
