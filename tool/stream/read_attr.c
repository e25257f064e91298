// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of a stream: take them from ATTR and EVENT_UPDATE records, find them by id.
 */
#include "stream/read_attr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"

static struct read_event *append(struct read_attrs *attrs)
{
	struct read_event **list, *ev;

	/* The list has room for 1, 2, 4, 8 ... events. */
	if (!(attrs->nr & (attrs->nr - 1))) {
		size_t room = attrs->nr ? attrs->nr * 2 : 1;

		list = realloc(attrs->list, room * sizeof(*list));
		if (!list)
			return NULL;
		attrs->list = list;
	}
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return NULL;
	ev->index = attrs->nr;
	attrs->list[attrs->nr++] = ev;
	return ev;
}

int read_attrs_add(struct read_attrs *attrs, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	const struct perf_event_attr *attr = read_body(rec);
	struct read_event *ev;
	size_t known;
	__u32 size;
	int rc = 0;

	if (b.left < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	size = attr->size;
	if (size < PERF_ATTR_SIZE_VER0 || size % 8 || !read_take(&b, size))
		return -EINVAL;

	ev = append(attrs);
	if (!ev)
		return -ENOMEM;
	known = size < sizeof(ev->attr) ? size : sizeof(ev->attr);
	memcpy(&ev->attr, attr, known);
	ev->attr_size = size;
	while (b.left >= sizeof(__u64)) {
		__u64 id = read_u64(&b);

		if (!ev->nr_ids++)
			ev->first_id = id;
		if (read_map_get(&attrs->ids, id, NULL))
			rc = -EEXIST;
		else if (read_map_set(&attrs->ids, id, ev->index))
			return -ENOMEM;
	}
	return rc;
}

struct read_event *read_attrs_find(const struct read_attrs *attrs, __u64 id)
{
	__u32 index;

	if (!read_map_get(&attrs->ids, id, &index))
		return NULL;
	return attrs->list[index];
}

static int set_string(char **to, const char *s, size_t len)
{
	char *copy;

	if (!memchr(s, 0, len))
		return -EINVAL;
	copy = strdup(s);
	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

int read_attrs_update(struct read_attrs *attrs, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	__u64 type = read_u64(&b), id = read_u64(&b);
	struct read_event *ev;

	if (b.failed)
		return -EINVAL;
	ev = read_attrs_find(attrs, id);
	if (!ev)
		return -ENOENT;
	if (type == REC_UPDATE_NAME)
		return set_string(&ev->name, (const char *)b.p, b.left);
	if (type == REC_UPDATE_UNIT)
		return set_string(&ev->unit, (const char *)b.p, b.left);
	return 0;
}

void read_event_text(const struct read_event *ev, char buf[READ_EVENT_TEXT])
{
	snprintf(buf, READ_EVENT_TEXT, "type %u config %#llx", ev->attr.type, ev->attr.config);
}

const char *read_event_name(const struct read_event *ev)
{
	static char other[READ_EVENT_TEXT];

	if (ev->name)
		return ev->name;
	read_event_text(ev, other);
	return other;
}

void read_attrs_free(struct read_attrs *attrs)
{
	size_t i;

	for (i = 0; i < attrs->nr; i++) {
		free(attrs->list[i]->name);
		free(attrs->list[i]->unit);
		free(attrs->list[i]);
	}
	free(attrs->list);
	read_map_free(&attrs->ids);
	*attrs = (struct read_attrs) { 0 };
}
