// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check records of the kernel's types, also the ones that the recorder makes.
 */
#include "check/check.h"
#include "base/bytes.h"

/* Check the end and the padding of a string that has @room bytes. */
void check_string(struct check *c, const struct read_record *rec,
		  const char *what, const char *s, size_t room)
{
	const char *end = room ? memchr(s, 0, room) : NULL;
	size_t used, i;

	if (!end) {
		check_fail(c, rec, RULE_STRING, "a NUL within the record",
			   "%s without an end in %zu bytes", what, room);
		return;
	}
	used = end - s + 1;
	if (room - used >= 8) {
		check_fail(c, rec, RULE_STRING_PAD, "less than 8 bytes of padding",
			   "%zu after %s", room - used, what);
		return;
	}
	for (i = used; i < room; i++) {
		if (s[i]) {
			check_fail(c, rec, RULE_STRING_PAD, "zeros",
				   "%#x after %s", (unsigned char)s[i], what);
			return;
		}
	}
}

static void check_mmap_id(struct check *c, const struct read_record *rec)
{
	const struct rec_mmap2 *m = (const void *)rec->hdr;
	int i;

	if (!(rec->misc & REC_MISC_MMAP_BUILD_ID))
		return;
	if (!m->id_size || m->id_size > sizeof(m->id)) {
		check_fail(c, rec, RULE_MMAP_ID, "a build-id of 1 to 20 bytes",
			   "%u", m->id_size);
		return;
	}
	if (m->reserved1 || m->reserved2)
		check_fail(c, rec, RULE_MMAP_ID, "reserved fields of 0",
			   "%#x, %#x", m->reserved1, m->reserved2);
	for (i = m->id_size; i < (int)sizeof(m->id); i++) {
		if (m->id[i]) {
			check_fail(c, rec, RULE_MMAP_ID, "zeros after the build-id",
				   "%#x", m->id[i]);
			return;
		}
	}
}

static void check_mmap(struct check *c, const struct read_record *rec,
		       const struct read_sample *s)
{
	size_t at = rec->type == PERF_RECORD_MMAP ? REC_MMAP_NAME :
						    REC_MMAP2_NAME;
	const struct rec_mmap2 *m = (const void *)rec->hdr;
	const char *name = (const char *)m + at;
	size_t room = s->rest + sizeof(*rec->hdr) - at;
	static const char kernel[] = REC_KERNEL_NAME;
	__u16 mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	/* check_size() did not subtract the trailer, so there may be no name. */
	if (s->rest + sizeof(*rec->hdr) <= at) {
		check_string(c, rec, "the file's name", name, 0);
		return;
	}
	check_string(c, rec, "the file's name", name, room);
	if (rec->type == PERF_RECORD_MMAP2)
		check_mmap_id(c, rec);
	if (m->pid != (__u32)-1)
		return;
	if (mode != PERF_RECORD_MISC_KERNEL &&
	    mode != PERF_RECORD_MISC_GUEST_KERNEL)
		check_fail(c, rec, RULE_KERNEL_MAP, "misc KERNEL for pid -1",
			   "misc %#x", rec->misc);
	if (room < sizeof(kernel) || memcmp(name, kernel, sizeof(kernel) - 1))
		return;
	/* Readers take the text after the bracket as a symbol, and pgoff as its address. */
	name += sizeof(kernel) - 1;
	room -= sizeof(kernel) - 1;
	if (!(room > 5 && !memcmp(name, "_text", 6)) &&
	    !(room > 6 && !memcmp(name, "_stext", 7)))
		check_fail(c, rec, RULE_KERNEL_MAP, "[kernel.kallsyms]_text",
			   "another reference symbol");
	else if (!m->pgoff)
		check_fail(c, rec, RULE_KERNEL_MAP,
			   "pgoff, the reference symbol's address", "0");
}

static void check_fork(struct check *c, const struct read_record *rec)
{
	if (!c->setup_done && !(rec->misc & PERF_RECORD_MISC_FORK_EXEC))
		check_fail(c, rec, RULE_FORK_EXEC,
			   "misc FORK_EXEC before FINISHED_INIT", "misc %#x",
			   rec->misc);
}

static void check_namespaces(struct check *c, const struct read_record *rec,
			     const struct read_sample *s)
{
	const __u64 *body = read_body(rec);

	if (s->rest < 16)
		return;
	if (body[1] != (s->rest - 16) / 16 || s->rest % 16)
		check_fail(c, rec, RULE_SIZE, "nr namespaces of 16 bytes",
			   "nr %llu in %u bytes", body[1], s->rest);
}

static void check_text_poke(struct check *c, const struct read_record *rec,
			    const struct read_sample *s)
{
	struct read_bytes b = read_bytes_init(read_body(rec), s->rest);
	__u32 len;

	read_u64(&b);
	len = read_u16(&b);
	len += read_u16(&b);
	read_take(&b, len);
	if (b.failed || b.left >= 8)
		check_fail(c, rec, RULE_SIZE, "old and new bytes, padded to 8",
			   "%u bytes in %u", len, s->rest);
}

/* Return the size of a body without the trailer, or -1 if it depends on the record. */
static int fixed_size(__u32 type)
{
	switch (type) {
	case PERF_RECORD_SWITCH:
		return 0;
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return 8;
	case PERF_RECORD_LOST:
	case PERF_RECORD_BPF_EVENT:
		return 16;
	case PERF_RECORD_EXIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_FORK:
	case PERF_RECORD_AUX:
		return 24;
	}
	return -1;
}

/* Return where the string of a type begins in the body; 0: the type has no string. */
static size_t string_at(__u32 type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_CGROUP:
		return 8;
	case PERF_RECORD_KSYMBOL:
		return 16;
	}
	return 0;
}

void check_kernel(struct check *c, const struct read_record *rec,
		  const struct read_sample *s)
{
	int size = fixed_size(rec->type);
	size_t at = string_at(rec->type);

	if (size >= 0 && s->rest != (__u32)size) {
		check_fail(c, rec, RULE_SIZE,
			   check_expect(c, "%d bytes and a sample_id of %u", size,
					read_trailer_size(&s->event->attr)),
			   "%u bytes and a sample_id", s->rest);
		return;
	}
	if (at)
		check_string(c, rec, "the name", (const char *)read_body(rec) + at,
			     s->rest > at ? s->rest - at : 0);
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		check_mmap(c, rec, s);
		break;
	case PERF_RECORD_FORK:
		check_fork(c, rec);
		break;
	case PERF_RECORD_NAMESPACES:
		check_namespaces(c, rec, s);
		break;
	case PERF_RECORD_TEXT_POKE:
		check_text_poke(c, rec, s);
		break;
	case PERF_RECORD_AUX:
		check_gap(c, rec, s);
		break;
	}
}
