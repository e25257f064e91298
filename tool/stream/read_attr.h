/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a stream, from its ATTR and EVENT_UPDATE records.
 */
#ifndef AUXREC_READ_ATTR_H
#define AUXREC_READ_ATTR_H

#include "stream/read.h"
#include "base/map.h"

struct read_event {
	struct perf_event_attr attr;	/* what this build does not know is cut */
	__u32	index;
	__u32	attr_size;	/* as in the stream */
	__u32	nr_ids;
	__u64	first_id;
	char	*name;		/* from EVENT_UPDATE; NULL */
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
 * Return: 0; -EINVAL: attr.size is not 64 or more or not a multiple of 8 or
 * does not fit the record (nothing added); -EEXIST: an id that is known, the
 * rest was added and the id stays with the older event; -ENOMEM.
 */
int read_attrs_add(struct read_attrs *attrs, const struct read_record *rec);

/*
 * read_attrs_update() - take an EVENT_UPDATE record
 *
 * Return: 0; -EINVAL: too short, or a string without its end; -ENOENT: its id
 * is not known; -ENOMEM.
 */
int read_attrs_update(struct read_attrs *attrs, const struct read_record *rec);

struct read_event *read_attrs_find(const struct read_attrs *attrs, __u64 id);

/* The event's name, or "type T config C" in a static buffer. */
const char *read_event_name(const struct read_event *ev);

void read_attrs_free(struct read_attrs *attrs);

#endif /* AUXREC_READ_ATTR_H */
