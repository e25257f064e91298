// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the fields of a SAMPLE, and the sample_id trailer of the kernel's other records.
 */
#include "stream/read_sample.h"

#include <errno.h>

#include "base/bytes.h"

#define TRAILER_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_IDENTIFIER)

/* PERF_SAMPLE_BRANCH_COUNTERS, since Linux 6.8; the same bit on all architectures. */
#define BRANCH_COUNTERS		0x80000
/* PERF_FORMAT_LOST, since Linux 6.0. */
#define FORMAT_LOST		0x10

__u32 read_trailer_size(const struct perf_event_attr *attr)
{
	if (!attr->sample_id_all)
		return 0;
	return 8 * __builtin_popcountll(attr->sample_type & TRAILER_FIELDS);
}

/* Return the index of the u64 with the id in a SAMPLE, counted from the body's start. */
static int sample_id_index(__u64 type)
{
	const __u64 before = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			     PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (type & PERF_SAMPLE_ID)
		return __builtin_popcountll(type & before);
	return -1;
}

/* Return the index of the u64 with the id in a trailer, counted from the trailer's end, from 1. */
static int trailer_id_index(__u64 type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (type & PERF_SAMPLE_ID)
		return 1 + !!(type & PERF_SAMPLE_CPU) +
		       !!(type & PERF_SAMPLE_STREAM_ID);
	return -1;
}

static int find_event(const struct read_attrs *attrs,
		      const struct read_record *rec, struct read_sample *out)
{
	const __u64 *body = read_body(rec);
	const struct read_event *first;
	size_t nr = read_body_size(rec) / 8;
	int at;

	if (!attrs->nr)
		return -ENODATA;
	first = attrs->list[0];
	out->event = first;
	if (rec->type == PERF_RECORD_SAMPLE) {
		at = sample_id_index(first->attr.sample_type);
		if (at < 0)
			return 0;
	} else {
		if (!first->attr.sample_id_all)
			return 0;
		at = trailer_id_index(first->attr.sample_type);
		if (at < 0)
			return 0;
		at = (int)nr - at;
	}
	if (at < 0 || (size_t)at >= nr) {
		out->bad = "id";
		return -EINVAL;
	}
	out->id = body[at];
	if (!out->id && rec->type != PERF_RECORD_SAMPLE)
		return 0;
	out->event = read_attrs_find(attrs, out->id);
	if (out->event)
		return 0;
	/* A single event takes all records, but an unknown id is still an error. */
	out->event = attrs->nr == 1 ? first : NULL;
	return -ENOENT;
}

static void parse_trailer(const struct read_record *rec,
			  struct read_sample *out)
{
	__u64 type = out->event->attr.sample_type & TRAILER_FIELDS;
	__u32 size = read_trailer_size(&out->event->attr);
	struct read_bytes b;

	if (read_body_size(rec) < size) {
		out->bad = "sample_id";
		return;
	}
	out->rest = read_body_size(rec) - size;
	b = read_bytes_init((const char *)read_body(rec) + out->rest, size);
	if (!size)
		return;
	out->has = type;
	if (type & PERF_SAMPLE_TID) {
		out->pid = read_u32(&b);
		out->tid = read_u32(&b);
	}
	if (type & PERF_SAMPLE_TIME)
		out->time = read_u64(&b);
	if (type & PERF_SAMPLE_ID)
		out->id = read_u64(&b);
	if (type & PERF_SAMPLE_STREAM_ID)
		out->stream_id = read_u64(&b);
	if (type & PERF_SAMPLE_CPU) {
		out->cpu = read_u32(&b);
		read_u32(&b);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		out->id = read_u64(&b);
}

static void parse_read(struct read_bytes *b, __u64 format,
		       struct read_sample *out)
{
	bool group = format & PERF_FORMAT_GROUP;
	size_t item = 8;

