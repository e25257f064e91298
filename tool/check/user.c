// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check FEATURE, EVENT_UPDATE, BUILD_ID, TIME_CONV and FINISHED_INIT records, and the identity.
 */
#include <errno.h>

#include "origin/identity.h"
#include "check/check.h"
#include "base/bytes.h"

/* Read a feature's string, which is a u32 len, then len bytes with a NUL among them. */
static const char *take_string(struct read_bytes *b)
{
	__u32 len = read_u32(b);
	const char *s = read_take(b, len);

	/* perf pads each string to a multiple of 64 bytes, and auxrec must do the same. */
	if (!s || len % 64 || !memchr(s, 0, len)) {
		b->failed = true;
		return NULL;
	}
	return s;
}

static void take_event_desc(struct read_bytes *b)
{
	__u32 nr = read_u32(b), size = read_u32(b), i;

	for (i = 0; i < nr && !b->failed; i++) {
		__u32 ids;

		read_take(b, size);
		ids = read_u32(b);
		take_string(b);
		read_take_items(b, ids, 8);
	}
}

static void take_strings(struct read_bytes *b, int numbers_before,
			 int numbers_after)
{
	__u32 nr = read_u32(b), i;

	for (i = 0; i < nr && !b->failed; i++) {
		read_take(b, 4 * numbers_before);
		take_string(b);
		read_take(b, 4 * numbers_after);
	}
}

static void take_compressed(struct check *c, const struct read_record *rec,
			    struct read_bytes *b)
{
	__u32 type, len;

	read_u32(b);
	type = read_u32(b);
	read_u32(b);
	read_u32(b);
	len = read_u32(b);
	if (b->failed)
		return;
	if (type != 1 || !len) {
		check_fail(c, rec, RULE_COMPRESSED, "type 1 (zstd), mmap_len not 0",
			   "type %u, mmap_len %u", type, len);
		return;
	}
	c->compressed_ok = true;
	c->compressed_max = len;
}

/* An event without attr.use_clockid has perf's own clock. */
static void take_clock(struct check *c, const struct read_record *rec, struct read_bytes *b)
{
	const __u32 version = read_u32(b), clockid = read_u32(b);
	size_t i;

	read_take(b, 16);
	if (version != 1)
		b->failed = true;
	c->clock_seen = true;
	for (i = 0; i < c->attrs.nr; i++) {
		const struct perf_event_attr *attr = &c->attrs.list[i]->attr;

		if (attr->use_clockid && (__u32)attr->clockid != clockid)
			check_fail(c, rec, RULE_CLOCK, "the clock of the events",
				   "clock %u, and %d in event %zu", clockid, attr->clockid, i);
	}
}

static void check_clock_is_told(struct check *c, const struct read_record *rec)
{
	size_t i;

	for (i = 0; i < c->attrs.nr && !c->clock_seen; i++)
		if (c->attrs.list[i]->attr.use_clockid) {
			check_fail(c, rec, RULE_CLOCK, "CLOCK_DATA before the end mark",
				   "none, and event %zu has a clock", i);
			return;
		}
}

static void feature_data(struct check *c, const struct read_record *rec,
			 __u64 id, struct read_bytes *b)
{
	switch (id) {
	case REC_FEAT_HOSTNAME:
	case REC_FEAT_OSRELEASE:
	case REC_FEAT_VERSION:
	case REC_FEAT_ARCH:
	case REC_FEAT_CPUDESC:
	case REC_FEAT_CPUID:
		take_string(b);
		break;
	case REC_FEAT_NRCPUS:
	case REC_FEAT_TOTAL_MEM:
	case REC_FEAT_CLOCKID:
		read_u64(b);
		break;
	case REC_FEAT_SAMPLE_TIME:
		read_take(b, 16);
		break;
	case REC_FEAT_CMDLINE:
		take_strings(b, 0, 0);
		break;
	case REC_FEAT_PMU_MAPPINGS:
		take_strings(b, 1, 0);
		break;
	case REC_FEAT_GROUP_DESC:
		take_strings(b, 0, 2);
		break;
	case REC_FEAT_EVENT_DESC:
		take_event_desc(b);
		break;
	case REC_FEAT_COMPRESSED:
		take_compressed(c, rec, b);
		break;
	case REC_FEAT_CLOCK_DATA:
		take_clock(c, rec, b);
		break;
	case REC_FEAT_BPF_PROG_INFO:
		check_bpf_progs(c, rec, b);
		break;
	case REC_FEAT_BPF_BTF:
		check_bpf_btfs(c, rec, b);
		break;
	default:
		return;
	}
	if (b->failed)
		check_fail(c, rec, RULE_FEATURE_DATA,
			   "the feature's layout, strings of a multiple of 64 bytes with a NUL",
			   "feature %llu in %u bytes", id, rec->size);
	else if (b->left >= 8)
		check_fail(c, rec, RULE_FEATURE_DATA, "the end of the record",
			   "feature %llu with %zu more bytes", id, b->left);
}

