// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check FEATURE records of BPF programs: readers use the offsets in them without
 * checking bounds.
 */
#include <linux/bpf.h>
#include <string.h>

#include "check/check.h"

struct array {
	const char *name;
	size_t ptr;
	size_t count;
	size_t rec_size;	/* 0: each entry has .size bytes */
	size_t size;
};

#define FIELD(name)	offsetof(struct bpf_prog_info, name)

static const struct array arrays[REC_NR_BPF_ARRAYS] = {
	{ "jited_prog_insns", FIELD(jited_prog_insns), FIELD(jited_prog_len),
	  0, 1 },
	{ "xlated_prog_insns", FIELD(xlated_prog_insns), FIELD(xlated_prog_len),
	  0, 1 },
	{ "map_ids", FIELD(map_ids), FIELD(nr_map_ids), 0, 4 },
	{ "jited_ksyms", FIELD(jited_ksyms), FIELD(nr_jited_ksyms), 0, 8 },
	{ "jited_func_lens", FIELD(jited_func_lens), FIELD(nr_jited_func_lens),
	  0, 4 },
	{ "func_info", FIELD(func_info), FIELD(nr_func_info),
	  FIELD(func_info_rec_size), 0 },
	{ "line_info", FIELD(line_info), FIELD(nr_line_info),
	  FIELD(line_info_rec_size), 0 },
	{ "jited_line_info", FIELD(jited_line_info), FIELD(nr_jited_line_info),
	  FIELD(jited_line_info_rec_size), 0 },
	{ "prog_tags", FIELD(prog_tags), FIELD(nr_prog_tags), 0, BPF_TAG_SIZE },
};

/* Readers only use these arrays if they are present. */
#define OPTIONAL	(1U << REC_BPF_XLATED_INSNS | 1U << REC_BPF_MAP_IDS)

static __u32 field32(const __u8 *info, size_t at)
{
	__u32 v;

	memcpy(&v, info + at, sizeof(v));
	return v;
}

static void check_array(struct check *c, const struct read_record *rec,
			const __u8 *info, const struct array *a, bool there,
			__u32 data_len)
{
	const __u32 id = field32(info, FIELD(id));
	__u64 offset, size;

	memcpy(&offset, info + a->ptr, sizeof(offset));
	size = a->rec_size ? field32(info, a->rec_size) : a->size;
	size *= field32(info, a->count);
	if (!size)
		return;
	if (!there)
		check_fail(c, rec, RULE_FEATURE_BPF,
			   check_expect(c, "%s, which is counted", a->name),
			   "program %u without", id);
	else if (offset > data_len || size > data_len - offset)
		check_fail(c, rec, RULE_FEATURE_BPF,
			   check_expect(c, "%s in the %u bytes of arrays",
					a->name, data_len),
			   "program %u: %llu bytes at %llu", id, size, offset);
}

static void check_prog(struct check *c, const struct read_record *rec,
		       struct read_bytes *b)
{
	const __u32 info_len = read_u32(b), data_len = read_u32(b);
	const __u64 mask = read_u64(b);
	const __u8 *body = read_take(b, info_len);
	__u8 info[REC_BPF_INFO_SIZE] = { 0 };
	size_t i;

	read_take(b, data_len);
	if (b->failed)
		return;
	if (info_len > sizeof(info)) {
		check_fail(c, rec, RULE_FEATURE_BPF,
			   "an info of at most 232 bytes, as perf 6.1 knows it",
			   "%u", info_len);
		return;
	}
	if (mask >> REC_NR_BPF_ARRAYS) {
		check_fail(c, rec, RULE_FEATURE_BPF, "9 kinds of arrays",
			   "bits %#llx", mask);
		return;
	}
	memcpy(info, body, info_len);
	for (i = 0; i < REC_NR_BPF_ARRAYS; i++)
		if (mask >> i & 1 || !(OPTIONAL >> i & 1))
			check_array(c, rec, info, &arrays[i], mask >> i & 1,
				    data_len);
}

static void check_btf(struct check *c, const struct read_record *rec,
		      struct read_bytes *b)
{
	const __u32 id = read_u32(b), size = read_u32(b);
	const __u8 *data = read_take(b, size);
	__u16 magic;

	if (b->failed)
		return;
	if (size >= sizeof(magic)) {
		memcpy(&magic, data, sizeof(magic));
		if (magic == REC_BTF_MAGIC)
			return;
	}
	check_fail(c, rec, RULE_FEATURE_BPF, "BTF, which begins with 0xeb9f",
		   "types %u, %u bytes that do not", id, size);
}

bool check_is_bpf(__u64 feature)
{
	return feature == REC_FEAT_BPF_PROG_INFO || feature == REC_FEAT_BPF_BTF;
}

void check_bpf_progs(struct check *c, const struct read_record *rec,
		     struct read_bytes *b)
{
	__u32 nr = read_u32(b);

	for (; nr && !b->failed; nr--)
		check_prog(c, rec, b);
}

void check_bpf_btfs(struct check *c, const struct read_record *rec,
		    struct read_bytes *b)
{
	__u32 nr = read_u32(b);

	for (; nr && !b->failed; nr--)
		check_btf(c, rec, b);
}
