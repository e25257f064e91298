// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep the records with which each file of a recording begins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/made.h"
#include "stream/records.h"
#include "synth/synth.h"

int made_add(struct made *m, const void *data, size_t len)
{
	if (m->size + len > m->room) {
		const size_t room = (m->size + len) * 2;
		__u8 *larger = realloc(m->bytes, room);

		if (!larger)
			return -ENOMEM;
		m->bytes = larger;
		m->room = room;
	}
	if (!len)
		return 0;
	if (data)
		memcpy(m->bytes + m->size, data, len);
	else
		memset(m->bytes + m->size, 0, len);
	m->size += len;
	return 0;
}

int made_add_record(struct made *m, const void *head, size_t head_len, const void *data,
		    size_t len, size_t pad)
{
	const struct perf_event_header *h = head;

	if (h->type == REC_FEATURE && *(const __u64 *)(h + 1) == REC_FEAT_CLOCK_DATA)
		m->clock_data = m->size;
	return made_add(m, head, head_len) ?: made_add(m, data, len) ?: made_add(m, NULL, pad);
}

void made_set_clock(struct made *m)
{
	struct rec_clock_data data;

	if (!m->clock_data)
		return;
	memcpy(&data, m->bytes + m->clock_data, sizeof(data));
	synth_clock_times(&data);
	memcpy(m->bytes + m->clock_data, &data, sizeof(data));
}

void made_clear(struct made *m)
{
	m->size = 0;
	m->clock_data = 0;
}

void made_free(struct made *m)
{
	free(m->bytes);
	*m = (struct made){ .bytes = NULL };
}

static bool is_program_info(const struct perf_event_header *h)
{
	const __u64 *feature = (const void *)(h + 1);

	return *feature == REC_FEAT_BPF_PROG_INFO || *feature == REC_FEAT_BPF_BTF;
}

bool made_is_state(const struct perf_event_header *h)
{
	return h->type < REC_ATTR || h->type == REC_BUILD_ID ||
	       (h->type == REC_FEATURE && is_program_info(h));
}
