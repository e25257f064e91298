// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as an ELF file, through pa_elf_id() and
 * pa_elf_notes(). `make fuzz` builds and runs it; the corpus comes from
 * `test_elf_id -c`.
 */
#include <errno.h>
#include <stdlib.h>

#include "../note.h"
#include "ids/elf_id.h"

/* For each input, the number of runs in which one read fails */
#define NR_FAILURES	3
/* In a very long file, fail this read: more reads would only take time. */
#define FEW_READS	200

struct input {
	struct pa_elf_reader reader;
	const u8 *bytes;
	size_t size;
	u32 reads;
	u64 read_bytes;
	u32 fail_at;		/* number of the read that fails; the first is 1, 0: none */
};

static int read_input(struct pa_elf_reader *reader, u64 offset, void *buf,
		      u32 len)
{
	struct input *in = (struct input *)reader;
	size_t have;
	u64 end;

	if (!len || len > PA_ELF_BATCH ||
	    check_add_overflow(offset, len, &end) || end > reader->size)
		abort();
	in->read_bytes += len;
	if (++in->reads > PA_ELF_MAX_READS || in->read_bytes > PA_ELF_MAX_BYTES)
		abort();
	if (in->reads == in->fail_at)
		return -EIO;
	/* If the file is longer than the input, the rest is zeros. */
	have = offset < in->size ? min_t(u64, in->size - offset, len) : 0;
	memset(buf, 0, len);
	memcpy(buf, in->bytes + (have ? offset : 0), have);
	return 0;
}

/* Is this id, or a longer one that begins with it, in a note of the input? */
static bool is_in(const struct input *in, const struct pa_elf_id *id)
{
	const struct note_bytes notes = {
		in->bytes, in->size, note_big_endian(in->bytes, in->size)
	};

	return note_has_id(&notes, id->data, id->size, PA_ELF_ID_MAX);
}

static void check(const struct input *in, int ret, const struct pa_elf_id *id)
{
	if (ret < 0) {
		if (ret != -EIO || in->reads != in->fail_at || id->size)
			abort();
		return;
	}
	if (in->reads && in->reads == in->fail_at)
		abort();
	if (ret > PERFAUX_ID_TOO_LARGE || ret == PERFAUX_ID_UNREADABLE)
		abort();
	if (id->size > PA_ELF_ID_MAX || !ret != !!id->size)
		abort();
}

static int parse(struct input in, u64 file_size, u32 fail_at,
		 struct pa_elf_id *id, u32 *reads)
{
	int ret;

	in.reader.read = read_input;
	in.reader.size = file_size;
	in.fail_at = fail_at;
	ret = pa_elf_id(&in.reader, id);
	check(&in, ret, id);
	*reads = in.reads;
	return ret;
}

static void parse_all(const struct input *in)
{
	struct pa_elf_id id, again;
	u32 reads, reads_again;
	int ret;

	ret = parse(*in, in->size, 0, &id, &reads);
	if (!ret && !is_in(in, &id))
		abort();
	if (parse(*in, in->size, 0, &again, &reads_again) != ret ||
	    reads_again != reads || memcmp(&id, &again, sizeof(id)))
		abort();
	/* A file of the largest size, so that large offsets are valid */
	parse(*in, ~0ULL, FEW_READS, &again, &reads_again);
	for (u32 at = 1; at <= reads; at += 1 + reads / NR_FAILURES)
		parse(*in, in->size, at, &again, &reads_again);
}

/* The end of the input is taken as the offset and size of notes. */
static void parse_notes(struct input in)
{
	u64 range[2] = { 0, ~0ULL };
	struct pa_elf_id id;
	int ret;

	in.reader.read = read_input;
	in.reader.size = in.size;
	if (in.size >= sizeof(range))
		memcpy(range, in.bytes + in.size - sizeof(range), sizeof(range));
	for (u32 align = 4; align <= 8; align += 4) {
		ret = pa_elf_notes(&in.reader, range[0], range[1], align, &id);
		check(&in, ret, &id);
		in.reads = 0;
		in.read_bytes = 0;
		ret = pa_elf_notes(&in.reader, 0, in.size, align, &id);
		check(&in, ret, &id);
		in.reads = 0;
		in.read_bytes = 0;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { .bytes = data, .size = size };

	parse_all(&in);
	parse_notes(in);
	return 0;
}
