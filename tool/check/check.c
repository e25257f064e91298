// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check a stream: one pass over its records, with the rules of each type.
 */
#include "check/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* The smallest body of each type, in bytes. NO_TYPE: there is no such type. */
#define NO_TYPE	0xffff

static const __u16 kernel_min[] = {
	NO_TYPE,	/* 0 */
	32 + 8,		/* MMAP: with a name */
	16,		/* LOST */
	8 + 8,		/* COMM */
	24,		/* EXIT */
	24, 24,		/* THROTTLE, UNTHROTTLE */
	24,		/* FORK */
	8 + 8,		/* READ */
	0,		/* SAMPLE: depends on its attr */
	64 + 8,		/* MMAP2 */
	24,		/* AUX */
	8,		/* ITRACE_START */
	8,		/* LOST_SAMPLES */
	0,		/* SWITCH */
	8,		/* SWITCH_CPU_WIDE */
	16,		/* NAMESPACES */
	16 + 8,		/* KSYMBOL */
	16,		/* BPF_EVENT */
	8 + 8,		/* CGROUP */
	12,		/* TEXT_POKE */
	8,		/* AUX_OUTPUT_HW_ID */
};

static const __u16 user_min[REC_NR_TYPES - REC_ATTR] = {
	PERF_ATTR_SIZE_VER0,	/* ATTR */
	0,			/* EVENT_TYPE, obsolete */
	4,			/* TRACING_DATA */
	28,			/* BUILD_ID */
	0,			/* FINISHED_ROUND */
	8,			/* ID_INDEX */
	8,			/* AUXTRACE_INFO */
	40,			/* AUXTRACE */
	104 - 64,		/* AUXTRACE_ERROR: msg can be short */
	8,			/* THREAD_MAP */
	8,			/* CPU_MAP */
	8, 24, 16,		/* STAT_* */
	16,			/* EVENT_UPDATE */
	24,			/* TIME_CONV: old streams have a short one */
	8,			/* FEATURE */
	0,			/* COMPRESSED */
	0,			/* FINISHED_INIT */
};

/*
 * Check rules that hold for all records. Return false if the record's body
 * cannot be parsed.
 */
static bool check_size(struct check *c, const struct read_record *rec)
{
	size_t body = read_body_size(rec);
	__u32 min = NO_TYPE;

	if (rec->type < ARRAY_SIZE(kernel_min))
		min = kernel_min[rec->type];
	else if (rec->type >= REC_ATTR && rec->type < REC_NR_TYPES)
		min = user_min[rec->type - REC_ATTR];
	if (min == NO_TYPE) {
		check_fail(c, rec, RULE_TYPE, "a type known to perf 6.1",
			   "type %u", rec->type);
		return false;
	}
	/* These three types contain plain bytes, and readers accept any size. */
	if (rec->type != REC_TRACING_DATA && rec->type != REC_FEATURE &&
	    rec->type != REC_COMPRESSED) {
		if (rec->size % 8)
			check_fail(c, rec, RULE_SIZE, "a multiple of 8",
				   "size %u", rec->size);
		else if (rec->size > REC_SIZE_MAX)
			check_fail(c, rec, RULE_SIZE, "at most 65528",
				   "size %u", rec->size);
	}
	if (body < min) {
		check_fail(c, rec, RULE_SIZE,
			   check_expect(c, "at least %zu",
					min + sizeof(*rec->hdr)),
			   "size %u", rec->size);
		return false;
	}
	return true;
}

/*
 * Check what follows the fields of a sample. Either RAW is padded as the kernel pads
 * it, or RAW is the last field and has its true size, see stream/payload.h.
 */
