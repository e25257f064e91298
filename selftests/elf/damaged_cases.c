// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases of damaged files and failing readers. The result must be a cause or the true id.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "test_elf_id.h"

static void not_elf(void)
{
	static const struct {
		u32 at;
		u8 value;
	} bytes[] = {
		{ 0, 'E' }, { 1, 'e' }, { 2, 0 }, { 3, 'f' }, { EI_CLASS, 0 },
		{ EI_CLASS, 3 }, { EI_DATA, 0 }, { EI_DATA, 3 },
	};
	static const u16 types[] = { ET_NONE, ET_CORE, ET_LOOS, 0xffff, 0x300 };
	struct image img;

	for (u32 i = 0; i < 8; i++) {
		simple_image(&img, 1);
		img.ehdr.e_ident[bytes[i].at] = bytes[i].value;
		finish(&img, PERFAUX_ID_NOT_ELF, "ident %u", i);
	}
	for (u32 i = 0; i < 5; i++) {
		simple_image(&img, 1);
		img.ehdr.e_type = types[i];
		finish(&img, PERFAUX_ID_NOT_ELF, "type %#x", types[i]);
	}
}

static void entry_sizes(void)
{
	struct image img;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		simple_image(&img, kind);
		img.ehdr.e_phentsize--;
		finish(&img, PERFAUX_ID_NOT_ELF, "e_phentsize %s", kind_name(kind));
		section_image(&img, kind);
		img.ehdr.e_shentsize++;
		finish(&img, PERFAUX_ID_NOT_ELF, "e_shentsize %s", kind_name(kind));
		/* If one table is unreadable, the parser must read the other. */
		section_image(&img, kind);
		image_segments(&img, img.size, 1);
		img.ehdr.e_phentsize = 0;
		finish(&img, 0, "e_phentsize with sections %s", kind_name(kind));
		simple_image(&img, kind);
		image_sections(&img, img.size, 1);
		img.ehdr.e_shentsize = 0xffff;
		finish(&img, 0, "e_shentsize with segments %s", kind_name(kind));
	}
}

/* Cut the file to @size bytes. @whole: the size from which on the id is found. */
static void truncated_to(struct image *img, size_t whole, size_t size)
{
	int cause = PERFAUX_ID_TRUNCATED;

	if (size < SELFMAG)
		cause = PERFAUX_ID_NOT_ELF;
	else if (size >= whole)
		cause = 0;
	img->size = size;
	expect(img, cause, "%s, cut after %zu of %zu",
	       kind_name(img->is_64 | img->big_endian << 1), size, whole);
}

static void truncation(void)
{
	struct image img;
	size_t whole;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		simple_image(&img, kind);
		whole = img.size;
		/* An extra byte at the end, which belongs to nothing */
		image_put(&img, whole, "", 1);
		for (size_t size = whole + 1; size + 1 > 0; size--)
			truncated_to(&img, whole, size);
		image_free(&img);
		section_image(&img, kind);
		whole = img.size;
		for (size_t size = whole; size + 1 > 0; size--)
			truncated_to(&img, whole, size);
		image_free(&img);
	}
}

/* One kind of damage in the first note segment (or section) */
struct damage {
	const char *name;
	u64 offset;		/* of the segment; 0: unchanged */
	u64 size;		/* of the segment; 0: unchanged */
	u32 namesz, descsz;	/* of its note; 0: unchanged */
};

static const struct damage damages[] = {
	{ "offset", .offset = 1 << 20 },
	{ "largest offset", .offset = ~0ULL },
	{ "offset plus size", .offset = ~0ULL, .size = ~0ULL },
	{ "size", .size = 1 << 20 },
	{ "largest size", .size = ~0ULL },
	{ "size below 2^32", .size = 0xffffffff },
	{ "name", .namesz = 0x1000 },
	{ "largest name", .namesz = 0xffffffff },
	{ "name that wraps", .namesz = 0xfffffff4 },
	{ "text", .descsz = 0x1000 },
	{ "largest text", .descsz = 0xffffffff },
	{ "text that wraps", .descsz = 0xfffffff0 },
	{ "both", .namesz = 0xffffffff, .descsz = 0xffffffff },
};

