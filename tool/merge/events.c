// SPDX-License-Identifier: GPL-2.0-only
/*
 * Merge the events and their ids. Each file has the events and ids of the CPUs
 * that were online.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/parts.h"
#include "base/bytes.h"

struct events {
	struct merge *m;
	const char *first;	/* file */
	struct read_map ids;	/* id -> index of the ATTR */
	struct read_map indexed;
};

static int no_memory(struct merge *m)
{
	return diag(m->d, -ENOMEM, "out of memory");
}

static int add_id(struct events *e, const struct merge_reader *r, __u32 attr,
		  __u64 id)
{
	struct perf_event_header **at = &e->m->attr_recs[attr], *to;
	__u32 other;

	if (read_map_get(&e->ids, id, &other)) {
		if (other == attr)
			return 0;
		return diag(e->m->d, -EINVAL,
			    "%s: id %llu is of another event than in %s",
			    r->in->path, (unsigned long long)id, e->first);
	}
	if ((*at)->size + sizeof(id) > REC_SIZE_MAX)
		return diag(e->m->d, -EINVAL,
			    "%s: an event has more ids than one stream can have: merge fewer files",
			    r->in->path);
	to = realloc(*at, (*at)->size + sizeof(id));
	if (!to || read_map_set(&e->ids, id, attr)) {
		*at = to ? to : *at;
		return no_memory(e->m);
	}
	memcpy((__u8 *)to + to->size, &id, sizeof(id));
	to->size += sizeof(id);
	*at = to;
	return 0;
}

/* Add an event, without its ids. */
static int new_attr(struct merge *m, const struct read_record *rec, size_t size)
{
	struct perf_event_header *attr = malloc(size);

	if (!attr || grow((void **)&m->attr_recs, m->nr_attr_recs,
			  sizeof(*m->attr_recs))) {
		free(attr);
		return no_memory(m);
	}
	memcpy(attr, rec->hdr, size);
	attr->size = size;
	m->attr_recs[m->nr_attr_recs++] = attr;
	return 0;
}

static int events_differ(struct events *e, const struct merge_reader *r)
{
	return diag(e->m->d, -EINVAL,
		    "%s: has other events than %s, although both are of one recording",
		    r->in->path, e->first);
}

static int take_attr(struct events *e, const struct merge_reader *r,
		     const struct read_record *rec, size_t nth)
{
	/* read_attrs_add() accepted the record in the first look. */
	const size_t size = sizeof(*rec->hdr) +
			    ((const struct perf_event_attr *)read_body(rec))->size;
	struct merge *m = e->m;
	size_t at;
	int err = 0;

	if (size > rec->size)
		return merge_damaged(m, r, rec, "an impossible ATTR");
	if (r->in->path == e->first)
		err = new_attr(m, rec, size);
	else if (nth >= m->nr_attr_recs ||
		 memcmp(m->attr_recs[nth] + 1, rec->hdr + 1, size - sizeof(*rec->hdr)))
		err = events_differ(e, r);
	for (at = size; !err && at + sizeof(__u64) <= rec->size; at += sizeof(__u64)) {
		__u64 id;

		memcpy(&id, (const __u8 *)rec->hdr + at, sizeof(id));
		err = add_id(e, r, nth, id);
	}
	return err;
}

static int take_index(struct events *e, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	__u64 nr = read_u64(&b);
	struct merge *m = e->m;

	for (; nr && !b.failed; nr--) {
		struct merge_id id = { .attr = -1U };

		id.entry.id = read_u64(&b);
		id.entry.idx = read_u64(&b);
		id.entry.cpu = read_u64(&b);
		id.entry.tid = read_u64(&b);
		if (b.failed || read_map_get(&e->indexed, id.entry.id, NULL))
			continue;
		read_map_get(&e->ids, id.entry.id, &id.attr);
		if (grow((void **)&m->ids, m->nr_ids, sizeof(*m->ids)) ||
		    read_map_set(&e->indexed, id.entry.id, 1))
			return no_memory(m);
		m->ids[m->nr_ids++] = id;
	}
	return 0;
}

static int take_input(struct events *e, size_t input)
{
	struct merge *m = e->m;
	struct read_record rec;
	struct merge_reader r;
	size_t nr_attrs = 0;
	int rc;

	rc = merge_reader_open(m, &r, input, REC_HEADER_SIZE, m->inputs[input].body);
	if (rc)
		return rc;
	do {
		rc = merge_reader_next(m, &r, &rec);
		if (rc > 0 && rec.type == REC_ATTR)
			rc = take_attr(e, &r, &rec, nr_attrs++) ?: 1;
		else if (rc > 0 && rec.type == REC_ID_INDEX)
			rc = take_index(e, &rec) ?: 1;
	} while (rc > 0);
	if (!rc && nr_attrs != m->nr_attr_recs)
		rc = events_differ(e, &r);
	merge_reader_close(&r);
	return rc;
}

static int take_all(struct events *e)
{
	struct merge *m = e->m;
	size_t i;
	int err;

	e->first = m->inputs[m->base->input].path;
	err = take_input(e, m->base->input);
	for (i = 0; !err && i < m->nr_list; i++) {
		struct merge_input *in = &m->inputs[m->list[i]->input];

		if (in->used)
			continue;
		in->used = true;
		if (in != &m->inputs[m->base->input])
			err = take_input(e, m->list[i]->input);
	}
	return err;
}

static int by_id(const void *x, const void *y)
{
	__u64 a, b;

	/* @x and @y can point into a record, so copy the ids. */
	memcpy(&a, x, sizeof(a));
	memcpy(&b, y, sizeof(b));
	return a < b ? -1 : a > b;
}

static int by_attr(const void *x, const void *y)
{
	const struct merge_id *a = x, *b = y;

	return a->attr != b->attr ? (a->attr < b->attr ? -1 : 1) :
				    by_id(&a->entry.id, &b->entry.id);
}

/*
 * Sort the ids by value, which is the order in which the events were opened,
 * whichever files had them.
 */
static void sort_ids(struct merge *m)
{
	size_t i;

	for (i = 0; i < m->nr_attr_recs; i++) {
		struct perf_event_header *h = m->attr_recs[i];
		const struct perf_event_attr *attr = (const void *)(h + 1);
		const size_t at = sizeof(*h) + attr->size;

		qsort((__u8 *)h + at, (h->size - at) / sizeof(__u64), sizeof(__u64),
		      by_id);
	}
	if (m->nr_ids)
		qsort(m->ids, m->nr_ids, sizeof(*m->ids), by_attr);
}

int merge_events(struct merge *m)
{
	struct events e = { .m = m };
	size_t i;
	int err;

	err = take_all(&e);
	sort_ids(m);
	read_map_free(&e.ids);
	read_map_free(&e.indexed);
	for (i = 0; !err && i < m->nr_attr_recs; i++) {
		const struct read_record rec = {
			.hdr = m->attr_recs[i], .type = REC_ATTR,
			.size = m->attr_recs[i]->size,
		};

		if (read_attrs_add(&m->attrs, &rec))
			err = no_memory(m);
	}
	return err;
}
