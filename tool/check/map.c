// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check ID_INDEX, THREAD_MAP and CPU_MAP.
 */
#include "check/check.h"
#include "base/bytes.h"

/* Are there @nr entries of @size bytes, and no more? */
static bool entries_fit(struct check *c, const struct read_record *rec,
			enum check_rule rule, const struct read_bytes *b,
			__u64 nr, size_t size)
{
	if (nr == b->left / size && !(b->left % size))
		return true;
	check_fail(c, rec, rule,
		   check_expect(c, "%zu entries of %zu bytes", b->left / size,
				size),
		   "nr %llu in %u bytes", nr, rec->size);
	return false;
}

static void check_id_index(struct check *c, const struct read_record *rec,
			   struct read_bytes *b)
{
	__u64 nr = read_u64(b), i;

	if (!entries_fit(c, rec, RULE_ID_INDEX, b, nr, 32))
		return;
	for (i = 0; i < nr; i++) {
		__u64 id = read_u64(b);
		const struct read_event *ev = read_attrs_find(&c->attrs, id);

		read_take(b, 24);
		if (!ev)
			check_fail(c, rec, RULE_ID_INDEX, "an id of an ATTR",
				   "entry %llu, id %llu", i, id);
		if (read_map_get(&c->index_ids, id, NULL))
			check_fail(c, rec, RULE_ID_INDEX, "each id once",
				   "entry %llu, id %llu again", i, id);
		/* If there is no memory, a second use of this id is not detected. */
		else if (ev)
			read_map_set(&c->index_ids, id, 1);
	}
}

static void check_thread_map(struct check *c, const struct read_record *rec,
			     struct read_bytes *b)
{
	__u64 nr = read_u64(b), i;

	if (!entries_fit(c, rec, RULE_THREAD_MAP, b, nr, 24))
		return;
	for (i = 0; i < nr; i++) {
		const char *comm;

		read_u64(b);
		comm = read_take(b, 16);
		if (!comm || !memchr(comm, 0, 16))
			check_fail(c, rec, RULE_THREAD_MAP,
				   "a comm that ends within its 16 bytes",
				   "entry %llu without an end", i);
	}
}

static void check_cpu_map(struct check *c, const struct read_record *rec,
			  struct read_bytes *b)
{
	__u16 type = read_u16(b), nr, size, end;

	switch (type) {
	case 0:
		nr = read_u16(b);
		if (!read_take_items(b, nr, 2))
			goto too_many;
		break;
	case 1:
		nr = read_u16(b);
		size = read_u16(b);
		if (size != 4 && size != 8) {
			check_fail(c, rec, RULE_CPU_MAP, "long_size 4 or 8",
				   "%u", size);
			return;
		}
		/* A mask of 64 bit words has padding before it. */
		if (size == 8)
			read_u32(b);
		if (!read_take_items(b, nr, size))
			goto too_many;
		break;
	case 2:
		read_u16(b);
		nr = read_u16(b);
		end = read_u16(b);
		if (nr > end)
			check_fail(c, rec, RULE_CPU_MAP, "start <= end", "%u-%u",
				   nr, end);
		return;
	default:
		check_fail(c, rec, RULE_CPU_MAP, "type 0 to 2", "%u", type);
		return;
	}
	if (!nr)
		check_fail(c, rec, RULE_CPU_MAP, "at least one entry", "none");
	return;
too_many:
	check_fail(c, rec, RULE_CPU_MAP, "entries that fit into the record",
		   "%u in %u bytes", nr, rec->size);
}

void check_map(struct check *c, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));

	switch (rec->type) {
	case REC_ID_INDEX:
		check_id_index(c, rec, &b);
		break;
	case REC_THREAD_MAP:
		check_thread_map(c, rec, &b);
		break;
	case REC_CPU_MAP:
		check_cpu_map(c, rec, &b);
		break;
	}
}
