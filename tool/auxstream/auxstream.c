// SPDX-License-Identifier: GPL-2.0-only
/*
 * libauxstream: open a stream and return its items, see auxstream.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auxstream/auxstream.h"
#include "auxstream/item.h"
#include "base/util.h"
#include "stream/cause.h"

static struct auxstream *new_stream(void)
{
	struct auxstream *s = calloc(1, sizeof(*s));

	if (s)
		s->status = 1;
	return s;
}

static struct auxstream *open_stream(struct auxstream *s, read_fill_t fill, void *context)
{
	if (!s)
		return NULL;
	s->stream = read_open(fill, context);
	if (s->stream)
		return s;
	free(s);
	return NULL;
}

struct auxstream *auxstream_open(auxstream_fill_t fill, void *context)
{
	return open_stream(new_stream(), fill, context);
}

struct auxstream *auxstream_open_fd(int fd)
{
	struct auxstream *s = new_stream();

	if (s)
		s->fd = fd;
	return open_stream(s, read_fill_fd, s ? &s->fd : NULL);
}

void auxstream_close(struct auxstream *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->nr_events; i++)
		free(s->events[i]);
	free(s->events);
	read_attrs_free(&s->attrs);
	read_losses_free(&s->losses);
	read_close(s->stream);
	free(s);
}

/* Keep the error, and a text for it. */
static int fail(struct auxstream *s, int err)
{
	const char *why = read_problem(s->stream);

	s->status = err;
	switch (err) {
	case 0:
		break;
	case -ENODATA:
		snprintf(s->problem, sizeof(s->problem),
			 "the stream ends within the record at offset %llu%s%s",
			 (unsigned long long)read_cut(s->stream), why ? ": " : "", why ?: "");
		break;
	case -EBADMSG:
		snprintf(s->problem, sizeof(s->problem), "%s",
			 why ?: "a record has an impossible size: no further record can be found");
		break;
	case -EPROTO:
		snprintf(s->problem, sizeof(s->problem), "%s",
			 why ?: "compressed data is damaged");
		break;
	case -ENOMEM:
		snprintf(s->problem, sizeof(s->problem), "out of memory");
		break;
	default:
		snprintf(s->problem, sizeof(s->problem), "cannot read the stream: %s",
			 strerror(-err));
	}
	return err;
}

/* Make the public view of each new event. Its name may come later. */
static int add_events(struct auxstream *s)
{
	struct event_view *view;

	while (s->nr_events < s->attrs.nr) {
		if (grow((void **)&s->events, s->nr_events, sizeof(*s->events)))
			return -ENOMEM;
		view = calloc(1, sizeof(*view));
		if (!view)
			return -ENOMEM;
		read_event_text(s->attrs.list[s->nr_events], view->unnamed);
		view->event = (struct auxstream_event) {
			.attr = &s->attrs.list[s->nr_events]->attr,
			.name = view->unnamed,
			.index = s->nr_events,
		};
		s->events[s->nr_events++] = view;
	}
	return 0;
}

static int learn(struct auxstream *s, const struct read_record *rec)
{
	size_t i;
	int rc;

	rc = rec->type == REC_ATTR ? read_attrs_add(&s->attrs, rec) :
	     rec->type == REC_EVENT_UPDATE ? read_attrs_update(&s->attrs, rec) : 0;
	if (rc == -ENOMEM || add_events(s))
		return -ENOMEM;
	if (rec->type == REC_EVENT_UPDATE)
		for (i = 0; i < s->nr_events; i++)
			if (s->attrs.list[i]->name)
				s->events[i]->event.name = s->attrs.list[i]->name;
	return rec->type == REC_COMPRESSED && !rec->inner ? read_inflate(s->stream) : 0;
}

static int next(struct auxstream *s, struct auxstream_item *item)
{
	struct read_record rec;
	int rc;

	if (!s->started) {
		s->started = true;
		rc = read_header(s->stream);
		if (rc <= 0)
			return rc;
	}
	do {
		rc = read_next(s->stream, &rec);
		if (rc > 0 && rec.type >= REC_ATTR && learn(s, &rec))
			return -ENOMEM;
		/* Skip a COMPRESSED record itself: the records inside it come next. */
	} while (rc > 0 && rec.type == REC_COMPRESSED && !rec.inner);
	if (rc <= 0)
		return rc;
	return item_fill(s, &rec, item) ?: 1;
}

int auxstream_next(struct auxstream *s, struct auxstream_item *item)
{
	int rc;

	memset(item, 0, sizeof(*item));
	if (s->status <= 0)
		return s->status;
	rc = next(s, item);
	return rc > 0 ? rc : fail(s, rc);
}

ssize_t auxstream_data(struct auxstream *s, void *buf, size_t size)
{
	ssize_t n;

	if (s->status <= 0)
		return s->status;
	if (!s->has_data || !size)
		return 0;
	n = read_blob(s->stream, buf, size);
	return n >= 0 ? n : fail(s, n);
}

const char *auxstream_problem(const struct auxstream *s)
{
	return s->status < 0 ? s->problem : NULL;
}

const struct auxstream_event *auxstream_event(const struct auxstream *s, __u32 index)
{
	return index < s->nr_events ? &s->events[index]->event : NULL;
}

const char *auxstream_type_name(__u32 type)
{
	return read_known_type(type) ?: "?";
}

const char *auxstream_cause_name(__u32 cause)
{
	return cause == AUXSTREAM_MAIN_RING ? "main ring" : gap_cause_name(cause);
}
