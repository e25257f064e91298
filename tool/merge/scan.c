// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first look at a file: find out whether it is complete, and which snapshots
 * are in it.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "merge/parts.h"
#include "stream/read_raw.h"
#include "stream/read_snapshot.h"

struct scan {
	struct merge *m;
	struct merge_input *in;
	size_t input;
	struct merge_reader r;
	struct read_attrs attrs;
	bool snapshots;		/* there is a snapshot event */
	size_t first;		/* index of its first section */
	__u32 last_type;
};

static int check_file(struct merge *m, struct merge_input *in)
{
	struct stat st;

	if (stat(in->path, &st))
		return diag(m->d, -errno, "%s: %s", in->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return diag(m->d, -EINVAL,
			    "%s: is not a regular file: merging reads files more than once",
			    in->path);
	in->size = st.st_size;
	in->dev = st.st_dev;
	in->ino = st.st_ino;
	return merge_inflate(m, in);
}

/* --- sections -------------------------------------------------------------- */

static struct merge_section *section(const struct scan *sc)
{
	struct merge *m = sc->m;

	return m->nr_sections > sc->first ? &m->sections[m->nr_sections - 1] : NULL;
}

static int check_recording(const struct scan *sc, const struct auxrec_snapshot *h)
{
	struct merge *m = sc->m;

	if (!m->recording)
		m->recording = h->recording;
	if (m->recording == h->recording)
		return 0;
	return diag(m->d, -EINVAL,
		    "%s: is of recording %#llx, %s of %#llx: only snapshots of one recording can be merged",
		    sc->in->path, (unsigned long long)h->recording,
		    m->sections[0].input < sc->input ?
		    m->inputs[m->sections[0].input].path : "its first snapshot",
		    (unsigned long long)m->recording);
}

static int begin_section(struct scan *sc, const struct auxrec_snapshot *h,
			 __u64 start)
{
	struct merge_section *last = section(sc);
	struct merge *m = sc->m;
	int err;

	err = check_recording(sc, h);
	if (err)
		return err;
	if (last && last->mark.t_settled > h->t_settled)
		return diag(m->d, -EBADMSG,
			    "%s: snapshot %llu comes after %llu, which has a later time",
			    sc->in->path, (unsigned long long)h->number,
			    (unsigned long long)last->mark.number);
	if (last)
		last->end = start;
	if (grow((void **)&m->sections, m->nr_sections, sizeof(*m->sections)))
		return diag(m->d, -ENOMEM, "out of memory");
	m->sections[m->nr_sections++] = (struct merge_section){
		.input = sc->input, .start = start, .end = sc->in->size, .mark = *h,
		.since = h->t_begin,
		.oldest = MERGE_NEVER,
	};
	sc->in->nr_marks++;
	return 0;
}

/* If several triggers share a snapshot, it has a sample for each of them, with the same number. */
static int take_mark(struct scan *sc, const struct read_record *rec,
		     const struct read_sample *s)
{
	struct merge_section *at = section(sc);
	struct read_snapshot mark;
	const char *bad = read_snapshot(s, &mark);
	char what[128];
	int err;

	if (bad) {
		snprintf(what, sizeof(what), "the snapshot's sample is damaged: %s", bad);
		return merge_damaged(sc->m, &sc->r, rec, what);
	}
	if (mark.h.flags & AUXREC_SNAPSHOT_ONLY_TASK)
		return diag(sc->m->d, -EINVAL,
			    "%s has only the process that triggered (--only-trigger-task): it cannot be merged, because the merged file could not tell which records are missing",
			    sc->in->path);
	if (!at || at->mark.number != mark.h.number) {
		err = begin_section(sc, &mark.h, sc->r.start + rec->offset);
		if (err)
			return err;
		at = section(sc);
	}
	at->hash = hash_bytes(at->hash, rec->hdr, rec->size);
	return 0;
}

static void take_item(struct scan *sc, __u64 time)
{
	struct merge_section *at = section(sc);

	if (at && time < at->oldest)
		at->oldest = time;
}

/* --- records --------------------------------------------------------------- */

bool merge_has_payload(const struct read_sample *s)
{
	struct auxrec_payload h;

	return read_payload(s, &h);
}

bool merge_is_raw(const struct read_sample *s)
{
	struct auxrec_payload h;

	return is_payload_event(&s->event->attr) && read_payload(s, &h) && !h.id;
}

static int take_kernel(struct scan *sc, const struct read_record *rec)
{
	struct read_sample s;
	struct auxrec_chunk h;

	if (read_sample(&sc->attrs, rec, &s))
		return merge_damaged(sc->m, &sc->r, rec,
				     "a record that its event does not explain");
	if (rec->type == PERF_RECORD_AUX) {
		if (rec->size != sizeof(struct rec_aux))
			return merge_damaged(sc->m, &sc->r, rec, "an impossible AUX");
		take_item(sc, s.time);
	}
	if (rec->type != PERF_RECORD_SAMPLE)
		return 0;
	if (sc->in->body && is_snapshot_event(&s.event->attr))
		return take_mark(sc, rec, &s);
	if (merge_is_raw(&s)) {
		struct auxrec_payload raw;

		memcpy(&raw, s.raw, sizeof(raw));
		take_item(sc, raw.time);
	} else if (read_chunk(&s, &h)) {
		take_item(sc, h.t_begin);
	}
	return 0;
}

static int take_attr(struct scan *sc, const struct read_record *rec)
{
	const int err = read_attrs_add(&sc->attrs, rec);

	if (err == -ENOMEM)
		return diag(sc->m->d, err, "out of memory");
	if (err)
		return merge_damaged(sc->m, &sc->r, rec, "an impossible ATTR");
	sc->snapshots |= is_snapshot_event(&sc->attrs.list[sc->attrs.nr - 1]->attr);
	return 0;
}

static int take_init(struct scan *sc, const struct read_record *rec)
{
	if (sc->in->body)
		return merge_damaged(sc->m, &sc->r, rec, "a second FINISHED_INIT");
	sc->in->body = sc->r.start + rec->offset + rec->size;
	if (sc->snapshots)
		return 0;
	return diag(sc->m->d, -EINVAL,
		    "%s: is no snapshot: only what --flight writes can be merged",
		    sc->in->path);
}

static int take_auxtrace(struct scan *sc, const struct read_record *rec)
{
	const struct rec_auxtrace *a = (const void *)rec->hdr;

	if (rec->size != sizeof(*a) || a->size % 8)
		return merge_damaged(sc->m, &sc->r, rec, "an impossible AUXTRACE");
	take_item(sc, a->reference);
	return 0;
}

static int take_error(struct scan *sc, const struct read_record *rec)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;

	if (rec->size <= offsetof(struct rec_auxtrace_error, msg) ||
	    rec->size > sizeof(*e))
		return merge_damaged(sc->m, &sc->r, rec, "an impossible AUXTRACE_ERROR");
	take_item(sc, e->time);
	return 0;
}

