// SPDX-License-Identifier: GPL-2.0-only
/* Chunks of marks. A chunk contains the texts of its marks. */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "view/page/format.h"
#include "view/page/marks.h"

enum column {
	KINDS,
	BEGINS,
	LENGTHS,
	VALUES,
	TEXTS,
	STRINGS,
};

/*
 * Return 1 + the number of a text in this chunk. The chunk can have the same text more than once.
 */
static __u32 text_number(struct marks *m, const char *text)
{
	struct buf *strings = &m->column[STRINGS];
	__u32 slot = hash_string(text) % MARKS_RECENT;

	if (m->recent[slot].number && !strings->failed &&
	    !strcmp((char *)strings->p + m->recent[slot].offset, text))
		return m->recent[slot].number;
	m->recent[slot].number = ++m->nr_texts;
	m->recent[slot].offset = strings->len;
	buf_string(strings, text);
	return m->nr_texts;
}

static int end_chunk(struct marks *m, struct spill *s)
{
	struct chunk desc = { .begin = m->begin, .end = m->end, .nr = m->nr };
	struct buf begins = { 0 }, rest = m->column[BEGINS];
	int err = 0;

	if (m->nr) {
		/* The first difference is from the chunk's begin, which is known only now. */
		buf_signed(&begins, m->first - m->begin);
		buf_bytes(&begins, rest.p, rest.len);
		begins.failed |= rest.failed;
		m->column[BEGINS] = begins;
		err = spill_put(s, &m->chunks, &desc, m->column, MARKS_COLUMNS);
		buf_free(&m->column[BEGINS]);
		rest.len = 0;
		m->column[BEGINS] = rest;
	}
	m->nr = 0;
	m->nr_texts = 0;
	memset(m->recent, 0, sizeof(m->recent));
	*m->pending -= m->counted;
	m->counted = 0;
	return err;
}

int marks_add(struct marks *m, struct spill *s, const struct tl_mark *mark)
{
	struct mark_sum *sum = &m->sum[mark->kind];
	__u64 length = mark->end - mark->begin;
	struct item item = {
		.begin = mark->begin, .end = mark->end, .count = 1, .value = mark->value,
		.row = mark->kind,
	};
	size_t bytes = 16;

	if (!m->nr) {
		m->begin = mark->begin;
		m->first = mark->begin;
		m->end = mark->end;
	} else {
		buf_signed(&m->column[BEGINS], mark->begin - m->before);
	}
	/* A mark can begin before those that were told earlier. */
	if (mark->begin < m->begin)
		m->begin = mark->begin;
	if (mark->end > m->end)
		m->end = mark->end;
	buf_byte(&m->column[KINDS], mark->kind);
	buf_varint(&m->column[LENGTHS], length);
	buf_varint(&m->column[VALUES], mark->value);
	buf_varint(&m->column[TEXTS], mark->text ? text_number(m, mark->text) : 0);
	m->before = mark->begin;
	m->nr++;
	m->nr_all++;
	sum->nr++;
	sum->value = sum->value + mark->value < mark->value ? ~0ULL : sum->value + mark->value;
	sum->length = sum->length + length < length ? ~0ULL : sum->length + length;
	if (mark->text)
		bytes += strlen(mark->text);
	m->counted += bytes;
	*m->pending += bytes;
	if (m->nr >= PAGE_ITEMS || m->column[STRINGS].len > 1U << 20) {
		int err = end_chunk(m, s);

		if (err)
			return err;
	}
	return levels_add(&m->levels, s, &item);
}

int marks_cut(struct marks *m, struct spill *s)
{
	int err = end_chunk(m, s);
	unsigned int i;

	for (i = 0; i < MARKS_COLUMNS; i++)
		buf_free(&m->column[i]);
	return err ? err : levels_cut(&m->levels, s);
}

int marks_end(struct marks *m, struct spill *s)
{
	int err = end_chunk(m, s);

	return err ? err : levels_end(&m->levels, s);
}

void marks_free(struct marks *m)
{
	unsigned int i;

	for (i = 0; i < MARKS_COLUMNS; i++)
		buf_free(&m->column[i]);
	chunks_free(&m->chunks);
	levels_free(&m->levels);
}
