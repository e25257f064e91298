// SPDX-License-Identifier: GPL-2.0-only
/*
 * The features of a perf.data file: sections behind the data, and a table of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "perfdata/parts.h"

/* Features that a stream cannot have in FEATURE records, or that are written anew */
enum {
	FEAT_BRANCH_STACK	= 15,
	FEAT_AUXTRACE		= 18,
	FEAT_DIR_FORMAT		= 24,	/* the recording is a directory of files */
};

/* Where an AUXTRACE record is in the file; perf's struct auxtrace_index_entry */
struct index_entry {
	__u64	offset;
	__u64	size;
};

/* Return whether the feature is made here, or belongs to streams only. */
static bool is_own(__u64 id)
{
	switch (id) {
	case 0:
	case REC_FEAT_TRACING_DATA:
	case REC_FEAT_BUILD_ID:
	case REC_FEAT_EVENT_DESC:
	case FEAT_BRANCH_STACK:
	case FEAT_AUXTRACE:
	case REC_FEAT_SAMPLE_TIME:
	case FEAT_DIR_FORMAT:
	case REC_FEAT_COMPRESSED:
	case REC_FEAT_END:
		return true;
	}
	return id >= PD_NR_FEATURES;
}

/* Return the next BPF program or BPF type, and its size; NULL after a damaged one. */
static const void *next_item(struct read_bytes *b, bool program, size_t *size)
{
	const __u8 *begin = b->p;
	__u32 first, second;

	first = read_u32(b);
	second = read_u32(b);
	if (program)
		read_u64(b);
	read_take(b, program ? (__u64)first + second : second);
	*size = b->p - begin;
	return b->failed ? NULL : begin;
}

/* Take the items, without the padding after the last one. */
static int add_items(struct pd_items *to, struct read_bytes b, bool program, const char *out,
		     struct diag *d)
{
	__u32 nr = read_u32(&b);
	const void *item;
	size_t size;
	int err = 0;

	for (; !err && nr; nr--) {
		item = next_item(&b, program, &size);
		if (!item)
			return diag(d, -EBADMSG, "a damaged FEATURE record of BPF");
		err = pd_spill_add(&to->items, out, item, size, d);
		to->nr++;
	}
	return err;
}

int pd_features_add(struct pd_features *f, const struct read_record *rec, const char *out,
		    struct diag *d)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	const __u64 id = read_u64(&b);
	void *copy;

	if (b.failed)
		return diag(d, -EBADMSG, "a damaged FEATURE record");
	/* The end mark of perf's streams is a feature without data. Its number varies. */
	if (is_own(id) || !b.left)
		return 0;
	if (id == REC_FEAT_BPF_PROG_INFO)
		return add_items(&f->programs, b, true, out, d);
	if (id == REC_FEAT_BPF_BTF)
		return add_items(&f->types, b, false, out, d);
	copy = malloc(b.left);
	if (!copy)
		return diag(d, -ENOMEM, "out of memory");
	memcpy(copy, b.p, b.left);
	free(f->list[id].data);
	f->list[id] = (struct pd_feature){ copy, b.left };
	return 0;
}

int pd_features_aux(struct pd_features *f, const struct read_record *rec, __u64 offset,
		    const char *out, struct diag *d)
{
	const struct index_entry entry = { offset, rec->size };

	f->nr_index++;
	return pd_spill_add(&f->index, out, &entry, sizeof(entry), d);
}

void pd_features_time(struct pd_features *f, __u64 time, bool sample)
{
	__u64 *range = sample ? f->samples : f->records;

	if (!time || time == ~0ULL)
		return;
	if (!range[0] || time < range[0])
		range[0] = time;
	if (time > range[1])
		range[1] = time;
}

/* Is there something to write for this feature? */
static bool is_present(const struct pd_features *f, const struct pd_events *events,
		       const struct pd_build_ids *ids, unsigned int id)
{
	switch (id) {
	case REC_FEAT_TRACING_DATA:
		return f->tracing.bytes;
	case REC_FEAT_BUILD_ID:
		return ids->nr;
	case REC_FEAT_EVENT_DESC:
		return true;
	case FEAT_BRANCH_STACK:
		return pd_events_sample(events, PERF_SAMPLE_BRANCH_STACK);
	case FEAT_AUXTRACE:
		return f->has_aux;
	case REC_FEAT_SAMPLE_TIME:
		return f->samples[0] || f->records[0];
	case REC_FEAT_BPF_PROG_INFO:
		return f->programs.nr;
	case REC_FEAT_BPF_BTF:
		return f->types.nr;
	}
	return f->list[id].data;
}

static int write_items(struct pd_items *items, struct pd_out *o, struct diag *d)
{
	pd_out_add(o, &items->nr, sizeof(items->nr));
	return pd_spill_write(&items->items, o, d);
}

static int write_one(struct pd_features *f, const struct pd_events *events,
		     const struct pd_build_ids *ids, unsigned int id, struct pd_out *o,
		     struct diag *d)
{
	switch (id) {
	case REC_FEAT_TRACING_DATA:
		return pd_spill_write(&f->tracing, o, d);
	case REC_FEAT_BUILD_ID:
		pd_build_ids_write(ids, o);
		return 0;
	case REC_FEAT_EVENT_DESC:
		pd_events_describe(events, o);
		return 0;
	case FEAT_BRANCH_STACK:
		return 0;	/* This feature is only a bit in the header. */
	case FEAT_AUXTRACE:
		pd_out_add(o, &f->nr_index, sizeof(f->nr_index));
		return pd_spill_write(&f->index, o, d);
	case REC_FEAT_SAMPLE_TIME:
		pd_out_add(o, f->samples[0] ? f->samples : f->records, sizeof(f->samples));
		return 0;
	case REC_FEAT_BPF_PROG_INFO:
		return write_items(&f->programs, o, d);
	case REC_FEAT_BPF_BTF:
		return write_items(&f->types, o, d);
	}
	pd_out_add(o, f->list[id].data, f->list[id].size);
	return 0;
}

int pd_features_write(struct pd_features *f, const struct pd_events *events,
		      const struct pd_build_ids *ids, struct pd_out *o, struct pd_header *h,
		      struct diag *d)
{
	struct pd_section table[PD_NR_FEATURES];
	const __u64 begin = o->bytes;
	unsigned int id, nr = 0;
	int err = 0;

	/* The table is as long as the number of features, so it is written twice. */
	for (id = 0; id < PD_NR_FEATURES; id++)
		nr += is_present(f, events, ids, id);
	memset(table, 0, sizeof(table));
	pd_out_add(o, table, nr * sizeof(*table));
	nr = 0;
	for (id = 0; !err && id < PD_NR_FEATURES; id++) {
		if (!is_present(f, events, ids, id))
			continue;
		h->features[id / 64] |= 1ULL << id % 64;
		table[nr].offset = o->bytes;
		err = write_one(f, events, ids, id, o, d);
		table[nr].size = o->bytes - table[nr].offset;
		nr++;
	}
	if (!err)
		pd_out_patch(o, begin, table, nr * sizeof(*table));
	return err;
}

void pd_features_free(struct pd_features *f)
{
	unsigned int id;

	for (id = 0; id < PD_NR_FEATURES; id++)
		free(f->list[id].data);
	pd_spill_free(&f->programs.items);
	pd_spill_free(&f->types.items);
	pd_spill_free(&f->tracing);
	pd_spill_free(&f->index);
}
