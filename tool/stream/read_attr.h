/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a stream, from its ATTR and EVENT_UPDATE records.
 */
#ifndef AUXREC_READ_ATTR_H
#define AUXREC_READ_ATTR_H

#include "stream/read.h"
#include "base/hash_map.h"

struct read_event {
	struct perf_event_attr attr;	/* without fields that this build does not know */
	__u32	index;
	__u32	attr_size;	/* as in the stream */
	__u32	nr_ids;
	__u64	first_id;
	char	*name;		/* from EVENT_UPDATE, or NULL */
	char	*unit;		/* likewise */
};

/* Pointers to events stay valid: the list holds pointers. */
struct read_attrs {
	struct read_event **list;
	size_t nr;
	struct read_map ids;	/* id -> index of the event */
};

/*
 * read_attrs_add() - take an ATTR record
 *
 * Return: 0; -EINVAL: attr.size is below 64, is not a multiple of 8, or does not
 * fit into the record (the event was not added); -EEXIST: an id is already
 * known (the event was added, but the known id stays with the older event); -ENOMEM.
 */
int read_attrs_add(struct read_attrs *attrs, const struct read_record *rec);

/*
 * read_attrs_update() - take an EVENT_UPDATE record
 *
 * Return: 0; -EINVAL: the record is too short, or its string has no NUL; -ENOENT:
 * no event has the id; -ENOMEM.
 */
int read_attrs_update(struct read_attrs *attrs, const struct read_record *rec);

struct read_event *read_attrs_find(const struct read_attrs *attrs, __u64 id);

#define READ_EVENT_TEXT	64	/* bytes for "type T config C" */

/* Put "type T config C" into @buf. */
void read_event_text(const struct read_event *ev, char buf[READ_EVENT_TEXT]);

/* Return the event's name, or "type T config C" in a static buffer. */
const char *read_event_name(const struct read_event *ev);

void read_attrs_free(struct read_attrs *attrs);

#endif /* AUXREC_READ_ATTR_H */