static int take_user(struct scan *sc, const struct read_record *rec)
{
	switch (rec->type) {
	case REC_ATTR:
		return take_attr(sc, rec);
	case REC_FINISHED_INIT:
		return take_init(sc, rec);
	case REC_AUXTRACE:
		return take_auxtrace(sc, rec);
	case REC_AUXTRACE_ERROR:
		return take_error(sc, rec);
	case REC_FINISHED_ROUND:
	case REC_FEATURE:
	case REC_BUILD_ID:
		return 0;
	case REC_COMPRESSED:
		return merge_damaged(sc->m, &sc->r, rec,
				     "compressed records, which snapshots do not have");
	}
	/* Before FINISHED_INIT these records describe the recording. */
	if (!sc->in->body && rec->type < REC_NR_TYPES)
		return 0;
	return merge_damaged(sc->m, &sc->r, rec, "a record that snapshots do not have");
}

static int take_record(struct scan *sc, const struct read_record *rec)
{
	const size_t was = sc->m->nr_sections;
	int err;

	sc->last_type = rec->type;
	err = rec->type < REC_ATTR ? take_kernel(sc, rec) : take_user(sc, rec);
	/*
	 * The snapshot's own sample must be the first record after
	 * FINISHED_INIT.
	 */
	if (!err && sc->in->body && rec->type != REC_FINISHED_INIT &&
	    !section(sc) && sc->m->nr_sections == was)
		err = merge_damaged(sc->m, &sc->r, rec,
				    "a record in the place of the snapshot's sample");
	return err;
}

static int check_end(const struct scan *sc)
{
	const char *path = sc->in->path;

	if (sc->in->size < REC_HEADER_SIZE)
		return diag(sc->m->d, -EBADMSG, "%s: %s", path, sc->in->size ?
			    "cut short, in its header" : "is empty");
	if (section(sc) && sc->last_type == REC_FINISHED_ROUND)
		return 0;
	return diag(sc->m->d, -EBADMSG,
		    "%s: cut short, ends before the FINISHED_ROUND of a whole snapshot",
		    path);
}

static int scan_records(struct scan *sc)
{
	struct read_record rec;
	int rc;

	rc = read_header(sc->r.stream);
	if (rc == -EBADMSG)
		return diag(sc->m->d, -EINVAL, "%s: is no snapshot: %s",
			    sc->in->path, read_problem(sc->r.stream));
	if (rc < 0 && rc != -ENODATA)
		return diag(sc->m->d, rc, "%s: %s", sc->in->path, strerror(-rc));
	while (rc > 0) {
		rc = merge_reader_next(sc->m, &sc->r, &rec);
		if (rc > 0)
			rc = take_record(sc, &rec) ?: 1;
	}
	return rc < 0 && rc != -ENODATA ? rc : check_end(sc);
}

/* --- what the file's sections have ----------------------------------------- */

/*
 * Find out from which time on each section has its records. If the file was merged,
 * merge_plan() for the file's own sections gives the same plan again.
 */
static int find_since(struct scan *sc)
{
	struct merge *m = sc->m;
	struct merge_section *all = &m->sections[sc->first], **list;
	const size_t nr = m->nr_sections - sc->first;
	bool initial = true;
	size_t i;

	list = calloc(nr, sizeof(*list));
	if (!list)
		return diag(m->d, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++)
		list[i] = &all[i];
	merge_plan(list, nr);
	free(list);
	for (i = 0; i < nr; i++) {
		sc->in->numbers = hash_bytes(sc->in->numbers, &all[i].mark.number,
					     sizeof(all[i].mark.number));
		if (all[i].covered) {
			all[i].since = MERGE_NEVER;
			continue;
		}
		all[i].initial = initial;
		all[i].had_state = all[i].state;
		if (!initial && all[i].from > all[i].since)
			all[i].since = all[i].from;
		initial = false;
	}
	return 0;
}

int merge_scan(struct merge *m, size_t i)
{
	struct scan sc = {
		.m = m, .in = &m->inputs[i], .input = i, .first = m->nr_sections,
	};
	int err;

	err = check_file(m, sc.in);
	if (!err)
		err = merge_reader_open(m, &sc.r, i, 0, sc.in->size);
	if (err)
		return err;
	err = scan_records(&sc);
	merge_reader_close(&sc.r);
	read_attrs_free(&sc.attrs);
	if (!err)
		err = merge_check(m, i);
	return err ?: find_since(&sc);
}
