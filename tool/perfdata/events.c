// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of a perf.data file: their attrs, ids and names.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/parts.h"

/* The kernel accepts no larger attr (perf_copy_attr()). */
#define ATTR_SIZE_MAX	4096

/* The sizes that struct perf_event_attr has had */
static const __u32 attr_sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };

static int out_of_memory(struct diag *d)
{
	return diag(d, -ENOMEM, "out of memory");
}

int pd_events_add(struct pd_events *e, const struct read_record *rec, struct diag *d)
{
	const struct perf_event_attr *attr = read_body(rec);
	const int rc = read_attrs_add(&e->attrs, rec);
	const struct read_event *read;
	struct pd_event ev;

	if (rc == -EINVAL || (rc != -ENOMEM && attr->size > ATTR_SIZE_MAX))
		return diag(d, -EBADMSG, "a damaged ATTR record");
	if (rc == -ENOMEM || grow((void **)&e->list, e->nr, sizeof(ev)))
		return out_of_memory(d);
	ev.record = malloc(read_body_size(rec));
	if (!ev.record)
		return out_of_memory(d);
	memcpy(ev.record, attr, read_body_size(rec));
	if (pd_events_needs_ip(&e->attrs.list[e->nr]->attr))
		((struct perf_event_attr *)ev.record)->sample_type |= PERF_SAMPLE_IP;
	read = e->attrs.list[e->nr];
	ev.attr = ev.record;
	ev.ids = ev.attr + read->attr_size;
	ev.attr_size = read->attr_size;
	ev.nr_ids = read->nr_ids;
	e->list[e->nr++] = ev;
	return 0;
}

/*
 * Return the size of the attrs in the file, which is the same for all. An older perf refuses a file
 * whose attrs are larger than its own (read_attr()), so this is the smallest size in which no attr
 * loses anything but zeros at its end.
 */
static __u32 common_size(const struct pd_events *e)
{
	__u32 size = 0, used;
	size_t i;

	for (i = 0; i < e->nr; i++) {
		const struct pd_event *ev = &e->list[i];

		for (used = ev->attr_size; used && !ev->attr[used - 1]; used--)
			;
		if (used > size)
			size = used;
	}
	for (i = 0; i < ARRAY_LEN(attr_sizes); i++)
		if (size <= attr_sizes[i])
			return attr_sizes[i];
	return ALIGN8(size);
}

static void write_attr(const struct pd_events *e, const struct pd_event *ev, struct pd_out *o)
{
	__u8 attr[ATTR_SIZE_MAX] = { 0 };

	memcpy(attr, ev->attr, ev->attr_size < e->attr_size ? ev->attr_size : e->attr_size);
	memcpy(attr + offsetof(struct perf_event_attr, size), &e->attr_size,
	       sizeof(e->attr_size));
	pd_out_add(o, attr, e->attr_size);
}

static size_t ids_size(const struct pd_event *ev)
{
	return (size_t)ev->nr_ids * sizeof(__u64);
}

void pd_events_write(struct pd_events *e, struct pd_out *o, struct pd_header *h)
{
	struct pd_section ids;
	size_t i;

	e->attr_size = common_size(e);
	h->attr_size = e->attr_size + sizeof(ids);
	h->attrs.offset = o->bytes;
	h->attrs.size = e->nr * h->attr_size;
	ids.offset = h->attrs.offset + h->attrs.size;
	for (i = 0; i < e->nr; i++) {
		ids.size = ids_size(&e->list[i]);
		write_attr(e, &e->list[i], o);
		pd_out_add(o, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
	for (i = 0; i < e->nr; i++)
		pd_out_add(o, e->list[i].ids, ids_size(&e->list[i]));
}

void pd_events_describe(const struct pd_events *e, struct pd_out *o)
{
	const __u32 nr = e->nr;
	char text[READ_EVENT_TEXT];
	size_t i;

	pd_out_add(o, &nr, sizeof(nr));
	pd_out_add(o, &e->attr_size, sizeof(e->attr_size));
	for (i = 0; i < nr; i++) {
		const struct pd_event *ev = &e->list[i];
		const struct read_event *read = e->attrs.list[i];

		write_attr(e, ev, o);
		pd_out_add(o, &ev->nr_ids, sizeof(ev->nr_ids));
		read_event_text(read, text);
		pd_out_string(o, read->name ?: text);
		pd_out_add(o, ev->ids, ids_size(ev));
	}
}

bool pd_events_needs_ip(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       (attr->sample_type & PERF_SAMPLE_IDENTIFIER) &&
	       !(attr->sample_type & PERF_SAMPLE_IP);
}

bool pd_events_sample(const struct pd_events *e, __u64 bits)
{
	size_t i;

	for (i = 0; i < e->nr; i++)
		if (e->attrs.list[i]->attr.sample_type & bits)
			return true;
	return false;
}

void pd_events_free(struct pd_events *e)
{
	size_t i;

	for (i = 0; i < e->nr; i++)
		free(e->list[i].record);
	free(e->list);
	e->list = NULL;
	e->nr = 0;
	read_attrs_free(&e->attrs);
}