static void put_damage(struct image *img, const struct damage *damage, bool id)
{
	struct note header = other_note;
	u64 notes, second;

	image_segments(img, 64, 2);
	notes = img->size;
	second = image_note(img, notes, 4, &header);
	if (id)
		image_note(img, second, 4, &id_note);
	if (damage->namesz || damage->descsz) {
		u32 sizes[2] = { damage->namesz, damage->descsz };

		for (u32 i = 0; i < 2; i++) {
			u8 bytes[4];

			for (u32 j = 0; j < 4; j++)
				bytes[img->big_endian ? 3 - j : j] = sizes[i] >> 8 * j;
			image_put(img, notes + 4 * i, bytes, 4);
		}
	}
	image_segment(img, 0, PT_NOTE, damage->offset ?: notes,
		      damage->size ?: second - notes, 4);
	if (id)
		image_segment(img, 1, PT_NOTE, second, ID_NOTE_SIZE, 4);
}

static void damaged_segment(void)
{
	struct image img;

	for (u32 i = 0; i < 13 * IMAGE_KINDS; i++) {
		const struct damage *damage = &damages[i / IMAGE_KINDS];
		unsigned int kind = i % IMAGE_KINDS;

		image_begin(&img, kind, ET_DYN);
		put_damage(&img, damage, false);
		finish(&img, PERFAUX_ID_TRUNCATED, "damaged %s %s", damage->name,
		       kind_name(kind));
		image_begin(&img, kind, ET_DYN);
		put_damage(&img, damage, true);
		finish(&img, 0, "id behind damaged %s %s", damage->name,
		       kind_name(kind));
	}
}

static void damaged_section(void)
{
	struct image img;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		section_image(&img, kind);
		image_note_section(&img, 1, 64, ~0ULL, 4);
		finish(&img, 0, "section size %s", kind_name(kind));
		section_image(&img, kind);
		image_note_section(&img, 1, ~0ULL, 1, 4);
		finish(&img, 0, "section offset %s", kind_name(kind));
		section_image(&img, kind);
		image_note_section(&img, 2, img.size, 1, 4);
		finish(&img, PERFAUX_ID_TRUNCATED, "last section %s",
		       kind_name(kind));
	}
}

static void damaged_table(void)
{
	Elf64_Shdr section = { .sh_size = ~0ULL, .sh_info = ~0U };
	struct image img;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		/* If not all entries fit in the file, the parser reads those that fit. */
		simple_image(&img, kind);
		img.ehdr.e_phnum = 1000;
		finish(&img, 0, "e_phnum %s", kind_name(kind));
		simple_image(&img, kind);
		img.ehdr.e_phoff = ~0ULL;
		finish(&img, PERFAUX_ID_TRUNCATED, "e_phoff %s", kind_name(kind));
		section_image(&img, kind);
		img.ehdr.e_shnum = 1000;
		finish(&img, 0, "e_shnum %s", kind_name(kind));
		section_image(&img, kind);
		img.ehdr.e_shoff = ~0ULL;
		img.ehdr.e_shnum = 0;
		finish(&img, PERFAUX_ID_TRUNCATED, "e_shoff %s", kind_name(kind));
		section_image(&img, kind);
		image_section(&img, 0, &section);
		img.ehdr.e_shnum = 0;
		img.ehdr.e_phnum = PN_XNUM;
		img.ehdr.e_phoff = 64;
		img.ehdr.e_phentsize = image_phdr_size(&img);
		finish(&img, 0, "largest counts %s", kind_name(kind));
	}
}

/* The parser must report the more informative cause, in any order. */
static void order_of_causes(void)
{
	struct image img;

	simple_image(&img, 1);
	image_segment(&img, 1, PT_NOTE, 1 << 20, 1, 4);
	image_sections(&img, img.size, 1);
	img.ehdr.e_shentsize = 1;
	finish(&img, PERFAUX_ID_TRUNCATED, "NOT_ELF and TRUNCATED");

	simple_image(&img, 1);
	image_segment(&img, 1, PT_NOTE, 64, 0, 4);
	image_sections(&img, img.size, 1);
	img.ehdr.e_shentsize = 1;
	finish(&img, PERFAUX_ID_NOT_ELF, "NO_NOTE and NOT_ELF");

	simple_image(&img, 1);
	image_segment(&img, 0, PT_NOTE, img.size, 1, 4);
	image_segment(&img, 1, PT_NOTE, 64, 0, 4);
	finish(&img, PERFAUX_ID_TRUNCATED, "TRUNCATED and NO_NOTE");
}

/*
 * With one byte changed, the result must be the true id or a cause. If the byte is in
 * the id or in its length (not @known), the id can be another one.
 */