/* Old streams of perf have other records of this type. */
void check_identity(struct check *c, const struct read_record *rec)
{
	const char *key, *value;
	struct read_bytes b;
	size_t len;

	if (!read_identity(rec, &b))
		return;
	while (read_identity_next(&b, &key, &len, &value))
		;
	if (b.failed)
		check_fail(c, rec, RULE_IDENTITY, "strings KEY=VALUE with a NUL, valid names of labels",
			   "another string, %zu bytes before the end", b.left);
}

void check_feature(struct check *c, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	__u64 id = read_u64(&b);

	/* BPF programs can be loaded at any time. */
	if (c->features_end && !check_is_bpf(id))
		check_fail(c, rec, RULE_FEATURE_END, "nothing after the end mark",
			   "feature %llu", id);
	c->features = true;
	if (id == REC_FEAT_END) {
		/* Later versions of perf use this number for CPU_DOMAIN_INFO. */
		if (rec->size < 16 || rec->size % 8)
			check_fail(c, rec, RULE_FEATURE_END, "16 bytes or more, a multiple of 8",
				   "size %u", rec->size);
		c->features_end = true;
		check_clock_is_told(c, rec);
		return;
	}
	if (!id || id > REC_FEAT_MAX)
		check_fail(c, rec, RULE_FEATURE_ID, "1 to 31, or 32 at the end",
			   "%llu", id);
	feature_data(c, rec, id, &b);
}

/*
 * In perf's record, the string is a member of a union. perf leaves room for the largest member
 * after the string, which is not a violation.
 */
static void check_update_string(struct check *c, const struct read_record *rec,
				const char *s, size_t room)
{
	size_t used = strnlen(s, room) + 1;

	used = (used + 7) & ~(size_t)7;
	check_string(c, rec, "the string", s, used < room ? used : room);
}

static void check_event_update(struct check *c, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	__u64 type = read_u64(&b), id = read_u64(&b);
	int rc = read_attrs_update(&c->attrs, rec);

	if (rc == -ENOENT)
		check_fail(c, rec, RULE_ID, "an id of an ATTR", "id %llu", id);
	if (type == REC_UPDATE_UNIT || type == REC_UPDATE_NAME)
		check_update_string(c, rec, (const char *)b.p, b.left);
	else if (type == REC_UPDATE_SCALE && b.left < 8)
		check_fail(c, rec, RULE_EVENT_UPDATE, "a double, 8 bytes",
			   "%zu bytes", b.left);
	else if (type == REC_UPDATE_CPUS && b.left < 8)
		check_fail(c, rec, RULE_EVENT_UPDATE, "a CPU map", "%zu bytes",
			   b.left);
	else if (type > REC_UPDATE_CPUS)
		check_fail(c, rec, RULE_EVENT_UPDATE, "type 0 to 3", "%llu", type);
	if (type == REC_UPDATE_NAME && b.left && !*b.p)
		check_fail(c, rec, RULE_EVENT_UPDATE, "a name", "an empty one");
}

static void check_build_id(struct check *c, const struct read_record *rec)
{
	const __u8 *id = (const __u8 *)read_body(rec) + 4;
	const char *name = (const char *)id + 24;
	size_t i, size = id[20];

	if (rec->misc & REC_MISC_BUILD_ID_SIZE) {
		if (!size || size > 20)
			check_fail(c, rec, RULE_BUILD_ID, "a size of 1 to 20",
				   "%zu", size);
		for (i = size; i < 20; i++) {
			if (id[i]) {
				check_fail(c, rec, RULE_BUILD_ID,
					   "zeros after the id", "%#x", id[i]);
				break;
			}
		}
	} else if (size) {
		check_fail(c, rec, RULE_BUILD_ID, "misc bit 15 with the size",
			   "size %zu without it", size);
	}
	if (id[21] || id[22] || id[23])
		check_fail(c, rec, RULE_BUILD_ID, "zeros after idsize", "others");
	check_string(c, rec, "the file's name", name, read_body_size(rec) - 28);
}

static void check_time_conv(struct check *c, const struct read_record *rec)
{
	const __u64 *body = read_body(rec);
	const __u8 *caps = (const __u8 *)(body + 5);

	if (rec->size != 56)
		check_fail(c, rec, RULE_TIME_CONV, "size 56", "%u", rec->size);
	else if (caps[0] > 1 || caps[1] > 1)
		check_fail(c, rec, RULE_TIME_CONV, "caps of 0 or 1", "%u, %u",
			   caps[0], caps[1]);
	else if (body[0] > 63)
		check_fail(c, rec, RULE_TIME_CONV, "a shift below 64", "%llu",
			   body[0]);
}

void check_user(struct check *c, const struct read_record *rec)
{
	switch (rec->type) {
	case REC_EVENT_UPDATE:
		check_event_update(c, rec);
		break;
	case REC_BUILD_ID:
		check_build_id(c, rec);
		break;
	case REC_TIME_CONV:
		check_time_conv(c, rec);
		break;
	case REC_FINISHED_INIT:
		if (rec->size != 8)
			check_fail(c, rec, RULE_SIZE, "8", "%u", rec->size);
		break;
	}
}
