// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ask bpf(2) about a program and its types, and store the answer in the layout of perf's
 * features.
 */
#include <stdlib.h>

#include "bpf/info.h"
#include "base/bpf_sys.h"
#include "base/util.h"

/* An array of struct bpf_prog_info: offsets of the fields that describe it. */
struct array {
	size_t ptr;
	size_t count;
	size_t rec_size;	/* 0: each entry has .size bytes */
	size_t size;
};

#define FIELD(name)	offsetof(struct bpf_prog_info, name)

/* In the order of perf's enum perf_bpil_array_types. */
static const struct array arrays[REC_NR_BPF_ARRAYS] = {
	[REC_BPF_JITED_INSNS] = {
		FIELD(jited_prog_insns), FIELD(jited_prog_len), 0, 1,
	},
	[REC_BPF_XLATED_INSNS] = {
		FIELD(xlated_prog_insns), FIELD(xlated_prog_len), 0, 1,
	},
	[REC_BPF_MAP_IDS] = {
		FIELD(map_ids), FIELD(nr_map_ids), 0, 4,
	},
	[REC_BPF_JITED_KSYMS] = {
		FIELD(jited_ksyms), FIELD(nr_jited_ksyms), 0, 8,
	},
	[REC_BPF_JITED_FUNC_LENS] = {
		FIELD(jited_func_lens), FIELD(nr_jited_func_lens), 0, 4,
	},
	[REC_BPF_FUNC_INFO] = {
		FIELD(func_info), FIELD(nr_func_info),
		FIELD(func_info_rec_size), 0,
	},
	[REC_BPF_LINE_INFO] = {
		FIELD(line_info), FIELD(nr_line_info),
		FIELD(line_info_rec_size), 0,
	},
	[REC_BPF_JITED_LINE_INFO] = {
		FIELD(jited_line_info), FIELD(nr_jited_line_info),
		FIELD(jited_line_info_rec_size), 0,
	},
	[REC_BPF_PROG_TAGS] = {
		FIELD(prog_tags), FIELD(nr_prog_tags), 0, BPF_TAG_SIZE,
	},
};

#define BIT(nr)		(1U << (nr))
#define ALL_ARRAYS	(BIT(REC_NR_BPF_ARRAYS) - 1)

/*
 * Arrays that a program loses, in this order, if it is too long for a record: first
 * the arrays that no reader uses, then the lines of its source, the types of its
 * functions, its code. The addresses, lengths and tags of its functions always fit,
 * because there are at most 256 functions.
 */
static const __u32 expendable[] = {
	BIT(REC_BPF_XLATED_INSNS) | BIT(REC_BPF_MAP_IDS),
	BIT(REC_BPF_LINE_INFO) | BIT(REC_BPF_JITED_LINE_INFO),
	BIT(REC_BPF_FUNC_INFO),
	BIT(REC_BPF_JITED_INSNS),
};

/* The info has the length that readers know. The header's struct can have another length. */
union prog_info {
	struct bpf_prog_info info;
	__u8 bytes[REC_BPF_INFO_SIZE];
};

/* The head of an entry of BPF_PROG_INFO. The arrays follow it. */
struct prog_head {
	__u32 info_len;
	__u32 data_len;
	__u64 arrays;
	__u8 info[REC_BPF_INFO_SIZE];
};

static __u32 *u32_at(union prog_info *u, size_t at)
{
	return (__u32 *)(u->bytes + at);
}

static __u64 *u64_at(union prog_info *u, size_t at)
{
	return (__u64 *)(u->bytes + at);
}

static __u64 array_size(union prog_info *u, const struct array *a)
{
	const __u64 size = a->rec_size ? *u32_at(u, a->rec_size) : a->size;

	return ALIGN8(*u32_at(u, a->count) * size);
}

static __u64 arrays_size(union prog_info *u, __u32 mask)
{
	__u64 size = 0;
	size_t i;

	for (i = 0; i < REC_NR_BPF_ARRAYS; i++)
		if (mask & BIT(i))
			size += array_size(u, &arrays[i]);
	return size;
}

/* Return the arrays of @mask that fit. @cut: some do not fit. */
static __u32 choose(union prog_info *u, __u32 mask, bool *cut)
{
	const __u64 room = BPF_ITEM_MAX - sizeof(struct prog_head);
	size_t i;

	*cut = false;
	for (i = 0; i < ARRAY_LEN(expendable); i++) {
		if (arrays_size(u, mask) <= room)
			return mask;
		*cut = true;
		mask &= ~expendable[i];
	}
	return mask;
}