static void flip_byte(struct image *img, size_t at, bool known)
{
	u8 was = img->bytes[at];
	struct image_reader r;
	struct pa_elf_id id;
	int ret;

	for (unsigned int value = 0; value < 256; value++) {
		img->bytes[at] = value;
		image_reader_init(&r, img);
		ret = pa_elf_id(&r.reader, &id);
		if (ret < 0 || ret > PERFAUX_ID_TOO_LARGE || (ret && id.size))
			fail("byte %zu = %u: result %d", at, value, ret);
		if (!ret && known && !is_true(&id))
			fail("byte %zu = %u: a wrong id", at, value);
	}
	img->bytes[at] = was;
}

/* Make an image with the id in the second note, after another note. */
static void mixed_image(struct image *img, unsigned int kind)
{
	u64 notes, id;

	image_begin(img, kind, ET_EXEC);
	image_segments(img, 64, 1);
	notes = img->size;
	id = image_note(img, notes, 8, &other_note);
	image_note(img, id, 8, &id_note);
	image_segment(img, 0, PT_NOTE, notes, img->size - notes, 8);
	image_end(img);
}

static void (*const small_images[])(struct image *img, unsigned int kind) = {
	simple_image, section_image, mixed_image,
};

static size_t find_id(const struct image *img)
{
	const u8 *found = memmem(img->bytes, img->size, true_id.data,
				 true_id.size);

	return found - img->bytes;
}

static void flips(void)
{
	struct image img;
	size_t id;

	for (unsigned int i = 0; i < 3 * IMAGE_KINDS; i++) {
		small_images[i / IMAGE_KINDS](&img, i % IMAGE_KINDS);
		id = find_id(&img);
		for (size_t at = 0; at < img.size; at++)
			flip_byte(&img, at,
				  !(at >= id && at < id + true_id.size) &&
				  !(at >= id - 12 && at < id - 8));
		image_free(&img);
	}
}

static void mixed_cut(void)
{
	struct image img;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		mixed_image(&img, kind);
		for (size_t size = img.size; size + 1 > 0; size--)
			truncated_to(&img, find_id(&img) + 20, size);
		image_free(&img);
	}
}

/* Let each read fail once. The result must be that error, without an id. */
static void failing_reads(const struct image *img, int error)
{
	struct image_reader r;
	struct pa_elf_id id;
	u32 reads;

	image_reader_init(&r, img);
	if (pa_elf_id(&r.reader, &id))
		fail("no id");
	reads = r.reads;
	for (u32 at = 1; at <= reads; at++) {
		int ret;

		memset(&id, 0xee, sizeof(id));
		image_reader_init(&r, img);
		r.fail_at = at;
		r.error = error;
		ret = pa_elf_id(&r.reader, &id);
		if (ret != error || id.size || r.reads != at)
			fail("read %u of %u: result %d after %u reads", at,
			     reads, ret, r.reads);
	}
}

static void reader_fails(void)
{
	struct image img;

	for (unsigned int i = 0; i < 3 * IMAGE_KINDS; i++) {
		small_images[i / IMAGE_KINDS](&img, i % IMAGE_KINDS);
		failing_reads(&img, -EIO);
		failing_reads(&img, -EINTR);
		image_free(&img);
	}
	/* A file that takes many reads: notes, both tables, section 0 */
	section_image(&img, 1);
	image_segments(&img, img.size, 100);
	for (u32 i = 0; i < 100; i++)
		image_segment(&img, i, PT_NOTE, 64, 28, 4);
	img.ehdr.e_phnum = PN_XNUM;
	image_end(&img);
	failing_reads(&img, -EIO);
	image_free(&img);
}

/* Each read finds other bytes changed. Any result is allowed that the parser documents. */
static void changing_file(void)
{
	struct image_reader r;
	struct pa_elf_id id;
	struct image img;

	for (u32 seed = 1; seed < 100000; seed++) {
		int ret;

		small_images[seed % 3](&img, seed % IMAGE_KINDS);
		image_reader_init(&r, &img);
		r.noise = seed;
		ret = pa_elf_id(&r.reader, &id);
		if (ret < 0 || ret > PERFAUX_ID_TOO_LARGE ||
		    id.size > PA_ELF_ID_MAX || !ret != !!id.size)
			fail("seed %u: result %d, %u bytes", seed, ret, id.size);
		image_free(&img);
	}
}

const struct test_case damaged_cases[] = {
	{ "not ELF", not_elf },
	{ "sizes of table entries", entry_sizes },
	{ "truncation at each offset", truncation },
	{ "truncation at each offset, two notes", mixed_cut },
	{ "damaged segments", damaged_segment },
	{ "damaged sections", damaged_section },
	{ "damaged tables", damaged_table },
	{ "order of causes", order_of_causes },
	{ "each byte changed", flips },
	{ "each read fails", reader_fails },
	{ "a file that changes while it is read", changing_file },
	{ NULL, NULL }
};
