// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of all build-ids in a perf.data file.
 *
 * perf record fills this table at the end of a recording. In a stream most build-ids are in MMAP2
 * records. perf takes ids from these, too, but other programs only look at the table.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "perfdata/parts.h"
#include "stream/map_kind.h"

#define MISC_MASK	PERF_RECORD_MISC_CPUMODE_MASK
/* perf pads the names in this table (write_buildid()). */
#define NAME_ALIGN	64U

struct build_id_record {
	struct perf_event_header header;
	__s32	pid;
	__u8	id[20];
	__u8	size;
	__u8	reserved[3];
	/* then the file's name */
};

static bool is_same(const void *elements, __u32 value, const void *key)
{
	const struct pd_build_id *a = elements, *b = key;

	a += value;
	return a->pid == b->pid && a->misc == b->misc && a->size == b->size &&
	       !memcmp(a->id, b->id, sizeof(a->id)) && !strcmp(a->name, b->name);
}

static int add(struct pd_build_ids *b, struct pd_build_id *id, const char *name, size_t len,
	       struct diag *d)
{
	__u64 hash = hash_bytes(0, id->id, sizeof(id->id));
	__u32 known;

	id->name = strndup(name, len);
	if (!id->name)
		return diag(d, -ENOMEM, "out of memory");
	hash = hash_bytes(hash, id->name, strlen(id->name));
	if (read_map_find(&b->map, &hash, is_same, b->list, id, &known)) {
		free(id->name);
		return 0;
	}
	if (grow((void **)&b->list, b->nr, sizeof(*id)) || read_map_set(&b->map, hash, b->nr)) {
		free(id->name);
		return diag(d, -ENOMEM, "out of memory");
	}
	b->list[b->nr++] = *id;
	return 0;
}

int pd_build_ids_record(struct pd_build_ids *b, const struct read_record *rec, struct diag *d)
{
	const struct build_id_record *r = (const void *)rec->hdr;
	struct pd_build_id id = { .size = sizeof(id.id) };

	if (rec->size <= sizeof(*r) || !memchr(r + 1, 0, rec->size - sizeof(*r)))
		return diag(d, -EBADMSG, "a damaged BUILD_ID record");
	if (rec->misc & REC_MISC_BUILD_ID_SIZE)
		id.size = r->size;
	if (id.size > sizeof(id.id))
		return diag(d, -EBADMSG, "a build-id of %u bytes", id.size);
	memcpy(id.id, r->id, id.size);
	id.pid = r->pid;
	id.misc = rec->misc & MISC_MASK;
	return add(b, &id, (const char *)(r + 1), rec->size - sizeof(*r), d);
}

int pd_build_ids_map(struct pd_build_ids *b, const struct read_record *rec, struct diag *d)
{
	static const char kernel[] = REC_KERNEL_NAME;
	const struct rec_mmap2 *map = (const void *)rec->hdr;
	const char *name = (const char *)map + REC_MMAP2_NAME;
	struct pd_build_id id = { .pid = -1, .misc = rec->misc & MISC_MASK };
	size_t len;

	if (rec->size <= REC_MMAP2_NAME || !(rec->misc & REC_MISC_MMAP_BUILD_ID))
		return 0;
	/* A file of a virtual machine needs the machine's number, which an MMAP2 does not have. */
	if (id.misc != PERF_RECORD_MISC_KERNEL && id.misc != PERF_RECORD_MISC_USER)
		return 0;
	len = strnlen(name, rec->size - REC_MMAP2_NAME);
	if (!map->id_size || map->id_size > sizeof(id.id) || !len ||
	    len == rec->size - REC_MMAP2_NAME)
		return 0;
	/* If the vdso is in the table, perf looks for a file "[vdso]", not for the vdso's code. */
	if (map_kind(name) == MAP_KIND_VDSO)
		return 0;
	/* Readers name the kernel without the symbol that tells its address. */
	if (id.misc == PERF_RECORD_MISC_KERNEL && len > sizeof(kernel) - 1 &&
	    !memcmp(name, kernel, sizeof(kernel) - 1))
		len = sizeof(kernel) - 1;
	id.size = map->id_size;
	memcpy(id.id, map->id, id.size);
	return add(b, &id, name, len, d);
}

void pd_build_ids_write(const struct pd_build_ids *b, struct pd_out *o)
{
	static const char zeros[NAME_ALIGN];
	size_t i;

	for (i = 0; i < b->nr; i++) {
		const struct pd_build_id *id = &b->list[i];
		const size_t len = strlen(id->name) + 1, size = ALIGN_UP(len, NAME_ALIGN);
		struct build_id_record r = {
			.header = {
				.type = REC_BUILD_ID,
				.misc = id->misc | REC_MISC_BUILD_ID_SIZE,
			},
			.pid = id->pid,
			.size = id->size,
		};

		/* A name from a record of 64 KiB, with more padding, may be too long. */
		if (sizeof(r) + size > REC_SIZE_MAX)
			continue;
		r.header.size = sizeof(r) + size;
		memcpy(r.id, id->id, sizeof(r.id));
		pd_out_add(o, &r, sizeof(r));
		pd_out_add(o, id->name, len);
		pd_out_add(o, zeros, size - len);
	}
}

void pd_build_ids_free(struct pd_build_ids *b)
{
	size_t i;

	for (i = 0; i < b->nr; i++)
		free(b->list[i].name);
	free(b->list);
	read_map_free(&b->map);
	*b = (struct pd_build_ids){ .nr = 0 };
}