static void check_rest(struct check *c, const struct read_record *rec,
		       const struct read_sample *s)
{
	const bool raw = s->has & PERF_SAMPLE_RAW;
	const __u8 *rest = (const __u8 *)rec->hdr + rec->size - s->rest;
	const __u32 pad = raw ? -(4 + s->raw_size) % 8 : 0;
	struct auxrec_length length;
	__u32 i;

	if (raw && s->rest == sizeof(length) && !pad) {
		memcpy(&length, rest, sizeof(length));
		if (length.magic == AUXREC_LENGTH_MAGIC &&
		    length.length <= s->raw_size &&
		    s->raw_size - length.length < 8)
			return;
	}
	if (pad && rest != s->raw + s->raw_size) {
		check_fail(c, rec, RULE_RAW_ALIGN,
			   "(4 + size) % 8 == 0, or RAW as the last field",
			   "RAW size %u", s->raw_size);
		return;
	}
	if (s->rest != pad) {
		check_fail(c, rec, RULE_SAMPLE, "no more than its attr says",
			   "%u bytes too many", s->rest - pad);
		return;
	}
	for (i = 0; i < pad; i++)
		if (rest[i])
			check_fail(c, rec, RULE_RAW_ALIGN, "zeros after RAW",
				   "%#x", rest[i]);
}

static int check_kernel_record(struct check *c, const struct read_record *rec)
{
	struct read_sample s;
	int rc = read_sample(&c->attrs, rec, &s);

	if (rc == -ENODATA) {
		check_fail(c, rec, RULE_ATTR_FIRST, "an ATTR before it", "none");
		return 1;
	}
	if (rc == -ENOENT)
		check_fail(c, rec, RULE_ID, "an id of an ATTR", "id %llu", s.id);
	if (rc == -EINVAL)
		check_fail(c, rec, RULE_SAMPLE, "what the event's attr says",
			   "%s does not fit in %u bytes", s.bad, rec->size);
	if (rc) {
		/* The record's fields are unknown, so check only its place in the stream. */
		check_setup(c, rec, NULL);
		return 1;
	}
	check_snapshot_first(c, rec, &s);
	check_setup(c, rec, &s);
	if (rec->type == PERF_RECORD_SAMPLE)
		check_rest(c, rec, &s);
	check_time(c, rec, &s);
	if (rec->type == PERF_RECORD_SAMPLE) {
		if (check_is_chunk(s.event))
			return check_chunk(c, rec, &s);
		if (is_payload_event(&s.event->attr))
			check_payload(c, rec, &s);
		if (is_snapshot_event(&s.event->attr))
			check_snapshot(c, rec, &s);
		return 1;
	}
	check_kernel(c, rec, &s);
	return 1;
}

static int check_compressed(struct check *c, const struct read_record *rec)
{
	if (!c->compressed_ok)
		check_fail(c, rec, RULE_COMPRESSED,
			   "FEATURE 27 with zstd before it", "none");
	if (rec->inner) {
		check_fail(c, rec, RULE_COMPRESSED, "records",
			   "COMPRESSED in COMPRESSED");
		return 1;
	}
	return read_inflate(c->stream) ?: 1;
}

/* Return 1, or -errno if memory or the stream's bytes run out. */
static int check_record(struct check *c, const struct read_record *rec)
{
	/* Inside a COMPRESSED, readers do not skip the blob but take it for records. */
	if (rec->inner && (rec->type == REC_AUXTRACE ||
			   rec->type == REC_TRACING_DATA)) {
		check_fail(c, rec, RULE_COMPRESSED, "no record with data after it",
			   "%s inside", read_type_name(rec->type));
		return 1;
	}
	/* Readers allocate mmap_len bytes for the records of a COMPRESSED. */
	if (rec->inner && c->compressed_ok &&
	    read_inflated(c->stream) > c->compressed_max &&
	    c->compressed_over != rec->offset) {
		c->compressed_over = rec->offset;
		check_fail(c, rec, RULE_COMPRESSED,
			   check_expect(c, "at most mmap_len %u bytes of records",
					c->compressed_max),
			   "%llu", read_inflated(c->stream));
	}
	if (c->gap_open && rec->type != REC_AUXTRACE_ERROR) {
		check_fail(c, rec, RULE_GAP, "AUXTRACE_ERROR after an AUX gap",
			   "%s", read_type_name(rec->type));
		c->gap_open = false;
	}
	if (!check_size(c, rec))
		return 1;
	if (rec->type < REC_ATTR)
		return check_kernel_record(c, rec);

	check_snapshot_first(c, rec, NULL);
	check_setup(c, rec, NULL);
	switch (rec->type) {
	case REC_TRACING_DATA:
		return check_tracing(c, rec);
	case REC_FINISHED_ROUND:
		check_round(c);
		break;
	case REC_AUXTRACE_INFO:
		check_aux_info(c, rec);
		break;
	case REC_AUXTRACE:
		return check_auxtrace(c, rec);
	case REC_AUXTRACE_ERROR:
		check_gap_error(c, rec);
		break;
	case REC_ID_INDEX:
	case REC_THREAD_MAP:
	case REC_CPU_MAP:
		check_map(c, rec);
		break;
	case REC_FEATURE:
		check_feature(c, rec);
		break;
	case REC_EVENT_TYPE:
		check_identity(c, rec);
		break;
	case REC_COMPRESSED:
		return check_compressed(c, rec);
	default:
		check_user(c, rec);
		break;
	}
	return 1;
}

