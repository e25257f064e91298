// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrappers that put each record in memory of exactly its size. In the reader's own buffer,
 * the bytes behind a record are those of an earlier record, so a sanitizer would not see that
 * code reads too far. Link this with --wrap=read_next and --wrap=read_close.
 */
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "scratch.h"

/* A merge reads several parts of a file at the same time, and has a record of each. */
#define MAX_STREAMS	8

static struct {
	const struct read_stream *stream;
	void *record;
} kept[MAX_STREAMS];

static unsigned int find(const struct read_stream *s)
{
	unsigned int i;

	for (i = 0; i < MAX_STREAMS && kept[i].stream != s; i++)
		;
	return i;
}

static void drop(const struct read_stream *s)
{
	const unsigned int i = find(s);

	if (i == MAX_STREAMS)
		return;
	free(kept[i].record);
	kept[i].record = NULL;
	kept[i].stream = NULL;
}

int __wrap_read_next(struct read_stream *s, struct read_record *rec)
{
	unsigned int i;
	int rc;

	drop(s);
	rc = __real_read_next(s, rec);
	if (rc <= 0)
		return rc;
	i = find(NULL);
	must(i < MAX_STREAMS);
	kept[i].stream = s;
	kept[i].record = malloc(rec->size);
	must(kept[i].record);
	rec->hdr = memcpy(kept[i].record, rec->hdr, rec->size);
	return rc;
}

void __wrap_read_close(struct read_stream *s)
{
	drop(s);
	__real_read_close(s);
}
