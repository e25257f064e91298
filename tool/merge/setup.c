// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the start of the stream: that of the first snapshot, with the events of all
 * snapshots.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "merge/parts.h"

#define ID_SIZE		sizeof(((struct merge_id *)NULL)->entry)
#define IDS_MAX		((REC_SIZE_MAX - 16) / ID_SIZE)

bool merge_is_state(__u32 type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_TEXT_POKE:
		return true;
	}
	return false;
}

/* BPF programs are loaded during the recording. All other FEATUREs do not change. */
static bool is_bpf(const struct read_record *rec)
{
	__u64 id;

	if (rec->type != REC_FEATURE || read_body_size(rec) < sizeof(id))
		return false;
	memcpy(&id, read_body(rec), sizeof(id));
	return id == REC_FEAT_BPF_PROG_INFO || id == REC_FEAT_BPF_BTF;
}

static bool is_once(const struct read_record *rec)
{
	return rec->type == REC_BUILD_ID || is_bpf(rec);
}

int merge_once(struct merge *m, const struct read_record *rec)
{
	const struct merge_key key = { {
		MERGE_BYTES, rec->size, hash_bytes(0, rec->hdr, rec->size),
		hash_bytes(1, rec->hdr, rec->size),
	} };
	const int rc = merge_seen_add(&m->seen, &key, MERGE_NEVER);

	if (rc < 0)
		return diag(m->d, rc, "out of memory");
	if (!rc)
		merge_out_record(&m->out, rec->hdr);
	return 0;
}

static void write_index(struct merge *m)
{
	size_t i, j;

	for (i = 0; i < m->nr_ids; i += IDS_MAX) {
		const __u64 nr = m->nr_ids - i < IDS_MAX ? m->nr_ids - i : IDS_MAX;
		const struct perf_event_header h = {
			REC_ID_INDEX, 0, sizeof(h) + sizeof(nr) + nr * ID_SIZE,
		};

		m->out.records++;
		merge_out_add(&m->out, &h, sizeof(h));
		merge_out_add(&m->out, &nr, sizeof(nr));
		for (j = i; j < i + nr; j++)
			merge_out_add(&m->out, &m->ids[j].entry, ID_SIZE);
	}
}

int merge_setup(struct merge *m)
{
	static const __u64 header[2] = { REC_MAGIC, REC_HEADER_SIZE };
	struct merge_input *in = &m->inputs[m->base->input];
	struct read_record rec;
	struct merge_reader r;
	size_t attr = 0;
	bool index = false;
	int rc;

	rc = merge_reader_open(m, &r, m->base->input, REC_HEADER_SIZE, in->body);
	if (rc)
		return rc;
	merge_out_add(&m->out, header, sizeof(header));
	for (;;) {
		rc = merge_reader_next(m, &r, &rec);
		if (rc <= 0)
			break;
		if (rec.type == REC_ATTR && attr < m->nr_attr_recs) {
			merge_out_record(&m->out, m->attr_recs[attr++]);
			continue;
		}
		if (rec.type == REC_ID_INDEX) {
			if (!index)
				write_index(m);
			index = true;
			continue;
		}
		if (is_once(&rec)) {
			rc = merge_once(m, &rec);
		} else {
			merge_out_record(&m->out, rec.hdr);
			rc = merge_reader_copy(m, &r, &rec, rec.blob);
		}
		if (rc)
			break;
	}
	merge_reader_close(&r);
	return rc;
}

/*
 * Take BPF programs and build-ids from a part of the section's file; with @state, take the
 * state, too.
 */
static int take_part(struct merge *m, struct merge_section *s, __u64 start, __u64 end,
		     bool state)
{
	struct read_record rec;
	struct merge_reader r;
	int rc;

	rc = merge_reader_open(m, &r, s->input, start, end);
	if (rc)
		return rc;
	do {
		rc = merge_reader_next(m, &r, &rec);
		if (rc <= 0)
			break;
		if (is_once(&rec)) {
			rc = merge_once(m, &rec) ?: 1;
		} else if (state && merge_is_state(rec.type)) {
			merge_out_record(&m->out, rec.hdr);
			merge_time(s, s->since - 1);
		}
	} while (rc > 0);
	merge_reader_close(&r);
	return rc;
}

int merge_late_setup(struct merge *m, struct merge_section *s)
{
	/*
	 * Do nothing if the setup belongs to another snapshot, if another snapshot covers this
	 * one, or if the stream begins with this setup.
	 */
	if (!s->initial || s->covered || s == m->base)
		return 0;
	return take_part(m, s, REC_HEADER_SIZE, m->inputs[s->input].body, s->state);
}

int merge_covered(struct merge *m, size_t i)
{
	size_t first = i;
	int err = 0;

	if (m->list[i]->covered)
		return 0;
	while (first && m->list[first - 1]->covered)
		first--;
	for (; !err && first < i; first++) {
		struct merge_section *s = m->list[first];

		if (s->initial)
			err = take_part(m, s, REC_HEADER_SIZE, m->inputs[s->input].body,
					false);
		if (!err)
			err = take_part(m, s, s->start, s->end, false);
	}
	return err;
}