	out->nr_read = 1;
	if (group)
		out->nr_read = read_u64(b);
	else
		read_u64(b);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		read_u64(b);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		read_u64(b);
	if (format & PERF_FORMAT_ID)
		item += 8;
	if (format & FORMAT_LOST)
		item += 8;
	if (group)
		read_take_items(b, out->nr_read, item);
	else
		read_take(b, item - 8);
}

static void parse_regs(struct read_bytes *b, __u64 mask)
{
	if (read_u64(b) != PERF_SAMPLE_REGS_ABI_NONE)
		read_take_items(b, __builtin_popcountll(mask), 8);
}

static void parse_branches(struct read_bytes *b, __u64 type,
			   struct read_sample *out)
{
	out->nr_branches = read_u64(b);
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		read_u64(b);
	read_take_items(b, out->nr_branches, sizeof(struct perf_branch_entry));
	if (type & BRANCH_COUNTERS)
		read_take_items(b, out->nr_branches, 8);
}

static void parse_stack(struct read_bytes *b, struct read_sample *out)
{
	__u64 size = read_u64(b), used;

	if (!size)
		return;
	read_take(b, size);
	used = read_u64(b);
	if (used > size)
		b->failed = true;
	out->stack_size = used;
}

static void parse_raw(struct read_bytes *b, struct read_sample *out)
{
	out->raw_size = read_u32(b);
	out->raw = read_take(b, out->raw_size);
}

/* Parse the field with this bit. parse_sample() calls this in the kernel's order of fields. */
static void parse_field(struct read_bytes *b, __u64 bit,
			const struct perf_event_attr *attr,
			struct read_sample *out)
{
	switch (bit) {
	case PERF_SAMPLE_IDENTIFIER:
	case PERF_SAMPLE_ID:
		out->id = read_u64(b);
		break;
	case PERF_SAMPLE_IP:
		out->ip = read_u64(b);
		break;
	case PERF_SAMPLE_TID:
		out->pid = read_u32(b);
		out->tid = read_u32(b);
		break;
	case PERF_SAMPLE_TIME:
		out->time = read_u64(b);
		break;
	case PERF_SAMPLE_ADDR:
		out->addr = read_u64(b);
		break;
	case PERF_SAMPLE_STREAM_ID:
		out->stream_id = read_u64(b);
		break;
	case PERF_SAMPLE_CPU:
		out->cpu = read_u32(b);
		read_u32(b);
		break;
	case PERF_SAMPLE_PERIOD:
		out->period = read_u64(b);
		break;
	case PERF_SAMPLE_READ:
		parse_read(b, attr->read_format, out);
		break;
	case PERF_SAMPLE_CALLCHAIN:
		out->nr_chain = read_u64(b);
		out->chain = read_take_items(b, out->nr_chain, 8);
		break;
	case PERF_SAMPLE_RAW:
		parse_raw(b, out);
		break;
	case PERF_SAMPLE_BRANCH_STACK:
		parse_branches(b, attr->branch_sample_type, out);
		break;
	case PERF_SAMPLE_REGS_USER:
		parse_regs(b, attr->sample_regs_user);
		break;
	case PERF_SAMPLE_STACK_USER:
		parse_stack(b, out);
		break;
	case PERF_SAMPLE_WEIGHT:
	case PERF_SAMPLE_WEIGHT_STRUCT:
		out->weight = read_u64(b);
		break;
	case PERF_SAMPLE_DATA_SRC:
		out->data_src = read_u64(b);
		break;
	case PERF_SAMPLE_TRANSACTION:
		out->transaction = read_u64(b);
		break;
	case PERF_SAMPLE_REGS_INTR:
		parse_regs(b, attr->sample_regs_intr);
		break;
	case PERF_SAMPLE_PHYS_ADDR:
		out->phys_addr = read_u64(b);
		break;
	case PERF_SAMPLE_CGROUP:
		out->cgroup = read_u64(b);
		break;
	case PERF_SAMPLE_DATA_PAGE_SIZE:
		out->data_page_size = read_u64(b);
		break;
	case PERF_SAMPLE_CODE_PAGE_SIZE:
		out->code_page_size = read_u64(b);
		break;
	case PERF_SAMPLE_AUX:
		out->aux_size = read_u64(b);
		read_take(b, out->aux_size);
		break;
	}
}

/* The fields in the order of the kernel's perf_output_sample() */
static const struct {
	__u64 bit;
	const char *name;
} fields[] = {
	{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_IP, "IP" },
	{ PERF_SAMPLE_TID, "TID" },
	{ PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" },
	{ PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" },
	{ PERF_SAMPLE_CPU, "CPU" },
	{ PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_READ, "READ" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_TRANSACTION, "TRANSACTION" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" },
	{ PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PERF_SAMPLE_AUX, "AUX" },
};

static void parse_sample(const struct read_record *rec, struct read_sample *out)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	const struct perf_event_attr *attr = &out->event->attr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(attr->sample_type & fields[i].bit))
			continue;
		parse_field(&b, fields[i].bit, attr, out);
		if (b.failed) {
			out->bad = fields[i].name;
			return;
		}
		out->has |= fields[i].bit;
	}
	out->rest = b.left;
}

int read_sample_of(const struct read_event *event,
		   const struct read_record *rec, struct read_sample *out)
{
	*out = (struct read_sample) { .event = event };
	parse_sample(rec, out);
	return out->bad ? -EINVAL : 0;
}

int read_sample(const struct read_attrs *attrs, const struct read_record *rec,
		struct read_sample *out)
{
	int rc;

	*out = (struct read_sample) { 0 };
	rc = find_event(attrs, rec, out);
	if (!out->event)
		return rc;
	if (rc && rc != -ENOENT)
		return rc;
	if (rec->type == PERF_RECORD_SAMPLE)
		parse_sample(rec, out);
	else
		parse_trailer(rec, out);
	if (out->bad)
		return -EINVAL;
	return rc;
}