/* Note what a stream that ends here does not have yet. This is not a violation. */
static void note_end(struct check *c)
{
	size_t i;

	for (i = 0; i < c->nr_spans; i++) {
		if (c->spans[i].open)
			c->note = "ends before the last part of a span";
	}
	if (c->gap_open)
		c->note = "ends between an AUX gap and its AUXTRACE_ERROR";
	if (c->snapshots && !c->snapshot_seen)
		c->note = "ends before the snapshot's sample";
	if (!c->init_seen)
		c->note = "ends before FINISHED_INIT";
}

static int finish(struct check *c, const struct read_record *rec, int rc)
{
	c->bytes = read_offset(c->stream);
	switch (rc) {
	case 0:
		note_end(c);
		break;
	case -ENODATA:
		c->cut = read_cut(c->stream);
		if (!c->violations)
			return CHECK_CUT;
		break;
	case -EBADMSG:
		c->records++;
		check_fail(c, rec, RULE_FRAME, "size of at least 8",
			   "type %u, size %u; what follows cannot be read",
			   rec->type, rec->size);
		break;
	case -EPROTO:
		check_fail(c, rec, RULE_COMPRESSED, "zstd data", "%s",
			   read_problem(c->stream) ?:
			   "data that zstd refuses; later records cannot be read");
		break;
	default:
		return rc;
	}
	return c->violations ? CHECK_INVALID : CHECK_VALID;
}

int check_stream(struct check *c, read_fill_t fill, void *ctx)
{
	struct read_record rec = { 0 };
	int rc;

	c->stream = read_open(fill, ctx);
	if (!c->stream)
		return -ENOMEM;
	rc = read_header(c->stream);
	if (rc == -EBADMSG) {
		check_fail(c, NULL, RULE_HEADER, "\"PERFILE2\", 16", "%s",
			   read_problem(c->stream));
		c->bytes = read_offset(c->stream);
		rc = CHECK_INVALID;
	} else if (rc == -ENODATA) {
		c->bytes = read_offset(c->stream);
		rc = CHECK_CUT;
	} else if (rc > 0 || rc == -EPROTO) {
		while (rc > 0) {
			rc = read_next(c->stream, &rec);
			if (rc > 0) {
				c->records++;
				rc = check_record(c, &rec);
			}
		}
		rc = finish(c, &rec, rc);
	}
	if (rc == CHECK_CUT)
		snprintf(c->cut_how, sizeof(c->cut_how), "%s", read_problem(c->stream) ?: "");
	read_close(c->stream);
	c->stream = NULL;
	return rc;
}

void check_free(struct check *c)
{
	read_attrs_free(&c->attrs);
	read_map_free(&c->index_ids);
	read_map_free(&c->queue_by_idx);
	read_map_free(&c->queue_by_owner);
	read_map_free(&c->span_by_cookie);
	free(c->queues);
	free(c->spans);
	c->queues = NULL;
	c->spans = NULL;
	c->nr_queues = 0;
	c->nr_spans = 0;
}