/*
 * Read the arrays of @mask, with the counts in @u, into @data. On return, @u has the
 * offsets and counts of the arrays that the kernel gave, and @mask has the arrays that
 * it withheld. The kernel shows addresses and code only if kptr_restrict allows it
 * (bpf_dump_raw_ok()).
 */
static int get_arrays(int fd, union prog_info *u, void *data, __u32 *mask)
{
	union prog_info ask = { 0 };
	__u64 at = (unsigned long)data;
	__u32 withheld = 0;
	size_t i;
	int err;

	for (i = 0; i < REC_NR_BPF_ARRAYS; i++) {
		const struct array *a = &arrays[i];

		if (!(*mask & BIT(i)) || !array_size(u, a))
			continue;
		*u32_at(&ask, a->count) = *u32_at(u, a->count);
		if (a->rec_size)
			*u32_at(&ask, a->rec_size) = *u32_at(u, a->rec_size);
		*u64_at(&ask, a->ptr) = at;
		at += array_size(u, a);
	}
	err = bpf_get_info(fd, &ask, sizeof(ask));
	if (err)
		return err;

	for (i = 0; i < REC_NR_BPF_ARRAYS; i++) {
		const struct array *a = &arrays[i];
		__u64 *ptr = u64_at(&ask, a->ptr);

		if (*mask & BIT(i) && array_size(u, a)) {
			if (array_size(&ask, a) != array_size(u, a))
				return -ERANGE;
			if (!*ptr)
				withheld |= BIT(i);
			else
				*ptr -= (unsigned long)data;
			continue;
		}
		*ptr = 0;
		/* Readers use count without testing whether the array is present. */
		if (i != REC_BPF_XLATED_INSNS && i != REC_BPF_MAP_IDS)
			*u32_at(&ask, a->count) = 0;
	}
	*mask = withheld;
	*u = ask;
	return 0;
}

/*
 * If a program has types, perf uses the type of each function without checking that
 * there is one (synthesize_bpf_prog_name() in its util/bpf-event.c).
 */
static void check_types(struct bpf_prog_info *info)
{
	if (info->nr_func_info < info->nr_jited_ksyms)
		info->btf_id = 0;
}

int bpf_prog_item(int fd, struct bpf_item **res)
{
	__u32 mask = ALL_ARRAYS, withheld;
	struct bpf_item *item = NULL;
	union prog_info u;
	int err;

	do {
		struct prog_head *head;
		__u64 size;
		bool cut;

		free(item);
		item = NULL;
		memset(&u, 0, sizeof(u));
		err = bpf_get_info(fd, &u, sizeof(u));
		if (err)
			break;
		mask = choose(&u, mask, &cut);
		size = arrays_size(&u, mask);
		item = calloc(1, sizeof(*item) + sizeof(*head) + size);
		if (!item)
			return -ENOMEM;
		item->feature = REC_FEAT_BPF_PROG_INFO;
		item->cut = cut;
		item->size = sizeof(*head) + size;
		withheld = mask;
		head = (void *)item->bytes;
		err = get_arrays(fd, &u, head + 1, &withheld);
		if (err)
			break;
		head->info_len = sizeof(head->info);
		head->data_len = size;
		head->arrays = mask;
		mask &= ~withheld;
		check_types(&u.info);
		item->btf_id = u.info.btf_id;
		memcpy(head->info, &u, sizeof(head->info));
	} while (withheld);

	if (err)
		free(item);
	else
		*res = item;
	return err;
}

/* The head of an entry of BPF_BTF. */
struct btf_head {
	__u32 id;
	__u32 size;
};

int bpf_btf_item(int fd, __u32 id, struct bpf_item **res)
{
	struct bpf_btf_info info = { 0 };
	struct btf_head *head;
	struct bpf_item *item;
	__u32 size;
	int err;

	err = bpf_get_info(fd, &info, sizeof(info));
	if (err)
		return err;
	size = info.btf_size;
	if (size > BPF_ITEM_MAX - sizeof(*head))
		return -E2BIG;
	item = calloc(1, sizeof(*item) + sizeof(*head) + size);
	if (!item)
		return -ENOMEM;
	item->feature = REC_FEAT_BPF_BTF;
	item->size = sizeof(*head) + size;
	head = (void *)item->bytes;
	*head = (struct btf_head){ .id = id, .size = size };
	memset(&info, 0, sizeof(info));
	info.btf = (unsigned long)(head + 1);
	info.btf_size = size;
	err = bpf_get_info(fd, &info, sizeof(info));
	if (!err && info.btf_size != size)
		err = -ERANGE;
	if (err)
		free(item);
	else
		*res = item;
	return err;
}
